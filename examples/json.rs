//! Packets as JSON and back, without the names and types that the wire does not carry: a node is an object, a slice an array, any
//! other value its bytes in hex. The example `json_struct` has names and types.
//!
//! `cargo run --example json -- 81089006200161210101` prints `{"0x01":{"0x10":{"0x20":"61","0x21":"01"}}}`; with that as its
//! argument it prints the hex.

use serde_json::{Map, Value};
use y3::{Decode, Encode, Encoder, Error, ErrorKind, Key, Packet, Sink};

const EXAMPLE: &str = r#"{"0x01":{"0x10":{"0x20":"61","0x21":"01"},"0x11":["07","08"]}}"#;

/// JSON to be written as a packet.
struct FromJson<'v>(&'v Value);

impl Encode for FromJson<'_> {
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        let wrong = Error::new(ErrorKind::InvalidValue, 0);
        match self.0 {
            Value::Object(fields) => to.node(key.get(), |node| {
                fields
                    .iter()
                    .try_for_each(|(name, value)| node.put(key_of(name).map_or(u8::MAX, Key::get), FromJson(value)))
            }),
            Value::Array(items) => {
                to.slice(key.get(), |slice| items.iter().try_for_each(|item| slice.put(0, FromJson(item))))
            }
            Value::String(hex) => to.put(key.get(), &*unhex(hex).ok_or(wrong)?),
            _ => Err(wrong),
        }
    }
}

/// A packet as JSON.
struct ToJson(Value);

impl<'a> Decode<'a> for ToJson {
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        if !packet.is_node() {
            return Ok(Self(hex(packet.value()).into()));
        }
        let mut children = packet.children();
        if packet.is_slice() {
            let items = children.map(|item| Ok(item?.decode::<Self>()?.0)).collect::<Result<Vec<Value>, Error>>()?;
            return Ok(Self(items.into()));
        }
        let fields = children.try_fold(Map::new(), |mut fields, field| {
            let field = field?;
            match fields.insert(field.key().to_string(), field.decode::<Self>()?.0) {
                None => Ok(fields),
                // An object has no place for a key that is there twice.
                Some(_) => Err(Error::new(ErrorKind::RepeatedField, field.offset())),
            }
        })?;
        Ok(Self(fields.into()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1).unwrap_or_else(|| EXAMPLE.to_owned());
    if let Some(bytes) = unhex(&argument) {
        // Also refuses packets that are nested too deep for a function that calls itself.
        y3::check(&bytes)?;
        let packet = Packet::from_slice(&bytes)?;
        println!("{}", serde_json::json!({ packet.key().to_string(): packet.decode::<ToJson>()?.0 }));
        return Ok(());
    }
    let packets: Map<String, Value> = serde_json::from_str(&argument)?;
    for (name, value) in &packets {
        let key = key_of(name).ok_or("a name is a key in hex: 0x00 to 0x3f")?;
        println!("{}", hex(&y3::to_vec(key.get(), &FromJson(value))?));
    }
    Ok(())
}

fn key_of(name: &str) -> Option<Key> {
    Key::new(u8::from_str_radix(name.strip_prefix("0x")?, 16).ok()?)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits.filter(|digits| digits.len() % 2 == 0)?;
    pairs.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok()).collect()
}
