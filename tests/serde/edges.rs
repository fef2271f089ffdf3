//! Special cases of structs with the feature `serde`: what types receive besides values, and which of two errors is
//! reported.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;

use serde::de::value::{Error as Plain, StrDeserializer};
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use testkit::options::Options;
use testkit::oracle::nested;
use y3::serde::{Error, from_slice, to_vec};
use y3::{ErrorKind, Key, PVarInt, Packet};

use super::{Told, told};

fn kind<T: for<'de> Deserialize<'de>>(options: Options, bytes: &[u8]) -> Told {
    told(&options.from_slice::<T>(bytes).map(drop).unwrap_err())
}

/// A struct whose field name is no key.
#[derive(Debug, Deserialize)]
struct Named {
    #[serde(rename = "name")]
    _name: i32,
}

#[test]
fn rejects_a_primitive_as_a_struct_before_it_looks_at_the_struct() {
    let primitive = [0x01, 0x01, 0x05];
    assert_eq!(kind::<Named>(Options::DEFAULT, &primitive), ErrorKind::NotANode);
    assert_eq!(kind::<Named>(Options::DEFAULT, &[0x81, 0x00]), (ErrorKind::InvalidKey, "name"));
    // A primitive is refused before nodes are counted.
    let flat = Options::DEFAULT.with_max_depth(0);
    assert_eq!(kind::<Vec<u8>>(flat, &primitive), ErrorKind::NotANode);
    assert_eq!(kind::<Vec<u8>>(flat, &[0x81, 0x00]), ErrorKind::DepthLimit);
}

#[test]
fn rejects_a_node_as_a_number_before_it_looks_at_its_bytes() {
    assert_eq!(kind::<bool>(Options::DEFAULT, &[0x81, 0x02, 0x05, 0x00]), ErrorKind::NotAPrimitive);
    assert_eq!(kind::<bool>(Options::DEFAULT, &[0x01, 0x02, 0x05, 0x00]), ErrorKind::InvalidValue);
}

#[test]
fn is_not_human_readable() {
    let address = Ipv4Addr::new(10, 0, 0, 7);
    let bytes = to_vec(&address).unwrap();
    assert_eq!(bytes, [0xc1, 0x0c, 0x00, 0x01, 0x0a, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x01, 0x07]);
    assert_eq!(from_slice(&bytes), Ok(address));
}

/// The number of items or entries that a type is told to expect.
#[derive(Debug, PartialEq)]
struct Hint(Option<usize>);

struct HintVisitor;

impl<'de> Visitor<'de> for HintVisitor {
    type Value = Hint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("items or entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Hint, A::Error> {
        let hint = items.size_hint();
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Hint(hint))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Hint, A::Error> {
        let hint = entries.size_hint();
        while entries.next_entry::<Key, IgnoredAny>()?.is_some() {}
        Ok(Hint(hint))
    }
}

#[derive(Debug, PartialEq)]
struct InMap(Hint);

impl<'de> Deserialize<'de> for Hint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(HintVisitor)
    }
}

impl<'de> Deserialize<'de> for InMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HintVisitor).map(InMap)
    }
}

#[test]
fn size_hints_count_the_packets_that_are_there() {
    let three = [0x81, 0x06, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00];
    assert_eq!(from_slice(&three), Ok(Hint(Some(3))));
    assert_eq!(from_slice(&three), Ok(InMap(Hint(Some(3)))));
    assert_eq!(from_slice(&[0x81, 0x00]), Ok(Hint(Some(0))));
    assert_eq!(from_slice(&[0x81, 0x00]), Ok(InMap(Hint(Some(0)))));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Unit {
    #[serde(rename = "0x02")]
    Nothing,
}

#[derive(Debug, Deserialize)]
struct Nest {
    #[serde(rename = "0x02")]
    _inner: Option<Box<Nest>>,
    #[serde(rename = "0x03")]
    _sure: Option<bool>,
}

#[test]
fn errors_have_every_key_down_to_the_deepest_packet() {
    let bytes = nested(0x81, 1, &nested(0x82, y3::MAX_DEPTH - 1, &[0x03, 0x01, 0x02]));
    let error = from_slice::<Nest>(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, bytes.len() as u64 - 1));
    let path = [0x01].into_iter().chain([0x02; y3::MAX_DEPTH - 1]).chain([0x03]);
    assert!(error.path().eq(path), "{error}");
}

#[test]
fn other_formats_report_what_was_expected() {
    let error = serde_json::from_str::<Packet<'_>>("1").unwrap_err();
    assert!(error.to_string().contains("expected the bytes of a y3 packet"), "{error}");
    let error = PVarInt::<i32>::deserialize(StrDeserializer::<Plain>::new("x")).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: string \"x\", expected an integer");
}

/// An enum value that asks only for its name.
#[derive(Debug, PartialEq)]
struct Name;

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(HintVisitor).map(|_| Name)
    }
}

/// A text whose parts fail.
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl Serialize for Broken {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[test]
fn rejects_what_packets_cannot_say_or_hold() {
    let number = [0x01, 0x01, 0x05];
    let wide = ErrorKind::Unsupported;
    assert_eq!(kind::<i128>(Options::DEFAULT, &number), wide);
    assert_eq!(kind::<u128>(Options::DEFAULT, &number), wide);
    assert_eq!((to_vec(&1i128).unwrap_err().kind(), to_vec(&1u128).unwrap_err().kind()), (wide, wide));
    assert_eq!(kind::<Name>(Options::DEFAULT, &number), ErrorKind::Unsupported);
    // An item that has no packet.
    let error = to_vec(&[Some(1u8), None]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::AbsentValue, 5));
    assert_eq!(to_vec(&Broken).unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(to_vec(&[(Broken, 1)].into_iter().collect::<Pairs<_>>()).unwrap_err().kind(), ErrorKind::InvalidKey);
}

#[test]
fn finds_a_fault_after_the_packet_of_a_variant() {
    let error = from_slice::<Unit>(&[0x81, 0x04, 0x02, 0x00, 0x02, 0x01]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Overrun, 4));
}

