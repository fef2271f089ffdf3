//! Schema: finds the type of a packet in a names file, by names or keys.

use std::fmt::Write as _;

use y3::show::escape;
use y3::{Key, Path};

use crate::model::{Field, Names, Type};
use crate::parse::{ParseError, near};

/// The type of a packet, with the names file that defines the type. A schema is cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'n> {
    pub(crate) names: &'n Names,
    what: What<'n>,
}

#[derive(Clone, Copy, Debug)]
enum What<'n> {
    /// The top level of the file. Its fields are the top-level packets.
    Top,
    /// A packet of this type. Named types are resolved.
    Is(&'n Type),
    Unknown,
}

/// A packet inside another packet: its name and its schema.
#[derive(Clone, Copy, Debug)]
pub struct Member<'n> {
    /// The name in the file.
    pub name: Option<&'n str>,
    /// The schema of the packet.
    pub schema: Schema<'n>,
}

impl Names {
    /// The schema of the top level. Its members are the top-level packets.
    #[must_use]
    pub const fn top(&self) -> Schema<'_> {
        Schema { names: self, what: What::Top }
    }

    /// The schema of a packet that the file does not describe.
    #[must_use]
    pub const fn unknown(&self) -> Schema<'_> {
        Schema { names: self, what: What::Unknown }
    }

    /// The schema of `kind`. The type can refer to named types of this file.
    ///
    /// # Examples
    /// ```
    /// use y3_names::{Names, Type, Value};
    ///
    /// let (names, kind) = (Names::default(), "f32".parse::<Type>()?);
    /// let packet = y3::Packet::from_slice(&[0x11, 0x02, 0x41, 0xb8])?;
    /// assert_eq!(names.schema(&kind).decode(packet)?, Value::F32(23.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn schema<'n>(&'n self, kind: &'n Type) -> Schema<'n> {
        Schema { names: self, what: What::Is(self.resolve(kind)) }
    }

    /// Parses a path of names or keys. Returns the path and the schema of the packets at this path.
    ///
    /// A step is a name, a hexadecimal key, or `*` for any key. `/` enters a node, and `:` enters the packets embedded
    /// in a primitive.
    ///
    /// # Errors
    /// Returns [`ParseError`] for a step that is neither a key nor a name in the file. The error suggests a similar
    /// name.
    ///
    /// # Examples
    /// ```
    /// let names: y3_names::Names = "3f frame { 02 payload packets { 11 noise f32 } }".parse().unwrap();
    /// let (path, schema) = names.path("frame/payload:noise").unwrap();
    /// assert_eq!(path, "3f/02:11".parse().unwrap());
    /// assert_eq!(schema.kind().unwrap().to_string(), "f32");
    /// assert_eq!(names.path("frame/payload:nois").unwrap_err().to_string(), "no field is named `nois` inside `payload`; did you mean `noise`?");
    /// ```
    pub fn path(&self, text: &str) -> Result<(Path, Schema<'_>), ParseError> {
        let (mut schema, mut is_embedded, mut written, mut before, mut at) = (self.top(), false, String::new(), "", 0);
        for step in text.split_inclusive(['/', ':']) {
            let name = step.trim_end_matches(['/', ':']);
            let key = schema
                .step(is_embedded, before, name)
                .map_err(|message| ParseError::new(message, at..at + name.len()))?;
            match key {
                Some(key) => {
                    let _ = write!(written, "{:02x}", key.get());
                }
                None => written.push('*'),
            }
            written.push_str(step.get(name.len()..).unwrap_or_default());
            schema = schema.inside(key, is_embedded).schema;
            (is_embedded, before, at) = (step.ends_with(':'), name, at + step.len());
        }
        match written.parse() {
            Ok(path) => Ok((path, schema)),
            Err(_) if text.is_empty() || text.ends_with(['/', ':']) => {
                Err(ParseError::new("a key must follow each `/` and `:`", at..at))
            }
            Err(_) => Err(ParseError::new(format!("a path has at most {} steps", Path::MAX_LEN), 0..text.len())),
        }
    }

    /// Formats a path of keys with the names of the file, such as `frame/payload:data/13`. A key without a name in the
    /// file is written as the key. The result is `None` if no key has a name.
    #[must_use]
    pub fn label(&self, keys: &str) -> Option<String> {
        let (mut schema, mut is_embedded, mut label, mut is_named) = (self.top(), false, String::new(), false);
        for step in keys.split_inclusive(['/', ':']) {
            let key = step.trim_end_matches(['/', ':']);
            let member = schema.inside(key.parse().ok(), is_embedded);
            is_named |= member.name.is_some();
            label.push_str(member.name.unwrap_or(key));
            label.push_str(step.get(key.len()..).unwrap_or_default());
            (schema, is_embedded) = (member.schema, step.ends_with(':'));
        }
        is_named.then_some(label)
    }

    /// Returns the paths of all primitives that contain packets. Shorter paths come first.
    ///
    /// A recursive type can have infinitely many paths, so the search ends after 4,096 fields or 256 paths.
    #[must_use]
    pub fn embedded(&self) -> Vec<Path> {
        const MOST: usize = 4096;
        const PATHS: usize = 256;
        let (mut paths, mut looked, mut next) = (Vec::new(), 0, 0);
        let mut inside = vec![(String::new(), self.top(), false)];
        while let Some((around, schema, is_embedded)) = inside.get(next).cloned() {
            next += 1;
            let fields = schema.fields(is_embedded).iter().map(|field| (format!("{:02x}", field.key), &field.kind));
            let item = match schema.what {
                What::Is(Type::Slice(item)) => Some(("00".to_owned(), &**item)),
                What::Is(Type::Map(value)) => Some(("*".to_owned(), &**value)),
                _ => None,
            };
            for (step, kind) in fields.chain(item) {
                looked += 1;
                if looked > MOST || paths.len() == PATHS {
                    return paths;
                }
                let (path, kind) = (around.clone() + &step, self.resolve(kind));
                match (kind, path.parse()) {
                    // A path can be too long.
                    (Type::Scalar(_) | Type::Unit, _) | (_, Err(_)) => {}
                    (Type::Packets(_), Ok(parsed)) => {
                        paths.push(parsed);
                        inside.push((path + ":", self.schema(kind), true));
                    }
                    _ => inside.push((path + "/", self.schema(kind), false)),
                }
            }
        }
        paths
    }
}

