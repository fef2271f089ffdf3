//! Show: formats packets as JSON or as values, or only checks them against the names file.

use std::fmt::{self, Write};

use y3::show::hex;
use y3::{Error, ErrorKind, Key, MAX_DEPTH, Packet};

use crate::model::{Names, Type};
use crate::scalar::Scalar;
use crate::schema::Schema;
use crate::value::Value;

/// The maximum nesting depth of packets. Common JSON readers accept JSON of this depth. The limit is higher than the depth limit
/// of nodes, because the depth of nodes starts at zero again inside each primitive.
pub(crate) const DEPTH: usize = 126;

/// A fault in packets, or a mismatch between a packet and the names file. Its `Display` output is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: String,
    message: String,
    offset: u64,
}

impl DecodeError {
    /// The path to the packet, such as `frame/payload:data`. A packet without a name in the file is shown by its key.
    /// The path is empty for a single packet that was decoded without its parents.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The offset of the packet or of the fault, in bytes from the start of the input.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The message, without the path and the offset.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the same error with `offset` added to its offset. Call this method if the decoded bytes are part of a
    /// larger input.
    #[must_use]
    pub fn moved(self, offset: u64) -> Self {
        Self { offset: self.offset.saturating_add(offset), ..self }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.path.is_empty() { "" } else { ": " };
        write!(f, "{}{separator}{} at byte {}", self.path, self.message, self.offset)
    }
}

impl std::error::Error for DecodeError {}

impl Names {
    /// Writes a top-level packet as a JSON object with one member.
    ///
    /// Members have the names of the file. A key without a name becomes a member such as `"0x14"`. The value of such a
    /// member is an array for a slice, an object for any other node, and hexadecimal text for a primitive. If a key is
    /// repeated, the second member is `"name#2"`. Integers are exact. Floats that are not finite are `"inf"`, `"-inf"`,
    /// `"nan"`, or `"nan:"` and the bits. [`encode_json`](Self::encode_json) converts the JSON back to the canonical
    /// form of the packet.
    ///
    /// # Errors
    /// Returns [`DecodeError`] for a fault in the bytes, a packet whose type differs from the file, or a missing
    /// required field. JSON written before the error stays in `json`. If writing to `json` fails, the error is ignored.
    pub fn show_json(&self, packet: Packet<'_>, json: &mut impl Write) -> Result<(), DecodeError> {
        Shower::new(self, Some(json)).members(self.top(), None, false, [Ok(packet)])
    }

    /// Checks that every value in a top-level packet matches the file, and that no required field is missing.
    ///
    /// # Errors
    /// Returns the errors of [`show_json`](Self::show_json).
    pub fn check(&self, packet: Packet<'_>) -> Result<(), DecodeError> {
        Shower::new(self, None).members(self.top(), None, false, [Ok(packet)])
    }
}

impl Schema<'_> {
    /// Decodes a packet. If the file does not describe the packet, a primitive becomes bytes, and a node becomes JSON
    /// with keys as names.
    ///
    /// # Errors
    /// Returns [`DecodeError`] if the packet does not match its type.
    pub fn decode(self, packet: Packet<'_>) -> Result<Value<'_>, DecodeError> {
        let scalar = match self.kind() {
            Some(Type::Scalar(scalar)) => Some(*scalar),
            None if !packet.is_node() => Some(Scalar::Bytes),
            _ => None,
        };
        if let Some(scalar) = scalar.filter(|_| !packet.is_node()) {
            return scalar.decode(packet).map_err(|error| DecodeError {
                path: String::new(),
                message: unfit(scalar, packet, error),
                offset: packet.offset(),
            });
        }
        let mut json = String::new();
        let shown = Shower::new(self.names, Some(&mut json)).packet(self, packet);
        shown.map_err(|error| DecodeError { path: String::new(), ..error }).map(|()| Value::Json(json))
    }

    /// Checks that a packet matches the file. The values of the packets inside it are not checked.
    pub(crate) fn check(self, packet: Packet<'_>) -> Result<(), DecodeError> {
        let mut shower = Shower { is_shallow: true, ..Shower::new(self.names, None) };
        shower.packet(self, packet).map_err(|error| DecodeError { path: String::new(), ..error })
    }
}

