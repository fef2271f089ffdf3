//! Recursive types with the feature `serde`. Nodes and other steps each have a limit, which is the same in both
//! directions. No input and no value overflows the stack that SECURITY.md guarantees.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use serde::de::{DeserializeSeed, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use testkit::options::Options;
use testkit::oracle::nested;
use y3::serde::Error;
use y3::{ErrorKind, MAX_DEPTH, PVarInt};

/// The stack that SECURITY.md guarantees.
const STACK: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// The limit for nested options, newtypes and contents of variants.
const STEPS: usize = 128;

const NODES: ErrorKind = ErrorKind::DepthLimit;

/// Runs a function on a stack of this size.
fn on_stack<T: Send>(size: usize, run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(size).spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

/// Each level takes two steps: a newtype and an option.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Maybe(Option<Box<Maybe>>);

/// Each level takes one step. The type has no value, so reading it would never end.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Endless(Box<Endless>);

/// Each level takes one step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Options1(Option<Box<Options1>>);

/// Each level takes three steps: the wrapper of the other dialect, the newtype and the option.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(PVarInt<Option<Box<Wrapped>>>);

/// Each level takes a node and a step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Chain {
    #[serde(rename = "0x01")]
    End,
    #[serde(rename = "0x02")]
    Link(Box<Chain>),
}

/// Each level takes a step for the content of the variant and a node, or two nodes if the content is a node.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Mixed {
    #[serde(rename = "0x01")]
    End,
    #[serde(rename = "0x02")]
    Newtype(Option<Box<Mixed>>),
    #[serde(rename = "0x03")]
    Tuple(Box<Mixed>, Maybe),
    #[serde(rename = "0x04")]
    Struct {
        #[serde(rename = "0x01")]
        inner: Option<Box<Mixed>>,
        #[serde(rename = "0x02", default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<Mixed>,
    },
}

/// Keys of maps that recurse without any packet.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct RecursiveKey(Option<Box<RecursiveKey>>);

impl Maybe {
    fn of(levels: usize) -> Self {
        (0..levels).fold(Maybe(None), |inner, _| Maybe(Some(Box::new(inner))))
    }
}

impl Chain {
    fn of(links: usize) -> Self {
        (0..links).fold(Chain::End, |inner, _| Chain::Link(Box::new(inner)))
    }
}

fn kind<T: Debug>(result: Result<T, Error>) -> ErrorKind {
    result.unwrap_err().kind()
}

#[test]
fn two_bytes_do_not_overflow_the_stack() {
    on_stack(STACK, || {
        for options in [Options::DEFAULT, Options::DEFAULT.with_pvar()] {
            for bytes in [&[0x01, 0x00][..], &[0x01, 0x01, 0x05], &[0x81, 0x00], &[0xc1, 0x02, 0x00, 0x00]] {
                assert_eq!(kind(options.from_slice::<Maybe>(bytes)), ErrorKind::RecursionLimit);
                assert_eq!(kind(options.from_slice::<Endless>(bytes)), ErrorKind::RecursionLimit);
                assert_eq!(kind(options.from_slice::<Options1>(bytes)), ErrorKind::RecursionLimit);
                assert_eq!(kind(options.from_slice::<Wrapped>(bytes)), ErrorKind::RecursionLimit);
            }
            let entry = [0x81, 0x03, 0x02, 0x01, 0x07];
            let error = options.from_slice::<BTreeMap<RecursiveKey, u8>>(&entry).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::RecursionLimit, 2));
            assert!(error.path().eq([1, 2]), "{error}");
        }
    });
}

#[test]
fn rejects_a_long_chain_of_options_and_newtypes_when_writing() {
    let long = Maybe::of(100_000);
    let key = (0..10_000).fold(RecursiveKey(None), |inner, _| RecursiveKey(Some(Box::new(inner))));
    let map = BTreeMap::from([(key, 1)]);
    on_stack(STACK, || {
        let error = y3::serde::to_vec(&long).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::RecursionLimit, 0));
        assert!(error.path().eq([1]), "{error}");
        assert_eq!(error.to_string(), "more than 128 nested options, newtypes and variants in 0x01 at byte 0");
        assert_eq!(kind(y3::serde::to_vec(&map)), ErrorKind::RecursionLimit);
    });
    // A recursive drop would overflow the stack too.
    drop_chain(long);
    let Some((key, _)) = map.into_iter().next() else { unreachable!() };
    let mut next = key.0;
    while let Some(mut key) = next {
        next = key.0.take();
    }
}

