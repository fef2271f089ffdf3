//! Answers: computes this crate's answers to the test rows.
//!
//! The form of questions and answers is defined in docs/spec/conformance.md.

use serde_json::{Map, Value, json};
use y3::edit::{self, Edit, Rule};
use y3::iter::Packets;
use y3::{Collector, Encode, Encoder, Error, ErrorKind, Header, Hit, Key, Limits, PVarInt, Packet, Path, Paths, Tag};

use super::types::{self, Shown};

/// The reason why a question has no result.
enum Stop {
    /// The library reports a fault, which becomes the answer.
    Fault(Value),
    /// The library has no such operation.
    Skip,
    /// The line is not a valid question. The text says why.
    Question(String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Fault(fault(error))
    }
}

type Answer<T = Value> = Result<T, Stop>;

fn fault(error: Error) -> Value {
    json!([format!("{:?}", error.kind()), error.offset()])
}

/// Answers one line. Returns an error message if the line is not a valid question.
pub fn answer(line: &str) -> Result<Value, String> {
    let ask: Map<String, Value> = serde_json::from_str(line).map_err(|error| format!("not a question: {error}"))?;
    let mut answer = match run(&Ask(&ask)) {
        Ok(result) => json!({ "result": result }),
        Err(Stop::Fault(error)) => json!({ "error": error }),
        Err(Stop::Skip) => json!({ "skip": true }),
        Err(Stop::Question(text)) => return Err(text),
    };
    if let (Some(id), Some(answer)) = (ask.get("id"), answer.as_object_mut()) {
        answer.insert("id".into(), id.clone());
    }
    Ok(answer)
}

/// A question, as the members of its JSON object.
struct Ask<'a>(&'a Map<String, Value>);

impl<'a> Ask<'a> {
    fn get(&self, name: &str) -> Answer<&'a Value> {
        self.0.get(name).ok_or_else(|| Stop::Question(format!("the question has no member {name}")))
    }

    fn text(&self, name: &str) -> Answer<&'a str> {
        self.get(name)?.as_str().ok_or_else(|| Stop::Question(format!("{name} is not a string")))
    }

    fn is(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    fn number<T: TryFrom<u64>>(&self, name: &str) -> Answer<T> {
        let number = self.get(name)?.as_u64().and_then(|number| number.try_into().ok());
        number.ok_or_else(|| Stop::Question(format!("{name} is not a number in the allowed range")))
    }

    fn bytes(&self, name: &str) -> Answer<Vec<u8>> {
        unhex(self.text(name)?)
    }

    fn path(&self) -> Answer<Path> {
        Ok(self.text("path")?.parse()?)
    }

    /// Returns the set of paths in a question, or `None` if this crate rejects one of the paths.
    fn paths(&self) -> Answer<Option<Paths>> {
        let paths = self.get("paths")?.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(paths.map(str::parse::<Path>).collect::<Result<Vec<_>, _>>().ok().map(Paths::new))
    }

    fn limits(&self) -> Limits {
        let limit = |name| self.0.get("limits")?.get(name)?.as_u64()?.try_into().ok();
        let mut limits = Limits::NONE;
        if let Some(bytes) = limit("packet") {
            limits = limits.with_max_packet_len(bytes);
        }
        // The limit for values applies only to watched packets [DEC-9].
        if let (Some(bytes), Some(_)) = (limit("value"), self.0.get("paths")) {
            limits = limits.with_max_value_len(bytes);
        }
        if let Some(nodes) = limit("depth") {
            limits = limits.with_max_depth(nodes);
        }
        limits
    }
}

fn unhex(text: &str) -> Answer<Vec<u8>> {
    let lower = data_encoding::HEXLOWER.decode(text.as_bytes());
    lower.map_err(|error| Stop::Question(format!("{text} is not hexadecimal: {error}")))
}