#[test]
fn errors_name_the_variant_whose_content_is_a_node_too_deep() {
    #[derive(Debug, Serialize, Deserialize)]
    enum Deep {
        #[serde(rename = "0x02")]
        Tuple(u8, u8),
        #[serde(rename = "0x03")]
        Struct {
            #[serde(rename = "0x04")]
            field: u8,
        },
    }
    let shallow = Options::DEFAULT.with_max_depth(1);
    for (value, key) in [(Deep::Tuple(7, 8), 2), (Deep::Struct { field: 7 }, 3)] {
        let written = shallow.to_vec(&value).unwrap_err();
        let read = shallow.from_slice::<Deep>(&to_vec(&value).unwrap()).unwrap_err();
        for error in [written, read] {
            assert_eq!((error.kind(), error.offset()), (ErrorKind::DepthLimit, 2));
            assert!(error.path().eq([1, key]), "{error}");
        }
    }
}

#[test]
fn finds_a_fault_after_the_last_item() {
    let error = from_slice::<[u8; 1]>(&[0x81, 0x04, 0x00, 0x01, 0x07, 0x00]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Overrun, 5));
}

/// A map whose keys need no order.
#[derive(Debug)]
struct Pairs<K>(Vec<(K, i32)>);

impl<K> FromIterator<(K, i32)> for Pairs<K> {
    fn from_iter<I: IntoIterator<Item = (K, i32)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<K: Serialize> Serialize for Pairs<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Asserts that a map with this key is written with the packet key 0x02 and read back.
fn entry<K>(key: K)
where
    K: Serialize + for<'de> Deserialize<'de> + Ord + fmt::Debug + Clone,
{
    let bytes = [0x81, 0x03, 0x02, 0x01, 0x07];
    assert_eq!(to_vec(&Pairs(vec![(key.clone(), 7)])).unwrap(), bytes, "{key:?}");
    assert_eq!(from_slice(&bytes), Ok(BTreeMap::from([(key, 7)])));
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Wrapped(u8);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Two {
    #[serde(rename = "0x02")]
    Variant,
}

#[test]
fn takes_numbers_and_variants_and_newtypes_of_these_as_map_keys() {
    entry(2u8);
    entry(2i64);
    entry(Some(2u16));
    entry(Wrapped(2));
    entry(Two::Variant);
    let refused = |error: Error| error.kind() == ErrorKind::InvalidKey;
    assert!(refused(to_vec(&Pairs(vec![((1u8, 2u8), 0)])).unwrap_err()));
    assert!(refused(to_vec(&Pairs(vec![(Ok::<u8, u8>(1), 0)])).unwrap_err()));
    assert!(refused(to_vec(&Pairs(vec![(true, 0)])).unwrap_err()));
    let unknown = [0x81, 0x03, 0x03, 0x01, 0x07];
    assert_eq!(kind::<BTreeMap<Two, i32>>(Options::DEFAULT, &unknown), ErrorKind::UnknownVariant);
}

#[test]
fn every_kind_of_error_has_its_message() {
    use serde::de::Error as _;

    let unkeyed = |name| Error::unknown_variant("", std::slice::from_ref(Box::leak(Box::new(name))));
    let pairs = |key| to_vec(&Pairs(vec![(key, 0)])).unwrap_err();
    let number = [0x01, 0x01, 0x05];
    for (error, words) in [
        (from_slice::<Name>(&[0x81, 0x00]).unwrap_err(), UNTYPED),
        (unkeyed("a"), "name `a` is not a key from 0x00 to 0x3f"),
        (unkeyed("17"), "name `17` is not a key: write `0x11`"),
        (unkeyed("64"), "name `64` is not a key from 0x00 to 0x3f"),
        (Error::duplicate_field("a"), "duplicate field `a`"),
        (Error::missing_field("a"), "field `a` is missing"),
        (Error::unknown_field("a", &[]), "unknown field"),
        (Error::unknown_variant("a", &[]), "unknown variant"),
        (pairs(Ok::<u8, u8>(1)), MAP_KEY),
        (from_slice::<i128>(&number).unwrap_err(), "y3 cannot represent a number of 128 bits"),
        (from_slice::<Unit>(&[0x81, 0x00]).unwrap_err(), "enum node does not contain exactly one packet"),
        (Error::custom("a message"), "a message"),
    ] {
        let said = error.to_string();
        assert_eq!(said.split(" in 0x").next().unwrap().split(" at byte").next(), Some(words), "{said}");
    }
    for name in ["", "0x", "0xg", "0x1g", "0x011", "0X11", "011", "+1", " 1", "0x40"] {
        assert_eq!(unkeyed(name).kind(), ErrorKind::InvalidKey, "{name}");
    }
    for (kind, words) in [
        (ErrorKind::RecursionLimit, "more than 128 nested options, newtypes and variants"),
        (ErrorKind::Unsupported, "y3 cannot represent the value"),
        (ErrorKind::Refused, "value is not valid for its type"),
    ] {
        assert_eq!(kind.to_string(), words);
    }
}

const UNTYPED: &str = "type accepts values of several types, and packets do not carry the type of their value";
const MAP_KEY: &str = "map key is not an integer of 0..=63, or the map is a struct with flattened fields";
