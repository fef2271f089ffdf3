//! `sonic-rs`: JSON, parsed with vector instructions.
//!
//! Its documentation has a chapter for this task: `get` checks the bytes that it passes, stops after the field and returns
//! a `LazyValue`, which decodes on demand; `get_unchecked` jumps from quote to quote. A typed struct reads to the end. The
//! compiler flags decide which instructions it uses: its documentation asks for `-C target-cpu=native`.

use sonic_rs::{JsonValueTrait, LazyValue};

use super::prelude::*;
use super::shape::{K2, K4, K8, K16, K17, K32};

/// Values that are not asked for are skipped by recursion without a limit.
const CHECKED: &str = "an abort of the process, because deep nesting overflows the stack";

const UNCHECKED: &str = "undefined behaviour if the text is not JSON in UTF-8, because the reader does not check it";

fn of<'a, T: Scalar<'a>>(value: &'a LazyValue<'_>) -> Option<u64> {
    Some(T::of(value, LazyValue::as_i64, LazyValue::as_f64, LazyValue::as_str)?.digest())
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    let sonic = Codec("sonic-rs", Node::to_json);
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
            vec![
                sonic.reader("get", |bytes| {
                    of::<$type>(&sonic_rs::get(bytes, [$(stringify!($field)),+]).ok()?)
                }).dangerous(CHECKED),
                sonic.reader("typed, one field", |bytes| {
                    Some(sonic_rs::from_slice::<only!($type, $($one)+)>(bytes).ok()?$(.$field)+.digest())
                }).dangerous(CHECKED),
                sonic.reader("get_unchecked", |bytes| {
                    // SAFETY: the message has to be JSON; these messages were written by `Node::to_json`.
                    of::<$type>(&unsafe { sonic_rs::get_unchecked(bytes, [$(stringify!($field)),+]) }.ok()?)
                }).dangerous(UNCHECKED),
            ]
        };
    }
    of_shape!(shape, value)
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("sonic-rs", "to_writer", record::<owned::C63>, |record, out| {
        sonic_rs::to_writer(out, record).expect("a vector takes all");
    })]
}