/// Describes why a value does not match its type. The result is the library's message without the offset, since
/// [`DecodeError`] has the offset separately. If the library's message only says that the type is wrong, the result
/// shows the bytes instead.
fn unfit(scalar: Scalar, packet: Packet<'_>, error: Error) -> String {
    let place = format!(" at byte {}", error.offset());
    match error.to_string().replacen(&place, "", 1) {
        words if words.starts_with("value is not") => format!("expected {scalar}, found {}", hex(packet.value())),
        words => match words.split_once(" (") {
            Some((name, width)) if name.starts_with("expected ") => format!("expected {scalar} ({width}"),
            _ => format!("expected {scalar}: {words}"),
        },
    }
}

struct Shower<'n, 'j> {
    names: &'n Names,
    /// The output for the JSON. If it is `None`, packets are only checked.
    json: Option<&'j mut dyn Write>,
    /// The keys on the path to the current packet. The `bool` is true if the packet is embedded in a primitive.
    around: Vec<(Key, bool)>,
    /// The number of open nodes inside the innermost primitive.
    nodes: usize,
    /// True if only the keys of inner packets are read.
    is_shallow: bool,
}

impl<'n, 'j> Shower<'n, 'j> {
    fn new(names: &'n Names, json: Option<&'j mut dyn Write>) -> Self {
        Shower { names, json, around: Vec::new(), nodes: 0, is_shallow: false }
    }

