//! Names for keys: paths that are written with them, and the names that stand beside numbers in what a command prints.

use std::fmt::Write as _;
use std::path::PathBuf;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use y3::Path;
use y3::show::escape;
use y3_names::{Dialect, Field, Names, Type, nearest};

use crate::failure::Failure;
use crate::input::shown;
use crate::{path, value};

/// The names file of a command.
#[derive(Args, Debug, Default)]
pub struct NamesArgument {
    /// A names file: paths may be written with its names, as frame/payload:data/thing/noise
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}

impl NamesArgument {
    pub fn load(&self) -> Result<Known, Failure> {
        let names = self.names.as_ref().map(load).transpose()?;
        Ok(Known { is_given: names.is_some(), names: names.unwrap_or_default() })
    }
}

/// Reads a names file; an error in it is shown where it is.
pub fn load(file: &PathBuf) -> Result<Names, Failure> {
    let name = shown(file.as_os_str());
    let text = std::fs::read_to_string(file).map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    text.parse().map_err(|error: y3_names::ParseError| {
        let (message, span) = (escape(&error.to_string()).to_string(), error.span());
        if span == (0..0) {
            return Failure::Io(format!("{name}: {message}"));
        }
        // The renderer shows characters that a terminal obeys as others that it does not.
        let place = Snippet::source(&text).path(&name).annotation(AnnotationKind::Primary.span(span));
        let report = Renderer::plain().render(&[Level::ERROR.primary_title(&message).element(place)]);
        Failure::Io(format!("{name} is no names file\n{report}"))
    })
}

/// What is known of keys: what a names file says, or nothing.
pub struct Known {
    pub names: Names,
    pub is_given: bool,
}

/// What the file says of a packet.
#[derive(Clone, Copy)]
pub enum Place<'n> {
    /// No packet: the top-level packets are inside it.
    Top,
    Is(&'n Type),
    Unknown,
}

/// The most paths that are opened because the file says so: a type may hold itself several times.
const MAX_OPENED: usize = 4096;

impl Known {
    /// The fields inside a packet, whose value is entered or which is a node.
    fn fields<'n>(&'n self, place: Place<'n>, is_embedded: bool) -> &'n [Field] {
        match (self.resolve(place), is_embedded) {
            (Place::Top, false) => &self.names.fields,
            (Place::Is(Type::Packets(fields)), true) | (Place::Is(Type::Node(fields) | Type::OneOf(fields)), false) => {
                fields
            }
            _ => &[],
        }
    }

    fn resolve<'n>(&'n self, place: Place<'n>) -> Place<'n> {
        match place {
            Place::Is(kind) => Place::Is(self.names.resolve(kind)),
            place => place,
        }
    }

