//! `y3 encode`: bytes from the text form, or from the lines that `--json` printed.

use std::ffi::OsString;

use clap::Args;
use serde_json::Value;

use crate::encoding::Encoding;
use crate::failure::{Found, Result};
use crate::input::{Input, Told};
use crate::output::{OutputArguments, write_all};

/// Write packets from text
///
/// The text is what `y3 dump --text` prints and docs/spec/text.md defines, or lines of JSON as `y3 watch --json` prints them. Of such a line the member "hex"
/// decides; the other members are for people. If there is an error in the text, nothing is written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  echo '01{11=f32(45.12),13=\"10.0.3.113\"}' | y3 encode --to hex
  echo '14[00=\"a\",00=\"b\"]' | y3 encode --to hex               a slice: each item has key 00
  y3 watch 3f session.y3 --json | grep -v '\"tag\"' | y3 encode > some.y3")]
pub struct Arguments {
    /// A file of text, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: OsString,
    #[command(flatten)]
    to: OutputArguments,
}

pub fn run(arguments: &Arguments) -> Result {
    let mut input = Input::open(&arguments.file, Told::Raw)?;
    let origin = input.origin.clone();
    let fault = |text: String| origin.fault(text);
    let text = String::from_utf8(input.read_all()?)
        .map_err(|error| fault(format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to())))?;
    let bytes = if text.trim_start().starts_with('{') {
        let mut bytes = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let packet = packet_of(line).map_err(|error| fault(format!("line {}: {error}", number + 1)))?;
            bytes.extend(packet);
        }
        bytes
    } else {
        y3::show::text_to_vec(&text).map_err(|error| fault(error.to_string()))?
    };
    if bytes.is_empty() {
        return Ok(Found::Nothing);
    }
    match arguments.to.encoding() {
        Encoding::Raw => write_all(&bytes)?,
        encoding => write_all(&encoding.encode(&bytes))?,
    }
    Ok(Found::Something)
}

/// The packet in a line of JSON.
fn packet_of(line: &str) -> std::result::Result<Vec<u8>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let hex = value.get("hex").and_then(Value::as_str).ok_or("no text \"hex\"")?;
    data_encoding::HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).map_err(|error| format!("\"hex\": {error}"))
}
