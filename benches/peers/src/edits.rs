//! Edits of messages: each keeps or removes three of the 63 pairs, or overwrites one number. y3 edits the bytes; the other codecs
//! decode a message, change it and encode it again. Ways are named `<codec> <mode>`.

use std::hint::black_box;

use kit::data::Node;
use kit::regime::Regime;
use kit::turns::{Way, looped};
use serde_json::{Map, Value};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Packet, PathSet, path};

use crate::extract::reader_of;
use crate::formats;

static KEEP: Edit<'static> =
    Edit::from_rules(&[Rule::keep(path!(0, 8)), Rule::keep(path!(0, 32)), Rule::keep(path!(0, 60))]);
static REMOVE: Edit<'static> =
    Edit::from_rules(&[Rule::remove(path!(0, 8)), Rule::remove(path!(0, 32)), Rule::remove(path!(0, 60))]);
const THREE_NAMES: [&str; 3] = ["k8", "k32", "k60"];

type Object = Map<String, Value>;

/// The name of a way, and the functions with which its codec decodes and encodes an object.
type Peer = (&'static str, fn(&[u8]) -> Option<Object>, fn(&Object, &mut Vec<u8>));

const PEERS: [Peer; 2] = [
    ("serde_json decode and encode", |bytes| formats::serde_json::read(bytes), formats::serde_json::write),
    ("rmp-serde decode and encode", |bytes| formats::rmp_serde::read(bytes), formats::rmp_serde::write),
];

/// The messages to change, and the order of visits.
#[derive(Clone, Copy)]
struct Models<'a>(Regime, &'a [Node]);

/// The name of each task, and the ways to do it.
pub fn tasks(regime: Regime, models: &[Node]) -> [(&'static str, Vec<Way<'_>>); 3] {
    let models = Models(regime, models);
    [
        ("keep-3-of-63", models.filter(&KEEP, true)),
        ("remove-3-of-63", models.filter(&REMOVE, false)),
        ("patch", models.patch()),
    ]
}

impl<'a> Models<'a> {
    /// A way that changes a message in place or writes the changed message to a buffer. `is_right` checks the message and the buffer.
    fn way<T>(
        self,
        name: &'static str,
        mut change: impl FnMut(&mut Vec<u8>, &mut Vec<u8>) -> T + 'a,
        is_right: impl Fn(&[u8], &[u8]) -> bool + 'a,
    ) -> Way<'a> {
        Way::new(name, move || {
            let reader = reader_of(name.split(' ').next().unwrap_or_default());
            let mut messages: Vec<Vec<u8>> = self.1.iter().map(|model| (reader.encode)(model)).collect();
            let mut out = Vec::new();
            for message in &mut messages {
                change(message, &mut out);
                assert!(is_right(message, &out), "{name}");
            }
            let mut next = self.0.feed(&(0..messages.len()).collect::<Vec<usize>>());
            looped(move || change(&mut messages[next()], &mut out))
        })
    }

    fn filter(self, edit: &'static Edit<'static>, keeps: bool) -> Vec<Way<'a>> {
        let wanted = if keeps { 3 } else { 60 };
        let apply = |message: &mut Vec<u8>, out: &mut Vec<u8>| {
            out.clear();
            edit.apply(message, out).expect("whole")
        };
        let is_wanted =
            move |_: &[u8], out: &[u8]| Packet::from_slice(out).is_ok_and(|all| all.children().count() == wanted);
        let pieces = |message: &mut Vec<u8>, _: &mut Vec<u8>| {
            let mut storage = [Piece::EMPTY; 16];
            edit.pieces_in(message, &mut storage).expect("there is room").len()
        };
        let retain = move |object: &mut Object| object.retain(|name, _| THREE_NAMES.contains(&name.as_str()) == keeps);
        let are_right = |message: &[u8], _: &[u8]| {
            let (mut storage, mut whole) = ([Piece::EMPTY; 16], Vec::new());
            edit.apply(message, &mut whole).expect("whole");
            let pieces = edit.pieces_in(message, &mut storage).expect("there is room");
            pieces.iter().flat_map(Piece::as_bytes).eq(&whole)
        };
        let own = [self.way("y3 Edit", apply, is_wanted), self.way("y3 Edit, pieces", pieces, are_right)];
        own.into_iter().chain(self.again(retain, move |object| object.len() == wanted)).collect()
    }

    fn patch(self) -> Vec<Way<'a>> {
        const AT: y3::Path = path!(0, 32);
        let patch = |message: &mut Vec<u8>, _: &mut Vec<u8>| {
            edit::patch(message, AT, black_box(7i64)).expect("the number takes one byte in every message");
        };
        let is_patched = |message: &[u8], _: &[u8]| {
            PathSet::new([AT]).watch(message).next().is_some_and(|hit| hit.is_ok_and(|hit| hit.decode() == Ok(7i64)))
        };
        let change = |object: &mut Object| object["k32"] = black_box(7).into();
        let again = self.again(change, |object| object["k32"] == 7);
        std::iter::once(self.way("y3 patch", patch, is_patched)).chain(again).collect()
    }

    /// The ways of the peers, which decode a message, change it and encode it again.
    fn again(
        self,
        change: impl Fn(&mut Object) + Copy + 'a,
        is_right: impl Fn(&Object) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = Way<'a>> {
        PEERS.into_iter().map(move |(name, decode, encode)| {
            let again = move |message: &mut Vec<u8>, out: &mut Vec<u8>| {
                out.clear();
                let mut object = decode(message).expect(name);
                change(&mut object);
                encode(&object, out);
            };
            self.way(name, again, move |_, out| decode(out).is_some_and(|object| is_right(&object)))
        })
    }
}
