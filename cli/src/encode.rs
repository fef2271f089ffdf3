//! `y3 encode`: converts text to packets. The text is the text form, the output of `watch --json`, or JSON with names.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use y3::Limits;

use crate::failure::{Found, Result};
use crate::input::{Input, Told, packets_of};
use crate::names;
use crate::objects::Objects;
use crate::output::{OutputArguments, put};

/// Convert text to packets
///
/// The text is in the text form that `y3 dump --text` prints and docs/spec/text.md defines, or it is the output of `y3
/// watch --json`. From a line of `y3 watch --json`, only the member "hex" is used. If the text has an error, nothing is
/// written.
///
/// With --json, the input consists of JSON objects in the form that `y3 json` prints. Names and types come from the
/// names file. All required fields must be present. The output is canonical. Each object is encoded when it arrives,
/// and the first error ends the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  echo '01{11=f32(45.12),13=\"10.0.3.113\"}' | y3 encode --to hex
  echo '14[00=\"a\",00=\"b\"]' | y3 encode --to hex               a slice: each item has key 00
  echo '{\"frame\":{\"tag\":7}}' | y3 encode --json --names noise.y3n
  y3 watch 3f session.y3 --json | grep -v '\"tag\"' | y3 encode > some.y3")]
pub struct Arguments {
    /// A text file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: OsString,
    /// Read JSON objects in the form that `y3 json` prints
    #[arg(short, long)]
    json: bool,
    /// Use the keys and types in this names file
    #[arg(long, value_name = "FILE", requires = "json")]
    names: Option<PathBuf>,
    /// Reject objects of more than this many bytes
    #[arg(long, value_name = "BYTES", requires = "json", value_parser = crate::quantity::size, default_value_t = Limits::DEFAULT.max_value_len())]
    max_object: usize,
    #[command(flatten)]
    to: OutputArguments,
}

pub fn run(arguments: &Arguments) -> Result {
    let mut input = Input::open(&arguments.file, Told::Raw)?;
    arguments.to.begin();
    if arguments.json {
        return objects(arguments, &mut input);
    }
    let origin = input.origin.clone();
    let text = input.read_all()?;
    let bytes = match std::str::from_utf8(&text) {
        Ok(text) if text.trim_start().starts_with('{') => {
            let mut bytes = Vec::new();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let wrong = |error| origin.fault(format!("line {}: {error}", number + 1));
                bytes.extend(packet_of(line).map_err(wrong)?);
            }
            bytes
        }
        _ => packets_of(&text, &origin)?,
    };
    if bytes.is_empty() {
        return Ok(Found::Nothing);
    }
    put(&bytes)?;
    Ok(Found::Something)
}

/// Converts JSON objects to packets as they arrive.
fn objects(arguments: &Arguments, input: &mut Input) -> Result {
    let names = arguments.names.as_ref().map(names::load).transpose()?.unwrap_or_default();
    let origin = input.origin.clone();
    let mut objects = Objects::new(input, arguments.max_object);
    let (mut bytes, mut found) = (Vec::new(), Found::Nothing);
    while let Some(object) = objects.next()? {
        bytes.clear();
        names
            .encode_json(&object.text, &mut bytes)
            .map_err(|error| origin.fault(format!("{}: {error}", object.place(error.offset()))))?;
        put(&bytes)?;
        found = Found::Something;
    }
    Ok(found)
}

/// Returns the packet in a line of `y3 watch --json`.
fn packet_of(line: &str) -> std::result::Result<Vec<u8>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let hex = value.get("hex").and_then(Value::as_str).ok_or("the line has no string \"hex\"")?;
    data_encoding::HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).map_err(|error| format!("\"hex\": {error}"))
}
