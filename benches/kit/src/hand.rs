//! Hand: the reference reader, written by hand in safe Rust for one watched value.
//!
//! It makes the same checks as the crate: bounds, the sign and size of a length, and the end of the parent. Its error
//! has no offset.

/// A packet on the path is invalid.
#[derive(Debug)]
pub struct Malformed;

/// A tag, its value, and the bytes after it. Lengths of one and two bytes are read here, longer ones in a separate
/// function.
#[inline(always)]
pub fn packet(input: &[u8]) -> Result<(u8, &[u8], &[u8]), Malformed> {
    let (tag, len, rest) = match input {
        [tag, len @ 0..0x40, rest @ ..] => (*tag, usize::from(*len), rest),
        [tag, high @ 0x80..0xc0, low @ 0..0x80, rest @ ..] => {
            (*tag, usize::from(high & 0x3f) << 7 | usize::from(*low), rest)
        }
        _ => long(input)?,
    };
    let (value, rest) = rest.split_at_checked(len).ok_or(Malformed)?;
    Ok((tag, value, rest))
}

/// A tag, a length of any size, and the bytes after them.
#[cold]
fn long(input: &[u8]) -> Result<(u8, usize, &[u8]), Malformed> {
    let [tag, field @ ..] = input else { return Err(Malformed) };
    if field.first().is_some_and(|first| first & 0x40 != 0) {
        return Err(Malformed);
    }
    let mut len = 0u64;
    for (place, byte) in field.iter().take(5).enumerate() {
        len = len << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            let len = i32::try_from(len).ok().and_then(|len| usize::try_from(len).ok()).ok_or(Malformed)?;
            return Ok((*tag, len, &field[place + 1..]));
        }
    }
    Err(Malformed)
}

/// The tags and values of adjacent packets. Panics if a packet is malformed.
#[inline(always)]
pub fn packets(mut rest: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (tag, value, after) = if rest.is_empty() { None } else { Some(packet(rest).expect("no faults")) }?;
        rest = after;
        Some((tag, value))
    })
}

/// The value of the first packet whose tag equals `bits` under `mask`.
#[inline(always)]
fn first(mut level: &[u8], mask: u8, bits: u8) -> Result<Option<&[u8]>, Malformed> {
    while !level.is_empty() {
        let (tag, value, rest) = packet(level)?;
        if tag & mask == bits {
            return Ok(Some(value));
        }
        level = rest;
    }
    Ok(None)
}

/// The value at the end of a path of keys.
#[inline(always)]
pub fn find<'a>(input: &'a [u8], path: &[u8]) -> Result<Option<&'a [u8]>, Malformed> {
    let [nodes @ .., key] = path else { return Ok(None) };
    let mut level = input;
    for node in nodes {
        let Some(value) = first(level, 0xbf, 0x80 | node)? else { return Ok(None) };
        level = value;
    }
    first(level, 0x3f, *key)
}
