//! Random packets and names files, and what the libraries say of them: web/tests/answers.test.mjs asks the package for the same.
//!
//! Arguments: a seed and a number. Out: a line for each case, its parts separated by tabs, bytes and texts in hexadecimal.

use std::env;
use std::fmt::Write as _;

use y3::show::{explain, hex};
use y3::{Packet, Paths, packets};
use y3_names::{Names, Scalar, Value, lint};

struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len())]
    }

    /// The packets inside a node, with keys that names files have too; some are faulty.
    fn packets(&mut self, levels: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for key in 0..self.below(4) {
            let key = u8::try_from(key).unwrap_or(0);
            let (tag, value) = match self.below(if levels == 0 { 3 } else { 6 }) {
                0 => (key, self.pick(&["a", "größer", "\u{202e}", "ok ! packet", ""]).as_bytes().to_vec()),
                1 | 2 => (key, (0..self.below(9)).map(|_| u8::try_from(self.below(256)).unwrap_or(0)).collect()),
                3 => (key, self.packets(levels - 1)),
                4 => (0xc0 | key, self.packets(levels - 1)),
                _ => (0x80 | key, self.packets(levels - 1)),
            };
            bytes.extend([tag, u8::try_from(value.len()).unwrap_or(0) & 0x3f]);
            bytes.extend(value);
        }
        bytes
    }

    fn kind(&mut self, levels: usize) -> String {
        match self.below(if levels == 0 { 1 } else { 8 }) {
            1 => format!("{{ {}}}", self.fields(levels - 1)),
            2 => format!("packets {{ {}}}", self.fields(levels - 1)),
            3 => format!("[{}]", self.kind(levels - 1)),
            4 => format!("({} {})", self.kind(levels - 1), self.kind(levels - 1)),
            5 => format!("map {}", self.kind(levels - 1)),
            6 => format!("one of {{ 00 none 01 some {} }}", self.kind(levels - 1)),
            7 => self.pick(&["t", "u", "t", "u", "t", "u", "t", "u", "t", "nothing"]).to_owned(),
            _ => Scalar::ALL[self.below(Scalar::ALL.len())].to_string(),
        }
    }

    fn fields(&mut self, levels: usize) -> String {
        let mut fields = String::new();
        for key in 0..self.below(4) {
            let _ = write!(fields, "{key:02x} n{key} {}{} ", self.kind(levels), self.pick(&["", "?"]));
        }
        fields
    }
}

fn main() {
    let [seed, cases] =
        [1, 2].map(|place| env::args().nth(place).and_then(|text| text.parse::<u32>().ok()).unwrap_or(1));
    let mut random = Random(seed.into());
    for _ in 0..cases {
        let (bytes, path) =
            (random.packets(4), random.pick(&["00", "01/00", "*/01", "n0", "n1/n0", "02:00", "n0:n1", "01", "02"]));
        let [old, new] = [0; 2].map(|_| format!("t = {{ 00 x u8 01 y t? }} u = [t] {}", random.fields(3)));
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

/// The hits of a path with their values, or what is wrong; then JSON.
fn ask(bytes: &[u8], names: &Names, path: &str) -> String {
    let mut answer = String::new();
    match names.path(path) {
        Err(error) => answer = format!("!{error}"),
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

/// A value without the ways in which languages print it.
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
