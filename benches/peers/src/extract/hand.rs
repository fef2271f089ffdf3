//! A loop that is written by hand for one key of one message. It is no codec but a yardstick for the readers of Y3.
//!
//! The loop jumps from header to header with the checks that Y3 requires, and reads only the watched value.

use kit::hand;

use super::prelude::*;
use super::y3::encode;

/// Reads a signed big-endian integer of at most eight bytes.
#[inline(always)]
pub fn integer(value: &[u8]) -> Option<i64> {
    let negative = value.first()? & 0x80 != 0;
    let start = if negative { -1 } else { 0 };
    (value.len() <= 8).then(|| value.iter().fold(start, |number, byte| number << 8 | i64::from(*byte)))
}

/// Reads a float whose last bytes are omitted if they are zero.
#[inline(always)]
fn float(value: &[u8]) -> Option<f32> {
    let mut bytes = [0; 4];
    bytes.get_mut(..value.len())?.copy_from_slice(value);
    Some(f32::from_be_bytes(bytes))
}

/// The loop for one path of keys, or for several paths joined by `=>`. A path before `=>` leads to a value whose bytes are packets.
macro_rules! ways {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => { ways!($type; 0 $(, $key)+) };
    ($type:ty; $($root:literal $(, $key:literal)+)=>+) => {
        Ways::of("loop", encode).both("by hand", |bytes| {
            $(let bytes = hand::find(bytes, &[$root $(, $key)+]).ok()??;)+
            let int = |value: &[u8]| i32::try_from(integer(value)?).ok();
            <$type>::by(bytes, integer, int, float, |value| str::from_utf8(value).ok()).digest()
        })
    };
}

pub fn readers(shape: Shape) -> Ways {
    match shape {
        // In a data frame the reading is a primitive whose bytes are packets.
        Shape::Frame => ways!(f32; 0x3f, 0x02 => 0x01, 0x10, 0x11),
        _ => of_shape!(shape, ways),
    }
}