pub fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn run(ask: &Ask<'_>) -> Answer {
    match ask.text("op")? {
        "length" => length(&ask.bytes("hex")?),
        "read" => read(&ask.bytes("hex")?),
        "one" | "children" | "embedded" | "find" => call(ask, &ask.bytes("hex")?),
        "write" => Ok(hex(&write(&mut ask.text("packets")?)?).into()),
        "write_length" => write_length(ask.number("length")?),
        "decode" => decode(ask, &ask.bytes("hex")?),
        "value" => value(ask, &ask.bytes("hex")?),
        "encode" => encode(ask),
        "watch" => watch(ask, &ask.bytes("hex")?),
        "search" => search(ask, &ask.bytes("hex")?),
        "check" => check(ask, &ask.bytes("hex")?),
        "project" | "remove" | "patch" | "replace" | "insert" | "append" | "edit" => edited(ask, ask.bytes("hex")?),
        "canonical" => Ok(canonical(&ask.bytes("hex")?)),
        "rewrite" => rewrite(ask, &ask.bytes("hex")?),
        "to_text" => Ok(y3::show::text(&ask.bytes("hex")?).to_string().into()),
        "from_text" => match y3::show::parse_text(ask.text("text")?) {
            Ok(bytes) => Ok(hex(&bytes).into()),
            Err(error) => Err(Stop::Fault(json!([format!("{:?}", error.kind()), error.offset()]))),
        },
        "read_as" => Ok(types::read(ask.get("type")?, &ask.bytes("hex")?).ok_or(Stop::Skip)??),
        "write_as" => {
            // A writer rejects JSON that is not a value of the type.
            let refused = || Error::new(ErrorKind::InvalidValue, 0);
            Ok(hex(&types::write(ask.get("type")?, ask.get("value")?).ok_or_else(refused)??).into())
        }
        _ => Err(Stop::Skip),
    }
}

// Lengths and packets

fn length(field: &[u8]) -> Answer {
    use y3::parser::{Parser, header, nom};

    let bytes = [&[0x05], field].concat();
    match header::<y3::ErrorKind>().parse(&bytes) {
        Ok((_, header)) => Ok(header.value_len().into()),
        Err(nom::Err::Incomplete(_)) => Ok("cut".into()),
        Err(nom::Err::Error(kind) | nom::Err::Failure(kind)) => Err(Stop::Fault(json!([format!("{kind:?}"), 0]))),
    }
}

fn read(bytes: &[u8]) -> Answer {
    y3::check(bytes)?;
    Ok(shape(y3::packets(bytes))?.into())
}

/// Formats packets in the notation of the rows. The recursion is as deep as the packets, so the caller checks their
/// depth first.
fn shape(packets: Packets<'_>) -> Result<String, Error> {
    let one = |packet: Result<Packet<'_>, Error>| {
        let packet = packet?;
        let key = packet.key().get();
        Ok(match (packet.is_node(), packet.is_slice()) {
            (false, _) => format!("{key:02x}={}", hex(packet.value())),
            (true, false) => format!("{key:02x}{{{}}}", shape(packet.children())?),
            (true, true) => format!("{key:02x}[{}]", shape(packet.children())?),
        })
    };
    Ok(packets.map(one).collect::<Result<Vec<_>, Error>>()?.join(","))
}

fn checked(packets: Packets<'_>) -> Result<String, Error> {
    packets.clone().check()?;
    shape(packets)
}

fn first(bytes: &[u8]) -> Result<Packet<'_>, Error> {
    y3::packets(bytes).next().unwrap_or(Err(Error::new(ErrorKind::UnexpectedEnd, 0)))
}

fn call(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    Ok(match ask.text("op")? {
        "one" => {
            let packet = Packet::from_slice(bytes)?;
            packet.check()?;
            shape(y3::packets(bytes))?
        }
        "children" => checked(first(bytes)?.children())?,
        "embedded" => checked(first(bytes)?.embedded())?,
        // The key is checked before the input [DEC-11].
        _ if Key::new(ask.number("key")?).is_none() => return Err(Error::new(ErrorKind::InvalidKey, 0).into()),
        _ => match first(bytes)?.find(ask.number::<u8>("key")?)? {
            Some(packet) => format!("{}:{}", packet.offset(), hex(packet.value())),
            None => "none".into(),
        },
    }
    .into())
}

/// Writes a packet with its own key. In a slice, the encoder writes the key 0 instead.
fn put(to: &mut Encoder<'_, Vec<u8>>, packet: Packet<'_>) -> Result<(), Error> {
    to.put(packet.key().get(), packet)
}

