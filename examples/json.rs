//! Converts packets to JSON and back, for debugging. A table gives keys their names and types, which the wire does not
//! carry. `cargo run --features serde --example json -- 81089006200161210101` prints JSON; `-- '{…}'` prints the packet in
//! hex.
//!
//! In: a packet in hex, or JSON. Out: the other. Keys that are not in the table keep their number, and their values are
//! shown in hex.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::io;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::ser::Formatter;
use serde_json::{Map, Value, json};
use y3::Packet;
use y3::serde::to_vec;
use y3::show::escape;

/// The type of the value under a key.
#[derive(Clone, Copy)]
enum Kind {
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    Bool,
    Text,
    Node(Table),
    /// A slice whose items have the same type.
    Slice(&'static Kind),
    /// Bytes in hex: values and nodes that are not in the table.
    Raw,
}

/// The names and types of a node's keys.
type Table = &'static [(u8, &'static str, Kind)];

/// Replace this table with your own.
const ROOT: Kind = Kind::Node(&[
    (0x10, "error", Kind::U32),
    (0x11, "msg", Kind::Text),
    (0x12, "data", Kind::Node(&[(0x10, "name", Kind::Text), (0x11, "age_number", Kind::U32)])),
    (0x13, "noise", Kind::F32),
    (0x14, "tags", Kind::Slice(&Kind::Text)),
    (0x15, "at", Kind::I64),
    (0x16, "id", Kind::U64),
    (0x17, "offset", Kind::I32),
    (0x18, "mean", Kind::F64),
    (0x19, "alive", Kind::Bool),
]);

const EXAMPLE: &str =
    r#"{"error":0,"msg":"success","data":{"name":"testName","age_number":18},"noise":45.5,"tags":["a","b"]}"#;

fn main() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1) {
        Some(text) if text.starts_with('{') => {
            println!("{}", hex(&to_vec(&Typed(&serde_json::from_str(&text)?, ROOT))?));
        }
        Some(text) => println!("{}", safe(&decode(Packet::from_slice(&unhex(&text)?)?, ROOT)?)?),
        None => {
            let bytes = to_vec(&Typed(&serde_json::from_str(EXAMPLE)?, ROOT))?;
            println!("{}\n{}", hex(&bytes), safe(&decode(Packet::from_slice(&bytes)?, ROOT)?)?);
        }
    }
    Ok(())
}

/// JSON to be printed. Whoever sent the packet chose the texts in it, so what a terminal obeys or nobody sees is escaped.
fn safe(json: &Value) -> Result<String, Box<dyn Error>> {
    struct Escaped;
    impl Formatter for Escaped {
        fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
            write!(writer, "{}", escape(fragment).json())
        }
    }
    let mut out = Vec::new();
    json.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Escaped))?;
    Ok(String::from_utf8(out)?)
}

/// Converts a packet to JSON.
fn decode(packet: Packet<'_>, kind: Kind) -> Result<Value, y3::Error> {
    Ok(match kind {
        Kind::I32 => json!(packet.decode::<i32>()?),
        Kind::U32 => json!(packet.decode::<u32>()?),
        Kind::I64 => json!(packet.decode::<i64>()?),
        Kind::U64 => json!(packet.decode::<u64>()?),
        Kind::F32 => json!(packet.decode::<f32>()?),
        Kind::F64 => json!(packet.decode::<f64>()?),
        Kind::Bool => json!(packet.decode::<bool>()?),
        Kind::Text => json!(packet.decode::<&str>()?),
        Kind::Raw => json!(hex(packet.as_bytes())),
        Kind::Slice(item) => packet.children().map(|child| decode(child?, *item)).collect::<Result<_, _>>()?,
        Kind::Node(table) => {
            let mut object = Map::new();
            for child in packet.children() {
                let child = child?;
                let known = table.iter().find(|(key, ..)| child.key() == *key);
                let (name, kind) =
                    known.map_or((child.key().to_string(), Kind::Raw), |(_, name, kind)| ((*name).into(), *kind));
                object.insert(name, decode(child, kind)?);
            }
            object.into()
        }
    })
}

/// A JSON value and its type.
struct Typed<'a>(&'a Value, Kind);

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Typed(json, kind) = self;
        let signed = || json.as_i64().ok_or_else(|| mismatch(json));
        let unsigned = || json.as_u64().ok_or_else(|| mismatch(json));
        let float = || json.as_f64().ok_or_else(|| mismatch(json));
        let text = || json.as_str().ok_or_else(|| mismatch(json));
        match kind {
            // A number that does not fit its type is refused, never truncated.
            Kind::I32 => i32::try_from(signed()?).map_err(|_| mismatch(json))?.serialize(serializer),
            Kind::U32 => u32::try_from(unsigned()?).map_err(|_| mismatch(json))?.serialize(serializer),
            Kind::I64 => signed()?.serialize(serializer),
            Kind::U64 => unsigned()?.serialize(serializer),
            Kind::F32 => float()?.to_string().parse::<f32>().map_err(|_| mismatch(json))?.serialize(serializer),
            Kind::F64 => float()?.serialize(serializer),
            Kind::Bool => json.as_bool().ok_or_else(|| mismatch(json))?.serialize(serializer),
            Kind::Text => text()?.serialize(serializer),
            Kind::Raw => {
                let bytes = unhex(text()?).map_err(S::Error::custom)?;
                Packet::from_slice(&bytes).map_err(S::Error::custom)?.serialize(serializer)
            }
            Kind::Slice(item) => {
                let items = json.as_array().ok_or_else(|| mismatch(json))?;
                serializer.collect_seq(items.iter().map(|json| Typed(json, **item)))
            }
            Kind::Node(table) => {
                let fields = json.as_object().ok_or_else(|| mismatch(json))?;
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, json) in fields {
                    let (key, kind) = match table.iter().find(|(_, known, _)| known == name) {
                        Some((key, _, kind)) => (*key, *kind),
                        // A name that is not in the table has to be a key, as `decode` writes it.
                        None => (key(name).ok_or_else(|| mismatch(json))?, Kind::Raw),
                    };
                    map.serialize_entry(&key, &Typed(json, kind))?;
                }
                map.end()
            }
        }
    }
}

fn key(name: &str) -> Option<u8> {
    u8::from_str_radix(name.strip_prefix("0x")?, 16).ok()
}

fn mismatch<E: serde::ser::Error>(json: &Value) -> E {
    E::custom(format_args!("{json} does not have the type in the table"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Result<Vec<u8>, &'static str> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits.filter(|digits| digits.len() % 2 == 0).ok_or("not hexadecimal")?;
    pairs.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).map_err(|_| "not hexadecimal")).collect()
}