impl<'n> Schema<'n> {
    /// Returns the type. Named types are resolved. Returns `None` at the top level, and for packets that the file does
    /// not describe.
    #[must_use]
    pub fn kind(self) -> Option<&'n Type> {
        match self.what {
            What::Is(kind) => Some(kind),
            What::Top | What::Unknown => None,
        }
    }

    /// Returns the name and the schema of the inner packets with this key. If `is_embedded` is true, the inner packets
    /// are embedded in a primitive. Otherwise the inner packets are children of a node. If `key` is `None`, the result
    /// describes packets with any key.
    #[must_use]
    pub fn inside(self, key: Option<Key>, is_embedded: bool) -> Member<'n> {
        let key = key.map(Key::get);
        let field = self.fields(is_embedded).iter().find(|field| Some(field.key) == key);
        let is = |kind| self.names.schema(kind);
        match (field, self.what) {
            (Some(field), _) => Member { name: Some(&field.name), schema: is(&field.kind) },
            (None, What::Is(Type::Slice(kind) | Type::Map(kind))) if !is_embedded => {
                Member { name: None, schema: is(kind) }
            }
            _ => Member { name: None, schema: self.unknown() },
        }
    }

    /// The schema of the item at this index in a slice.
    #[must_use]
    pub fn item(self, place: usize) -> Schema<'n> {
        match self.what {
            What::Is(Type::Slice(item)) => self.names.schema(item),
            What::Is(Type::Tuple(items)) => items.get(place).map_or(self.unknown(), |item| self.names.schema(item)),
            _ => self.unknown(),
        }
    }

    /// Returns the key of a member. `name` is the name of a field, or `0x` and two digits.
    pub(crate) fn member(self, name: &str, is_embedded: bool) -> Result<Key, String> {
        let fields = self.fields(is_embedded);
        let key = fields.iter().find(|field| field.name == name).and_then(|field| Key::new(field.key));
        let digits = name.strip_prefix("0x").filter(|digits| digits.len() == 2);
        match (key, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(Key::new)) {
            (Some(key), _) | (None, Some(Some(key))) => Ok(key),
            (None, Some(None)) => Err(format!("`{name}` is above 0x3f, the highest key")),
            (None, None) => {
                let near = near(name, fields.iter().map(|field| &*field.name));
                Err(format!("no field is named `{}`{near}", escape(name)))
            }
        }
    }

    /// Returns the first required field whose key is missing in `seen`. `seen` has one bit per key.
    pub(crate) fn missing(self, is_embedded: bool, seen: u64) -> Option<&'n Field> {
        let is_struct = matches!(self.what, What::Is(Type::Node(_) | Type::Packets(_)));
        let fields = if is_struct { self.fields(is_embedded) } else { &[] };
        fields.iter().find(|field| !field.is_optional && seen >> field.key & 1 == 0)
    }

    pub(crate) fn unknown(self) -> Schema<'n> {
        Schema { what: What::Unknown, ..self }
    }

    /// The fields of a node, or if `is_embedded` is true, of the packets embedded in a primitive.
    fn fields(self, is_embedded: bool) -> &'n [Field] {
        match (self.what, is_embedded) {
            (What::Top, false) => &self.names.fields,
            (What::Is(Type::Packets(fields)), true) | (What::Is(Type::Node(fields) | Type::OneOf(fields)), false) => {
                fields
            }
            _ => &[],
        }
    }

    /// Parses a step of a path as a key. Returns `None` for `*`.
    fn step(self, is_embedded: bool, before: &str, name: &str) -> Result<Option<Key>, String> {
        let fields = self.fields(is_embedded);
        if let Some(field) = fields.iter().find(|field| field.name == name) {
            return Ok(Key::new(field.key));
        }
        let digits = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")).unwrap_or(name);
        let shown = escape(name);
        match (name, u64::from_str_radix(digits, 16)) {
            ("", _) => return Err("a key must follow each `/` and `:`".into()),
            ("*", _) => return Ok(None),
            ("**", _) => {
                return Err(
                    "`**` is allowed only in patterns, such as the paths of watch and edit; `*` matches one key".into(),
                );
            }
            (_, Ok(key)) if key > 0x3f && digits.len() <= 16 => {
                return Err(format!("0x{digits} is above 0x3f, the highest key (paths are hexadecimal)"));
            }
            (name, _) => {
                if let Ok(key) = name.parse() {
                    return Ok(Some(key));
                }
            }
        }
        if self.names.fields.is_empty() {
            return Err(format!("`{shown}` is not a hexadecimal key"));
        }
        let around = escape(before);
        if self.fields(!is_embedded).iter().any(|field| field.name == name) {
            let (is, separator) = if is_embedded { ("is a node", '/') } else { ("contains packets in its bytes", ':') };
            return Err(format!("`{around}` {is}: write {around}{separator}{shown}"));
        }
        let inside = if before.is_empty() { String::new() } else { format!(" inside `{around}`") };
        let near = near(name, fields.iter().map(|field| &*field.name));
        let hint = if fields.is_empty() { "; the names file has no names there" } else { &near };
        Err(format!("no field is named `{shown}`{inside}{hint}"))
    }
}
