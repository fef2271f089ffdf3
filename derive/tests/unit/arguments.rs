//! Every argument is accepted or rejected: all single arguments and all pairs of arguments, in every place that can
//! have arguments.
//!
//! The table lists the accepted arguments. `tests/derive/arguments.rs` in `y3` tests what the accepted arguments do.

use syn::parse_str;

use crate::model::Model;

/// All arguments, in all forms.
const ARGUMENTS: &str = "0x02, root = 0x01, crate = ::y3, pvar, rest, skip, other, default, default = 7, skip_if = is, with = neg, \
    duplicates = error, duplicates = first, duplicates = last";

/// The arguments of one of several fields: a key, `rest` or `skip`, and the arguments that can be combined with them.
const FIELD: &[Taken] = &[
    (
        "0x02",
        "pvar, default, default = 7, skip_if = is, with = neg, duplicates = error, duplicates = first, duplicates = last",
    ),
    ("rest", ""),
    ("skip", "default, default = 7"),
];

/// An argument, and the arguments that can be combined with it. If the first string is empty, no other argument is
/// required.
type Taken = (&'static str, &'static str);

/// Each place for arguments, marked with `@`, and the arguments that are accepted there.
const PLACES: [(&str, &[Taken]); 15] = [
    (
        "#[y3(@)] struct T { #[y3(0x01)] a: u8 }",
        &[(
            "",
            "root = 0x01, crate = ::y3, pvar, default, default = 7, duplicates = error, duplicates = first, duplicates = last",
        )],
    ),
    // If no field has a key, no field can be absent or occur twice.
    ("#[y3(@)] struct T(u8);", &[("", "root = 0x01, crate = ::y3, pvar")]),
    ("#[y3(@)] struct T;", &[("", "root = 0x01, crate = ::y3, pvar")]),
    ("#[y3(@)] enum T { #[y3(1)] A }", &[("", "root = 0x01, crate = ::y3, pvar")]),
    (
        "#[y3(@)] enum T { #[y3(1)] A { #[y3(1)] a: u8 } }",
        &[("", "root = 0x01, crate = ::y3, pvar, duplicates = error, duplicates = first, duplicates = last")],
    ),
    ("struct T { #[y3(@)] a: u8 }", FIELD),
    ("struct T(#[y3(@)] u8, #[y3(0x03)] u8);", FIELD),
    ("enum T { #[y3(1)] A { #[y3(@)] a: u8 } }", FIELD),
    ("enum T { #[y3(1)] A(#[y3(@)] u8, #[y3(0x03)] u8) }", FIELD),
    ("struct T(#[y3(@)] u8);", &[FIELD[0], FIELD[1], FIELD[2], ("", "pvar, with = neg")]),
    ("enum T { #[y3(1)] A(#[y3(@)] u8) }", &[FIELD[0], FIELD[1], FIELD[2], ("", "pvar, with = neg")]),
    // The field reads the whole packet, in the integer dialect of the type, which is also that of the other variants.
    ("enum T { #[y3(other)] A(#[y3(@)] u8) }", &[("", "with = neg")]),
    ("#[y3(pvar)] enum T { #[y3(other)] A(#[y3(@)] u8) }", &[("", "pvar, with = neg")]),
    // A variant without content can have a number and `other`. A variant with content can have only one of them.
    ("enum T { #[y3(@)] A }", &[("0x02", "other")]),
    ("enum T { #[y3(@)] A(u8) }", &[("0x02", ""), ("other", "")]),
];

fn all(arguments: &str) -> Vec<&str> {
    arguments.split(", ").collect()
}

fn is_taken(place: &str, arguments: &[&str]) -> Result<(), String> {
    let source = place.replace('@', &arguments.join(", "));
    Model::of(&parse_str(&source).unwrap()).map(drop).map_err(|error| error.to_string())
}

fn should_be(taken: &[Taken], arguments: &[&str]) -> bool {
    let names: Vec<&str> = arguments.iter().map(|argument| argument.split(' ').next().unwrap()).collect();
    let is_twice = names.len() == 2 && names[0] == names[1];
    !is_twice
        && taken.iter().any(|(first, others)| {
            (first.is_empty() || arguments.contains(first))
                && arguments.iter().all(|argument| argument == first || all(others).contains(argument))
        })
}

