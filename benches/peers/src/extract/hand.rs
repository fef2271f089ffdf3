//! Hand: a loop written for one key of one message. It is the floor of the other ways, and no codec.
//!
//! It jumps from header to header with the checks that Y3 asks for, and decodes the value that it was written for. Only that value is read.

use kit::hand;

use super::prelude::*;

const LOOP: Codec = Codec("loop", super::y3::encode);

/// A signed integer, big-endian, of at most eight bytes.
#[inline(always)]
pub fn integer(value: &[u8]) -> Option<i64> {
    let negative = value.first()? & 0x80 != 0;
    let start = if negative { -1 } else { 0 };
    (value.len() <= 8).then(|| value.iter().fold(start, |number, byte| number << 8 | i64::from(*byte)))
}

/// A float without the zeros at its end.
#[inline(always)]
fn float(value: &[u8]) -> Option<f32> {
    let mut bytes = [0; 4];
    bytes.get_mut(..value.len())?.copy_from_slice(value);
    Some(f32::from_be_bytes(bytes))
}

#[inline(always)]
fn decoded<'a, T: Scalar<'a>>(value: &'a [u8]) -> Option<u64> {
    let text = |value: &'a [u8]| std::str::from_utf8(value).ok();
    T::by(value, integer, |value| i32::try_from(integer(value)?).ok(), float, text).map(Digest::digest)
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
            ways(|bytes| decoded::<$type>(hand::find(bytes, &[0, $($key),+]).ok()??))
        };
    }
    // A data frame carries its reading as packets inside a primitive.
    let frame =
        |bytes: &[u8]| decoded::<f32>(hand::find(hand::find(bytes, &[0x3f, 0x02]).ok()??, &[0x01, 0x10, 0x11]).ok()??);
    if shape == Shape::Frame { ways(frame) } else { of_shape!(shape, value) }
}

fn ways(read: impl FnMut(&[u8]) -> Option<u64> + Copy + 'static) -> Vec<Reader> {
    vec![LOOP.reader("by hand", read), LOOP.looped("batch: by hand", read)]
}

/// Whoever writes a message copies its bytes at least.
pub fn writers() -> Vec<Writer> {
    vec![Writer::new("loop", "copy of the bytes", super::y3::encode, |packet, out| {
        out.extend_from_slice(packet);
    })]
}