/// Parses packets in the notation of the rows, up to a closing bracket or the end. Returns the bytes of the packets.
fn write(shape: &mut &str) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    let wrong = |rest: &str| Stop::Question(format!("not packets in the notation of the rows: {rest}"));
    while !shape.is_empty() && !shape.starts_with(['}', ']']) {
        let (Some(key), Some(opens), Some(rest)) = (shape.get(..2), shape.get(2..3), shape.get(3..)) else {
            return Err(wrong(shape));
        };
        let key = u8::from_str_radix(key, 16).map_err(|_| wrong(key))?;
        *shape = rest;
        if opens == "=" {
            let end = shape.find([',', '}', ']']).unwrap_or(shape.len());
            let (value, rest) = shape.split_at(end);
            *shape = rest;
            Encoder::new(&mut bytes).put(key, &unhex(value)?[..])?;
        } else {
            let inside = write(shape)?;
            let closed = shape.strip_prefix(['}', ']']).ok_or_else(|| wrong(shape))?;
            *shape = closed;
            let mut packets = y3::packets(&inside);
            let mut encoder = Encoder::new(&mut bytes);
            if opens == "{" {
                encoder.node(key, |node| packets.try_for_each(|packet| put(node, packet?)))?;
            } else {
                encoder.slice(key, |items| packets.try_for_each(|packet| put(items, packet?)))?;
            }
        }
        *shape = shape.strip_prefix(',').unwrap_or(shape);
    }
    Ok(bytes)
}

fn write_length(length: u64) -> Answer {
    let header = length.try_into().ok().and_then(|length| Header::new(Tag::from(0x05), length));
    let header = header.ok_or(Error::new(ErrorKind::SizeLimit, 0))?;
    Ok(hex(header.encode(&mut [0; Header::MAX_SIZE]).get(1..).unwrap_or_default()).into())
}

// Values

/// Evaluates `$call`. In `$call`, `$typed` is the Rust type for the type and dialect in the question.
macro_rules! of_type {
    ($ask:expr, $typed:ident => $call:expr) => {
        match ($ask.text("type")?, $ask.0.get("dialect").and_then(Value::as_str)) {
            ("i32", Some("nvar")) => of_type!(@ i32, $typed, $call),
            ("i64", Some("nvar")) => of_type!(@ i64, $typed, $call),
            ("u32", Some("nvar")) => of_type!(@ u32, $typed, $call),
            ("u64", Some("nvar")) => of_type!(@ u64, $typed, $call),
            ("i32", Some("pvar")) => of_type!(@ PVarInt<i32>, $typed, $call),
            ("i64", Some("pvar")) => of_type!(@ PVarInt<i64>, $typed, $call),
            ("u32", Some("pvar")) => of_type!(@ PVarInt<u32>, $typed, $call),
            ("u64", Some("pvar")) => of_type!(@ PVarInt<u64>, $typed, $call),
            ("f32", None) => of_type!(@ f32, $typed, $call),
            ("f64", None) => of_type!(@ f64, $typed, $call),
            ("bool", None) => of_type!(@ bool, $typed, $call),
            _ => return Err(Stop::Skip),
        }
    };
    (@ $type:ty, $typed:ident, $call:expr) => {{
        type $typed = $type;
        $call
    }};
}

impl<T: Shown> Shown for PVarInt<T> {
    fn show(&self) -> Value {
        self.0.show()
    }

    fn parse(value: &Value) -> Option<Self> {
        T::parse(value).map(PVarInt)
    }
}

/// Subtracts the length of the header from an error's offset, since the rows count offsets from the start of the value.
fn from_value(error: Error, packet: &Packet<'_>) -> Stop {
    let header = packet.as_bytes().len() - packet.value().len();
    Error::new(error.kind(), error.offset().saturating_sub(header as u64)).into()
}

fn read_value(ask: &Ask<'_>, packet: &Packet<'_>) -> Answer<Result<Value, Error>> {
    Ok(match ask.text("type")? {
        "text" => packet.decode::<&str>().map(Value::from),
        "bytes" => packet.decode::<&[u8]>().map(|bytes| hex(bytes).into()),
        _ => of_type!(ask, Typed => packet.decode::<Typed>().map(|value| value.show())),
    })
}

fn decode(ask: &Ask<'_>, value: &[u8]) -> Answer {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).put(0x05, value)?;
    let packet = Packet::from_slice(&bytes)?;
    read_value(ask, &packet)?.map_err(|error| from_value(error, &packet))
}

fn value(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    Ok(read_value(ask, &first(bytes)?)??)
}

