//! Makes the inputs of the properties from a fuzzer's bytes: packets (valid or not), paths to watch, chunk sizes, and
//! trees to write. The first few bytes make choices. Missing bytes are zero, so there are no errors.

use std::ops::Shr;

use arbitrary::{Arbitrary, Result, Unstructured};
use y3::Path;

use crate::oracle::tree::{self, Form, Step, Tree, Value};
use crate::oracle::{self, ANY, ENTERS, Level, TOP};

/// Packets from the remaining bytes. After an even byte, the rest are the packets; after an odd byte, the rest describe
/// trees, which are encoded and sometimes changed in a few bytes. A mutation of such a description keeps all lengths
/// correct, which a mutation of encoded packets rarely does.
pub fn packets(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let choice: u8 = u.arbitrary()?;
    if choice & 1 == 0 {
        return Ok(u.bytes(u.len())?.to_vec());
    }
    let changes: Vec<(u16, u8)> = (0..choice >> 1 & 3).map(|_| u.arbitrary()).collect::<Result<_>>()?;
    let mut input = embedding(u)?;
    for (place, byte) in changes.into_iter().filter(|_| !input.is_empty()).collect::<Vec<_>>() {
        let place = usize::from(place) % input.len();
        input[place] = byte;
    }
    Ok(input)
}

/// Encodes trees in which each node with a flag becomes a primitive, so its packets are embedded.
pub fn embedding(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    Ok(tree::encode(&trees(u)?.into_iter().map(carried).collect::<Vec<_>>()))
}

fn carried(tree: Tree) -> Tree {
    match tree {
        Tree::Node { key, is_slice, inside, form } => {
            let inside: Vec<Tree> = inside.into_iter().map(carried).collect();
            if form.flag {
                let form = Form { flag: false, ..form };
                Tree::Leaf { key, value: Value::Bytes(tree::encode(&inside)), form }
            } else {
                Tree::Node { key, is_slice, inside, form }
            }
        }
        leaf @ Tree::Leaf { .. } => leaf,
    }
}

/// Trees from the remaining bytes, in any form that a reader accepts.
pub fn trees(u: &mut Unstructured<'_>) -> Result<Vec<Tree>> {
    let mut steps = Vec::new();
    // A limit, because a few bytes can describe values of thousands of bytes.
    let mut room = 1usize << 15;
    while !u.is_empty() {
        let step = step(u)?;
        if let Step::Put { value: Value::Bytes(bytes), .. } = &step {
            let Some(left) = room.checked_sub(bytes.len()) else { break };
            room = left;
        }
        steps.push(step);
    }
    Ok(tree::build(steps))
}

fn step(u: &mut Unstructured<'_>) -> Result<Step> {
    Ok(match u.int_in_range(0..=9)? {
        0..=2 => Step::Open { key: key(u)?, is_slice: u.arbitrary()?, form: form(u)? },
        3..=7 => Step::Put { key: key(u)?, value: value(u)?, form: form(u)? },
        _ => Step::Close,
    })
}

/// Any key or, often, one of a few, so that keys of packets and paths agree.
pub fn key(u: &mut Unstructured<'_>) -> Result<u8> {
    let byte: u8 = u.arbitrary()?;
    Ok(if byte < 0x60 { byte & 0x3f } else { [0, 1, 2, 3, 63][usize::from(byte) % 5] })
}

/// The padding and the slice bit of an encoded packet. Zero bytes choose the canonical form.
fn form(u: &mut Unstructured<'_>) -> Result<Form> {
    let byte: u8 = u.arbitrary()?;
    Ok(Form { padding: if byte < 0x80 { 0 } else { usize::from(byte & 7) }, flag: byte & 0x40 != 0 })
}

pub fn value(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=12)? {
        0 => Value::I32(narrow(u)?),
        1 => Value::U32(narrow(u)?),
        2 => Value::I64(wide(u)?),
        3 => Value::U64(wide(u)?),
        4 => Value::PVarI32(narrow(u)?),
        5 => Value::PVarU32(narrow(u)?),
        6 => Value::PVarI64(wide(u)?),
        7 => Value::PVarU64(wide(u)?),
        8 => Value::F32(u.arbitrary()?),
        9 => Value::F64(u.arbitrary()?),
        10 => Value::Bool(u.arbitrary()?),
        11 => Value::Text(text(u)?),
        _ => Value::Bytes(vec![u.arbitrary()?; size(u)?]),
    })
}

