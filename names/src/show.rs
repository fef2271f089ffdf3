//! Packets as JSON, by the names and types of a file.
//!
//! In: packets. Out: an object a packet, or the packet that is not what the file says.

use std::fmt::{self, Write};

use y3::show::{escape_json, hex};
use y3::{Error, Key, PVarInt, Packet};

use crate::model::{Dialect, Field, Names, Type, Value};

/// The most packets, one inside another, so that `serde_json` reads the JSON back: it enters 127 objects. A value of a recursive type can
/// be inside embedded packets too, which have depths of their own.
const DEPTH: usize = 126;

/// Why packets are not JSON: a fault in them, or a packet that is not what the names file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowError {
    offset: u64,
    message: String,
}

impl ShowError {
    /// Where the packet begins, or the fault is, in bytes from the start of the input.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ShowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for ShowError {}

impl From<Error> for ShowError {
    fn from(error: Error) -> Self {
        Self { offset: error.offset(), message: error.kind().to_string() }
    }
}

impl Names {
    /// Appends a packet of the top level as a JSON object of one member.
    ///
    /// Fields have their names. A key that the file does not name is `"0x14"`, with its value in hexadecimal, as an object if it is a node,
    /// or as an array if it is a slice. The second packet with a key is `"name#2"`. Integers are exact; a float that is no number is
    /// `"inf"`, `"-inf"`, `"nan"` or `"nan:"` with its bits. [`encode_json`](Self::encode_json) reads it back to the same canonical bytes.
    ///
    /// # Errors
    /// [`ShowError`] for a fault in the bytes, and for a packet that is not what the file says; what was appended before it stays. An
    /// error of `json` is not one of them: it is for `json` to remember.
    pub fn show_json(&self, packet: Packet<'_>, json: &mut impl Write) -> Result<(), ShowError> {
        Shower { names: self, json, keys: Vec::new() }.object(&self.fields, [Ok(packet)])
    }
}

struct Shower<'n, 'j> {
    names: &'n Names,
    json: &'j mut dyn Write,
    /// The keys of the packets around.
    keys: Vec<Key>,
}

impl Shower<'_, '_> {
    fn object<'a>(
        &mut self,
        fields: &[Field],
        packets: impl IntoIterator<Item = Result<Packet<'a>, Error>>,
    ) -> Result<(), ShowError> {
        let mut seen = [0u32; 64];
        self.put("{");
        for (place, packet) in packets.into_iter().enumerate() {
            let packet = packet?;
            let key = packet.key().get();
            if place > 0 {
                self.put(",");
            }
            let field = fields.iter().find(|field| field.key == key);
            match field {
                Some(field) => self.put(format_args!("\"{}", field.name)),
                None => self.put(format_args!("\"0x{key:02x}")),
            }
            if let Some(times) = seen.get_mut(usize::from(key)) {
                *times += 1;
                if *times > 1 {
                    let times = *times;
                    self.put(format_args!("#{times}"));
                }
            }
            self.put("\":");
            self.packet(field.map(|field| &field.kind), packet)?;
        }
        self.put("}");
        Ok(())
    }

    /// A packet as a type, or as one that the file does not name.
    fn packet(&mut self, kind: Option<&Type>, packet: Packet<'_>) -> Result<(), ShowError> {
        if self.keys.len() == DEPTH {
            return Err(ShowError {
                offset: packet.offset(),
                message: format!("more than {DEPTH} packets, one inside another"),
            });
        }
        self.keys.push(packet.key());
        match kind.map(|kind| self.names.resolve(kind)) {
            Some(kind) => self.typed(kind, packet)?,
            None => self.unnamed(packet)?,
        }
        self.keys.pop();
        Ok(())
    }