/// Parses a value. A number outside the type's range gives the error that a writer reports.
fn parsed<T: Shown>(text: &str) -> Answer<T> {
    T::parse(&text.into()).ok_or_else(|| Error::new(ErrorKind::InvalidValue, 0).into())
}

fn encode(ask: &Ask<'_>) -> Answer {
    let text = ask.text("value")?;
    let value = match ask.text("type")? {
        "text" => encoded(text)?,
        "bytes" => encoded(&unhex(text)?[..])?,
        "utf16" => {
            let units: Vec<_> =
                unhex(text)?.chunks_exact(2).filter_map(|unit| unit.try_into().ok()).map(u16::from_be_bytes).collect();
            encoded(&String::from_utf16(&units).map_err(|_| Error::new(ErrorKind::InvalidUtf8, 0))?[..])?
        }
        _ => of_type!(ask, Typed => encoded(parsed::<Typed>(text)?)?),
    };
    Ok(hex(&value).into())
}

/// Returns the encoded value without the packet's header.
fn encoded(value: impl Encode) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).put(0x05, value)?;
    Ok(Packet::from_slice(&bytes)?.value().to_vec())
}

// Watching, in one buffer and in pieces

fn event(hit: Result<Hit<'_>, Error>) -> Value {
    hit.map_or_else(fault, |hit| json!([hit.path_index(), hit.offset(), hex(hit.value())]))
}

fn watch(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    let Some(paths) = ask.paths()? else { return Ok("refused".into()) };
    if ask.0.get("piece").is_none() {
        return Ok(paths.watch(bytes).map(event).collect());
    }
    in_pieces(ask, paths, bytes, |hit, events| {
        events.push(event(hit));
        true
    })
}