/// A number; the shift makes every magnitude likely.
fn narrow<'a, T: Arbitrary<'a> + Shr<u32, Output = T>>(u: &mut Unstructured<'a>) -> Result<T> {
    let shift = u.int_in_range(0..=31)?;
    T::arbitrary(u).map(|number| number >> shift)
}

fn wide<'a, T: Arbitrary<'a> + Shr<u32, Output = T>>(u: &mut Unstructured<'a>) -> Result<T> {
    let shift = u.int_in_range(0..=63)?;
    T::arbitrary(u).map(|number| number >> shift)
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let len = u.int_in_range(0..=24)?.min(u.len());
    Ok(String::from_utf8_lossy(u.bytes(len)?).into_owned())
}

/// A small size, or a size near which the length field grows by a byte.
fn size(u: &mut Unstructured<'_>) -> Result<usize> {
    let byte = usize::from(u.arbitrary::<u8>()?);
    Ok(if byte < 0xf0 { byte } else { 8176 + byte % 16 * 2 })
}

/// A recipe for a watched path, chosen before the packets are known.
#[derive(Clone, Debug)]
pub enum Choice {
    Steps(Vec<u8>),
    /// The path of a packet, which may be embedded, without its last `cut` keys and with `more` as the new last key. A
    /// bit of `any` replaces one of the first four keys with the wildcard `*`.
    Of {
        packet: u8,
        cut: u8,
        more: Option<u8>,
        any: u8,
    },
}

/// At most eight recipes.
pub fn choices(u: &mut Unstructured<'_>) -> Result<Vec<Choice>> {
    let count = u.int_in_range(0..=8u8)?;
    (0..count).map(|_| choice(u)).collect()
}

fn choice(u: &mut Unstructured<'_>) -> Result<Choice> {
    let byte: u8 = u.arbitrary()?;
    if byte & 1 == 0 {
        return steps(u).map(Choice::Steps);
    }
    let more = if byte & 2 == 0 { None } else { Some(key(u)?) };
    Ok(Choice::Of { packet: u.arbitrary()?, cut: byte >> 2 & 3, more, any: byte >> 4 })
}

/// The paths that the recipes give for an input, as steps of the naive reader.
pub fn paths(choices: &[Choice], input: &[u8]) -> Vec<Vec<u8>> {
    let mut seen = Vec::new();
    walk(input, TOP, &[], &mut seen);
    let path = |choice: &Choice| match *choice {
        Choice::Steps(ref path) => path.clone(),
        Choice::Of { packet, cut, more, any } => {
            let path = seen.get(usize::from(packet) % seen.len().max(1)).map_or(&[1][..], |path| path);
            let kept = path.len().saturating_sub(cut.into()).max(1);
            let mut path: Vec<u8> = path[..kept].iter().copied().chain(more).take(Path::MAX_LEN).collect();
            for (place, step) in path.iter_mut().enumerate().take(4) {
                *step |= if any >> place & 1 == 0 { 0 } else { ANY };
            }
            if let Some(last) = path.last_mut() {
                *last &= !ENTERS;
            }
            path
        }
    };
    choices.iter().map(path).collect()
}

/// Collects the paths of all packets of a level, then those of its embedded packets.
fn walk(input: &[u8], level: Level, around: &[u8], paths: &mut Vec<Vec<u8>>) {
    let seen = oracle::walk(input, level, y3::MAX_DEPTH, &|_| true).0;
    paths.extend(seen.iter().map(|seen| [around, &seen.path].concat()));
    for seen in seen.iter().filter(|seen| !seen.is_node() && around.len() + seen.path.len() < Path::MAX_LEN) {
        let mut around = [around, &seen.path].concat();
        if let Some(carrier) = around.last_mut() {
            *carrier |= ENTERS;
        }
        walk(&input[..seen.value.end], Level { at: seen.value.start, ..TOP }, &around, paths);
    }
}

/// The steps of a path. The last step enters nothing.
pub fn steps(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let len = u.int_in_range(1..=Path::MAX_LEN)?;
    let step = |u: &mut Unstructured<'_>| {
        let byte: u8 = u.arbitrary()?;
        Ok(if byte & ANY == 0 { byte } else { byte & (ANY | ENTERS) })
    };
    let mut steps = (0..len).map(|_| step(u)).collect::<Result<Vec<_>>>()?;
    steps[len - 1] &= !ENTERS;
    Ok(steps)
}

/// Chunk sizes for `chunks::cut`.
pub fn sizes(u: &mut Unstructured<'_>) -> Result<Vec<usize>> {
    let count = u.int_in_range(0..=4u8)?;
    (0..count).map(|_| u.arbitrary::<u8>().map(usize::from)).collect()
}
