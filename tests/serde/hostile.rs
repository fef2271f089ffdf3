//! Hostile input to `from_slice`: nesting, faults at every byte, random packets. Never a panic, always an offset in the
//! input; and what was read once is written and read again as the same value.

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use y3::serde::{from_slice, to_vec};
use y3::{ErrorKind, MAX_DEPTH, PVarInt, Packet};

use testkit::options::Options;
use testkit::oracle::trees::{self, config};

/// A type that holds itself, so that its input decides how deep reading goes.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tree {
    #[serde(rename = "0x01")]
    leaf: Option<i32>,
    #[serde(rename = "0x02")]
    child: Option<Box<Tree>>,
    #[serde(rename = "0x03", default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<Tree>,
}

impl Tree {
    /// So many nodes one in another, a primitive in the last.
    fn of_depth(nodes: usize) -> Tree {
        let leaf = Tree { leaf: Some(7), ..Tree::default() };
        (1..nodes).fold(leaf, |inner, _| Tree { child: Some(Box::new(inner)), ..Tree::default() })
    }
}

/// Nodes one in another, as many as asked: their lengths are known from the inside out.
fn nested(nodes: usize) -> Vec<u8> {
    let mut reversed: Vec<u8> = Vec::new();
    for place in 0..nodes {
        let len = reversed.len();
        let mut field = vec![u8::try_from(len & 0x7f).unwrap()];
        let mut rest = len >> 7;
        while rest > 0 || field.last().unwrap() & 0x40 != 0 {
            field.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
            rest >>= 7;
        }
        reversed.extend(field);
        reversed.push(if place + 1 == nodes { 0x81 } else { 0x82 });
    }
    reversed.reverse();
    reversed
}

#[test]
fn limits_depth_alike_when_reading_and_writing() {
    let deepest = Tree::of_depth(MAX_DEPTH);
    let bytes = to_vec(&deepest).unwrap();
    assert_eq!(from_slice::<Tree>(&bytes).unwrap(), deepest);

    let error = to_vec(&Tree::of_depth(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DepthLimit);
    assert_eq!((error.path().count(), error.offset()), (MAX_DEPTH + 1, 128));

    let bytes = nested(MAX_DEPTH + 1);
    let error = from_slice::<Tree>(&bytes).unwrap_err();
    let fault = y3::check(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (fault.kind(), fault.offset()));
    assert_eq!(error.path().count(), MAX_DEPTH + 1);
    assert!(from_slice::<Tree>(&nested(MAX_DEPTH)).is_ok());
}

#[test]
fn limits_depth_to_the_number_in_the_options() {
    for limit in 0..=MAX_DEPTH + 2 {
        let options = Options::DEFAULT.with_max_depth(limit);
        let deepest = limit.min(MAX_DEPTH);
        for nodes in [deepest, deepest + 1] {
            let (bytes, value) = (nested(nodes), Tree::of_depth(nodes));
            assert_eq!(
                nodes == 0 || options.from_slice::<Tree>(&bytes).is_ok(),
                nodes <= deepest,
                "{nodes} in {limit}"
            );
            assert_eq!(nodes == 0 || options.to_vec(&value).is_ok(), nodes <= deepest, "{nodes} in {limit}");
        }
    }
    // The root around a watched key counts.
    let options = Options::DEFAULT.with_max_depth(2).with_watched(0x10);
    assert!(options.to_vec(&Tree::of_depth(1)).is_ok());
    assert!(options.to_vec(&Tree::of_depth(2)).is_err());
    let rooted = |nodes| {
        let deeper = Options::DEFAULT.with_max_depth(3).with_watched(0x10);
        deeper.to_vec(&Tree::of_depth(nodes)).unwrap()
    };
    assert!(options.from_slice::<Tree>(&rooted(1)).is_ok());
    assert!(options.from_slice::<Tree>(&rooted(2)).is_err());
}

#[test]
fn rejects_a_hundred_thousand_nested_nodes() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Lists(Vec<Lists>);

    let error = from_slice::<Tree>(&nested(100_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DepthLimit);
    let error = from_slice::<Lists>(&nested(100_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DepthLimit);
    assert_eq!(from_slice::<Lists>(&nested(2)).unwrap(), Lists(vec![Lists(vec![])]));
}

#[test]
fn reserves_nothing_for_a_declared_length() {
    // A slice that says 2^31-1 bytes, and a slice of the smallest items there are.
    let error = from_slice::<Vec<u64>>(&[0xc1, 0x87, 0xff, 0xff, 0xff, 0x7f]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedEnd, 0));
    let items: Vec<()> = from_slice(&[&[0xc1, 0x06][..], &[0; 6]].concat()).unwrap();
    assert_eq!(items.len(), 3);
}

/// A struct with a bit of everything.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    #[serde(rename = "0x00", skip_serializing_if = "Option::is_none")]
    a: Option<bool>,
    #[serde(rename = "0x01", default)]
    b: i32,
    #[serde(rename = "0x02", default)]
    c: u16,
    #[serde(rename = "0x03", default)]
    d: String,
    #[serde(rename = "0x04", default)]
    e: ByteBuf,
    #[serde(rename = "0x05", default)]
    f: Vec<i8>,
    #[serde(rename = "0x06", default)]
    g: BTreeMap<u8, u64>,
    #[serde(rename = "0x07", default)]
    h: Option<Box<Everything>>,
    #[serde(rename = "0x08", default)]
    i: Option<Kind>,
    #[serde(rename = "0x09", default)]
    j: (PVar2, char),
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct PVar2(PVarInt<i64>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "0x01")]
    None,
    #[serde(rename = "0x02")]
    Some(u8),
    #[serde(rename = "0x03")]
    Many(u8, Vec<Kind>),
    #[serde(rename = "0x04")]
    Named {
        #[serde(rename = "0x05")]
        tree: Box<Tree>,
    },
}

