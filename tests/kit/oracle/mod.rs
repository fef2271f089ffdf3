//! A naive reader of Y3, made from SPEC.md alone with plain recursion, plain loops and arithmetic that cannot overflow.
//! It is slow and shares only the names of the errors with the crate.

pub mod edited;
pub mod patterns;
pub mod same;
pub mod tree;
pub mod trees;
pub mod written;

use std::ops::Range;

use y3::{Error, ErrorKind, Limits};

/// A packet and its position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub tag: u8,
    pub offset: usize,
    pub value: Range<usize>,
    /// The keys from the top-level packet to this packet.
    pub path: Vec<u8>,
}

impl Seen {
    pub fn key(&self) -> u8 {
        self.tag & 0x3f
    }

    pub fn is_node(&self) -> bool {
        self.tag & 0x80 != 0
    }

    pub fn row(&self) -> Row {
        Row { tag: self.tag, offset: self.offset, value: self.value.clone() }
    }

    /// The level of the packets inside.
    pub fn inside(&self) -> Level {
        Level { at: self.value.start, end: Some(self.value.end as u128), outermost: Some(self.offset) }
    }
}

/// What can be compared between a packet of the crate and one of the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub tag: u8,
    pub offset: usize,
    pub value: Range<usize>,
}

/// Packets back to back, then the error if there is one.
pub type Read<T> = (Vec<T>, Option<Error>);

/// A level of packets: it starts at `at` and ends at the `end` of its parent, or is the top level.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    pub at: usize,
    pub end: Option<u128>,
    /// The offset of the top-level packet around the level, if there is one.
    pub outermost: Option<usize>,
}

/// The top level of an input.
pub const TOP: Level = Level { at: 0, end: None, outermost: None };

impl Level {
    fn is_done(self, input: &[u8], at: usize) -> bool {
        match self.end {
            Some(end) => at as u128 == end,
            None => at == input.len(),
        }
    }
}

struct Header {
    tag: u8,
    value: usize,
    end: u128,
}

fn fail<T>(kind: ErrorKind, offset: usize) -> Result<T, Error> {
    Err(Error::new(kind, offset as u64))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Is { length: u64, size: usize },
    Cut,
    Fault(ErrorKind),
}

/// `read_length` of SPEC §3.2.
pub fn read_length(bytes: &[u8]) -> Length {
    let mut length = 0;
    for i in 0..5 {
        let Some(&b) = bytes.get(i) else { return Length::Cut };
        if i == 0 && b & 0x40 != 0 {
            return Length::Fault(ErrorKind::NegativeLength);
        }
        if i == 4 && (b & 0x80 != 0 || bytes[0] > 0x87) {
            return Length::Fault(ErrorKind::LengthOverflow);
        }
        length = length * 128 + u64::from(b & 0x7f);
        if b & 0x80 == 0 {
            return Length::Is { length, size: i + 1 };
        }
    }
    unreachable!("the fifth byte ends the field or is a fault")
}

/// Steps 1 to 3 of \[DEC-2\].
fn header(input: &[u8], level: Level, at: usize) -> Result<Header, Error> {
    let parent = level.end.and_then(|end| input.get(at..usize::try_from(end).ok()?));
    let cut = match parent {
        Some(_) => fail(ErrorKind::Overrun, at),
        None => fail(ErrorKind::UnexpectedEnd, level.outermost.unwrap_or(at)),
    };
    let Some((&tag, field)) = parent.unwrap_or(&input[at..]).split_first() else { return cut };
    let (length, size) = match read_length(field) {
        Length::Is { length, size } => (length, size),
        Length::Cut => return cut,
        Length::Fault(kind) => return fail(kind, at + 1),
    };
    let value = at + 1 + size;
    let end = value as u128 + u128::from(length);
    if level.end.is_some_and(|parent| end > parent) {
        return fail(ErrorKind::Overrun, at);
    }
    Ok(Header { tag, value, end })
}

/// All of \[DEC-2\].
fn packet(input: &[u8], level: Level, at: usize, parents: &[u8]) -> Result<Seen, Error> {
    let Header { tag, value, end } = header(input, level, at)?;
    if end > input.len() as u128 {
        return fail(ErrorKind::UnexpectedEnd, level.outermost.unwrap_or(at));
    }
    let path = [parents, &[tag & 0x3f]].concat();
    Ok(Seen { tag, offset: at, value: value..usize::try_from(end).unwrap(), path })
}

