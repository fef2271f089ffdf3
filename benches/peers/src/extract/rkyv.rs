//! rkyv: a record as it lies in memory, with relative pointers; reading a field is reading it.
//!
//! Its documentation leads to `access`, which checks the whole message first: pointers, bounds and texts. `access_unchecked` is
//! for messages that are known to be good. Every field has its place: there is no order of keys to shuffle.

use std::mem;

use rkyv::api::high::to_bytes_in;
use rkyv::rancor::Error;
use rkyv::{Archived, access, access_unchecked, to_bytes};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record::{C03, C16, C32, C63, Frame, Outer, Texts};
use super::scenario::{Digest, Shape};
use kit::data::Node;

/// The readers of a value. Arguments: its record, and an expression that reads it from there.
macro_rules! value {
    ($name:ident, $root:ident => $value:expr) => {{
        let encode = |model: &Node| to_bytes::<Error>(&$name::from(model)).expect("a vector takes all").to_vec();
        let checked = |bytes: &[u8]| {
            let $root = access::<Archived<$name>, Error>(bytes).ok()?;
            Some($value.digest())
        };
        vec![
            Reader::new("rkyv", "access", Way::Recommended, Hostile::Safe, encode, checked),
            Reader::looped("rkyv", "batch: access", Way::Recommended, Hostile::Safe, encode, checked),
            Reader::new("rkyv", "access_unchecked", Way::Expert, UNCHECKED, encode, |bytes| {
                // SAFETY: the message comes from `encode`; with other messages this is undefined behaviour, as the mode's name says.
                let $root = unsafe { access_unchecked::<Archived<$name>>(bytes) };
                Some($value.digest())
            }),
        ]
    }};
}

const UNCHECKED: Hostile = Hostile::Unsafe("undefined behaviour: pointers are followed unchecked");

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63, root => root.k32.to_native()),
        Shape::C32 => value!(C32, root => root.k16.to_native()),
        Shape::C16 => value!(C16, root => root.k8.as_str()),
        Shape::C03 => value!(C03, root => root.k2.to_native()),
        Shape::Texts => value!(Texts, root => root.k32.as_str()),
        Shape::Nested => value!(Outer, root => root.k4.k4.k4.to_native()),
        Shape::Frame => value!(Frame, root => root.k2.k17.to_native()),
    }
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("rkyv", "to_bytes_in", Way::Recommended, |record: &C63, out| {
        *out = to_bytes_in::<_, Error>(record, mem::take(out)).expect("a vector takes all");
    })]
}