/// A struct that borrows, and keeps a part undecoded.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Borrowed<'a> {
    #[serde(rename = "0x01", default)]
    text: &'a str,
    #[serde(rename = "0x02", default, with = "serde_bytes")]
    bytes: &'a [u8],
    #[serde(rename = "0x03", borrow)]
    packet: Option<Packet<'a>>,
    #[serde(rename = "0x04", default)]
    rest: (),
}

/// Read, written, read again: the same value. An error lies in the input. How many types took it.
fn is_stable(bytes: &[u8]) -> usize {
    fn read<'a, T: Debug + Serialize + Deserialize<'a>>(options: Options, bytes: &'a [u8]) -> Option<T> {
        match options.from_slice::<T>(bytes) {
            Ok(value) => Some(value),
            Err(error) => {
                assert!(error.offset() <= bytes.len() as u64, "{error}");
                assert!(error.path().count() <= MAX_DEPTH + 1);
                assert!(error.to_string().ends_with(&format!("at byte {}", error.offset())), "{error}");
                None
            }
        }
    }
    fn round<T: Debug + PartialEq + Serialize + for<'a> Deserialize<'a>>(bytes: &[u8]) -> usize {
        let dialects = [Options::DEFAULT, Options::DEFAULT.with_pvar()].map(|options| {
            let Some(value) = read::<T>(options, bytes) else { return 0 };
            let written = options.to_vec(&value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
            y3::check(&written).unwrap();
            assert_eq!(options.from_slice::<T>(&written).unwrap(), value);
            assert_eq!(options.to_vec(&value).unwrap(), written);
            1
        });
        dialects.iter().sum()
    }
    let options = Options::DEFAULT;
    let borrowed = read::<Borrowed>(options, bytes).map_or(0, |value| {
        let written = options.to_vec(&value).unwrap();
        let again: Borrowed = options.from_slice(&written).unwrap();
        assert_eq!((again.text, again.bytes, again.rest), (value.text, value.bytes, value.rest));
        let kept = |packet: Option<Packet<'_>>| packet.map(|packet| (packet.is_node(), packet.value().to_vec()));
        assert_eq!(kept(again.packet), kept(value.packet));
        1
    });
    borrowed
        + round::<Tree>(bytes)
        + round::<Everything>(bytes)
        + round::<Vec<Kind>>(bytes)
        + round::<BTreeMap<u8, Vec<ByteBuf>>>(bytes)
}

/// A random packet: keys are few, so that fields are met.
fn random() -> impl Strategy<Value = trees::Tree> {
    let value = prop_oneof![
        Just(vec![]),
        Just(vec![0]),
        Just(vec![1]),
        Just(b"a".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    let leaf = (0u8..10, value).prop_map(|(key, value)| trees::Tree::bytes(key, &value));
    leaf.prop_recursive(6, 48, 6, |inner| {
        (0u8..10, any::<bool>(), proptest::collection::vec(inner, 0..6)).prop_map(|(key, is_slice, inside)| {
            if is_slice { trees::Tree::slice(key, inside) } else { trees::Tree::node(key, inside) }
        })
    })
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn reads_and_writes_random_packets_stably(packets in proptest::collection::vec(random(), 0..6)) {
        let mut root = [trees::Tree::node(0x01, packets)];
        trees::canonical(&mut root, false);
        is_stable(&trees::encode(&root));
    }

    #[test]
    fn reads_and_writes_random_bytes_stably(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        is_stable(&bytes);
        // After a header that holds them, so that more than the first byte is looked at.
        let len = u8::try_from(bytes.len()).unwrap();
        is_stable(&[&[0x81, len][..], &bytes].concat());
        is_stable(&[&[0xc1, len][..], &bytes].concat());
    }
}

/// Values whose every field is there.
fn full() -> Vec<u8> {
    let kinds = || vec![Kind::None, Kind::Some(3), Kind::Named { tree: Box::new(Tree::of_depth(3)) }];
    let inner = || Everything {
        a: Some(true),
        b: -65,
        c: 9,
        d: "text".into(),
        e: ByteBuf::from([0xff, 0x81]),
        f: vec![-1, 1],
        g: BTreeMap::from([(0, 1), (63, u64::MAX)]),
        h: None,
        i: Some(Kind::Many(1, kinds())),
        j: (PVar2(PVarInt(-65)), '中'),
    };
    to_vec(&Everything { h: Some(Box::new(inner())), ..inner() }).unwrap()
}

#[test]
fn reads_every_cut_and_every_changed_byte_stably_or_rejects_it() {
    let bytes = full();
    assert!(is_stable(&bytes) > 0);
    for cut in 0..bytes.len() {
        assert!(from_slice::<Everything>(&bytes[..cut]).is_err());
    }
    let mut taken = 0;
    for place in 0..bytes.len() {
        // Miri gets a few of them.
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 97 } else { 1 }) {
            let mut changed = bytes.clone();
            changed[place] = byte;
            taken += is_stable(&changed);
        }
    }
    assert!(cfg!(miri) || taken > bytes.len() * 20, "{taken}");
}
