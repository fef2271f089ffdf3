//! The message `{error: 0, msg: "success", data: {name: "testName", age_number: 18}}`. y3 with serde uses [`kit::message`].

use kit::hand::packet;
use kit::message::Message as Keyed;

use super::records;
use crate::extract::integer;

records! {
    Message<Text> {
        0 1 0x10 "0x10" error: u32, [uint32] u32;
        1 2 0x11 "0x11" msg: Text, [string] String;
        2 3 0x12 "0x12" data: Data<Text>, [message, optional] Option<Data>;
    }
    Data<Text> {
        0 1 0x10 "0x10" name: Text, [string] String;
        1 2 0x11 "0x11" age_number: u32, [uint32] u32;
    }
}

impl Message<&str> {
    pub const EXAMPLE: Message<&'static str> = {
        let Keyed { error, msg, data } = Keyed::EXAMPLE;
        Message { error, msg, data: Data { name: data.name, age_number: data.age_number } }
    };
}

/// Reads the fields one after the other without a loop: the least time that any reader needs. It refuses fields in another order.
#[inline(always)]
pub fn by_hand(bytes: &[u8]) -> Option<Message<&str>> {
    let field =
        |wanted, input| packet(input).ok().filter(|(tag, ..)| *tag == wanted).map(|(_, value, rest)| (value, rest));
    let number = |value| u32::try_from(integer(value)?).ok();
    let text = |value| str::from_utf8(value).ok();
    let (message, []) = field(0x81, bytes)? else { return None };
    let (error, rest) = field(0x10, message)?;
    let (msg, rest) = field(0x11, rest)?;
    let (data, []) = field(0x92, rest)? else { return None };
    let (name, rest) = field(0x10, data)?;
    let (age_number, []) = field(0x11, rest)? else { return None };
    let data = Data { name: text(name)?, age_number: number(age_number)? };
    Some(Message { error: number(error)?, msg: text(msg)?, data })
}
