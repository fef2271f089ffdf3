//! Message: `{error: 0, msg: "success", data: {name: "testName", age_number: 18}}`, owned and borrowed; for y3 it is
//! [`kit::message`].

use kit::message::Message as Keyed;

use super::records::{borrowed, owned};

owned! {
    Message {
        0 1 error: u32,
        1 2 msg: String,
        2 3 data: Data,
    }
    Data {
        0 1 name: String,
        1 2 age_number: u32,
    }
}

borrowed! {
    MessageRef {
        n 0 1 error: u32,
        b 1 2 msg: &'a str,
        #[serde(borrow)] b 2 3 data: DataRef<'a>,
    }
    DataRef {
        b 0 1 name: &'a str,
        n 1 2 age_number: u32,
    }
}

impl MessageRef<'_> {
    pub const EXAMPLE: MessageRef<'static> = {
        let Keyed { error, msg, data } = Keyed::EXAMPLE;
        MessageRef { error, msg, data: DataRef { name: data.name, age_number: data.age_number } }
    };
}

impl Message {
    pub fn example() -> Self {
        let MessageRef { error, msg, data } = MessageRef::EXAMPLE;
        Self { error, msg: msg.into(), data: Data { name: data.name.into(), age_number: data.age_number } }
    }
}

/// For y3's derive: the keys of [`kit::message`].
pub mod derived {
    use y3::{Decode, Encode};

    #[derive(Clone, Debug, PartialEq, Decode, Encode)]
    pub struct Message<'a> {
        #[y3(0x10)]
        pub error: u32,
        #[y3(0x11)]
        pub msg: &'a str,
        #[y3(0x12)]
        pub data: Data<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Decode, Encode)]
    pub struct Data<'a> {
        #[y3(0x10)]
        pub name: &'a str,
        #[y3(0x11)]
        pub age_number: u32,
    }

    #[derive(Clone, Debug, PartialEq, Decode, Encode)]
    pub struct Owned {
        #[y3(0x10)]
        pub error: u32,
        #[y3(0x11)]
        pub msg: String,
        #[y3(0x12)]
        pub data: OwnedData,
    }

    #[derive(Clone, Debug, PartialEq, Decode, Encode)]
    pub struct OwnedData {
        #[y3(0x10)]
        pub name: String,
        #[y3(0x11)]
        pub age_number: u32,
    }

    impl Message<'_> {
        pub const EXAMPLE: Message<'static> = {
            let super::Keyed { error, msg, data } = super::Keyed::EXAMPLE;
            Message { error, msg, data: Data { name: data.name, age_number: data.age_number } }
        };
    }

    impl Owned {
        pub fn example() -> Self {
            let Message { error, msg, data } = Message::EXAMPLE;
            Self { error, msg: msg.into(), data: OwnedData { name: data.name.into(), age_number: data.age_number } }
        }
    }
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
            let super::Message { error, msg, data } = super::Message::example();
            Self { error, msg, data: Some(Data { name: data.name, age_number: data.age_number }) }
        }
    }
}