fn drop_chain(chain: Maybe) {
    let mut next = chain.0;
    while let Some(mut inner) = next {
        next = inner.0.take();
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct New<T>(T);

/// This many newtypes around a number. A type does not know its depth, so reading uses the depth that was written last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Newtypes(usize, u8);

thread_local! {
    static NEWTYPES: Cell<usize> = const { Cell::new(0) };
}

impl Serialize for Newtypes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.checked_sub(1) {
            Some(others) => serializer.serialize_newtype_struct("Newtypes", &Newtypes(others, self.1)),
            None => serializer.serialize_u8(self.1),
        }
    }
}

impl<'de> Deserialize<'de> for Newtypes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Inner(usize);

        impl<'de> DeserializeSeed<'de> for Inner {
            type Value = u8;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
                match self.0.checked_sub(1) {
                    Some(others) => deserializer.deserialize_newtype_struct("Newtypes", Inner(others)),
                    None => u8::deserialize(deserializer),
                }
            }
        }

        impl<'de> Visitor<'de> for Inner {
            type Value = u8;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("newtypes")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
                self.deserialize(deserializer)
            }
        }
        let newtypes = NEWTYPES.get();
        Inner(newtypes).deserialize(deserializer).map(|number| Newtypes(newtypes, number))
    }
}

