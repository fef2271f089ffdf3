//! `simd-json`: reads JSON in two passes. The first one finds the structure with vector instructions.
//!
//! It reads the whole text into a tape, from which it makes a DOM (`BorrowedValue`) or a struct with serde. It writes to its input, so
//! each message is first copied to a buffer; a user who only borrows the bytes must do the same. An expert reuses the tape and the
//! parser's buffers for the next message.

use std::mem;

use simd_json::prelude::{ValueAsScalar, ValueObjectAccess};
use simd_json::{BorrowedValue, Buffers, Tape, tape};

use super::prelude::*;

/// simd-json builds a DOM and serde's structs by recursion without a limit, but not a tape.
const RECURSIVE: &str = "an abort of the process, because deep nesting overflows the stack";

/// Makes a reader that gets a copy of each message.
fn copying(mut read: impl FnMut(&mut [u8]) -> Option<u64> + Clone) -> impl FnMut(&[u8]) -> Option<u64> + Clone {
    let mut copy = Vec::new();
    move |bytes| {
        copy.clear();
        copy.extend_from_slice(bytes);
        read(&mut copy)
    }
}

/// Whole numbers are written without a point and read as integers, so a float is cast.
fn of<'a, T: Scalar<'a>, V: ValueAsScalar>(value: &'a V) -> Option<u64> {
    T::of(value, V::as_i64, V::cast_f64, V::as_str).digest()
}

/// The memory that is reused for the next message.
#[derive(Default)]
struct Kept {
    buffers: Buffers,
    tape: Vec<simd_json::Node<'static>>,
}

impl Kept {
    fn read(&mut self, bytes: &mut [u8], pick: impl FnOnce(tape::Value) -> Option<u64>) -> Option<u64> {
        let mut tape = Tape(mem::take(&mut self.tape)).reset();
        let filled = simd_json::fill_tape(bytes, &mut self.buffers, &mut tape);
        let picked = filled.ok().and_then(|()| pick(tape.as_value()));
        self.tape = tape.reset().0;
        picked
    }
}

/// `Buffers` cannot be cloned. A new one serves as well, because they are only scratch memory.
impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("simd-json", Node::to_json)
            .reader("BorrowedValue", copying(|bytes| {
                let value = simd_json::to_borrowed_value(bytes).ok()?;
                let value: &BorrowedValue = value$(.get(stringify!($field))?)+;
                of::<$type, _>(value)
            }))
            .dangerous(RECURSIVE)
            .reader("tape", copying(|bytes| {
                let tape = simd_json::to_tape(bytes).ok()?;
                of::<$type, _>(&tape.as_value()$(.get(stringify!($field))?)+)
            }))
            .reader("typed, one field", copying(|bytes| {
                simd_json::from_slice::<only!($type, $($one)+)>(bytes).ok().digest()
            }))
            .dangerous(RECURSIVE)
            .reader("tape, buffers kept", {
                let mut kept = Kept::default();
                copying(move |bytes| kept.read(bytes, |value| of::<$type, _>(&value$(.get(stringify!($field))?)+)))
            })
    }
}
