//! `simd-json`: JSON in two passes, the first of which finds the structure with vector instructions.
//!
//! It reads the whole text into a tape, from which it makes a DOM (`BorrowedValue`) and serde's structs. It writes into its
//! input, so each message is copied into a buffer first, as a user without ownership of the bytes has to do. An expert
//! reuses the tape and the parser's buffers for the next message.

use std::mem;

use simd_json::prelude::{ValueAsScalar, ValueObjectAccess};
use simd_json::{BorrowedValue, Buffers, Node, Tape, tape};

use super::json::{self, K2, K4, K8, K16, K17, K32};
use super::mode::{Hostile, Reader, Way, Writer};
use super::record::C63;
use super::scenario::{Digest, Shape};

/// A DOM and serde's structs are built by recursion without a limit; a tape is not.
const RECURSIVE: Hostile = Hostile::Unsafe("stack overflow: deep nesting aborts the process");

fn reader(
    mode: &'static str,
    way: Way,
    hostile: Hostile,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new("simd-json", mode, way, hostile, json::encode, read)
}

/// A reader of a copy of the message.
fn copying(
    mode: &'static str,
    hostile: Hostile,
    mut read: impl FnMut(&mut [u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    let mut copy = Vec::new();
    reader(mode, Way::Recommended, hostile, move |bytes| {
        copy.clear();
        copy.extend_from_slice(bytes);
        read(&mut copy)
    })
}

/// The state kept from one message to the next.
#[derive(Default)]
struct Kept {
    copy: Vec<u8>,
    buffers: Buffers,
    tape: Vec<Node<'static>>,
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

/// The readers of a value. Arguments: how to convert it from a value of any kind, a struct of the one field, the names on its path.
macro_rules! value {
    ($of:expr, $only:ty, $($field:ident).+) => {
        vec![
            copying("BorrowedValue", RECURSIVE, |bytes| {
                let value = simd_json::to_borrowed_value(bytes).ok()?;
                let value: &BorrowedValue = value$(.get(stringify!($field))?)+;
                Some($of(value)?.digest())
            }),
            copying("tape", Hostile::Safe, |bytes| {
                let tape = simd_json::to_tape(bytes).ok()?;
                Some($of(&tape.as_value()$(.get(stringify!($field))?)+)?.digest())
            }),
            copying("typed, one field", RECURSIVE, |bytes| {
                let only: $only = simd_json::from_slice(bytes).ok()?;
                Some(only.$($field).+.digest())
            }),
            reader("tape, buffers kept", Way::Expert, Hostile::Safe, {
                let mut kept = Kept::default();
                move |bytes| kept.read(bytes, |value| Some($of(&value$(.get(stringify!($field))?)+)?.digest()))
            }),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(i64_of, K32<i64>, k32),
        Shape::C32 => value!(i32_of, K16<i32>, k16),
        Shape::C16 => value!(str_of, K8<&str>, k8),
        Shape::C03 => value!(i32_of, K2<i32>, k2),
        Shape::Texts => value!(str_of, K32<&str>, k32),
        Shape::Floats => value!(f32_of, K32<f32>, k32),
        Shape::Nested => value!(i64_of, K4<K4<K4<i64>>>, k4.k4.k4),
        Shape::Frame => value!(f32_of, K2<K17<f32>>, k2.k17),
    }
}

fn i64_of(value: &impl ValueAsScalar) -> Option<i64> {
    value.as_i64()
}

fn i32_of(value: &impl ValueAsScalar) -> Option<i32> {
    value.as_i32()
}

fn str_of(value: &impl ValueAsScalar) -> Option<&str> {
    value.as_str()
}

/// A whole number is written without a point and becomes an integer.
#[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
fn f32_of(value: &impl ValueAsScalar) -> Option<f32> {
    Some(value.cast_f64()? as f32)
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("simd-json", "to_writer", Way::Recommended, |record: &C63, out| {
        simd_json::to_writer(out, record).expect("a vector takes all");
    })]
}