/// One newtype fewer than the limit.
fn most(number: u8) -> Newtypes {
    NEWTYPES.set(STEPS - 1);
    Newtypes(STEPS - 1, number)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Variant<T> {
    #[serde(rename = "0x02")]
    Newtype(T),
    #[serde(rename = "0x03")]
    Tuple(T, T),
    #[serde(rename = "0x04")]
    Struct {
        #[serde(rename = "0x01")]
        field: T,
    },
}

/// Asserts that `fits` is at the limit of steps, and that `exceeds`, the same packet one step deeper, is refused.
#[track_caller]
fn limit_is_between<T, U>(fits: &T, exceeds: &U)
where
    T: Debug + PartialEq + Serialize + for<'de> Deserialize<'de>,
    U: Debug + Serialize + for<'de> Deserialize<'de>,
{
    let bytes = y3::serde::to_vec(fits).unwrap();
    assert_eq!(&y3::serde::from_slice::<T>(&bytes).unwrap(), fits);
    assert_eq!(kind(y3::serde::to_vec(exceeds)), ErrorKind::RecursionLimit);
    assert_eq!(kind(y3::serde::from_slice::<U>(&bytes)), ErrorKind::RecursionLimit);
}

#[test]
fn takes_128_steps_and_rejects_129_in_both_directions() {
    limit_is_between(&New(most(7)), &New(New(most(7))));
    limit_is_between(&Some(most(7)), &Some(New(most(7))));
    limit_is_between(&PVarInt(most(7)), &PVarInt(New(most(7))));
    limit_is_between(&Variant::Newtype(most(7)), &Variant::Newtype(New(most(7))));
    limit_is_between(&Variant::Tuple(most(7), most(8)), &Variant::Tuple(New(most(7)), New(most(8))));
    limit_is_between(&Variant::Struct { field: most(7) }, &Variant::Struct { field: New(most(7)) });
    limit_is_between(&BTreeMap::from([(New(most(7)), 1)]), &BTreeMap::from([(New(New(most(7))), 1)]));
    limit_is_between(&BTreeMap::from([(Some(most(7)), 1)]), &BTreeMap::from([(Some(New(most(7))), 1)]));
    // Each sibling has the same number of steps left. Nodes in between do not restore steps.
    limit_is_between(&vec![New(most(7)), New(most(8))], &vec![New(New(most(7))), New(New(most(8)))]);
    limit_is_between(&New(vec![most(7)]), &New(vec![New(most(7))]));
}

/// Asserts that this number of nodes is enough for the value and that one node fewer is not.
#[track_caller]
fn takes_nodes<T>(nodes: usize, value: &T)
where
    T: Debug + PartialEq + Serialize + for<'de> Deserialize<'de>,
{
    let bytes = y3::serde::to_vec(value).unwrap();
    for (limit, fits) in [(nodes, true), (nodes - 1, false)] {
        let options = Options::DEFAULT.with_max_depth(limit);
        assert_eq!(options.to_vec(value).is_ok(), fits, "written with {limit}");
        assert_eq!(options.from_slice::<T>(&bytes).is_ok(), fits, "read with {limit}");
        // The root around a watched key is one more node.
        let rooted = Options::DEFAULT.with_watched(0x10);
        let options = rooted.with_max_depth(limit + 1);
        assert_eq!(options.to_vec(value).is_ok(), fits, "written with {limit} and a root");
        assert_eq!(
            options.from_slice::<T>(&rooted.to_vec(value).unwrap()).is_ok(),
            fits,
            "read with {limit} and a root"
        );
    }
}

#[test]
fn every_kind_of_node_counts_one_in_both_directions() {
    takes_nodes(1, &vec![1]);
    takes_nodes(1, &(1, 2));
    takes_nodes(1, &BTreeMap::from([(1, 2)]));
    takes_nodes(2, &vec![vec![1]]);
    takes_nodes(2, &BTreeMap::from([(1, vec![2])]));
    takes_nodes(1, &Variant::Newtype(7));
    takes_nodes(2, &Variant::Newtype(vec![7]));
    takes_nodes(2, &Variant::Tuple(7, 8));
    takes_nodes(3, &Variant::Tuple(vec![7], vec![]));
    takes_nodes(2, &Variant::Struct { field: 7 });
    takes_nodes(3, &Variant::Struct { field: vec![7] });
    takes_nodes(3, &Variant::Newtype(Variant::Tuple(7, 8)));
    takes_nodes(4, &Variant::Tuple(Variant::Struct { field: 7 }, Variant::Struct { field: 7 }));
    // The wrapper of a dialect, options and newtypes are not nodes.
    takes_nodes(1, &PVarInt(vec![1]));
    takes_nodes(3, &PVarInt(vec![PVarInt(vec![PVarInt(vec![1])])]));
    takes_nodes(2, &Some(vec![Some(PVarInt(vec![1]))]));
    takes_nodes(2, &New(vec![New(vec![1])]));
}

/// Only nodes, through the wrapper of the other dialect.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Lists(PVarInt<Vec<Lists>>);

/// The longest allowed chain, and a chain with one more link, in both directions.
#[test]
fn recursive_types_stop_at_64_nodes_on_a_small_stack() {
    on_stack(STACK, || {
        for options in [Options::DEFAULT, Options::DEFAULT.with_pvar()] {
            let bytes = options.to_vec(&Chain::of(MAX_DEPTH)).unwrap();
            assert_eq!(options.from_slice::<Chain>(&bytes).unwrap(), Chain::of(MAX_DEPTH));
            let error = options.to_vec(&Chain::of(MAX_DEPTH + 1)).unwrap_err();
            assert_eq!((error.kind(), error.path().count(), error.offset()), (NODES, MAX_DEPTH + 1, 128));
            // No option raises the limit above it.
            let more = options.with_max_depth(MAX_DEPTH + 2);
            assert_eq!(kind(more.to_vec(&Chain::of(MAX_DEPTH + 1))), NODES);
            assert_eq!(kind(more.from_slice::<Chain>(&nested(0x82, MAX_DEPTH + 1, &[]))), NODES);
            assert_eq!(kind(options.from_slice::<Chain>(&nested(0x82, MAX_DEPTH + 1, &[]))), NODES);
            assert_eq!(kind(options.from_slice::<Chain>(&nested(0x82, 100_000, &[]))), NODES);

            let lists = (1..MAX_DEPTH).fold(Lists(PVarInt(vec![])), |inner, _| Lists(PVarInt(vec![inner])));
            let bytes = options.to_vec(&lists).unwrap();
            assert_eq!(options.from_slice::<Lists>(&bytes).unwrap(), lists);
            assert_eq!(kind(options.to_vec(&Lists(PVarInt(vec![lists])))), ErrorKind::RecursionLimit);
            assert_eq!(kind(options.from_slice::<Lists>(&nested(0xc0, MAX_DEPTH + 1, &[]))), ErrorKind::RecursionLimit);
        }
    });
}

/// The deepest values need the most stack: as many nodes as the limit allows, and all the remaining steps besides.
#[test]
fn values_at_both_limits_do_not_overflow_a_small_stack() {
    on_stack(STACK, || {
        let mut mixed = Mixed::End;
        for _ in 0..MAX_DEPTH / 2 {
            mixed = Mixed::Struct { inner: Some(Box::new(mixed)), items: vec![] };
        }
        let bytes = y3::serde::to_vec(&mixed).unwrap();
        assert_eq!(y3::serde::from_slice::<Mixed>(&bytes).unwrap(), mixed);
        let mut newtypes = Mixed::End;
        for _ in 0..MAX_DEPTH {
            newtypes = Mixed::Newtype(Some(Box::new(newtypes)));
        }
        let bytes = y3::serde::to_vec(&newtypes).unwrap();
        assert_eq!(y3::serde::from_slice::<Mixed>(&bytes).unwrap(), newtypes);
    });
}