    /// Writes the packets inside `around`, or a top-level packet.
    fn members<'a>(
        &mut self,
        schema: Schema<'n>,
        around: Option<Packet<'a>>,
        is_embedded: bool,
        packets: impl IntoIterator<Item = Result<Packet<'a>, Error>>,
    ) -> Result<(), DecodeError> {
        let (mut counts, mut seen) = ([0_u32; 64], 0_u64);
        self.put("{");
        for packet in packets {
            let Some(packet) = self.sound(packet)? else { return Ok(()) };
            let key = packet.key();
            let member = schema.inside(Some(key), is_embedded);
            if seen > 0 {
                self.put(",");
            }
            seen |= 1 << key.get();
            match member.name {
                Some(name) => self.write(format_args!("\"{name}")),
                None => self.write(format_args!("\"0x{:02x}", key.get())),
            }
            if let Some(count) = counts.get_mut(usize::from(key.get())) {
                *count += 1;
                if *count > 1 {
                    let count = *count;
                    self.write(format_args!("#{count}"));
                }
            }
            self.put("\":");
            self.around.push((key, is_embedded));
            if !self.is_shallow {
                self.packet(member.schema, packet)?;
            }
            self.around.pop();
        }
        self.put("}");
        match schema.missing(is_embedded, seen) {
            Some(field) => {
                let offset = around.map_or(0, |packet| packet.offset());
                Err(self.error(offset, format!("field `{}` ({:02x}) is missing", field.name, field.key)))
            }
            None => Ok(()),
        }
    }

    /// Writes a packet whose key is the last one in `around`.
    fn packet(&mut self, schema: Schema<'n>, packet: Packet<'_>) -> Result<(), DecodeError> {
        if self.around.len() > DEPTH {
            let message = format!("more than {DEPTH} nested packets");
            return Err(self.error(packet.offset(), message));
        }
        if !packet.is_node() {
            let nodes = std::mem::take(&mut self.nodes);
            self.primitive(schema, packet)?;
            self.nodes = nodes;
            return Ok(());
        }
        if self.nodes == MAX_DEPTH {
            return Err(self.fault(Error::new(ErrorKind::DepthLimit, packet.offset())));
        }
        self.nodes += 1;
        self.node(schema, packet)?;
        self.nodes -= 1;
        Ok(())
    }

    fn primitive(&mut self, schema: Schema<'n>, packet: Packet<'_>) -> Result<(), DecodeError> {
        match schema.kind() {
            None | Some(Type::Unit) => {
                self.write(Value::Bytes(packet.value()).json());
                Ok(())
            }
            Some(Type::Scalar(scalar)) => {
                let value = scalar
                    .decode(packet)
                    .map_err(|error| self.error(packet.offset(), unfit(*scalar, packet, error)))?;
                self.write(value.json());
                Ok(())
            }
            Some(Type::Packets(_)) => self.members(schema, Some(packet), true, packet.embedded()),
            Some(Type::OneOf(variants)) if !variants.is_empty() => {
                let number: u32 =
                    packet.decode().map_err(|error| self.error(packet.offset(), unfit(Scalar::U32, packet, error)))?;
                match variants.iter().find(|variant| u32::from(variant.key) == number && variant.kind == Type::Unit) {
                    Some(variant) => self.write(format_args!("\"{}\"", variant.name)),
                    None => self.write(number),
                }
                Ok(())
            }
            Some(kind) => self.mismatch(packet, kind, "a primitive"),
        }
    }

    fn node(&mut self, schema: Schema<'n>, packet: Packet<'_>) -> Result<(), DecodeError> {
        match schema.kind() {
            Some(kind @ (Type::Slice(_) | Type::Tuple(_))) => {
                if !packet.is_slice() {
                    return self.mismatch(packet, kind, "a node that is not a slice");
                }
                match (kind, self.items(schema, packet)?) {
                    (Type::Tuple(items), Some(count)) if count != items.len() => {
                        self.mismatch(packet, kind, if count == 1 { "1 item" } else { "another number of items" })
                    }
                    _ => Ok(()),
                }
            }
            Some(kind @ (Type::Node(_) | Type::Map(_) | Type::OneOf(_))) if packet.is_slice() => {
                self.mismatch(packet, kind, "a slice")
            }
            Some(kind @ Type::OneOf(variants)) if variants.is_empty() || packet.children().take(2).count() != 1 => {
                self.mismatch(packet, kind, "a node without exactly one packet")
            }
            Some(Type::Node(_) | Type::Map(_) | Type::OneOf(_)) => {
                self.members(schema, Some(packet), false, packet.children())
            }
            Some(kind) => self.mismatch(packet, kind, "a node"),
            None if !packet.is_slice() => self.members(schema, Some(packet), false, packet.children()),
            None => {
                let mut is_list = true;
                for item in packet.children() {
                    is_list &= item.map_err(|error| self.fault(error))?.key() == Key::ITEM;
                }
                if is_list {
                    return self.items(schema, packet).map(|_| ());
                }
                // The packet is written in canonical form, since its length can be padded.
                let canonical = y3::to_vec(packet.key().get(), &packet).map_err(|error| self.fault(error))?;
                self.put("\"y3:");
                self.write(Value::Bytes(&canonical));
                self.put("\"");
                Ok(())
            }
        }
    }

    /// Returns an inner packet, or an error if it is faulty. If only keys are read, a faulty packet gives `None`,
    /// because a later call checks this packet and reports the fault.
    fn sound<'a>(&self, packet: Result<Packet<'a>, Error>) -> Result<Option<Packet<'a>>, DecodeError> {
        match packet {
            Err(error) if !self.is_shallow => Err(self.fault(error)),
            packet => Ok(packet.ok()),
        }
    }

    /// Writes the items of a slice. Returns the number of items, or `None` if an item has a fault.
    fn items(&mut self, schema: Schema<'n>, packet: Packet<'_>) -> Result<Option<usize>, DecodeError> {
        self.put("[");
        let mut count = 0;
        for item in packet.children() {
            let Some(item) = self.sound(item)? else { return Ok(None) };
            self.around.push((item.key(), false));
            if item.key() != Key::ITEM {
                return Err(
                    self.error(item.offset(), "expected an item with key 00, found an item with another key".into())
                );
            }
            if count > 0 {
                self.put(",");
            }
            if !self.is_shallow {
                self.packet(schema.item(count), item)?;
            }
            self.around.pop();
            count += 1;
        }
        self.put("]");
        Ok(Some(count))
    }

    fn mismatch(&self, packet: Packet<'_>, kind: &Type, found: &str) -> Result<(), DecodeError> {
        Err(self.error(packet.offset(), format!("expected {}, found {found}", kind.short())))
    }

    fn fault(&self, error: Error) -> DecodeError {
        self.error(error.offset(), error.kind().to_string())
    }

    /// Creates an error for the packet whose key is the last one in `around`.
    fn error(&self, offset: u64, message: String) -> DecodeError {
        let mut keys = String::new();
        for (place, (key, is_embedded)) in self.around.iter().enumerate() {
            let separator = if *is_embedded { ":" } else { "/" };
            // Writing to a `String` never fails.
            let _ = write!(keys, "{}{:02x}", if place == 0 { "" } else { separator }, key.get());
        }
        DecodeError { path: self.names.label(&keys).unwrap_or(keys), message, offset }
    }

    fn put(&mut self, text: &str) {
        self.write(text);
    }

    fn write(&mut self, shown: impl fmt::Display) {
        if let Some(json) = &mut self.json {
            let _ = write!(json, "{shown}");
        }
    }
}
