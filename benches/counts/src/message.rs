//! Message: `{error: 0, msg: "success", data: {name: "testName", age_number: 18}}`, the shoot-out's.
//!
//! In: nothing. Out: that message as serde wants to see it, and the calls of a user who writes it by hand.

use serde::{Deserialize, Serialize};
use y3::{Encoder, Error, Packet, Sink};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Message<'a> {
    #[serde(rename = "0x10")]
    error: u32,
    #[serde(rename = "0x11")]
    msg: &'a str,
    #[serde(rename = "0x12", borrow)]
    data: Data<'a>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Data<'a> {
    #[serde(rename = "0x10")]
    name: &'a str,
    #[serde(rename = "0x11")]
    age_number: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Owned {
    #[serde(rename = "0x10")]
    error: u32,
    #[serde(rename = "0x11")]
    msg: String,
    #[serde(rename = "0x12")]
    data: OwnedData,
}

#[derive(Debug, PartialEq, Deserialize)]
struct OwnedData {
    #[serde(rename = "0x10")]
    name: String,
    #[serde(rename = "0x11")]
    age_number: u32,
}

impl Message<'_> {
    pub const EXAMPLE: Message<'static> =
        Message { error: 0, msg: "success", data: Data { name: "testName", age_number: 18 } };

    pub fn to_owned(&self) -> Owned {
        let data = OwnedData { name: self.data.name.into(), age_number: self.data.age_number };
        Owned { error: self.error, msg: self.msg.into(), data }
    }

    pub fn encode(&self, sink: &mut impl Sink) -> Result<(), Error> {
        Encoder::new(sink).node(0x01, |message| {
            message.put(0x10, self.error)?;
            message.put(0x11, self.msg)?;
            message.node(0x12, |data| {
                data.put(0x10, self.data.name)?;
                data.put(0x11, self.data.age_number)
            })
        })
    }
}

impl<'a> Message<'a> {
    /// One pass over the packets; a field that is missing stays empty.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut message = Message { error: 0, msg: "", data: Data::default() };
        for packet in Packet::from_slice(bytes)?.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => message.error = packet.decode()?,
                0x11 => message.msg = packet.decode()?,
                0x12 => message.data = Data::decode(packet)?,
                _ => {}
            }
        }
        Ok(message)
    }
}

impl<'a> Data<'a> {
    fn decode(node: Packet<'a>) -> Result<Self, Error> {
        let mut data = Data::default();
        for packet in node.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => data.name = packet.decode()?,
                0x11 => data.age_number = packet.decode()?,
                _ => {}
            }
        }
        Ok(data)
    }
}