    fn typed(&mut self, kind: &Type, packet: Packet<'_>) -> Result<(), ShowError> {
        let wrong = |what: &str| Err(self.mismatch(packet, kind, what));
        match kind {
            Type::Value(_) | Type::Packets(_) | Type::Unit if packet.is_node() => wrong("a node"),
            Type::Node(_) | Type::Map(_) | Type::Slice(_) | Type::Tuple(_) if !packet.is_node() => wrong("a primitive"),
            Type::Node(_) | Type::Map(_) if packet.is_slice() => wrong("a slice"),
            Type::Slice(_) | Type::Tuple(_) if !packet.is_slice() => wrong("a node that is no slice"),
            Type::Value(value) => self.value(*value, kind, packet),
            Type::Unit | Type::Named(_) => self.unnamed(packet),
            Type::Node(fields) => self.object(fields, packet.children()),
            Type::Packets(fields) => self.object(fields, packet.embedded()),
            Type::Map(value) => {
                let value = Field::of_map(value);
                self.object(&value, packet.children())
            }
            Type::Slice(item) => self.items(kind, packet, |_| Some(item)),
            Type::Tuple(items) => {
                self.items(kind, packet, |place| items.get(place))?;
                if packet.children().count() == items.len() {
                    Ok(())
                } else {
                    Err(self.mismatch(packet, kind, "a slice of another number of items"))
                }
            }
            Type::OneOf(variants) if packet.is_slice() || variants.is_empty() => wrong("not one of them"),
            Type::OneOf(variants) if packet.is_node() => {
                if packet.children().take(2).count() != 1 {
                    return wrong("not a node of one packet");
                }
                self.object(variants, packet.children())
            }
            Type::OneOf(variants) => {
                let number: u32 = packet.decode().map_err(|error| self.unfit(packet, kind, error))?;
                match variants.iter().find(|variant| u32::from(variant.key) == number && variant.kind == Type::Unit) {
                    Some(variant) => self.put(format_args!("\"{}\"", variant.name)),
                    None => self.put(format_args!("{number}")),
                }
                Ok(())
            }
        }
    }

