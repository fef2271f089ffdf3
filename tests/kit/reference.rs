//! The format once more, as slow and as close to the words of SPEC.md as can be: what the crate is compared with.
//!
//! It recurses, allocates and calculates in 128 bits, and shares no code with the crate.

use y3::ErrorKind;

/// A kind and an offset.
pub type Fault = (ErrorKind, u64);

pub fn fault(error: y3::Error) -> Fault {
    (error.kind(), error.offset())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Is { length: u64, size: usize },
    Cut,
    Fault(ErrorKind),
}

/// SPEC §3.2, `read_length`.
pub fn read_length(bytes: &[u8]) -> Length {
    let mut length = 0;
    for place in 0..=4 {
        let Some(&byte) = bytes.get(place) else { return Length::Cut };
        if place == 0 && byte & 0x40 != 0 {
            return Length::Fault(ErrorKind::NegativeLength);
        }
        if place == 4 && (byte & 0x80 != 0 || bytes[0] > 0x87) {
            return Length::Fault(ErrorKind::LengthOverflow);
        }
        length = length * 128 + u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Length::Is { length, size: place + 1 };
        }
    }
    unreachable!("the fifth byte ends the field or is a fault")
}

/// The minimal field, from the table in SPEC §3.2 and the PVarInt of §4.2.
pub fn length_field(length: u64) -> Vec<u8> {
    encode_pvar(length.into())
}

fn groups(number: i128, bits: u32, count: u32) -> impl Iterator<Item = u8> {
    (0..count).rev().map(move |place| u8::try_from((number >> (bits * place)) & ((1 << bits) - 1)).unwrap())
}

/// How many groups of so many bits hold a number and its sign.
fn size(number: i128, bits: u32) -> u32 {
    (1..=16).find(|size| (-(1 << (bits * size - 1))..1 << (bits * size - 1)).contains(&number)).unwrap()
}

/// SPEC §4.1, `encode_nvar`.
pub fn encode_nvar(number: i128) -> Vec<u8> {
    groups(number, 8, size(number, 8)).collect()
}

/// SPEC §4.1, `decode_nvar`.
pub fn decode_nvar(bytes: &[u8], width: usize) -> Option<i128> {
    if bytes.is_empty() || bytes.len() > width / 8 {
        return None;
    }
    let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
    Some(bytes.iter().fold(sign, |number, &byte| number * 256 + i128::from(byte)))
}

/// SPEC §4.2, `encode_pvar`.
pub fn encode_pvar(number: i128) -> Vec<u8> {
    let mut bytes: Vec<u8> = groups(number, 7, size(number, 7)).map(|group| group | 0x80).collect();
    *bytes.last_mut().unwrap() &= 0x7f;
    bytes
}

/// SPEC §4.2, `decode_pvar`.
pub fn decode_pvar(bytes: &[u8], width: usize) -> Option<i128> {
    let (last, others) = bytes.split_last()?;
    if bytes.len() > if width == 32 { 5 } else { 10 } {
        return None;
    }
    if others.iter().any(|byte| byte & 0x80 == 0) || last & 0x80 != 0 {
        return None;
    }
    let sign = if bytes[0] & 0x40 == 0 { 0 } else { -1 };
    let number = bytes.iter().fold(sign, |number, &byte| number * 128 + i128::from(byte & 0x7f));
    (-(1 << (width - 1))..1 << (width - 1)).contains(&number).then_some(number)
}

/// [INT-2]: the unsigned number with the same bits.
pub fn unsigned(number: i128, width: usize) -> i128 {
    if number < 0 { number + (1 << width) } else { number }
}

struct Front {
    tag: u8,
    start: usize,
    end: usize,
}

/// Steps 1 to 3 of [DEC-2] for the packet at `place`; `parent` is where its parent ends, if it has one.
fn front(input: &[u8], place: usize, parent: Option<usize>, outermost: usize) -> Result<Front, Fault> {
    let at = |kind, place: usize| (kind, place as u64);
    let (held, missing) = match parent {
        Some(parent) if parent <= input.len() => (&input[place..parent], at(ErrorKind::Overrun, place)),
        _ => (&input[place..], at(ErrorKind::UnexpectedEnd, outermost)),
    };
    let (&tag, field) = held.split_first().ok_or(missing)?;
    let (length, size) = match read_length(field) {
        Length::Is { length, size } => (usize::try_from(length).unwrap(), size),
        Length::Cut => return Err(missing),
        Length::Fault(kind) => return Err(at(kind, place + 1)),
    };
    let start = place + 1 + size;
    let end = start + length;
    if parent.is_some_and(|parent| end > parent) {
        return Err(at(ErrorKind::Overrun, place));
    }
    Ok(Front { tag, start, end })
}

/// A structural check: [DEC-2] [DEC-6] [DEC-7] [DEC-8].
pub fn check(input: &[u8], limit: usize) -> Result<(), Fault> {
    check_level(input, 0, None, 0, 0, limit)
}

fn check_level(
    input: &[u8],
    mut place: usize,
    parent: Option<usize>,
    outermost: usize,
    depth: usize,
    limit: usize,
) -> Result<(), Fault> {
    while place < parent.unwrap_or(input.len()) {
        let outermost = if depth == 0 { place } else { outermost };
        let Front { tag, start, end } = front(input, place, parent, outermost)?;
        if end > input.len() {
            return Err((ErrorKind::UnexpectedEnd, outermost as u64));
        }
        if tag & 0x80 != 0 {
            if depth == limit {
                return Err((ErrorKind::DepthLimit, place as u64));
            }
            check_level(input, start, Some(end), outermost, depth + 1, limit)?;
        }
        place = end;
    }
    Ok(())
}

/// Number of the path, offset of the tag, value.
pub type Seen = (usize, u64, Vec<u8>);

/// A watcher: [SKIP-1] to [SKIP-6]. The hits, and the fault behind them if there is one.
pub fn watch(input: &[u8], paths: &[Vec<u8>]) -> (Vec<Seen>, Option<Fault>) {
    let mut hits = Vec::new();
    let fault = watch_level(input, 0, None, 0, &[], paths, &mut hits).err();
    (hits, fault)
}

fn watch_level(
    input: &[u8],
    mut place: usize,
    parent: Option<usize>,
    outermost: usize,
    prefix: &[u8],
    paths: &[Vec<u8>],
    hits: &mut Vec<Seen>,
) -> Result<(), Fault> {
    while place < parent.unwrap_or(input.len()) {
        let outermost = if prefix.is_empty() { place } else { outermost };
        let Front { tag, start, end } = front(input, place, parent, outermost)?;
        let path = [prefix, &[tag & 0x3f]].concat();
        let leads_on =
            tag & 0x80 != 0 && paths.iter().any(|other| other.len() > path.len() && other.starts_with(&path));
        match input.get(start..end) {
            Some(value) => {
                let number = paths.iter().position(|other| *other == path);
                hits.extend(number.map(|number| (number, place as u64, value.to_vec())));
            }
            // [SKIP-5]: the end of the input will be met inside.
            None if leads_on => {}
            None => return Err((ErrorKind::UnexpectedEnd, outermost as u64)),
        }
        if leads_on {
            watch_level(input, start, Some(end), outermost, &path, paths, hits)?;
        }
        place = end;
    }
    Ok(())
}
