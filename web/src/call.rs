//! The calls, on slices and a vector.
//!
//! In: bytes and arguments. Out: text, JSON or bytes, or a message for people.

use std::fmt::Write;

use y3::show::{self, escape, escape_json};
use y3::{Error, PVarInt, Path, Paths, check as first_error, dump as tree};

/// Paths, one a line. An empty line is no path.
fn paths(arguments: &str) -> Result<Vec<Path>, String> {
    let path =
        |line: &str| line.trim().parse().map_err(|error: Error| format!("path {}: {error}", escape(line.trim())));
    arguments.lines().map(path).collect()
}

/// Which primitives are read as packets.
enum Open {
    All,
    At(Vec<Path>),
}

fn opened(arguments: &str) -> Result<Open, String> {
    if arguments.trim() == "*" { Ok(Open::All) } else { paths(arguments).map(Open::At) }
}

pub fn dump(bytes: &[u8], arguments: &str, max_lines: usize, output: &mut Vec<u8>) -> Result<(), String> {
    let shown = tree(bytes).short().max_lines(max_lines);
    match opened(arguments)? {
        Open::All => write(output, shown.open_all()),
        Open::At(paths) => write(output, shown.open(&paths)),
    }
    Ok(())
}

pub fn text(bytes: &[u8], arguments: &str, output: &mut Vec<u8>) -> Result<(), String> {
    let shown = y3::dump(bytes);
    match opened(arguments)? {
        Open::All => write(output, shown.open_all().as_text()),
        Open::At(paths) => write(output, shown.open(&paths).as_text()),
    }
    Ok(())
}

pub fn encode(text: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
    let text = std::str::from_utf8(text).map_err(|_| "the text is not UTF-8")?;
    *output = show::parse_text(text).map_err(|error| error.to_string())?;
    Ok(())
}

pub fn check(bytes: &[u8], output: &mut Vec<u8>) {
    match first_error(bytes) {
        Ok(()) => write(output, "null"),
        Err(error) => fault(bytes, error, output),
    }
}

/// An error as an object: its offset, and what is wrong, with its place in the tree.
fn fault(bytes: &[u8], error: Error, output: &mut Vec<u8>) {
    let message = show::explain(bytes, error).to_string();
    write(output, format_args!("{{\"offset\":{},\"error\":\"{}\"}}", error.offset(), escape_json(&message)));
}

pub fn watch(bytes: &[u8], arguments: &str, output: &mut Vec<u8>) -> Result<(), String> {
    let paths: Paths = paths(arguments)?.into_iter().collect();
    output.push(b'[');
    for hit in paths.watch(bytes) {
        if output.len() > 1 {
            output.push(b',');
        }
        match hit {
            Ok(hit) => {
                let (index, key, offset) = (hit.path_index(), hit.packet().key().get(), hit.packet().offset());
                let value = hit.packet().value_range();
                write(
                    output,
                    format_args!(
                        "{{\"path\":{index},\"key\":{key},\"offset\":{offset},\"start\":{},\"end\":{}}}",
                        value.start, value.end
                    ),
                );
            }
            Err(error) => fault(bytes, error, output),
        }
    }
    output.push(b']');
    Ok(())
}

pub fn value(bytes: &[u8], name: &str, output: &mut Vec<u8>) -> Result<(), String> {
    /// One text of a number for all widths: the module stays small.
    fn signed(number: impl Into<i64>) -> String {
        number.into().to_string()
    }
    fn unsigned(number: impl Into<u64>) -> String {
        number.into().to_string()
    }
    fn float(number: impl Into<f64>) -> String {
        let number: f64 = number.into();
        if number.is_finite() { number.to_string() } else { format!("\"{number}\"") }
    }
    let explained = |error| show::explain(bytes, error).to_string();
    let packet = y3::Packet::from_slice(bytes).map_err(explained)?;
    let json = match name {
        "i32" => packet.decode::<i32>().map(signed),
        "i64" => packet.decode::<i64>().map(signed),
        "u32" => packet.decode::<u32>().map(unsigned),
        "u64" => packet.decode::<u64>().map(unsigned),
        "pi32" => packet.decode().map(|PVarInt::<i32>(number)| signed(number)),
        "pi64" => packet.decode().map(|PVarInt::<i64>(number)| signed(number)),
        "pu32" => packet.decode().map(|PVarInt::<u32>(number)| unsigned(number)),
        "pu64" => packet.decode().map(|PVarInt::<u64>(number)| unsigned(number)),
        "f32" => packet.decode::<f32>().map(float),
        "f64" => packet.decode::<f64>().map(float),
        "bool" => packet.decode::<bool>().map(|is_true| is_true.to_string()),
        "str" => packet.decode::<&str>().map(|text| format!("\"{}\"", escape_json(text))),
        _ => return Err(format!("unknown type {}", escape(name))),
    };
    write(output, json.map_err(explained)?);
    Ok(())
}

/// Appends what is shown. A vector takes everything.
fn write(output: &mut Vec<u8>, shown: impl std::fmt::Display) {
    struct Text<'a>(&'a mut Vec<u8>);
    impl Write for Text<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    let _ = write!(Text(output), "{shown}");
}
