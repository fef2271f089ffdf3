//! Message: `{error: 0, msg: "success", data: {name: "testName", age_number: 18}}`.
//!
//! In: nothing. Out: that message, owned and borrowed, as each serializer wants to see it.

use serde::{Deserialize, Serialize};

pub const MSG: &str = "success";
pub const NAME: &str = "testName";
pub const AGE: u32 = 18;

/// For the serializers that take plain field names, or their order.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Serialize,
    Deserialize,
    bincode::Encode,
    bincode::Decode,
    minicbor::Encode,
    minicbor::Decode,
    bilrost::Message,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
pub struct Message {
    #[n(0)]
    #[bilrost(1)]
    pub error: u32,
    #[n(1)]
    #[bilrost(2)]
    pub msg: String,
    #[n(2)]
    #[bilrost(3)]
    pub data: Data,
}

#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Serialize,
    Deserialize,
    bincode::Encode,
    bincode::Decode,
    minicbor::Encode,
    minicbor::Decode,
    bilrost::Message,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
pub struct Data {
    #[n(0)]
    #[bilrost(1)]
    pub name: String,
    #[n(1)]
    #[bilrost(2)]
    pub age_number: u32,
}

/// The same, borrowed from the input.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Serialize,
    Deserialize,
    bincode::Encode,
    bincode::BorrowDecode,
    minicbor::Encode,
    minicbor::Decode,
    bilrost::Message,
)]
#[bilrost(borrowed_only)]
pub struct MessageRef<'a> {
    #[n(0)]
    #[bilrost(1)]
    pub error: u32,
    #[b(1)]
    #[bilrost(2)]
    pub msg: &'a str,
    #[serde(borrow)]
    #[b(2)]
    #[bilrost(3)]
    pub data: DataRef<'a>,
}

#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Serialize,
    Deserialize,
    bincode::Encode,
    bincode::BorrowDecode,
    minicbor::Encode,
    minicbor::Decode,
    bilrost::Message,
)]
#[bilrost(borrowed_only)]
pub struct DataRef<'a> {
    #[b(0)]
    #[bilrost(1)]
    pub name: &'a str,
    #[n(1)]
    #[bilrost(2)]
    pub age_number: u32,
}

impl Message {
    pub fn new() -> Self {
        Self { error: 0, msg: MSG.into(), data: Data { name: NAME.into(), age_number: AGE } }
    }
}

impl MessageRef<'_> {
    pub const NEW: Self = Self { error: 0, msg: MSG, data: DataRef { name: NAME, age_number: AGE } };
}

/// For prost.
pub mod protobuf {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Message {
        #[prost(uint32, tag = "1")]
        pub error: u32,
        #[prost(string, tag = "2")]
        pub msg: String,
        #[prost(message, optional, tag = "3")]
        pub data: Option<Data>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Data {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(uint32, tag = "2")]
        pub age_number: u32,
    }

    impl Message {
        pub fn example() -> Self {
            let data = Data { name: super::NAME.into(), age_number: super::AGE };
            Self { error: 0, msg: super::MSG.into(), data: Some(data) }
        }
    }
}

/// For y3: field names that are keys, and the calls of a user who writes them by hand.
pub mod keyed {
    use serde::{Deserialize, Serialize};
    use y3::{Encoder, Error, ErrorKind, Packet, Sink};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Message {
        #[serde(rename = "0x10")]
        pub error: u32,
        #[serde(rename = "0x11")]
        pub msg: String,
        #[serde(rename = "0x12")]
        pub data: Data,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Data {
        #[serde(rename = "0x10")]
        pub name: String,
        #[serde(rename = "0x11")]
        pub age_number: u32,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct MessageRef<'a> {
        #[serde(rename = "0x10")]
        pub error: u32,
        #[serde(rename = "0x11")]
        pub msg: &'a str,
        #[serde(rename = "0x12", borrow)]
        pub data: DataRef<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct DataRef<'a> {
        #[serde(rename = "0x10")]
        pub name: &'a str,
        #[serde(rename = "0x11")]
        pub age_number: u32,
    }

    impl Message {
        pub fn example() -> Self {
            Self { error: 0, msg: super::MSG.into(), data: Data { name: super::NAME.into(), age_number: super::AGE } }
        }
    }

    impl MessageRef<'_> {
        pub const NEW: Self =
            Self { error: 0, msg: super::MSG, data: DataRef { name: super::NAME, age_number: super::AGE } };

        /// By hand: the same bytes as serde writes.
        ///
        /// # Errors
        /// Those of the sink.
        pub fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Error> {
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

    impl<'a> MessageRef<'a> {
        /// By hand: one pass over the packets, a field that is missing is an error.
        ///
        /// # Errors
        /// Those of packets and values.
        pub fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
            let message = Packet::from_slice(bytes)?;
            let (mut error, mut msg, mut data) = (None, None, None);
            for packet in message.children() {
                let packet = packet?;
                match packet.key().get() {
                    0x10 => error = Some(packet.decode()?),
                    0x11 => msg = Some(packet.decode()?),
                    0x12 => data = Some(DataRef::decode(packet)?),
                    _ => {}
                }
            }
            match (error, msg, data) {
                (Some(error), Some(msg), Some(data)) => Ok(Self { error, msg, data }),
                _ => Err(Error::new(ErrorKind::InvalidValue, 0)),
            }
        }
    }

    impl<'a> DataRef<'a> {
        fn decode(data: Packet<'a>) -> Result<Self, Error> {
            let (mut name, mut age_number) = (None, None);
            for packet in data.children() {
                let packet = packet?;
                match packet.key().get() {
                    0x10 => name = Some(packet.decode()?),
                    0x11 => age_number = Some(packet.decode()?),
                    _ => {}
                }
            }
            match (name, age_number) {
                (Some(name), Some(age_number)) => Ok(Self { name, age_number }),
                _ => Err(Error::new(ErrorKind::InvalidValue, data.offset())),
            }
        }
    }

    impl Message {
        /// By hand, owned.
        ///
        /// # Errors
        /// Those of packets and values.
        pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
            let MessageRef { error, msg, data } = MessageRef::decode(bytes)?;
            let data = Data { name: data.name.into(), age_number: data.age_number };
            Ok(Self { error, msg: msg.into(), data })
        }
    }
}
