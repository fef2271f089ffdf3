//! Each verdict of the lint, and tests that the codec agrees with the verdicts.

use y3::Packet;
use y3_names::lint::{RULES, Verdict, changes, table};
use y3_names::{Names, Scalar, Type, Value};

fn said(old: &str, new: &str) -> Vec<String> {
    let [old, new]: [Names; 2] = [old, new].map(|text| text.parse().unwrap());
    changes(&old, &new).iter().map(ToString::to_string).collect()
}

#[test]
fn each_change_has_its_verdict() {
    for (old, new, want) in [
        ("01 a u32", "01 a u32", ""),
        ("01 a u32", "01 b u32", "safe: 01 `a` is named `b` now"),
        ("", "01 a u32?", "safe: 01 `a` is added"),
        ("", "01 a u32", "breaking: 01 `a` is added"),
        ("01 a u32?", "", "safe: 01 `a` is removed"),
        ("01 a u32", "", "breaking: 01 `a` is removed"),
        ("01 a u32", "01 a u32?", "breaking: 01 `a` is optional now"),
        ("01 a { 02 b i32 }", "01 a { 02 b i64 }", "breaking: 01/02 changes from i32 to i64"),
        ("01 a u16", "01 a i64", "breaking: 01 changes from u16 to i64"),
        ("01 a u32", "01 a u64", "silently wrong: 01 changes from u32 to u64"),
        ("01 a u32", "01 a i64", "silently wrong: 01 changes from u32 to i64"),
        ("01 a u64", "01 a u32", "silently wrong: 01 changes from u64 to u32"),
        ("01 a i32", "01 a u32", "silently wrong: 01 changes from i32 to u32"),
        ("01 a i8", "01 a u64", "silently wrong: 01 changes from i8 to u64"),
        ("01 a i8", "01 a u8", "breaking: 01 changes from i8 to u8"),
        ("01 a f32", "01 a f64", "silently wrong: 01 changes from f32 to f64"),
        ("01 a i32", "01 a pvar i32", "silently wrong: 01 changes from i32 to pvar i32"),
        ("01 a text", "01 a u32", "silently wrong: 01 changes from text to u32"),
        ("01 a bytes", "01 a packets { 02 b u8 }", "safe: 01 changes from bytes to packets"),
        ("01 a u32", "01 a [u32]", "breaking: 01 changes from u32 to [u32]"),
        (
            "01 a packets { 02 b [f32] }",
            "01 a packets { 02 b [f64] }",
            "silently wrong: 01:02/00 changes from f32 to f64",
        ),
        ("01 a one of { 01 x }", "01 a one of { 01 x 02 y }", "breaking: 01/02 `y` is added"),
        ("01 a one of { 01 x 02 y }", "01 a one of { 01 x }", "breaking: 01/02 `y` is removed"),
        ("01 a one of { 01 x }", "01 a one of { 01 x u8 }", "breaking: 01/01 `x` gets content"),
        (
            "t = { 01 next t?  02 v u32 } 01 a t",
            "t = { 01 next t?  02 v u64 } 01 a t",
            "silently wrong: 01/02 changes from u32 to u64",
        ),
    ] {
        assert_eq!(said(old, new).join("\n"), want, "{old} to {new}");
    }
    let reused = said("01 a u32", "01 b text");
    assert_eq!(reused.last().unwrap(), "silently wrong: 01 `b` has the key of `a` and another type");
}

/// Each type of one file is paired with each type of the other, so a full comparison would take the product of both
/// numbers of types.
#[test]
fn types_that_are_paired_without_end_are_said_to_be_too_many() {
    let file = |types: usize, by: usize| {
        let line = |place: usize| {
            let fields = (0..64).map(|key| format!("{key:02x} n{key} t{}? ", (place * by + key * key) % types));
            format!("t{place} = {{ {} }} ", fields.collect::<Vec<_>>().concat())
        };
        (0..types).map(line).collect::<Vec<_>>().concat() + "01 a t1"
    };
    let begun = std::time::Instant::now();
    let said = said(&file(100, 7), &file(101, 11));
    assert!(said.last().unwrap().ends_with("too many pairs of types to compare"), "{said:?}");
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

/// For each pair of integer types, numbers around each power of 2 are written as one type and read as the other.
#[test]
fn an_integer_that_is_not_called_silently_wrong_is_never_read_as_another() {
    let (names, powers) = (Names::default(), (0..64).map(|shift| 1_i128 << shift));
    let numbers: Vec<i128> =
        powers.flat_map(|power| [power - 1, power, power + 1, 1 - power, -power, -1 - power]).collect();
    let integers = || Scalar::ALL.iter().filter(|scalar| scalar.is_integer());
    for (old, new) in integers().flat_map(|old| integers().map(move |new| (old, new))) {
        let (writer, reader) = (Type::Scalar(*old), Type::Scalar(*new));
        let is_wrong = |number: &i128| {
            let Ok(bytes) = names.schema(&writer).encode(1, &number.to_string()) else { return false };
            let read = names.schema(&reader).decode(Packet::from_slice(&bytes).unwrap());
            read.is_ok_and(|read| read != Value::Integer(*number))
        };
        let says = said(&format!("01 a {old}"), &format!("01 a {new}")).iter().any(|line| line.starts_with("silently"));
        assert!(says || !numbers.iter().any(is_wrong), "{old} to {new}");
    }
}

#[test]
fn the_guide_has_the_table_of_changes() {
    assert!(include_str!("../../docs/GUIDE.md").contains(&table()), "docs/GUIDE.md needs this table:\n{}", table());
    assert_eq!(RULES.iter().filter(|rule| rule.verdict == Verdict::Wrong).count(), 5);
}
