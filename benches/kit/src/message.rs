//! Messages: the shoot-out's message, `{error: 0, msg: "success", data: {name: "testName", age_number: 18}}`, and the
//! messages of a stream.

use serde::{Deserialize, Serialize};
use y3::{Encoder, Error, ErrorKind, Packet, Sink};

/// The message with borrowed or owned texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message<Text> {
    #[serde(rename = "0x10")]
    pub error: u32,
    #[serde(rename = "0x11")]
    pub msg: Text,
    #[serde(rename = "0x12")]
    pub data: Data<Text>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Data<Text> {
    #[serde(rename = "0x10")]
    pub name: Text,
    #[serde(rename = "0x11")]
    pub age_number: u32,
}

impl From<Message<&str>> for Message<String> {
    fn from(Message { error, msg, data }: Message<&str>) -> Self {
        Message { error, msg: msg.into(), data: Data { name: data.name.into(), age_number: data.age_number } }
    }
}

impl<'a> Message<&'a str> {
    pub const EXAMPLE: Message<&'static str> =
        Message { error: 0, msg: "success", data: Data { name: "testName", age_number: 18 } };

    /// Writes the message by hand, with the same bytes as serde.
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

    /// Reads the message by hand in one pass over the packets. A missing field is an error.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
        let (mut error, mut msg, mut data) = (None, None, None);
        for packet in Packet::from_slice(bytes)?.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => error = Some(packet.decode()?),
                0x11 => msg = Some(packet.decode()?),
                0x12 => data = Some(Data::decode(packet)?),
                _ => {}
            }
        }
        match (error, msg, data) {
            (Some(error), Some(msg), Some(data)) => Ok(Self { error, msg, data }),
            _ => Err(Error::new(ErrorKind::InvalidValue, 0)),
        }
    }
}

impl<'a> Data<&'a str> {
    fn decode(node: Packet<'a>) -> Result<Self, Error> {
        let (mut name, mut age_number) = (None, None);
        for packet in node.children() {
            let packet = packet?;
            match packet.key().get() {
                0x10 => name = Some(packet.decode()?),
                0x11 => age_number = Some(packet.decode()?),
                _ => {}
            }
        }
        match (name, age_number) {
            (Some(name), Some(age_number)) => Ok(Self { name, age_number }),
            _ => Err(Error::new(ErrorKind::InvalidValue, node.offset())),
        }
    }
}

/// A packet of a stream: a number, a value with the watched key `0x11` or with `0x12`, and a text.
pub fn of_stream(sink: &mut impl Sink, number: u32, is_hit: bool, value: &[u8]) -> Result<(), Error> {
    Encoder::new(sink).node(0x01, |node| {
        node.put(0x10, number)?;
        node.put(if is_hit { 0x11 } else { 0x12 }, value)?;
        node.put(0x13, "10.0.3.7")
    })
}