pub fn siblings(input: &[u8], level: Level) -> Read<Seen> {
    let mut seen = Vec::new();
    let mut at = level.at;
    while !level.is_done(input, at) {
        match packet(input, level, at, &[]) {
            Ok(packet) => {
                at = packet.value.end;
                seen.push(packet);
            }
            Err(error) => return (seen, Some(error)),
        }
    }
    (seen, None)
}

/// The packets of a level and of those nodes in it that `enter` accepts, with at most `limit` nested nodes.
pub fn walk(input: &[u8], level: Level, limit: usize, enter: &dyn Fn(&Seen) -> bool) -> Read<Seen> {
    let mut seen = Vec::new();
    let then = walk_level(input, level, limit, enter, &[], &mut seen).err();
    (seen, then)
}

fn walk_level(
    input: &[u8],
    level: Level,
    limit: usize,
    enter: &dyn Fn(&Seen) -> bool,
    parents: &[u8],
    seen: &mut Vec<Seen>,
) -> Result<(), Error> {
    let mut at = level.at;
    while !level.is_done(input, at) {
        let packet = packet(input, level, at, parents)?;
        at = packet.value.end;
        if packet.is_node() && packet.path.len() > limit {
            return fail(ErrorKind::DepthLimit, packet.offset);
        }
        seen.push(packet.clone());
        if packet.is_node() && enter(&packet) {
            let inside = Level { outermost: level.outermost.or(Some(packet.offset)), ..packet.inside() };
            walk_level(input, inside, limit, enter, &packet.path, seen)?;
        }
    }
    Ok(())
}

/// A step of a watched path is a key or `ANY`. With the bit `ENTERS`, the next step is inside the value of a primitive.
pub const ANY: u8 = 0x80;
pub const ENTERS: u8 = 0x40;

/// True if the first steps of the path match these keys. Each key has a flag that is true if its primitive was entered.
fn leads(path: &[u8], keys: &[(u8, bool)]) -> bool {
    path.len() >= keys.len()
        && path
            .iter()
            .zip(keys)
            .all(|(step, (key, entered))| (step & ANY != 0 || step & 0x3f == *key) && (step & ENTERS != 0) == *entered)
}

/// An item of a watch: a hit with the index of its path, or an error in embedded packets.
pub type Item = Result<(usize, Seen), Error>;

/// The hits of a watch with the indices of their paths, and the errors in embedded packets, by the rules of SPEC §9.
/// The limits are those on top-level packets and watched values.
pub fn watch_items(input: &[u8], level: Level, paths: &[Vec<u8>], limits: Limits) -> Read<Item> {
    Naive { input, paths, limits: of_paths(limits), first_only: false, ends, goes_on }.items(level)
}

/// The same for a set that watches only the first packets, by the docs of `FirstOnly`.
pub fn first_items(input: &[u8], level: Level, paths: &[Vec<u8>], limits: Limits) -> Read<Item> {
    Naive { input, paths, limits: of_paths(limits), first_only: true, ends, goes_on }.items(level)
}

/// Removes the limit on depth, which is for patterns only: a path leads no deeper than its length.
fn of_paths(limits: Limits) -> Limits {
    limits.with_max_depth(y3::MAX_DEPTH)
}

/// True if the path ends at a packet with these keys.
fn ends(path: &[u8], keys: &[(u8, bool)]) -> bool {
    path.len() == keys.len() && leads(path, keys)
}

/// True if the path continues inside a packet with these keys.
fn goes_on(path: &[u8], keys: &[(u8, bool)]) -> bool {
    path.len() > keys.len() && leads(path, keys)
}

type Leads = fn(&[u8], &[(u8, bool)]) -> bool;

struct Naive<'a> {
    input: &'a [u8],
    paths: &'a [Vec<u8>],
    limits: Limits,
    first_only: bool,
    ends: Leads,
    goes_on: Leads,
}

