//! `sonic-rs`: JSON, parsed with vector instructions.
//!
//! Its documentation has a chapter for this task: `get` checks the bytes that it passes, stops after the field and returns
//! a `LazyValue`, which decodes on demand; `get_unchecked` jumps from quote to quote. A typed struct reads to the end. The
//! compiler flags decide which instructions it uses: its documentation asks for `-C target-cpu=native`.

use sonic_rs::{JsonValueTrait, LazyValue};

use super::json::{self, K2, K4, K8, K16, K17, K32};
use super::mode::{Hostile, Reader, Way, Writer};
use super::record::C63;
use super::scenario::{Digest, Shape};

/// Values that are not asked for are skipped by recursion without a limit.
const CHECKED: Hostile = Hostile::Unsafe("stack overflow: deep nesting aborts the process");

const UNCHECKED: Hostile = Hostile::Unsafe("undefined behaviour: it takes for granted that the text is JSON in UTF-8");

fn reader(
    mode: &'static str,
    way: Way,
    hostile: Hostile,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new("sonic-rs", mode, way, hostile, json::encode, read)
}

/// The readers of a value. Arguments: how to decode a lazy value, a struct of the one field, the names on its path.
macro_rules! value {
    ($of_lazy:expr, $only:ty, $($field:ident).+) => {
        vec![
            reader("get", Way::Recommended, CHECKED, |bytes| {
                let value = sonic_rs::get(bytes, [$(stringify!($field)),+]).ok()?;
                Some($of_lazy(&value)?.digest())
            }),
            reader("typed, one field", Way::Recommended, CHECKED, |bytes| {
                let only: $only = sonic_rs::from_slice(bytes).ok()?;
                Some(only.$($field).+.digest())
            }),
            reader("get_unchecked", Way::Expert, UNCHECKED, |bytes| {
                // SAFETY: the message has to be JSON; these messages were written by `json::encode`.
                let value = unsafe { sonic_rs::get_unchecked(bytes, [$(stringify!($field)),+]) }.ok()?;
                Some($of_lazy(&value)?.digest())
            }),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(LazyValue::as_i64, K32<i64>, k32),
        Shape::C32 => value!(i32_of, K16<i32>, k16),
        Shape::C16 => value!(LazyValue::as_str, K8<&str>, k8),
        Shape::C03 => value!(i32_of, K2<i32>, k2),
        Shape::Texts => value!(LazyValue::as_str, K32<&str>, k32),
        Shape::Floats => value!(f32_of, K32<f32>, k32),
        Shape::Nested => value!(LazyValue::as_i64, K4<K4<K4<i64>>>, k4.k4.k4),
        Shape::Frame => value!(f32_of, K2<K17<f32>>, k2.k17),
    }
}

fn i32_of(value: &LazyValue<'_>) -> Option<i32> {
    i32::try_from(value.as_i64()?).ok()
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
fn f32_of(value: &LazyValue<'_>) -> Option<f32> {
    Some(value.as_f64()? as f32)
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("sonic-rs", "to_writer", Way::Recommended, |record: &C63, out| {
        sonic_rs::to_writer(out, record).expect("a vector takes all");
    })]
}
