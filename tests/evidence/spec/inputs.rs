//! The inputs on which the rules are tested: all small ones, and numbers and lengths at their limits.

use testkit::oracle::trees::Value;
use testkit::oracle::{self, ANY, ENTERS};

/// Miri is a thousand times slower. Where a test tries all inputs or numbers of a kind, Miri tries one of this many.
const MIRI_STEP: usize = if cfg!(miri) { 499 } else { 1 };

/// Every string of this length over these bytes.
pub fn small_inputs(bytes: &[u8], len: u32, mut try_one: impl FnMut(&[u8])) {
    let mut input = Vec::new();
    for number in (0..bytes.len().pow(len)).step_by(MIRI_STEP) {
        input.clear();
        let mut rest = number;
        for _ in 0..len {
            input.push(bytes[rest % bytes.len()]);
            rest /= bytes.len();
        }
        try_one(&input);
    }
}

/// Tags of each kind that are also lengths, and lengths of each kind that are also tags.
const TELLING: [u8; 12] = [0x00, 0x01, 0x02, 0x03, 0x41, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xc1];

/// All strings of at most `most` bytes from `TELLING`.
pub fn telling_inputs(most: u32, mut try_one: impl FnMut(&[u8])) {
    (0..=most).for_each(|len| small_inputs(&TELLING, len, &mut try_one));
}

pub fn every_small_input(mut try_one: impl FnMut(&[u8])) {
    telling_inputs(4, &mut try_one);
    small_inputs(&[0x00, 0x01, 0x02, 0x03, 0x40, 0x80, 0x81, 0xc1], 5, &mut try_one);
    small_inputs(&[0x00, 0x01, 0x03, 0x80, 0x81], 6, &mut try_one);
    small_inputs(&[0x00, 0x01, 0x80, 0x88], 7, &mut try_one);
}

/// Sets of paths that match the small inputs at every depth: the empty set, a path through another, a path given twice,
/// paths with the wildcard `*`, paths into primitives.
pub fn small_paths() -> Vec<Vec<Vec<u8>>> {
    vec![
        vec![],
        vec![vec![0x01]],
        vec![vec![0x01, 0x00], vec![0x02, 0x01], vec![0x01, 0x00]],
        vec![vec![0x01, 0x01, 0x00], vec![0x01, 0x02], vec![0x00]],
        vec![vec![0x01], vec![0x01, 0x01], vec![0x01, 0x01, 0x01]],
        vec![vec![0x01, 0x01, 0x01, 0x01]],
        vec![vec![ANY], vec![0x01, ANY], vec![ANY, 0x01]],
        vec![vec![0x01 | ENTERS, 0x00], vec![0x02, ANY], vec![ANY | ENTERS, 0x01, ANY | ENTERS, ANY]],
    ]
}

/// Numbers around every power of two, as values of the four integer types.
pub fn integers() -> impl Iterator<Item = Value> {
    let near = |power: u32| (-2..=2).flat_map(move |off| [(1i128 << power) + off, -(1i128 << power) + off]);
    (0..65).flat_map(near).step_by(MIRI_STEP.div_ceil(16)).flat_map(|number| {
        let mut values = Vec::new();
        values.extend(number.try_into().map(Value::I32));
        values.extend(number.try_into().map(Value::I64));
        values.extend(number.try_into().map(Value::U32));
        values.extend(number.try_into().map(Value::U64));
        values
    })
}

/// Lengths around every value at which the length field grows by a byte.
pub fn length_edges() -> impl Iterator<Item = u64> {
    let powers =
        [0u32, 6, 7, 13, 20, 27].into_iter().flat_map(|power| [(1u64 << power) - 1, 1 << power, (1 << power) + 1]);
    powers.chain([0x7fff_fffe, 0x7fff_ffff])
}

/// Bits of floats: zeros, subnormals, infinities, NaNs with and without payload, and numbers with zero bytes.
pub fn float_bits() -> impl Iterator<Item = u64> {
    let firsts = [0x0000, 0x8000, 0x3e80, 0x4037, 0x7ff0, 0x7ff8, 0xfff0, 0x7f80, 0x7fc0, 0xff80, 0x0001];
    let others = [0, 1, 0x8000_0000_0000_0000, 0x0100, 0x1234_5678_9abc_def0, 0x00ff_0000_0000_0000, 0xff00_0000];
    firsts.into_iter().flat_map(move |first: u64| others.into_iter().map(move |other| first << 48 | other >> 16))
}

/// Values to read as every type: all values of one and two bytes; some of every width up to twelve, also padded, cut
/// and with trailing bytes; floats of every width; sequences that are almost UTF-8.
pub fn values(mut try_one: impl FnMut(&[u8])) {
    try_one(&[]);
    (0..=u8::MAX).for_each(|byte| try_one(&[byte]));
    (0..=u16::MAX).step_by(MIRI_STEP).for_each(|pair| try_one(&pair.to_be_bytes()));
    for first in [0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0x87, 0x88, 0xbf, 0xc0, 0xf7, 0xf8, 0xfe, 0xff] {
        for others in [0x00, 0x7f, 0x80, 0xff].into_iter().step_by(MIRI_STEP) {
            for last in [0x00, 0x01, 0x40, 0x7f, 0x80, 0xff] {
                (1..11).for_each(|len| try_one(&[&[first], &vec![others; len][..], &[last]].concat()));
            }
        }
    }
    for bits in float_bits() {
        (1..=8).for_each(|len| try_one(&bits.to_be_bytes()[..len]));
    }
    let utf8 = [0x61, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5];
    for len in [3, 4] {
        small_inputs(&utf8, len, &mut try_one);
    }
}

/// This many nested nodes with canonical lengths; the innermost holds a primitive.
pub fn nested(depth: usize) -> Vec<u8> {
    oracle::nested(0x81, depth, &[0x02, 0x01, 0xff])
}
