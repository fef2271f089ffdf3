//! Attributes of derived types with the feature `serde`: each is honoured in both directions or refused, and none
//! changes a value.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use y3::serde::{Error, from_slice, to_vec};
use y3::{ErrorKind, Key, PVarInt};

use super::{both_ways, fails};

use testkit::hex::unhex;
use testkit::options::Options;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum HalfKeyed {
    #[serde(rename = "0x01")]
    A,
    B,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Unkeyed {
    A,
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Skipped {
    #[serde(skip)]
    _Gone,
    A,
    #[serde(rename = "0x01")]
    B,
}

#[test]
fn rejects_a_unit_variant_without_a_key_in_both_directions() {
    both_ways(&HalfKeyed::A, "010101");
    fails(to_vec(&HalfKeyed::B), (ErrorKind::InvalidKey, "B"), &[1], 0);
    fails(from_slice::<HalfKeyed>(&unhex("010100")), (ErrorKind::InvalidKey, "B"), &[1], 0);
    fails(from_slice::<HalfKeyed>(&unhex("81020000")), (ErrorKind::InvalidKey, "B"), &[1, 0], 2);
    fails(to_vec(&[Unkeyed::A]), (ErrorKind::InvalidKey, "A"), &[1, 0], 2);
    fails(to_vec(&Unkeyed::B), (ErrorKind::InvalidKey, "B"), &[1], 0);
    for number in ["010100", "010101", "010105"] {
        fails(from_slice::<Unkeyed>(&unhex(number)), (ErrorKind::InvalidKey, "A"), &[1], 0);
    }
    fails(from_slice::<BTreeMap<Key, Unkeyed>>(&unhex("8103050101")), (ErrorKind::InvalidKey, "A"), &[1, 5], 2);
    // A unit variant without a key cannot be the key of a map either.
    fails(to_vec(&BTreeMap::from([(Unkeyed::A, 1)])), (ErrorKind::InvalidKey, "A"), &[1], 2);
    fails(from_slice::<BTreeMap<Unkeyed, u8>>(&unhex("8103000101")), (ErrorKind::InvalidKey, "A"), &[1, 0], 2);
}

#[test]
fn a_skipped_variant_does_not_move_the_others() {
    fails(to_vec(&Skipped::A), (ErrorKind::InvalidKey, "A"), &[1], 0);
    both_ways(&Skipped::B, "010101");
    fails(from_slice::<Skipped>(&unhex("010100")), (ErrorKind::InvalidKey, "A"), &[1], 0);
}

#[test]
fn rejects_two_variants_with_one_key_when_reading() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Twice {
        #[serde(rename = "0x01")]
        A,
        #[serde(rename = "0x1")]
        B,
        #[serde(rename = "0x02")]
        C(u32),
        #[serde(rename = "0x2")]
        D(u32),
        #[serde(rename = "0x03")]
        E,
    }
    let twice = |name| (ErrorKind::RepeatedKey, name);
    for unit in [Twice::A, Twice::B] {
        fails(from_slice::<Twice>(&to_vec(&unit).unwrap()), twice("0x1"), &[1], 0);
    }
    for data in [Twice::C(7), Twice::D(7)] {
        fails(from_slice::<Twice>(&to_vec(&data).unwrap()), twice("0x2"), &[1], 0);
    }
    both_ways(&Twice::E, "010103");
}

#[test]
fn rejects_none_outside_of_a_field() {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct New<T>(T);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Field<T> {
        #[serde(rename = "0x05")]
        field: T,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Variant<T> {
        #[serde(rename = "0x05")]
        Newtype(T),
        #[serde(rename = "0x06")]
        Tuple(T, T),
        #[serde(rename = "0x07")]
        Struct {
            #[serde(rename = "0x05")]
            field: T,
        },
    }
    let absent = |result: Result<Vec<u8>, Error>, path: &[u8], offset| {
        fails(result, ErrorKind::AbsentValue, path, offset);
    };
    both_ways(&Field { field: None::<u8> }, "8100");
    both_ways(&Field { field: Box::new(None::<u8>) }, "8100");
    both_ways(&Field { field: None::<Option<u8>> }, "8100");
    both_ways(&Field { field: Some(Some(7)) }, "8103050107");
    both_ways(&Variant::Struct { field: None::<u8> }, "81028700");
    absent(to_vec(&Field { field: Some(None::<u8>) }), &[1, 5], 2);
    absent(to_vec(&Field { field: Some(New(None::<u8>)) }), &[1, 5], 2);
    absent(to_vec(&Field { field: New(None::<u8>) }), &[1, 5], 2);
    absent(to_vec(&Field { field: New(Some(None::<u8>)) }), &[1, 5], 2);
    absent(to_vec(&Field { field: PVarInt(None::<u8>) }), &[1, 5], 2);
    absent(to_vec(&Variant::Struct { field: Some(None::<u8>) }), &[1, 7, 5], 4);
    absent(to_vec(&Variant::Newtype(None::<u8>)), &[1, 5], 2);
    absent(to_vec(&Variant::Tuple(Some(7), None)), &[1, 6, 0], 7);
    absent(to_vec(&Variant::Newtype(Some(None::<u8>))), &[1, 5], 2);
    absent(to_vec(&None::<u8>), &[1], 0);
    absent(to_vec(&Some(None::<u8>)), &[1], 0);
    absent(to_vec(&New(None::<u8>)), &[1], 0);
    absent(to_vec(&[Some(7), None]), &[1, 0], 5);
    absent(to_vec(&[New(Some(7)), New(None)]), &[1, 0], 5);
    absent(to_vec(&(None::<u8>, 7)), &[1, 0], 2);
    absent(to_vec(&BTreeMap::from([(1, Some(7)), (2, None)])), &[1, 2], 5);
    absent(to_vec(&BTreeMap::from([(1, New(None::<u8>))])), &[1, 1], 2);
}

#[test]
fn reads_an_alias_that_is_a_key_and_rejects_one_that_is_not() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Aliased {
        #[serde(rename = "0x10", alias = "0x11")]
        field: u32,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Named {
        #[serde(rename = "0x10", alias = "name")]
        field: u32,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Variant {
        #[serde(rename = "0x10", alias = "0x11", alias = "name")]
        A(u32),
        #[serde(rename = "0x12")]
        B,
    }
    both_ways(&Aliased { field: 7 }, "8103100107");
    assert_eq!(from_slice::<Aliased>(&unhex("8103110107")).unwrap(), Aliased { field: 7 });
    fails(from_slice::<Named>(&to_vec(&Named { field: 7 }).unwrap()), (ErrorKind::InvalidKey, "name"), &[1], 0);
    // The format finds a variant by its key, so other names of other variants do not matter.
    both_ways(&Variant::A(7), "8103100107");
    both_ways(&Variant::B, "010112");
    assert_eq!(from_slice::<Variant>(&unhex("8103110107")).unwrap(), Variant::A(7));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Evolving {
    #[serde(rename = "0x01")]
    Known,
    #[serde(rename = "0x02")]
    Data(u32),
    #[serde(rename = "0x3f", other)]
    Other,
}

#[test]
fn reads_unknown_variants_with_any_content_as_other() {
    both_ways(&Evolving::Known, "010101");
    both_ways(&Evolving::Data(7), "8103020107");
    both_ways(&Evolving::Other, "01013f");
    for unknown in [
        "010105",
        "010100",
        // Variants with content: a number, a node, a node with an error inside.
        "8103050107",
        "81058503010107",
        "81048502017f",
        "81023f00",
    ] {
        assert_eq!(from_slice::<Evolving>(&unhex(unknown)).unwrap(), Evolving::Other, "{unknown}");
    }
    let pvar = Options::DEFAULT.with_pvar();
    assert_eq!(pvar.from_slice::<Evolving>(&unhex("010105")).unwrap(), Evolving::Other);
    // A packet that is no variant of any type, or incomplete, is still an error.
    fails(from_slice::<Evolving>(&unhex("010140")), ErrorKind::UnknownVariant, &[1], 0);
    fails(from_slice::<Evolving>(&unhex("0101ff")), ErrorKind::UnknownVariant, &[1], 0);
    fails(from_slice::<Evolving>(&unhex("0100")), ErrorKind::InvalidValue, &[1], 2);
    fails(from_slice::<Evolving>(&unhex("8100")), ErrorKind::NotOneVariant, &[1], 0);
    fails(from_slice::<Evolving>(&unhex("8106050107060107")), ErrorKind::NotOneVariant, &[1], 0);
    fails(from_slice::<Evolving>(&unhex("8103050207")), ErrorKind::Overrun, &[1], 2);
    // A known variant is not read as `other`, whatever it contains.
    fails(from_slice::<Evolving>(&unhex("8103010107")), ErrorKind::InvalidValue, &[1, 1], 4);
    fails(from_slice::<Evolving>(&unhex("8103020101ff")), ErrorKind::TrailingBytes, &[], 5);
    fails(from_slice::<Evolving>(&unhex("81023f01")), ErrorKind::Overrun, &[1], 2);
    fails(from_slice::<Evolving>(&unhex("81033f0107")), ErrorKind::InvalidValue, &[1, 0x3f], 4);
}

#[test]
fn reads_other_without_a_key_and_rejects_it_when_writing() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum ReadOnly {
        #[serde(rename = "0x01")]
        Known,
        #[serde(other)]
        Other,
    }
    both_ways(&ReadOnly::Known, "010101");
    assert_eq!(from_slice::<ReadOnly>(&unhex("010105")).unwrap(), ReadOnly::Other);
    fails(to_vec(&ReadOnly::Other), (ErrorKind::InvalidKey, "Other"), &[1], 0);
}

#[test]
fn reads_a_variant_with_skip_deserializing_as_an_unknown_one() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Writing {
        #[serde(rename = "0x01")]
        A,
        #[serde(rename = "0x02", skip_deserializing)]
        Old,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum WithOther {
        #[serde(rename = "0x02", skip_deserializing)]
        Old,
        #[serde(rename = "0x03", other)]
        Other,
    }
    both_ways(&Writing::A, "010101");
    fails(from_slice::<Writing>(&to_vec(&Writing::Old).unwrap()), ErrorKind::UnknownVariant, &[1], 0);
    assert_eq!(from_slice::<WithOther>(&to_vec(&WithOther::Old).unwrap()).unwrap(), WithOther::Other);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    #[serde(rename = "0x11")]
    inner: Option<u32>,
}

#[test]
fn rejects_flattened_types_in_both_directions() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flattened {
        #[serde(rename = "0x10")]
        outer: Option<u32>,
        #[serde(flatten)]
        rest: Inner,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Rest {
        #[serde(flatten)]
        rest: BTreeMap<Key, u32>,
    }
    for (outer, inner) in [(None, None), (Some(1), None), (None, Some(2)), (Some(1), Some(2))] {
        fails(to_vec(&Flattened { outer, rest: Inner { inner } }), ErrorKind::InvalidKey, &[1], 2);
    }
    for bytes in ["8103100101", "8103110102", "8106100101110102"] {
        let key = unhex(bytes)[2];
        fails(from_slice::<Flattened>(&unhex(bytes)), ErrorKind::InvalidKey, &[1, key], 2);
    }
    // The writer sees a flattened map as a map.
    let bytes = to_vec(&Rest { rest: BTreeMap::from([(Key::ROOT, 7)]) }).unwrap();
    fails(from_slice::<Rest>(&bytes), ErrorKind::InvalidKey, &[1, 1], 2);
}

#[test]
fn rejects_untagged_and_internally_tagged_types_when_reading() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(u32),
        Text(String),
        Many(Vec<u32>),
        Nothing,
        Fields {
            #[serde(rename = "0x01")]
            field: u32,
        },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "0x01")]
    enum Internal {
        #[serde(rename = "0x02")]
        Nothing,
        #[serde(rename = "0x03")]
        Newtype(Inner),
        #[serde(rename = "0x04")]
        Fields {
            #[serde(rename = "0x05")]
            field: u32,
        },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum HalfTagged {
        #[serde(rename = "0x02")]
        Tagged(u32),
        #[serde(untagged)]
        Untagged(u32),
    }
    let untyped = |result: Result<(), Error>| fails(result, ErrorKind::Unsupported, &[1], 0);
    for value in [
        Untagged::Number(7),
        Untagged::Text("a".into()),
        Untagged::Many(vec![7]),
        Untagged::Nothing,
        Untagged::Fields { field: 7 },
    ] {
        untyped(from_slice::<Untagged>(&to_vec(&value).unwrap()).map(drop));
    }
    for value in [Internal::Nothing, Internal::Newtype(Inner { inner: Some(7) }), Internal::Fields { field: 7 }] {
        untyped(from_slice::<Internal>(&to_vec(&value).unwrap()).map(drop));
    }
    for value in [HalfTagged::Tagged(7), HalfTagged::Untagged(7)] {
        untyped(from_slice::<HalfTagged>(&to_vec(&value).unwrap()).map(drop));
    }
}

#[test]
fn reads_adjacently_tagged_types_except_struct_variants() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "0x01", content = "0x02")]
    enum Adjacent {
        #[serde(rename = "0x10")]
        Nothing,
        #[serde(rename = "0x11")]
        Newtype(u32),
        #[serde(rename = "0x12")]
        Option(Option<u32>),
        #[serde(rename = "0x13")]
        Tuple(u32, u32),
        #[serde(rename = "0x14")]
        Struct {
            #[serde(rename = "0x05")]
            field: Option<u32>,
        },
        Unkeyed,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind", content = "0x02")]
    enum NamedTag {
        #[serde(rename = "0x10")]
        Nothing,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "0x01", content = "content")]
    enum NamedContent {
        #[serde(rename = "0x10")]
        Nothing,
        #[serde(rename = "0x11")]
        Newtype(u32),
    }
    both_ways(&Adjacent::Nothing, "8103010110");
    both_ways(&Adjacent::Newtype(7), "8106010111020107");
    both_ways(&Adjacent::Option(Some(7)), "8106010112020107");
    both_ways(&Adjacent::Option(None), "8103010112");
    both_ways(&Adjacent::Tuple(7, 8), "810b010113c206000107000108");
    // Serde asks for the fields of a struct variant as it asks for those of an untagged type.
    for field in [Some(7), None] {
        let bytes = to_vec(&Adjacent::Struct { field }).unwrap();
        fails(from_slice::<Adjacent>(&bytes), ErrorKind::Unsupported, &[1, 2], 5);
    }
    fails(to_vec(&Adjacent::Unkeyed), (ErrorKind::InvalidKey, "Unkeyed"), &[1, 1], 2);
    // Content that comes before its tag would have to be kept undecoded, which is not supported.
    fails(from_slice::<Adjacent>(&unhex("8106020107010111")), ErrorKind::Unsupported, &[1, 2], 2);
    fails(to_vec(&NamedTag::Nothing), (ErrorKind::InvalidKey, "kind"), &[1], 0);
    fails(to_vec(&NamedContent::Newtype(7)), (ErrorKind::InvalidKey, "content"), &[1], 0);
    // A writer does not see the name of absent content; a reader does.
    fails(
        from_slice::<NamedContent>(&to_vec(&NamedContent::Nothing).unwrap()),
        (ErrorKind::InvalidKey, "content"),
        &[1],
        0,
    );
}

#[test]
fn skipped_fields_come_back_as_their_default_or_are_missing() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sparse {
        #[serde(skip)]
        never: u32,
        #[serde(rename = "0x01", default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<u32>,
        #[serde(rename = "0x02", skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(rename = "0x03", default, skip_deserializing)]
        written: u32,
    }
    let whole = Sparse { never: 0, items: vec![7], text: "a".into(), written: 0 };
    both_ways(&whole, "810b c103 000107 020161 030100".replace(' ', "").as_str());
    both_ways(&Sparse { items: vec![], ..whole }, "8106020161030100");
    // A field that the writer omits and the reader requires.
    let empty = Sparse { never: 0, items: vec![], text: String::new(), written: 0 };
    fails(from_slice::<Sparse>(&to_vec(&empty).unwrap()), (ErrorKind::MissingField, "0x02"), &[1], 0);
}
