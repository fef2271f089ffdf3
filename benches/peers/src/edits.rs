//! Edit: three of the 63 pairs kept or removed, and one number overwritten, beside decoding, changing and encoding again.
//!
//! In: models, and a regime for the order of visits. Out: ways `<codec> <mode>`. Every answer is asserted before it is timed.

use std::hint::black_box;

use kit::data::Node;
use kit::regime::Regime;
use kit::turns::{Way, looped};
use serde_json::{Map, Value};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Packet, path};

use crate::extract::reader_of;
use crate::formats;

static KEEP: Edit<'static> =
    Edit::from_rules(&[Rule::keep(path!(0, 8)), Rule::keep(path!(0, 32)), Rule::keep(path!(0, 60))]);
static REMOVE: Edit<'static> =
    Edit::from_rules(&[Rule::remove(path!(0, 8)), Rule::remove(path!(0, 32)), Rule::remove(path!(0, 60))]);
const THREE_NAMES: [&str; 3] = ["k8", "k32", "k60"];

type Object = Map<String, Value>;

/// A format of the peers: a packet as a value of any kind, and back.
type Peer = (&'static str, fn(&[u8]) -> Option<Object>, fn(&Object, &mut Vec<u8>));

const PEERS: [Peer; 2] = [
    ("serde_json", |bytes| formats::serde_json::read(bytes), formats::serde_json::write),
    ("rmp-serde", |bytes| formats::rmp_serde::read(bytes), formats::rmp_serde::write),
];

/// The messages in a codec's bytes, and whose turn it is.
fn fed(codec: &str, regime: Regime, models: &[Node]) -> (Vec<Vec<u8>>, impl FnMut() -> usize + use<>) {
    let reader = reader_of(codec);
    let messages: Vec<Vec<u8>> = models.iter().map(|model| reader.encode(model)).collect();
    let places: Vec<usize> = (0..messages.len()).collect();
    (messages, regime.feed(&places))
}

/// The tasks, and the ways to do each.
pub fn tasks(regime: Regime, models: &[Node]) -> [(&'static str, Vec<Way<'_>>); 3] {
    [
        ("keep-3-of-63", filter(regime, models, &KEEP, true)),
        ("remove-3-of-63", filter(regime, models, &REMOVE, false)),
        ("patch", patch(regime, models)),
    ]
}

fn filter<'a>(regime: Regime, models: &'a [Node], edit: &'static Edit<'static>, keeps: bool) -> Vec<Way<'a>> {
    let wanted = if keeps { 3 } else { 60 };
    let applied = move || {
        let (messages, mut next) = fed("y3", regime, models);
        let mut out = Vec::new();
        for message in &messages {
            out.clear();
            edit.apply(message, &mut out).expect("whole");
            assert_eq!(Packet::from_slice(&out).expect("whole").children().count(), wanted);
        }
        looped(move || {
            out.clear();
            edit.apply(&messages[next()], &mut out).expect("whole")
        })
    };
    let pieces = move || {
        let (messages, mut next) = fed("y3", regime, models);
        looped(move || {
            let mut storage = [Piece::EMPTY; 16];
            edit.pieces_in(&messages[next()], &mut storage).expect("there is room").len()
        })
    };
    let retain = move |object: &mut Object| object.retain(|name, _| THREE_NAMES.contains(&name.as_str()) == keeps);
    let own = [Way::new("y3 Edit", applied), Way::new("y3 Edit, pieces", pieces)];
    own.into_iter().chain(again(regime, models, retain, move |object| object.len() == wanted)).collect()
}

fn patch(regime: Regime, models: &[Node]) -> Vec<Way<'_>> {
    const AT: y3::Path = path!(0, 32);
    let patched = move || {
        let (mut messages, mut next) = fed("y3", regime, models);
        let is_short = |message: &mut Vec<u8>| edit::patch(message, AT, 7i64).is_ok();
        assert!(messages.iter_mut().all(is_short), "the number takes one byte in every message");
        looped(move || edit::patch(&mut messages[next()], AT, black_box(7i64)).expect("one byte"))
    };
    let change = |object: &mut Object| object["k32"] = black_box(7).into();
    std::iter::once(Way::new("y3 patch", patched))
        .chain(again(regime, models, change, |object| object["k32"] == 7))
        .collect()
}

/// By the peers: a message decoded, changed and encoded again.
fn again(
    regime: Regime,
    models: &[Node],
    change: impl Fn(&mut Object) + Copy + 'static,
    is_right: impl Fn(&Object) -> bool + Copy + 'static,
) -> impl Iterator<Item = Way<'_>> {
    PEERS.into_iter().map(move |(codec, decode, encode)| {
        Way::new(format!("{codec} decode and encode"), move || {
            let (messages, mut next) = fed(codec, regime, models);
            let mut out = Vec::new();
            let again = move |message: &[u8], out: &mut Vec<u8>| {
                out.clear();
                let mut object = decode(message).expect(codec);
                change(&mut object);
                encode(&object, out);
            };
            for message in &messages {
                again(message, &mut out);
                assert!(decode(&out).is_some_and(|object| is_right(&object)), "{codec}");
            }
            looped(move || again(&messages[next()], &mut out))
        })
    })
}
