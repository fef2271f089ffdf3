//! Edit: three of the 63 pairs kept or removed, and one number overwritten, beside decoding, changing and encoding again, in turns.
//!
//! Groups `edit/<regime>/<task>`, ways `<codec> <mode>`. Every answer is asserted before it is timed.

use std::hint::black_box;

use kit::data::Node;
use kit::regime::Regime;
use kit::turns::{Bench, Way, looped, main as in_turns};
use peers::extract::mode::{Inputs, Reader};
use peers::extract::reader_of;
use peers::extract::scenario::Scenario;
use serde_json::{Map, Value};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Packet, path};

static KEEP: Edit<'static> = Edit::of(&[Rule::keep(path!(0, 8)), Rule::keep(path!(0, 32)), Rule::keep(path!(0, 60))]);
static REMOVE: Edit<'static> =
    Edit::of(&[Rule::remove(path!(0, 8)), Rule::remove(path!(0, 32)), Rule::remove(path!(0, 60))]);
const THREE_NAMES: [&str; 3] = ["k8", "k32", "k60"];

/// The format of a peer: a packet as a value of any kind, and back.
#[derive(Clone, Copy)]
struct Peer {
    codec: &'static str,
    decode: fn(&[u8]) -> Map<String, Value>,
    encode: fn(&Map<String, Value>, &mut Vec<u8>),
}

const PEERS: [Peer; 2] = [
    Peer {
        codec: "serde_json",
        decode: |bytes| serde_json::from_slice(bytes).expect("JSON"),
        encode: |object, out| serde_json::to_writer(out, object).expect("a vector takes all"),
    },
    Peer {
        codec: "rmp-serde",
        decode: |bytes| rmp_serde::from_slice(bytes).expect("MessagePack"),
        encode: |object, out| rmp_serde::encode::write(out, object).expect("a vector takes all"),
    },
];

impl Peer {
    /// Decodes, changes and encodes.
    fn again(self, bytes: &[u8], out: &mut Vec<u8>, change: impl FnOnce(&mut Map<String, Value>)) {
        out.clear();
        let mut object = (self.decode)(bytes);
        change(&mut object);
        (self.encode)(&object, out);
    }
}

fn inputs(codec: &str, regime: Regime, models: &[Node]) -> Inputs {
    let reader: Reader = reader_of(codec);
    reader.inputs(regime, models)
}

fn filter(bench: &mut Bench, regime: Regime, models: &[Node]) {
    for (name, edit, keeps) in [("keep-3-of-63", &KEEP, true), ("remove-3-of-63", &REMOVE, false)] {
        let wanted = if keeps { 3 } else { 60 };
        let messages = inputs("y3", regime, models);
        let messages: Vec<&[u8]> = messages.slices().collect();
        for message in &messages {
            let mut out = Vec::new();
            edit.apply(message, &mut out).expect("whole");
            assert_eq!(Packet::from_slice(&out).expect("whole").children().count(), wanted);
        }
        let applied = || {
            let (mut next, mut out) = (regime.feed(&messages), Vec::new());
            looped(move || {
                out.clear();
                edit.apply(next(), &mut out).expect("whole")
            })
        };
        let pieces = || {
            let mut next = regime.feed(&messages);
            looped(move || {
                let mut storage = [Piece::EMPTY; 16];
                edit.pieces_in(next(), &mut storage).expect("there is room").len()
            })
        };
        let again = |peer: Peer| {
            Way::new(format!("{} decode and encode", peer.codec), move || {
                let messages: Vec<Vec<u8>> = inputs(peer.codec, regime, models).slices().map(<[u8]>::to_vec).collect();
                let places: Vec<usize> = (0..messages.len()).collect();
                let change = move |object: &mut Map<String, Value>| {
                    object.retain(|name, _| THREE_NAMES.contains(&name.as_str()) == keeps);
                };
                let mut out = Vec::new();
                for message in &messages {
                    peer.again(message, &mut out, change);
                    assert_eq!((peer.decode)(&out).len(), wanted, "{}", peer.codec);
                }
                let mut next = regime.feed(&places);
                looped(move || peer.again(&messages[next()], &mut out, change))
            })
        };
        let mut ways = vec![Way::new("y3 Edit", applied), Way::new("y3 Edit, pieces", pieces)];
        ways.extend(PEERS.map(again));
        bench.group(&format!("edit/{}/{name}", regime.name()), ways);
    }
}

fn patch(bench: &mut Bench, regime: Regime, models: &[Node]) {
    const AT: y3::Path = path!(0, 32);
    let patched = || {
        let mut messages: Vec<Vec<u8>> = inputs("y3", regime, models).slices().map(<[u8]>::to_vec).collect();
        let places: Vec<usize> = (0..messages.len()).collect();
        let is_short = |message: &mut Vec<u8>| edit::patch(message, AT, 7i64).is_ok();
        assert!(messages.iter_mut().all(is_short), "the number takes one byte in every message");
        let mut next = regime.feed(&places);
        looped(move || edit::patch(&mut messages[next()], AT, black_box(7i64)).expect("one byte"))
    };
    let again = |peer: Peer| {
        Way::new(format!("{} decode and encode", peer.codec), move || {
            let messages: Vec<Vec<u8>> = inputs(peer.codec, regime, models).slices().map(<[u8]>::to_vec).collect();
            let places: Vec<usize> = (0..messages.len()).collect();
            let change = |object: &mut Map<String, Value>| object["k32"] = black_box(7).into();
            let mut out = Vec::new();
            for message in &messages {
                peer.again(message, &mut out, change);
                assert_eq!((peer.decode)(&out)["k32"], 7, "{}", peer.codec);
            }
            let mut next = regime.feed(&places);
            looped(move || peer.again(&messages[next()], &mut out, change))
        })
    };
    let mut ways = vec![Way::new("y3 patch", patched)];
    ways.extend(PEERS.map(again));
    bench.group(&format!("edit/{}/patch", regime.name()), ways);
}

fn main() {
    in_turns(|bench| {
        for regime in Scenario::C63K32.regimes() {
            let models = Scenario::C63K32.models(*regime);
            filter(bench, *regime, &models);
            patch(bench, *regime, &models);
        }
    });
}
