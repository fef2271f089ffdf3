//! Prints random packets and names files, and the results of the libraries for them. web/tests/answers.test.mjs
//! compares these results with the results of the package.
//!
//! The arguments are a seed and the number of cases. Each case is one line. Its parts are separated by tabs. Bytes and
//! texts are hexadecimal.

#[path = "../../names/tests/support/cases.rs"]
mod cases;

use std::env;
use std::fmt::Write as _;

use y3::show::{explain, hex, text};
use y3::{Packet, Paths, packets};
use y3_names::{Names, Value, lint};

use cases::Random;

fn main() {
    let [seed, cases] =
        [1, 2].map(|place| env::args().nth(place).and_then(|text| text.parse::<u32>().ok()).unwrap_or(1));
    let mut random = Random(seed.into());
    for _ in 0..cases {
        let (bytes, path) = (random.packets(4), random.path());
        let [old, new] = [0; 2].map(|_| random.names());
        let mut answer = String::new();
        let _ = match new.parse::<Names>() {
            Err(error) => write!(answer, "!{error}"),
            Ok(names) => {
                let _ = write!(answer, "{}", ask(&bytes, &names, path));
                let changes = old.parse().map(|old| lint::changes(&old, &names)).unwrap_or_default();
                changes.iter().try_for_each(|change| write!(answer, ";{} {}", change.path, change.what))
            }
        };
        println!(
            "{}\t{}\t{}\t{path}\t{}",
            hex(&bytes),
            hex(old.as_bytes()),
            hex(new.as_bytes()),
            hex(answer.as_bytes())
        );
    }
}

/// Returns the text form and the first fault, then the hits of a path with their values or errors, then the JSON.
fn ask(bytes: &[u8], names: &Names, path: &str) -> String {
    let fault = y3::check(bytes).map_err(|error| format!("{} {}", error.offset(), explain(bytes, error)));
    let mut answer = format!("{} {}|", text(bytes), fault.err().unwrap_or_default());
    match names.path(path) {
        Err(error) => drop(write!(answer, "!{error}")),
        Ok((path, schema)) => {
            for hit in Paths::new([path]).watch(bytes) {
                let _ = match hit {
                    Err(error) => write!(answer, "{}?", error.offset()),
                    Ok(hit) => {
                        let value = Packet::from_slice(hit.packet().as_bytes())
                            .map_err(|error| explain(hit.packet().as_bytes(), error).to_string())
                            .and_then(|packet| {
                                schema.decode(packet).map_err(|error| error.to_string()).map(|value| shown(&value))
                            });
                        write!(answer, "{}={},", hit.offset(), value.unwrap_or_else(|error| format!("!{error}")))
                    }
                };
            }
        }
    }
    let mut json = String::new();
    for packet in packets(bytes) {
        let shown = packet
            .map_err(|error| explain(bytes, error).to_string())
            .and_then(|packet| names.show_json(packet, &mut json).map_err(|error| error.to_string()));
        match shown {
            Ok(()) => json.push('\n'),
            Err(error) => return answer + "|!" + &error,
        }
    }
    format!("{answer}|{json}")
}

/// Formats a value in the same way as the JavaScript test.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Bytes(bytes) => format!("bytes {}", hex(bytes)),
        Value::Text(text) => format!("text {text}"),
        Value::F32(number) => float((*number).into()),
        Value::F64(number) => float(*number),
        Value::Json(json) => format!("text {json}"),
        other => other.to_string(),
    }
}

fn float(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("bits {:x}", number.to_bits()) }
}