/// Feeds the input to a stream reader piece by piece. Returns a list of events for each piece, and one for the end of
/// the input. `each` adds the events for a hit or a fault. After `each` returns `false`, all further lists are empty.
fn in_pieces(
    ask: &Ask<'_>,
    paths: Paths,
    bytes: &[u8],
    mut each: impl FnMut(Result<Hit<'_>, Error>, &mut Vec<Value>) -> bool,
) -> Answer {
    let goes_on = ask.is("goes_on");
    let (mut reader, mut is_over) = (Collector::new(paths, ask.limits()), false);
    let mut given: Vec<Vec<Value>> = Vec::new();
    for piece in bytes.chunks(ask.number::<usize>("piece")?.max(1)) {
        let mut events = Vec::new();
        let mut hits = reader.feed(if is_over { &[] } else { piece });
        while let Some(hit) = hits.next_hit().filter(|_| !is_over) {
            let is_fault = hit.is_err();
            // After a fault in embedded packets the reader continues by itself. It needs `resume` only after other
            // faults.
            is_over = !each(hit, &mut events) || is_fault && hits.error().is_some() && !(goes_on && hits.resume());
        }
        given.push(events);
    }
    let (mut events, mut hits) = (Vec::new(), reader.finish());
    while let Some(hit) = hits.next_hit().filter(|_| !is_over) {
        is_over = !each(hit, &mut events);
    }
    given.push(events);
    Ok(json!(given))
}

fn search(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    let patterns = y3::Patterns([format!("**/{:02x}", ask.number::<u8>("key")?).parse()?]);
    whole_packets(ask, bytes, |packet, events| {
        patterns.watch(packet).try_for_each(|hit| {
            let hit = hit?;
            events.push((hit.offset(), hex(hit.value())));
            Ok(())
        })
    })
}

fn check(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    let depth = ask.limits().max_depth();
    whole_packets(ask, bytes, |packet, _| {
        y3::walk(packet).with_max_depth(depth).try_for_each(|packet| packet.map(drop))
    })
}

/// Calls `each` with every whole top-level packet of a stream, up to the first fault. Returns the events.
fn whole_packets(
    ask: &Ask<'_>,
    bytes: &[u8],
    mut each: impl FnMut(&[u8], &mut Vec<(u64, String)>) -> Result<(), Error>,
) -> Answer {
    in_pieces(ask, Paths::new([Path::ANY]), bytes, |packet, events| {
        let (mut found, mut before) = (Vec::new(), 0);
        let read = packet.and_then(|packet| {
            before = packet.offset();
            each(packet.packet().as_bytes(), &mut found)
                .map_err(|error| Error::new(error.kind(), error.offset() + before))
        });
        events.extend(found.into_iter().map(|(offset, value)| json!([0, before + offset, value])));
        events.extend(read.err().map(fault));
        read.is_ok()
    })
}

// Edits

fn edited(ask: &Ask<'_>, mut bytes: Vec<u8>) -> Answer {
    let op = ask.text("op")?;
    if op == "patch" {
        let (path, text, pads) = (ask.path()?, ask.text("value")?, ask.is("pad"));
        let patched = match ask.text("type")? {
            "text" => edit::patch(&mut bytes, path, text),
            _ => of_type!(ask, Typed => {
                let value = parsed::<Typed>(text)?;
                if pads { edit::patch_padded(&mut bytes, path, value) } else { edit::patch(&mut bytes, path, value) }
            }),
        };
        return patched.map(|()| hex(&bytes).into()).map_err(not_edited);
    }
    let edits: Vec<Vec<String>> = match op {
        "project" | "remove" => {
            let what = if op == "project" { "keep" } else { op };
            let Some(paths) = ask.paths()? else { return Err(Stop::Skip) };
            paths.iter().map(|path| vec![what.into(), path.to_string()]).collect()
        }
        "edit" => {
            let edits = ask.0.get("edits").and_then(Value::as_array).ok_or(Stop::Skip)?;
            let words = |edit: &Value| edit.as_str().unwrap_or_default().split(' ').map(str::to_owned).collect();
            edits.iter().map(words).collect()
        }
        _ => vec![vec![op.into(), ask.path()?.to_string(), ask.text("packet")?.into()]],
    };
    // Each edit is an operation, a path, and the packet to write or the new key.
    let edits = edits.iter().map(|edit| {
        let last = edit.get(2).map_or("", String::as_str);
        Some((edit.first()?.as_str(), edit.get(1)?.parse::<Path>().ok()?, last, unhex(last).unwrap_or_default()))
    });
    let edits: Vec<_> = edits.collect::<Option<_>>().ok_or(Stop::Skip)?;
    let rules = edits.iter().map(|(what, path, last, packet)| {
        let write = match *what {
            "keep" => return Ok(Rule::keep(*path)),
            "remove" => return Ok(Rule::remove(*path)),
            "rename" => return Ok(Rule::rename(*path, last.parse::<Key>()?.get())),
            "set" => Rule::set,
            "replace" => Rule::replace,
            "insert" => Rule::insert,
            "append" => Rule::append,
            _ => return Err(Stop::Skip),
        };
        Ok(write(*path, Packet::from_slice(packet)?))
    });
    let rules: Vec<Rule<'_>> = rules.collect::<Result<_, _>>()?;
    let mut out = Vec::new();
    Edit::from_rules(&rules).apply(&bytes, &mut out).map_err(not_edited)?;
    Ok(hex(&out).into())
}

/// Converts the error of a failed edit to the notation of the rows. The number of bytes that a patch needs is parsed
/// from the error's message, because only the message contains this number.
fn not_edited(error: Error) -> Stop {
    let text = error.to_string();
    let needs = text.split("needs ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    Stop::Fault(match (error.kind(), needs) {
        (ErrorKind::NotFound, _) => json!(["NotFound"]),
        (ErrorKind::WrongWidth, Some(needs)) => json!(["Width", error.offset(), needs]),
        _ => fault(error),
    })
}

/// Returns where the input first deviates from canonical form, and the canonical form of the input.
fn canonical(bytes: &[u8]) -> Value {
    let wrong = |error: Error| format!("{:?}@{}", error.kind(), error.offset());
    let first = edit::first_deviation(bytes).map_or_else(wrong, |first| {
        first.map_or("none".into(), |first| format!("{:?}@{}", first.kind(), first.offset()))
    });
    let mut out = Vec::new();
    let rewritten = edit::canonicalize(bytes, &mut out).map_or_else(wrong, |_| hex(&out));
    json!([first, rewritten])
}

fn rewrite(ask: &Ask<'_>, bytes: &[u8]) -> Answer {
    let packet = Packet::from_slice(bytes)?;
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out);
    match ask.get("as")? {
        Value::Number(_) => encoder.put(ask.number::<u8>("as")?, packet)?,
        name if name == "item" => {
            encoder.slice(0x01, |items| put(items, packet))?;
            return Ok(hex(Packet::from_slice(&out)?.value()).into());
        }
        _ => encoder.put(packet.key().get(), packet)?,
    }
    Ok(hex(&out).into())
}
