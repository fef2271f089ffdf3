//! Random: creates random test rows, whose answers a program cannot know in advance.
//!
//! A random row has the same operation as a row in the files, but random arguments. The library computes the expected
//! answer.

use serde_json::{Map, Value, json};

use super::answers::{self, hex};
use super::rows::Row;

/// Returns `count` random rows for each profile, made from the profile's rows.
pub fn rows(rows: &[Row], seed: u64, count: usize) -> Vec<Row> {
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut made: Vec<Row> = Vec::new();
    for of_profile in rows.chunk_by(|one, next| one.profile == next.profile) {
        let all = made.len() + count;
        // Some changes make a question invalid, so more questions are tried.
        for _ in 0..20 * count {
            if made.len() == all {
                break;
            }
            let Some(row) = of_profile.get(random.below(of_profile.len())).filter(|row| row.has_one_answer()) else {
                continue;
            };
            let mut asked = row.asked();
            random.change(&mut asked, of_profile);
            asked.insert("id".into(), format!("random/{}", made.len() + 1).into());
            let takes_any_error = asked.get("op").is_some_and(|op| op == "read_as" || op == "edit");
            let asked = Row { profile: row.profile, rules: vec!["random".into()], whole: asked, takes_any_error };
            made.extend(asked.answered());
        }
    }
    made
}

struct Random(fastrand::Rng);

/// With so few keys, packets often have equal keys.
const KEYS: [u8; 6] = [0x00, 0x01, 0x02, 0x10, 0x11, 0x3f];
const CHARACTERS: [char; 16] =
    ['a', 'Z', '0', ' ', '"', '\\', '=', '{', ']', 'é', '\n', '\0', '\u{85}', '\u{202e}', '\u{feff}', '😀'];

impl Random {
    /// Returns a random number below `most`, or 0 if `most` is 0.
    fn below(&mut self, most: usize) -> usize {
        self.0.usize(..most.max(1))
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<T: Copy + Default>(&mut self, items: &[T]) -> T {
        items.get(self.below(items.len())).copied().unwrap_or_default()
    }

    /// Returns up to `most` random bytes. About half of them are edge cases, such as `3f` and `80`.
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let edges = [0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0x87, 0xbf, 0xf0, 0xff];
        (0..self.below(most + 1)).map(|_| if self.one_in(2) { self.of(&edges) } else { self.0.u8(..) }).collect()
    }

    fn packets(&mut self, depth: usize) -> Vec<u8> {
        (0..self.below(4)).flat_map(|_| self.packet(depth)).collect()
    }