    /// The items of a slice, which have key 0.
    fn items<'t>(
        &mut self,
        kind: &Type,
        packet: Packet<'_>,
        item: impl Fn(usize) -> Option<&'t Type>,
    ) -> Result<(), ShowError> {
        self.put("[");
        for (place, packet) in packet.children().enumerate() {
            let packet = packet?;
            if packet.key() != Key::ITEM {
                return Err(self.mismatch(packet, kind, "an item with a key of its own"));
            }
            if place > 0 {
                self.put(",");
            }
            self.packet(item(place), packet)?;
        }
        self.put("]");
        Ok(())
    }

    fn unnamed(&mut self, packet: Packet<'_>) -> Result<(), ShowError> {
        let is_list = packet.is_slice() && packet.children().all(|item| item.is_ok_and(|item| item.key() == Key::ITEM));
        if is_list {
            self.items(&Type::Unit, packet, |_| None)
        } else if packet.is_slice() {
            // A fault in it is an error as in any node.
            for item in packet.children() {
                item?;
            }
            self.put("\"y3:");
            self.hex(packet.as_bytes())
        } else if packet.is_node() {
            self.object(&[], packet.children())
        } else {
            self.put("\"");
            self.hex(packet.value())
        }
    }

    /// The end of a text in hexadecimal.
    #[allow(clippy::unnecessary_wraps, reason = "the last step of calls that can fail")]
    fn hex(&mut self, bytes: &[u8]) -> Result<(), ShowError> {
        self.put(hex(bytes));
        self.put("\"");
        Ok(())
    }

    fn value(&mut self, value: Value, kind: &Type, packet: Packet<'_>) -> Result<(), ShowError> {
        macro_rules! number {
            ($type:ty) => {
                packet.decode::<$type>().map(|number| self.put(number))
            };
            (pvar $type:ty) => {
                packet.decode::<PVarInt<$type>>().map(|number| self.put(number.0))
            };
        }
        let shown = match value {
            Value::Bytes => {
                self.put("\"");
                return self.hex(packet.value());
            }
            Value::Text => packet.decode::<&str>().map(|text| self.put(format_args!("\"{}\"", escape_json(text)))),
            Value::Bool => number!(bool),
            Value::Signed(8, _) => number!(i8),
            Value::Signed(16, _) => number!(i16),
            Value::Signed(32, Dialect::N) => number!(i32),
            Value::Signed(32, Dialect::P) => number!(pvar i32),
            Value::Signed(_, Dialect::N) => number!(i64),
            Value::Signed(_, Dialect::P) => number!(pvar i64),
            Value::Unsigned(8, _) => number!(u8),
            Value::Unsigned(16, _) => number!(u16),
            Value::Unsigned(32, Dialect::N) => number!(u32),
            Value::Unsigned(32, Dialect::P) => number!(pvar u32),
            Value::Unsigned(_, Dialect::N) => number!(u64),
            Value::Unsigned(_, Dialect::P) => number!(pvar u64),
            // The shortest text that reads back, as `Debug` has it; the reader of JSON goes through 64 bits.
            Value::F32 => packet.decode::<f32>().map(|number| {
                let text = format!("{number:?}");
                #[allow(clippy::cast_possible_truncation, reason = "as the reader does")]
                let reads_back = text.parse::<f64>().is_ok_and(|wide| (wide as f32).to_bits() == number.to_bits());
                if !number.is_finite() {
                    self.special(number.into(), number.to_bits().into(), f32::NAN.to_bits().into());
                } else if reads_back {
                    self.put(text);
                } else {
                    self.put(f64::from(number));
                }
            }),
            Value::F64 => packet.decode::<f64>().map(|number| {
                if number.is_finite() {
                    self.put(format_args!("{number:?}"));
                } else {
                    self.special(number, number.to_bits(), f64::NAN.to_bits());
                }
            }),
        };
        shown.map_err(|error| self.unfit(packet, kind, error))
    }

    /// A float that is no number.
    fn special(&mut self, number: f64, bits: u64, usual: u64) {
        match (number.is_nan(), bits == usual) {
            (true, true) => self.put("\"nan\""),
            (true, false) => self.put(format_args!("\"nan:{bits:x}\"")),
            _ => self.put(format_args!("\"{number}\"")),
        }
    }

    fn mismatch(&self, packet: Packet<'_>, kind: &Type, what: &str) -> ShowError {
        ShowError {
            offset: packet.offset(),
            message: format!("{} is {what}, and the names file says {}", self.path(packet), short(kind)),
        }
    }

    fn unfit(&self, packet: Packet<'_>, kind: &Type, error: Error) -> ShowError {
        let message =
            format!("{} does not hold what the names file says, {}: {}", self.path(packet), short(kind), error.kind());
        ShowError { offset: packet.offset(), message }
    }

    /// The keys that lead to a packet.
    fn path(&self, packet: Packet<'_>) -> String {
        let mut keys: Vec<String> = self.keys.iter().map(|key| format!("{:02x}", key.get())).collect();
        if self.keys.last() != Some(&packet.key()) {
            keys.push(format!("{:02x}", packet.key().get()));
        }
        keys.join("/")
    }

    fn put(&mut self, shown: impl fmt::Display) {
        // A string takes everything; another sink remembers what it did not take.
        let _ = write!(self.json, "{shown}");
    }
}

/// A type in a few words.
pub(crate) fn short(kind: &Type) -> String {
    match kind {
        Type::Node(_) => "a node".into(),
        Type::Packets(_) => "packets".into(),
        Type::OneOf(variants) => {
            let names: Vec<&str> = variants.iter().map(|variant| &*variant.name).collect();
            format!("one of {}", names.join(", "))
        }
        _ => kind.to_string(),
    }
}

impl Field {
    /// The entries of a map as fields: a name for each key.
    pub(crate) fn of_map(value: &Type) -> Vec<Field> {
        let field =
            |key: u8| Field { key, name: format!("0x{key:02x}"), kind: value.clone(), is_optional: true, span: 0..0 };
        (0..64).map(field).collect()
    }
}
