//! `simd-json`: JSON in two passes, the first of which finds the structure with vector instructions.
//!
//! It reads the whole text into a tape, from which it makes a DOM (`BorrowedValue`) and serde's structs. It writes into its
//! input, so each message is copied into a buffer first, as a user without ownership of the bytes has to do. An expert
//! reuses the tape and the parser's buffers for the next message.

use std::mem;

use simd_json::prelude::{ValueAsScalar, ValueObjectAccess};
use simd_json::{BorrowedValue, Buffers, Tape, tape};

use super::prelude::*;

/// A DOM and serde's structs are built by recursion without a limit; a tape is not.
const RECURSIVE: &str = "an abort of the process, because deep nesting overflows the stack";

/// A reader of a copy of the message.
fn copying(mut read: impl FnMut(&mut [u8]) -> Option<u64> + Clone) -> impl FnMut(&[u8]) -> Option<u64> + Clone {
    let mut copy = Vec::new();
    move |bytes| {
        copy.clear();
        copy.extend_from_slice(bytes);
        read(&mut copy)
    }
}

/// A whole number is written without a point and becomes an integer, so a float is cast.
fn of<'a, T: Scalar<'a>, V: ValueAsScalar>(value: &'a V) -> Option<u64> {
    T::of(value, V::as_i64, V::cast_f64, V::as_str).digest()
}

/// The state kept from one message to the next.
#[derive(Default)]
struct Kept {
    copy: Vec<u8>,
    buffers: Buffers,
    tape: Vec<simd_json::Node<'static>>,
}

impl Kept {
    /// Reads a value of a message.
    fn read(&mut self, bytes: &[u8], pick: impl FnOnce(tape::Value) -> Option<u64>) -> Option<u64> {
        self.copy.clear();
        self.copy.extend_from_slice(bytes);
        let mut tape = Tape(mem::take(&mut self.tape)).reset();
        let filled = simd_json::fill_tape(&mut self.copy, &mut self.buffers, &mut tape);
        let picked = filled.ok().and_then(|()| pick(tape.as_value()));
        self.tape = tape.reset().0;
        picked
    }
}

/// The buffers are only scratch memory, but cannot be cloned.
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
                simd_json::from_slice::<only!($type, $($one)+)>(bytes).ok()?$(.$field)+.digest()
            }))
            .dangerous(RECURSIVE)
            .reader("tape, buffers kept", {
                let mut kept = Kept::default();
                move |bytes| kept.read(bytes, |value| of::<$type, _>(&value$(.get(stringify!($field))?)+))
            })
    }
}
