//! Random packets, names files and paths, for comparisons of the libraries, the command and the JavaScript package.
//!
//! Tests of several packages include this file, so all of them get the same cases from the same seed.

use std::fmt::Write as _;

use y3_names::Scalar;

pub struct Random(pub u64);

impl Random {
    /// Returns a random number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len())]
    }

    /// Returns random packets, some of them faulty. The random names files have the same keys.
    pub fn packets(&mut self, levels: usize) -> Vec<u8> {
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
            7 => self.pick(&["t", "u", "v", "t", "u", "v", "t", "u", "v", "nothing"]).to_owned(),
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

    /// Returns a random names file. Some files refer to types that do not exist.
    pub fn names(&mut self) -> String {
        format!("t = {{ 00 x u8 01 y t? }} u = [t] v = u {}", self.fields(3))
    }

    /// Returns a random path of keys or names.
    pub fn path(&mut self) -> &'static str {
        self.pick(&["00", "01/00", "*/01", "n0", "n1/n0", "02:00", "n0:n1", "01", "02"])
    }
}