    /// Returns a random packet. It can have a padded length, a reserved bit, or slice items with keys above 0.
    fn packet(&mut self, depth: usize) -> Vec<u8> {
        let key = self.of(&KEYS);
        let (kind, value) = match self.below(6) {
            0 | 1 if depth < 4 => (0x80, self.packets(depth + 1)),
            2 if depth < 4 => (0xc0, self.packets(depth + 1)),
            3 if depth < 4 => (0x00, self.packets(depth + 1)),
            4 => (0x00, self.text(4).into_bytes()),
            _ => (if self.one_in(8) { 0x40 } else { 0x00 }, self.bytes(5)),
        };
        let len = value.len();
        let mut length = vec![0x80; if self.one_in(8) { 1 + self.below(3) } else { usize::from(len > 63) }];
        length.push(u8::try_from(len % 128).unwrap_or_default());
        if let Some(before) = length.len().checked_sub(2).and_then(|at| length.get_mut(at)) {
            *before |= u8::try_from(len / 128).unwrap_or_default();
        }
        if length.len() == 1 && len > 63 || len > 8191 {
            return vec![key, 0];
        }
        [&[kind | key], &length[..], &value].concat()
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.of(&CHARACTERS)).collect()
    }

    /// Makes one or two random changes: replaces, removes or inserts an item, or cuts off the end.
    fn damage<T: Clone>(&mut self, items: &mut Vec<T>, other: impl Fn(&mut Self) -> T) {
        for _ in 0..=self.below(2) {
            let at = self.below(items.len());
            match (self.below(4), items.get_mut(at)) {
                (0, Some(item)) => *item = other(self),
                (1, Some(_)) => drop(items.remove(at)),
                (2, _) => items.truncate(at),
                _ => items.insert(at, other(self)),
            }
        }
    }

    /// Returns random packets or the row's own bytes. One in three results is damaged.
    fn input(&mut self, own: &str) -> Vec<u8> {
        let own = data_encoding::HEXLOWER.decode(own.as_bytes()).unwrap_or_default();
        let mut bytes = if self.one_in(2) { self.packets(0) } else { own };
        if self.one_in(3) {
            self.damage(&mut bytes, |random| random.0.u8(..));
        }
        bytes
    }

    fn path(&mut self) -> String {
        let mut path = self.step();
        for _ in 0..self.below(3) {
            path.push(if self.one_in(4) { ':' } else { '/' });
            path += &self.step();
        }
        path
    }

    fn step(&mut self) -> String {
        if self.one_in(6) { "*".into() } else { hex(&[self.of(&KEYS)]) }
    }

    /// Returns a random value of the type `kind`, in the notation of the rows.
    fn value(&mut self, kind: &str) -> String {
        let bits = self.0.u64(..) >> self.below(64);
        match kind {
            "f32" => format!("0x{:08x}", (self.0.u64(..) >> 32) & (u64::MAX << self.below(33))),
            "f64" => format!("0x{:016x}", self.0.u64(..) & (u64::MAX << self.below(64))),
            "bool" => (bits % 2 == 0).to_string(),
            "text" => self.text(6),
            "bytes" => hex(&self.bytes(6)),
            "utf16" => {
                let units: Vec<u16> = self.text(4).encode_utf16().collect();
                let units = units.into_iter().flat_map(|unit| (unit ^ self.of(&[0, 0, 0xd800])).to_be_bytes());
                hex(&units.collect::<Vec<_>>())
            }
            _ if kind.starts_with('i') && self.one_in(2) => format!("-{bits}"),
            _ => bits.to_string(),
        }
    }

    /// Changes the arguments of a question at random.
    fn change(&mut self, asked: &mut Map<String, Value>, rows: &[Row]) {
        let text_of = |asked: &Map<String, Value>, name: &str| {
            asked.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (op, kind) = (text_of(asked, "op"), text_of(asked, "type"));
        if op == "write_as" {
            return self.value_to_write(asked, rows);
        }
        for (name, argument) in asked.iter_mut() {
            let own = argument.as_str().unwrap_or_default().to_owned();
            *argument = match (name.as_str(), &op[..]) {
                ("hex", "length") => hex(&self.bytes(6)).into(),
                ("hex", "decode") => hex(&self.bytes(11)).into(),
                ("hex", "value") => hex(&self.packet(4)).into(),
                ("hex", _) => hex(&self.input(&own)).into(),
                ("packet", _) => hex(&self.packet(2)).into(),
                ("paths", _) => (0..=self.below(3)).map(|_| self.path()).collect(),
                ("path", _) => if self.one_in(2) { own } else { self.path() }.into(),
                // SPEC.md defines the result for a key above 3f in a look-up, but not in a search.
                ("key", "search") => self.of(&KEYS).into(),
                ("key", _) => self.of(&[0x00, 0x01, 0x02, 0x10, 0x11, 0x3f, 0x40]).into(),
                ("length", _) => (self.0.u64(..) >> (43 + self.below(21))).into(),
                ("value", _) => self.value(&kind).into(),
                ("packets", _) => {
                    let drawn = answers::answer(&json!({ "op": "read", "hex": hex(&self.packets(0)) }).to_string());
                    drawn.unwrap_or_default().get("result").cloned().unwrap_or_default()
                }
                ("limits", _) => {
                    let names: Vec<_> = argument.as_object().into_iter().flat_map(Map::keys).cloned().collect();
                    let limit = |name: String| {
                        let limit = match &name[..] {
                            // A reader can reject a lower limit, since a header has up to six bytes.
                            "packet" => 6 + self.below(10),
                            "value" => self.below(6),
                            _ => self.below(3),
                        };
                        (name, limit.into())
                    };
                    names.into_iter().map(limit).collect::<Map<String, Value>>().into()
                }
                ("text", _) => {
                    let shown = y3::show::text(&self.packets(0)).to_string();
                    let mut text: Vec<char> = if self.one_in(2) { own } else { shown }.chars().collect();
                    if self.one_in(2) {
                        self.damage(&mut text, |random| random.of(&CHARACTERS));
                    }
                    text.into_iter().collect::<String>().into()
                }
                ("edits", _) => (0..=self.below(2)).map(|_| self.edit()).collect(),
                _ => continue,
            };
        }
    }

    fn edit(&mut self) -> String {
        let path = self.path();
        match self.of(&["remove", "rename", "set", "replace", "insert", "append"]) {
            "remove" => format!("remove {path}"),
            "rename" => format!("rename {path} {:02x}", self.of(&KEYS)),
            what => format!("{what} {path} {}", hex(&self.packet(3))),
        }
    }

    /// Changes the value that a question asks to write. The new value is a value that the library has read from random
    /// bytes.
    fn value_to_write(&mut self, asked: &mut Map<String, Value>, rows: &[Row]) {
        // If no value is found below, the question stays invalid and is not used.
        asked.remove("value");
        let mut read = rows.get(self.below(rows.len())).map(Row::asked).unwrap_or_default();
        if read.get("op").is_some_and(|op| op == "read_as") {
            self.change(&mut read, rows);
            let value = answers::answer(&Value::from(read.clone()).to_string()).unwrap_or_default();
            if let (Some(kind), Some(value)) = (read.remove("type"), value.get("result")) {
                asked.insert("type".into(), kind);
                asked.insert("value".into(), value.clone());
            }
        }
    }
}
