//! Three ways to the same packet: the derive, serde and by hand, in both directions, damaged packets included.
//!
//! In: values of a type that both derive, and what y3-codec-golang writes. Out: the same bytes, the same values, or three refusals.

use ::serde::{Deserialize, Serialize};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use y3::{Decode, Encode, Encoder, Error, ErrorKind, Packet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct Message<'a> {
    #[serde(rename = "0x10")]
    #[y3(0x10)]
    error: u32,
    #[serde(rename = "0x11")]
    #[y3(0x11)]
    text: &'a str,
    #[serde(rename = "0x12")]
    #[y3(0x12)]
    at: Option<i64>,
    #[serde(rename = "0x13", borrow)]
    #[y3(0x13)]
    data: Data<'a>,
    #[serde(rename = "0x14")]
    #[y3(0x14)]
    list: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct Data<'a> {
    #[serde(rename = "0x10")]
    #[y3(0x10)]
    name: &'a str,
    #[serde(rename = "0x11")]
    #[y3(0x11)]
    flag: bool,
}

impl<'a> Message<'a> {
    fn by_hand(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        Encoder::new(&mut out).node(0x01, |message| {
            message.put(0x10, self.error)?;
            message.put(0x11, self.text)?;
            self.at.map_or(Ok(()), |at| message.put(0x12, at))?;
            message.node(0x13, |data| {
                data.put(0x10, self.data.name)?;
                data.put(0x11, self.data.flag)
            })?;
            message.slice(0x14, |items| self.list.iter().try_for_each(|number| items.put(0, number)))
        })?;
        Ok(out)
    }

    fn read_by_hand(bytes: &'a [u8]) -> Result<Self, Error> {
        let message = Packet::from_slice(bytes)?;
        let (mut error, mut text, mut at, mut data, mut list) = (None, None, None, None, None);
        for packet in message.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => once(&mut error, primitive(packet)?)?,
                0x11 => once(&mut text, primitive(packet)?)?,
                0x12 => once(&mut at, primitive(packet)?)?,
                0x13 => once(&mut data, Data::read_by_hand(packet)?)?,
                0x14 => once(&mut list, packet.children().map(|item| primitive(item?)).collect::<Result<_, _>>()?)?,
                _ => {}
            }
        }
        Ok(Self { error: there(error)?, text: there(text)?, at, data: there(data)?, list: there(list)? })
    }
}

impl<'a> Data<'a> {
    fn read_by_hand(data: Packet<'a>) -> Result<Self, Error> {
        let (mut name, mut flag) = (None, None);
        for packet in data.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => once(&mut name, primitive(packet)?)?,
                0x11 => once(&mut flag, primitive(packet)?)?,
                _ => {}
            }
        }
        Ok(Self { name: there(name)?, flag: there(flag)? })
    }
}

const REFUSED: Error = Error::new(ErrorKind::InvalidValue, 0);

fn primitive<'a, T: y3::Decode<'a>>(packet: Packet<'a>) -> Result<T, Error> {
    if packet.is_node() { Err(REFUSED) } else { packet.decode() }
}

fn once<T>(field: &mut Option<T>, value: T) -> Result<(), Error> {
    if field.replace(value).is_some() { Err(REFUSED) } else { Ok(()) }
}

fn there<T>(field: Option<T>) -> Result<T, Error> {
    field.ok_or(REFUSED)
}

/// A value's bits: numbers that are none are equal too.
fn shown(message: &Message<'_>) -> String {
    let bits: Vec<_> = message.list.iter().map(|number| number.to_bits()).collect();
    format!("{message:?} {bits:x?}")
}

fn reads_alike(bytes: &[u8]) -> bool {
    let derived = y3::decode::<Message>(bytes).map(|message| shown(&message)).ok();
    assert_eq!(derived, y3::serde::from_slice::<Message>(bytes).map(|message| shown(&message)).ok(), "{bytes:02x?}");
    assert_eq!(derived, Message::read_by_hand(bytes).map(|message| shown(&message)).ok(), "{bytes:02x?}");
    derived.is_some()
}

fn texts() -> impl Strategy<Value = (String, String)> {
    ("\\PC{0,80}", "\\PC{0,6}")
}

proptest! {
    #[test]
    fn all_three_write_the_same_bytes_and_read_them_alike(
        error in any::<u32>(),
        (text, name) in texts(),
        at in of(any::<i64>()),
        flag in any::<bool>(),
        list in vec(any::<f32>(), 0..6),
        damages in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let message = Message { error, text: &text, at, data: Data { name: &name, flag }, list };
        let bytes = y3::to_vec(0x01, &message).unwrap();
        prop_assert_eq!(&bytes, &y3::serde::to_vec(&message).unwrap());
        prop_assert_eq!(&bytes, &message.by_hand().unwrap());
        prop_assert_eq!(y3::encoded_len(|encoder| encoder.put(0x01, &message)).unwrap(), bytes.len());
        prop_assert_eq!(shown(&y3::decode::<Message>(&bytes).unwrap()), shown(&message));
        prop_assert!(reads_alike(&bytes));

        prop_assert!(!reads_alike(&bytes[..cut.index(bytes.len())]));
        let mut damaged = bytes;
        for (place, byte) in damages {
            let place = place.index(damaged.len());
            damaged[place] = byte;
            reads_alike(&damaged);
        }
    }
}