#[test]
fn every_pair_of_arguments_is_taken_where_it_is_honoured_and_refused_elsewhere() {
    let (all, mut counts) = (all(ARGUMENTS), [0, 0]);
    for (place, taken) in PLACES {
        let pairs = all.iter().enumerate().flat_map(|(place, first)| {
            all[place + 1..].iter().flat_map(|second| [vec![*first, *second], vec![*second, *first]])
        });
        for arguments in all.iter().map(|argument| vec![*argument]).chain(pairs).chain([vec![]]) {
            let (done, should_be) = (is_taken(place, &arguments), should_be(taken, &arguments));
            assert_eq!(done.is_ok(), should_be, "{place} with {arguments:?}: {done:?}");
            counts[usize::from(should_be)] += 1;
        }
    }
    assert_eq!(counts, [2677, 278], "refused and taken");
}

#[test]
fn an_argument_twice_is_refused() {
    for argument in all(ARGUMENTS) {
        for (place, _) in PLACES {
            assert!(is_taken(place, &[argument, argument]).is_err(), "{place} with {argument} twice");
        }
    }
}

#[test]
fn what_is_no_argument_is_refused() {
    let wrong = r#"default 7|default =|pvar = 1|rest = r|skip = 1|other = 1|with|with = 7|skip_if|root|root = a|root = -1|crate|crate = 7|
duplicates|duplicates = none|duplicates = 1|-1|-0x01|0x01u8x|1.5|'a'|"0x02"|4294967296|0x02 pvar|pvar pvar|as|0x02; pvar"#;
    for argument in wrong.split('|') {
        for (place, _) in PLACES {
            let source = place.replace('@', argument);
            let item = parse_str(&source).unwrap();
            assert!(Model::of(&item).is_err(), "{source}");
        }
    }
}

/// Returns the documentation of the impls.
fn table(source: &str) -> String {
    crate::table::of(&Model::of(&parse_str(source).unwrap()).unwrap())
}

#[test]
fn documentation_has_the_keys_and_types_of_all_fields_on_the_wire() {
    let node = table(
        "#[y3(root = 0x05)] struct T<'a> { #[y3(0x11)] noise: f32, #[y3(0x12, pvar)] at: Option<Vec<&'a [i64]>>,
         #[y3(skip)] cache: u8, #[y3(0x13)] r#in: [u8; { 1 | 2 }], #[y3(rest)] rest: y3::value::UnknownFields<'a> }",
    );
    let rows = [
        "A node with the key `0x05`:",
        "",
        "| key | field | type |",
        "|---|---|---|",
        "| `0x11` | `noise` | `f32` |",
        "| `0x12` | `at` | `PVarInt<Option<Vec<&'a [i64]>>>` |",
        "| `0x13` | `in` | `[u8; { 1 \\| 2 }]` |",
        "| others | `rest` | `y3::value::UnknownFields<'a>` |",
    ];
    assert_eq!(node.lines().collect::<Vec<_>>(), rows);

    let variants = table(
        "enum T { #[y3(200)] Stopped, #[y3(0x02)] Said(String), #[y3(0x03)] Moved(#[y3(0x01)] i32, #[y3(0x02)] i32),
         #[y3(9, other)] Unknown }",
    );
    let rows = [
        "A number, or a node with one packet, which has the key and the content of a variant:",
        "",
        "| number or key | variant | content |",
        "|---|---|---|",
        "| `0xc8` | `Stopped` |  |",
        "| `0x02` | `Said` | `String` |",
        "| `0x03` | `Moved` | `0x01` `0` `i32`, `0x02` `1` `i32` |",
        "| `0x09`, read for others | `Unknown` |  |",
    ];
    assert_eq!(variants.lines().collect::<Vec<_>>(), rows);
    assert_eq!(table("struct T(#[y3(pvar)] u8);"), "A packet that holds a `PVarInt<u8>`.");
    assert_eq!(table("struct T;"), "A primitive without bytes.");
}

#[test]
fn only_numbers_of_variants_without_content_may_be_above_the_keys() {
    for (variant, is_taken) in [("A", true), ("A(u8)", false), ("A { #[y3(1)] a: u8 }", false), ("A {}", false)] {
        let source = format!("enum T {{ #[y3(0x40)] {variant} }}");
        assert_eq!(Model::of(&parse_str(&source).unwrap()).is_ok(), is_taken, "{source}");
        assert!(Model::of(&parse_str(&source.replace("0x40", "0x3f")).unwrap()).is_ok(), "{source}");
    }
}