    /// The name of a key inside a packet, and what is there. `None` is any key.
    pub fn inside<'n>(&'n self, place: Place<'n>, key: Option<u8>, is_embedded: bool) -> (Option<&'n str>, Place<'n>) {
        let field = self.fields(place, is_embedded).iter().find(|field| Some(field.key) == key);
        match (field, self.resolve(place)) {
            (Some(field), _) => (Some(&field.name), Place::Is(&field.kind)),
            (None, Place::Is(Type::Slice(kind) | Type::Map(kind))) if !is_embedded => (None, Place::Is(kind)),
            _ => (None, Place::Unknown),
        }
    }

    /// Whether a top-level packet has this name.
    pub fn is_top(&self, name: &str) -> bool {
        self.names.fields.iter().any(|field| field.name == name)
    }

    /// The path that a text names, and what the file says of the packets there. Steps are names, hexadecimal keys or `*`.
    pub fn path(&self, text: &str) -> Result<(Path, Place<'_>), String> {
        if !self.is_given {
            return Ok((path::parse(text)?, Place::Unknown));
        }
        let (mut place, mut is_embedded, mut written, mut before) = (Place::Top, false, String::new(), "");
        for step in text.split_inclusive(['/', ':']) {
            let name = step.trim_end_matches(['/', ':']);
            let key = self.key(place, is_embedded, before, name)?;
            match key {
                Some(key) => {
                    let _ = write!(written, "{key:02x}");
                }
                None => written.push_str(name),
            }
            written.push_str(step.get(name.len()..).unwrap_or_default());
            place = self.inside(place, key, is_embedded).1;
            (is_embedded, before) = (step.ends_with(':'), name);
        }
        Ok((path::parse(&written)?, place))
    }

    /// The key that a step is, or none if it is `*` or no key.
    fn key(&self, place: Place<'_>, is_embedded: bool, before: &str, name: &str) -> Result<Option<u8>, String> {
        let fields = self.fields(place, is_embedded);
        if let Some(field) = fields.iter().find(|field| field.name == name) {
            return Ok(Some(field.key));
        }
        let number = name.parse::<y3::Key>().ok().map(y3::Key::get);
        if number.is_some() || !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return Ok(number);
        }
        let shown = escape(name);
        if self.fields(place, !is_embedded).iter().any(|field| field.name == name) {
            let separator = if is_embedded { '/' } else { ':' };
            let kind = if is_embedded { "is a node" } else { "holds packets in its bytes" };
            return Err(format!("'{before}' {kind}: write {before}{separator}{shown}"));
        }
        let around = if before.is_empty() { String::new() } else { format!(" inside '{}'", escape(before)) };
        let hint = match nearest(name, fields.iter().map(|field| &*field.name)) {
            Some(near) => format!("; '{near}' is near"),
            None if fields.is_empty() => "; the names file has no names there".into(),
            None => String::new(),
        };
        Err(format!("no field is named '{shown}'{around}{hint}"))
    }

    /// The key that a text names beside the packets at a path.
    pub fn key_beside(&self, path: &str, text: &str) -> Result<y3::Key, String> {
        if text.contains(['/', ':', '*']) {
            return Err("it is not one key".into());
        }
        let around = path.rfind(['/', ':']).map_or("", |end| path.get(..=end).unwrap_or_default());
        let key = self.path(&format!("{around}{text}"))?.0.keys().last().flatten();
        key.ok_or_else(|| "it is not one key".into())
    }

    /// The paths of an argument that may be given several times; the error blames it.
    pub fn paths(
        &self,
        texts: &[String],
        subcommand: &'static str,
        argument: &'static str,
    ) -> Result<Vec<Path>, Failure> {
        let path = |text: &String| Ok(self.path(text).map_err(|error| wrong(subcommand, argument, text, &error))?.0);
        texts.iter().map(path).collect()
    }

    /// The path of keys with its names, `frame/payload:data/13`; none if the file names none of them.
    pub fn label(&self, keys: &str) -> Option<String> {
        let (mut place, mut is_embedded, mut label, mut is_named) = (Place::Top, false, String::new(), false);
        for step in keys.split_inclusive(['/', ':']) {
            let key = step.trim_end_matches(['/', ':']);
            let (name, next) = self.inside(place, u8::from_str_radix(key, 16).ok(), is_embedded);
            is_named |= name.is_some();
            label.push_str(name.unwrap_or(key));
            label.push_str(step.get(key.len()..).unwrap_or_default());
            (place, is_embedded) = (next, step.ends_with(':'));
        }
        is_named.then_some(label)
    }

    /// The paths of the primitives that hold packets, as far as paths go.
    pub fn opened(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.open(Place::Top, false, "", &mut paths);
        paths
    }

    fn open(&self, around: Place<'_>, is_embedded: bool, keys: &str, paths: &mut Vec<Path>) {
        let mut enter = |step: &str, kind: &Type| {
            let place = Place::Is(self.names.resolve(kind));
            let path = format!("{keys}{step}");
            // A longer path is none, so types that hold themselves end here.
            let Ok(parsed) = path.parse() else { return };
            if paths.len() >= MAX_OPENED {
                return;
            }
            match place {
                Place::Is(Type::Packets(_)) => {
                    paths.push(parsed);
                    self.open(place, true, &format!("{path}:"), paths);
                }
                Place::Is(Type::Value(_) | Type::Unit) => {}
                _ => self.open(place, false, &format!("{path}/"), paths),
            }
        };
        for field in self.fields(around, is_embedded) {
            enter(&format!("{:02x}", field.key), &field.kind);
        }
        match around {
            Place::Is(Type::Slice(item)) => enter("00", item),
            Place::Is(Type::Map(value)) => enter("*", value),
            _ => {}
        }
    }
}

/// The error that clap would make of this argument, were it not for the names file.
pub fn wrong(subcommand: &'static str, argument: &str, text: &str, error: &str) -> Failure {
    Failure::Usage(subcommand, format!("invalid value '{}' for '{argument}': {error}", escape(text)))
}

impl Place<'_> {
    /// The type of the values there, if it is that of a primitive.
    pub fn value(self, known: &Known) -> Option<value::Type> {
        use y3_names::Value::{Bool, Bytes, F32, F64, Signed, Text, Unsigned};
        let Place::Is(Type::Value(kind)) = known.resolve(self) else { return None };
        Some(match kind {
            Bytes => value::Type::Bytes,
            Text => value::Type::Text,
            Bool => value::Type::Bool,
            F32 => value::Type::F32,
            F64 => value::Type::F64,
            Signed(8, _) => value::Type::I8,
            Signed(16, _) => value::Type::I16,
            Signed(32, Dialect::N) => value::Type::I32,
            Signed(32, Dialect::P) => value::Type::PVarI32,
            Signed(_, Dialect::N) => value::Type::I64,
            Signed(_, Dialect::P) => value::Type::PVarI64,
            Unsigned(8, _) => value::Type::U8,
            Unsigned(16, _) => value::Type::U16,
            Unsigned(32, Dialect::N) => value::Type::U32,
            Unsigned(32, Dialect::P) => value::Type::PVarU32,
            Unsigned(_, Dialect::N) => value::Type::U64,
            Unsigned(_, Dialect::P) => value::Type::PVarU64,
        })
    }
}