impl Naive<'_> {
    fn items(&self, level: Level) -> Read<Item> {
        let mut items = Vec::new();
        let then = self.watch(level, &[], false, &mut items).err();
        (items, then)
    }

    /// True if a path has a step with this key at the level.
    fn wants(&self, parents: &[(u8, bool)], key: u8) -> bool {
        [false, true].iter().any(|entered| {
            let step = [parents, &[(key, *entered)]].concat();
            self.paths.iter().any(|path| leads(path, &step))
        })
    }

    /// Reads a level. With `is_embedded` the level is the value of a primitive, whose end is the end of an input.
    /// Returns true as soon as all first packets are found, which happens only if `first_only` is set.
    fn watch(
        &self,
        level: Level,
        parents: &[(u8, bool)],
        is_embedded: bool,
        items: &mut Vec<Item>,
    ) -> Result<bool, Error> {
        let (input, paths, limits) = (self.input, self.paths, self.limits);
        let counts_first = self.first_only && !parents.is_empty();
        let mut found = [false; 64];
        let mut at = level.at;
        while !level.is_done(input, at) {
            let outermost = level.outermost.unwrap_or(at);
            let Header { tag, value, end } = header(input, level, at).map_err(|error| match error.kind() {
                ErrorKind::Overrun if is_embedded => Error::new(ErrorKind::UnexpectedEnd, error.offset()),
                _ => error,
            })?;
            let (key, is_node) = (tag & 0x3f, tag & 0x80 != 0);
            let is_wanted = !found[usize::from(key)];
            let here = [parents, &[(key, false)]].concat();
            let number = paths.iter().position(|path| is_wanted && (self.ends)(path, &here));
            let inside = [parents, &[(key, !is_node)]].concat();
            let leads_on = is_wanted && paths.iter().any(|path| (self.goes_on)(path, &inside));
            let is_too_long = parents.is_empty() && end - at as u128 > limits.max_packet_len() as u128;
            if is_too_long || number.is_some() && end - value as u128 > limits.max_value_len() as u128 {
                return fail(ErrorKind::SizeLimit, at);
            }
            if leads_on && is_node && inside.len() > limits.max_depth() {
                return fail(ErrorKind::DepthLimit, at);
            }
            let whole = usize::try_from(end).ok().filter(|&end| end <= input.len());
            if let Some(end) = whole {
                if let Some(number) = number {
                    let path = here.iter().map(|(key, _)| *key).collect();
                    items.push(Ok((number, Seen { tag, offset: at, value: value..end, path })));
                }
            } else if !leads_on {
                return fail(ErrorKind::UnexpectedEnd, outermost);
            }
            let mut is_found = number.is_some();
            if leads_on {
                let level = Level { at: value, end: Some(end), outermost: Some(outermost) };
                let end_of_input = Error::new(ErrorKind::UnexpectedEnd, outermost as u64);
                is_found = match self.watch(level, &inside, !is_node, items) {
                    Err(error) if is_node || whole.is_none() && error == end_of_input => return Err(error),
                    Err(error) => {
                        items.push(Err(error));
                        false
                    }
                    Ok(is_found) => is_found,
                };
            }
            at = match whole {
                Some(end) => end,
                None => return fail(ErrorKind::UnexpectedEnd, outermost),
            };
            found[usize::from(key)] |= counts_first && is_found;
            if counts_first && (0..64).all(|key| found[usize::from(key)] || !self.wants(parents, key)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A kind and an offset, as SPEC.md writes errors.
pub type Fault = (ErrorKind, u64);

pub fn fault(error: Error) -> Fault {
    (error.kind(), error.offset())
}

/// A structural check: the error of a walk.
pub fn check(input: &[u8], limit: usize) -> Result<(), Fault> {
    walk(input, TOP, limit, &|_| true).1.map_or(Ok(()), |error| Err(fault(error)))
}

/// \[PKT-4\]: exactly one packet.
pub fn one(input: &[u8]) -> Result<Seen, Error> {
    if input.is_empty() {
        return fail(ErrorKind::UnexpectedEnd, 0);
    }
    let packet = packet(input, TOP, 0, &[])?;
    if packet.value.end < input.len() { fail(ErrorKind::TrailingBytes, packet.value.end) } else { Ok(packet) }
}

/// The first child of a packet with this key.
pub fn find(input: &[u8], parent: &Seen, key: u8) -> Result<Option<Seen>, Error> {
    if key > 63 {
        return fail(ErrorKind::InvalidKey, parent.offset);
    }
    if !parent.is_node() {
        return fail(ErrorKind::NotANode, parent.offset);
    }
    let (seen, then) = siblings(input, parent.inside());
    match (seen.into_iter().find(|packet| packet.key() == key), then) {
        (Some(packet), _) => Ok(Some(packet)),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(None),
    }
}

/// `decode_nvar` of SPEC §4.1, for signed types.
pub fn nvar(bytes: &[u8], width: usize) -> Option<i128> {
    if bytes.is_empty() || bytes.len() > width / 8 {
        return None;
    }
    let mut v = if bytes[0] & 0x80 != 0 { -1i128 } else { 0 };
    for &b in bytes {
        v = v * 256 + i128::from(b);
    }
    Some(v)
}

/// `decode_pvar` of SPEC §4.2, for signed types.
pub fn pvar(bytes: &[u8], width: usize) -> Option<i128> {
    let longest = if width == 32 { 5 } else { 10 };
    let (last, others) = bytes.split_last()?;
    if bytes.len() > longest || last & 0x80 != 0 || others.iter().any(|b| b & 0x80 == 0) {
        return None;
    }
    let mut v = if bytes[0] & 0x40 != 0 { -1i128 } else { 0 };
    for &b in bytes {
        v = v * 128 + i128::from(b & 0x7f);
    }
    let reach = 1i128 << (width - 1);
    (-reach <= v && v < reach).then_some(v)
}

/// \[INT-2\]: the unsigned number with the bits of a signed one.
pub fn unsigned(v: i128, width: usize) -> i128 {
    if v < 0 { v + (1i128 << width) } else { v }
}

/// \[INT-2\]: the signed number with the bits of an unsigned one.
pub fn signed(v: i128, width: usize) -> i128 {
    if v >= 1i128 << (width - 1) { v - (1i128 << width) } else { v }
}

fn low_byte(v: i128) -> u8 {
    u8::try_from(v & 0xff).unwrap()
}

/// `encode_nvar` of SPEC §4.1.
pub fn encode_nvar(v: i128) -> Vec<u8> {
    let mut n = 1;
    while v < -(1i128 << (8 * n - 1)) || v >= 1i128 << (8 * n - 1) {
        n += 1;
    }
    (0..n).rev().map(|i| low_byte(v >> (8 * i))).collect()
}

/// `encode_pvar` of SPEC §4.2.
pub fn encode_pvar(v: i128) -> Vec<u8> {
    let mut n = 1;
    while v < -(1i128 << (7 * n - 1)) || v >= 1i128 << (7 * n - 1) {
        n += 1;
    }
    (0..n).rev().map(|i| low_byte(v >> (7 * i)) & 0x7f | if i > 0 { 0x80 } else { 0 }).collect()
}

/// The shortest length field: the PVarInt of SPEC §4.2.
pub fn length_field(length: u64) -> Vec<u8> {
    encode_pvar(length.into())
}

/// A packet with the shortest length field.
pub fn packed(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag][..], &length_field(value.len() as u64), value].concat()
}

/// This many nested nodes around some bytes. The headers are written backwards, so no byte is moved.
pub fn nested(tag: u8, nodes: usize, inside: &[u8]) -> Vec<u8> {
    let mut backwards: Vec<u8> = inside.iter().rev().copied().collect();
    for _ in 0..nodes {
        backwards.extend(length_field(backwards.len() as u64).into_iter().rev());
        backwards.push(tag);
    }
    backwards.reverse();
    backwards
}

/// The bits of a float from 1 to `width` bytes. Missing bytes are zero.
pub fn float(bytes: &[u8], width: usize) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > width {
        return None;
    }
    let mut bits = 0;
    for i in 0..width {
        bits = bits * 256 + u64::from(*bytes.get(i).unwrap_or(&0));
    }
    Some(bits)
}

/// The big-endian bytes of a float without trailing zero bytes, but at least one byte.
pub fn encode_float(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while bytes.len() > 1 && bytes.ends_with(&[0]) {
        bytes.pop();
    }
    bytes
}

pub fn boolean(bytes: &[u8]) -> Option<bool> {
    if bytes.is_empty() {
        return Some(false);
    }
    match pvar(bytes, 32)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The position of the first sequence that is not UTF-8.
pub fn not_utf8(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < bytes.len() {
        let is_char = |size: &usize| bytes.get(at..at + size).is_some_and(|char| std::str::from_utf8(char).is_ok());
        match (1..=4).find(is_char) {
            Some(size) => at += size,
            None => return Some(at),
        }
    }
    None
}
