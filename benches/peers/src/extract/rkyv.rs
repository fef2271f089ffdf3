//! rkyv: a record as it lies in memory, with relative pointers; reading a field is reading it.
//!
//! Its documentation leads to `access`, which checks the whole message first: pointers, bounds and texts. `access_unchecked` is
//! for messages that are known to be good. Every field has its place: there is no order of keys to shuffle.

use std::mem;

use rkyv::api::high::to_bytes_in;
use rkyv::rancor::Error;
use rkyv::rend::{f32_le, i32_le, i64_le};
use rkyv::string::ArchivedString;
use rkyv::{Archived, access, access_unchecked, to_bytes};

use super::prelude::*;
use super::shape::by_type;

const UNCHECKED: &str = "undefined behaviour, because the reader follows pointers without checks";

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {{
            let encode = |model: &Node| {
                to_bytes::<Error>(&record::<owned::$message>(model)).expect("a vector takes all").to_vec()
            };
            let rkyv = Codec("rkyv", encode);
            let checked = |bytes: &[u8]| {
                Some((&access::<Archived<owned::$message>, Error>(bytes).ok()?$(.$field)+).digest())
            };
            vec![
                rkyv.reader("access", checked),
                rkyv.looped("batch: access", checked),
                rkyv.reader("access_unchecked", |bytes| {
                    // SAFETY: the message comes from `encode`; with other messages this is undefined behaviour, as the mode's name says.
                    Some((&unsafe { access_unchecked::<Archived<owned::$message>>(bytes) }$(.$field)+).digest())
                }).dangerous(UNCHECKED),
            ]
        }};
    }
    of_shape!(shape, value)
}

by_type! { Digest::digest -> u64;
    &i64_le: |number| number.to_native().digest();
    &i32_le: |number| number.to_native().digest();
    &f32_le: |number| number.to_native().digest();
    &ArchivedString: |text| text.as_str().digest();
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("rkyv", "to_bytes_in", record::<owned::C63>, |record, out| {
        *out = to_bytes_in::<_, Error>(record, mem::take(out)).expect("a vector takes all");
    })]
}
