//! Structs: cases that serde reads.

use std::fmt::Debug;

use kit::by_hand::{nested, packet, repeat};
use serde::de::DeserializeOwned;
use y3::ErrorKind;

use super::case::{Cases, LARGE, Memory, SIZES, families};
use super::inputs::{DEPTH, Input};
use crate::stream::Answer;
use crate::types::{Chain, Map, Slices, Two, Wide};

pub fn cases(cases: &mut Cases) {
    let unknown = |size| {
        let (mut inside, _) = repeat(&[0x10, 0x00, 0x91, 0x00, 0x12, 0x01, 0x07], size);
        inside.extend([0x3e, 0x01, 0x07, 0x3f, 0x01, 0x61]);
        Input { bytes: packet(0x81, &inside), answer: Answer::items(1) }
    };
    let slice = |item: &'static [u8]| {
        move |size| {
            let (items, count) = repeat(item, size);
            Input { bytes: packet(0xc1, &items), answer: Answer::items(count) }
        }
    };
    let deep = |size| {
        let (bytes, times) = repeat(&nested(usize::MAX, DEPTH - 2, &[]).0, size);
        Input { bytes: packet(0xc1, &bytes), answer: Answer::items(times) }
    };
    let field = |size| {
        let inside = [&packet(0x3e, &[0x07])[..], &packet(0x3f, &vec![0x61; size])].concat();
        Input { bytes: packet(0x81, &inside), answer: Answer::items(size) }
    };
    let text = |size| {
        let bytes = nested(usize::MAX, 1, &packet(0x02, &vec![0x61; size])).0;
        Input { bytes, answer: Answer::items(size) }
    };
    let invalid = |size| {
        let bytes = nested(usize::MAX, DEPTH, &packet(0x02, &[&vec![0x61; size][..], &[0xff]].concat())).0;
        let offset = bytes.len() - 1;
        Input { bytes, answer: Answer::fault(0, ErrorKind::InvalidUtf8, offset as u64) }
    };
    families! { cases;
        "keys that a struct does not have", SIZES, unknown => {
            "serde" |bytes| {
                let two = y3::serde::from_slice::<Two<'_>>(bytes);
                Answer::items(usize::from(two == Ok(Two { number: 7, text: "a" })))
            };
        }
        "slice of empty items", &[1 << 17, 1 << 18, 1 << 19], slice(&[0x00, 0x00]) => {
            "serde, Vec<()>" |bytes| items::<()>(bytes);
            "serde, Vec<String>" [Memory::per_byte(24)] |bytes| items::<String>(bytes);
        }
        "slice of empty nodes", &[1 << 15, 1 << 16, 1 << 17, 1 << 18], slice(&[0x80, 0x00]) => {
            "serde, Vec of a struct of 96 bytes" [Memory::per_byte(96)] |bytes| items::<Wide>(bytes);
            "serde, Vec<BTreeMap>" [Memory::per_byte(24)] |bytes| items::<Map>(bytes);
        }
        "slice of empty slices", SIZES, slice(&[0xc0, 0x00]) => {
            "serde, slices in slices" [Memory::per_byte(24)] |bytes| items::<Slices>(bytes);
        }
        "slice of maps with one key", SIZES, slice(&[0x80, 0x03, 0x05, 0x01, 0x07]) => {
            "serde, Vec<BTreeMap>" [Memory::per_byte(24)] |bytes| items::<Map>(bytes);
        }
        "slice of nodes 62 deep", SIZES, deep => {
            "serde, slices in slices" [Memory::per_byte(12)] |bytes| items::<Slices>(bytes);
        }
        "text of 1 MiB in a struct", LARGE, field => {
            "serde, &str" |bytes| Answer::items(y3::serde::from_slice::<Two<'_>>(bytes).map_or(0, |two| two.text.len()));
        }
        "text of 1 MiB", LARGE, text => {
            "serde, String" [Memory::per_byte(1)] |bytes| {
                let chain = y3::serde::from_slice::<Chain>(bytes).ok();
                Answer::items(chain.and_then(|chain| chain.text).map_or(0, |text| text.len()))
            };
        }
        "text of 1 MiB in 64 nodes, its last byte wrong", LARGE, invalid => {
            "serde" [Memory::fixed(256)] |bytes| serde_fault::<Chain>(bytes);
        }
    }
}

/// The number of items of a slice.
fn items<T: DeserializeOwned>(bytes: &[u8]) -> Answer {
    Answer::items(y3::serde::from_slice::<Vec<T>>(bytes).map_or(0, |items| items.len()))
}

/// The error that serde returns for the bytes.
pub fn serde_fault<T: DeserializeOwned + Debug>(bytes: &[u8]) -> Answer {
    let error = y3::serde::from_slice::<T>(bytes).expect_err("the input is hostile");
    Answer::fault(0, error.kind(), error.offset())
}

/// One item if serde returns this kind of error for the bytes.
pub fn serde_kind<T: DeserializeOwned + Debug>(bytes: &[u8], kind: ErrorKind) -> Answer {
    let error = y3::serde::from_slice::<T>(bytes).expect_err("the input is hostile");
    Answer::items(usize::from(error.kind() == kind))
}
