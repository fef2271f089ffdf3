//! Names files: chains of names, unused types, recursive types, and changes of all types.

use std::fmt::Write;
use std::hint::black_box;

use y3_names::{Names, lint};

use super::case::{Cases, LARGE, Memory};

/// A parsed file takes several times the size of its text.
const PARSED: Memory = Memory { fixed: 64 << 10, per_byte: 64 };

pub fn cases(cases: &mut Cases) {
    let chain = |place: usize, last: usize| match place {
        place if place == last => format!("t{place} = u8\n"),
        place => format!("t{place} = t{}\n", place + 1),
    };
    family(cases, "names file, a chain of names", chain);
    family(cases, "names file, independent types", |place, _| format!("t{place} = u8\n"));
    family(cases, "names file, nodes of the next type", |place, last| {
        format!("t{place} = {{ 01 a t{}? 02 b packets {{ 03 c [t{place}] }} }}\n", (place + 1).min(last))
    });
}

/// A file that declares types and one top-level packet of the first type.
fn family(cases: &mut Cases, name: &'static str, line: impl Fn(usize, usize) -> String) {
    for text in LARGE.iter().map(|size| file(*size, &line)) {
        let types = text.lines().count() - 1;
        cases.case((name, "parse"), PARSED, text.len(), &Ok(types), || {
            black_box(&text).parse::<Names>().map(|names| names.types().len())
        });
        let names: Names = text.parse().unwrap_or_default();
        cases.case((name, "Names::embedded"), PARSED, text.len(), &true, || names.embedded().len() <= 256);
        let is_same = || lint::changes(black_box(&names), &names).is_empty();
        cases.case((name, "lint::changes"), PARSED, text.len(), &true, is_same);
    }
}

fn file(size: usize, line: impl Fn(usize, usize) -> String) -> String {
    let types = size / line(1000, 2000).len();
    (0..=types).fold("01 a t0\n".to_owned(), |mut text, place| {
        // A string accepts every value.
        let _ = write!(text, "{}", line(place, types));
        text
    })
}
