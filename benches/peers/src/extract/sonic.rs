//! `sonic-rs`: JSON, parsed with vector instructions.
//!
//! Its documentation has a chapter for this task. `get` checks the bytes that it passes, stops after the field and returns a `LazyValue`,
//! which decodes on demand. `get_unchecked` jumps from quote to quote. A typed struct is read to the end of the text. Compiler flags select
//! the instructions: its documentation recommends `-C target-cpu=native`.

use sonic_rs::{JsonValueTrait, LazyValue};

use super::prelude::*;

/// sonic-rs skips other values by recursion without a limit.
const CHECKED: &str = "an abort of the process, because deep nesting overflows the stack";

const UNCHECKED: &str = "undefined behaviour if the text is not JSON in UTF-8, because the reader does not check it";

fn of<'a, T: Scalar<'a>>(value: &'a LazyValue<'_>) -> Option<u64> {
    T::of(value, LazyValue::as_i64, LazyValue::as_f64, LazyValue::as_str).digest()
}

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("sonic-rs", Node::to_json)
            .reader("get", |bytes| of::<$type>(&sonic_rs::get(bytes, [$(stringify!($field)),+]).ok()?))
            .dangerous(CHECKED)
            .reader("typed, one field", |bytes| formats::sonic_rs::read::<only!($type, $($one)+)>(bytes).digest())
            .dangerous(CHECKED)
            .reader("get_unchecked", |bytes| {
                // SAFETY: the message has to be JSON; these messages were written by `Node::to_json`.
                of::<$type>(&unsafe { sonic_rs::get_unchecked(bytes, [$(stringify!($field)),+]) }.ok()?)
            })
            .dangerous(UNCHECKED)
    }
}
