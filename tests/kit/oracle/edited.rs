//! The naive editor, which defines the result of `y3::edit` by the rules of docs/spec/editing.md. It decodes packets to
//! a list, drops some, and encodes the list again, level by level.

use std::ops::Range;

#[cfg(feature = "alloc")]
use y3::Limits;
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Error, ErrorKind, Packet, Path, Sink, SliceSink};

#[cfg(feature = "alloc")]
use super::{Length, read_length};
use super::{Level, Seen, TOP, encode_nvar, encode_pvar, packed, siblings, walk};
#[cfg(feature = "alloc")]
use crate::chunks::cut;

fn whole<'a>(input: &'a [u8], seen: &Seen) -> &'a [u8] {
    &input[seen.offset..seen.value.end]
}

/// The result of keeping the watched packets, or of keeping all others.
pub fn filtered(input: &[u8], paths: &[Vec<u8>], keeps_watched: bool) -> Result<Vec<u8>, Error> {
    filtered_level(input, TOP, paths, keeps_watched, &[])
}

fn filtered_level(
    input: &[u8],
    level: Level,
    paths: &[Vec<u8>],
    keeps_watched: bool,
    parents: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let (seen, then) = siblings(input, level);
    for seen in seen {
        let here = parents.len();
        let leads = |path: &&Vec<u8>| {
            path.len() > here
                && path
                    .iter()
                    .zip(parents)
                    .all(|(step, taken)| has_key(*step, taken & 0x3f) && (step ^ taken) & 0x40 == 0)
                && has_key(path[here], seen.key())
        };
        let mut through = paths.iter().filter(leads).filter(|path| path.len() > here + 1).peekable();
        let is_watched = paths.iter().filter(leads).any(|path| path.len() == here + 1);
        if is_watched || through.peek().is_none() {
            if is_watched == keeps_watched {
                out.extend_from_slice(whole(input, &seen));
            }
        } else if through.any(|path| opens(path[here], seen.tag)) {
            let taken = if seen.is_node() { seen.key() } else { seen.key() | 0x40 };
            let (input, level) = content(input, &seen);
            let inside = filtered_level(input, level, paths, keeps_watched, &[parents, &[taken]].concat())?;
            if inside == input[seen.value.clone()] && (!keeps_watched || !inside.is_empty()) {
                out.extend_from_slice(whole(input, &seen));
            } else if !keeps_watched || !inside.is_empty() {
                out.extend(packed(seen.tag, &inside));
            }
        } else if !keeps_watched {
            let kind = if seen.is_node() { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode };
            return Err(Error::new(kind, seen.offset as u64));
        }
    }
    then.map_or(Ok(out), Err)
}

/// True if the step matches the key.
fn has_key(step: u8, key: u8) -> bool {
    step & 0x80 != 0 || step & 0x3f == key
}

/// True if the path continues inside the packet at this step.
fn opens(step: u8, tag: u8) -> bool {
    (step & 0x40 != 0) == (tag & 0x80 == 0)
}

/// The level inside a node. The packets inside a primitive are an input of their own.
fn content<'a>(input: &'a [u8], seen: &Seen) -> (&'a [u8], Level) {
    if seen.is_node() {
        (input, seen.inside())
    } else {
        (&input[..seen.value.end], Level { at: seen.value.start, ..TOP })
    }
}

/// The packets in canonical form, with at most 64 nested nodes.
pub fn canonical(input: &[u8]) -> Result<Vec<u8>, Error> {
    match walk(input, TOP, 64, &|_| true) {
        (_, Some(error)) => Err(error),
        _ => Ok(canonical_level(input, TOP, false)),
    }
}

fn canonical_level(input: &[u8], level: Level, in_slice: bool) -> Vec<u8> {
    let packets = siblings(input, level).0.into_iter().map(|seen| {
        let key = if in_slice { 0 } else { seen.key() };
        if seen.is_node() {
            packed(seen.tag & 0xc0 | key, &canonical_level(input, seen.inside(), seen.tag >= 0xc0))
        } else {
            packed(key, &input[seen.value.clone()])
        }
    });
    packets.collect::<Vec<_>>().concat()
}

/// The first deviation from the canonical form, or the error before it.
pub fn first_deviation(input: &[u8]) -> Result<Option<(ErrorKind, u64)>, Error> {
    let (seen, then) = walk(input, TOP, 64, &|_| true);
    for packet in &seen {
        let parent = |slice: &Seen| {
            slice.tag >= 0xc0 && slice.value.contains(&packet.offset) && slice.path.len() + 1 == packet.path.len()
        };
        let offset = packet.offset as u64;
        if (0x40..0x80).contains(&packet.tag) {
            return Ok(Some((ErrorKind::FlaggedPrimitive, offset)));
        }
        if packet.key() != 0 && seen.iter().any(parent) {
            return Ok(Some((ErrorKind::ItemKey, offset)));
        }
        if input[packet.offset + 1..packet.value.start] != encode_pvar(packet.value.len() as i128) {
            return Ok(Some((ErrorKind::PaddedLength, offset + 1)));
        }
    }
    then.map_or(Ok(None), Err)
}

/// Converts the crate's result to the oracle's form.
pub fn kind_and_offset(first: Result<Option<y3::Error>, Error>) -> Result<Option<(ErrorKind, u64)>, Error> {
    first.map(|first| first.map(|deviation| (deviation.kind(), deviation.offset())))
}

/// The first packet at a path, and the packets around it from the outermost to the innermost.
pub fn first_at(input: &[u8], path: &[u8]) -> Result<Option<(Seen, Vec<Seen>)>, Error> {
    first_in(input, TOP, path, &[])
}

fn first_in(input: &[u8], level: Level, path: &[u8], around: &[Seen]) -> Result<Option<(Seen, Vec<Seen>)>, Error> {
    let (step, rest) = path.split_first().expect("a path has a step");
    let (seen, then) = siblings(input, level);
    for seen in seen.into_iter().filter(|seen| has_key(*step, seen.key())) {
        if rest.is_empty() {
            return Ok(Some((seen, around.to_vec())));
        }
        if opens(*step, seen.tag) {
            let (input, level) = content(input, &seen);
            let found = first_in(input, level, rest, &[around, &[seen]].concat())?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    then.map_or(Ok(None), Err)
}

/// The input with a range of its bytes replaced by `content`. The nodes in `around` contain the range.
pub fn spliced(input: &[u8], around: &[Seen], place: Range<usize>, content: &[u8]) -> Vec<u8> {
    let (mut range, mut new) = (place, content.to_vec());
    for node in around.iter().rev() {
        let value = [&input[node.value.start..range.start], &new, &input[range.end..node.value.end]].concat();
        new = packed(node.tag, &value);
        range = node.offset..node.value.end;
    }
    [&input[..range.start], &new, &input[range.end..]].concat()
}

/// The bytes in a sink before a call, and after a call that fails.
const BEFORE: &[u8] = &[0xa5, 0x5a];

/// Compares all of `y3::edit` with the naive editor, with rules that the number chooses. Returns true if there is no
/// error on the watched paths.
pub fn same(input: &[u8], paths: &[Vec<u8>], number: i32) -> bool {
    let is_sound = [true, false].map(|keeps| same_filter(input, paths, keeps));
    for path in paths {
        same_patch(input, path, number);
        same_splice(input, path, number);
    }
    same_canonical(input);
    let rules = rules(paths, number);
    same_rules(input, &rules);
    if input.len() < 1000 {
        same_rules(&input.repeat(9), &rules);
    }
    is_sound == [true, true]
}

/// A rule for each path or for its beginning. Three bits of the number choose the operation.
pub fn rules(paths: &[Vec<u8>], number: i32) -> Vec<Ruled> {
    let rule = |(path, shift): (&Vec<u8>, u32)| {
        let [bits, len, ..] = (number >> (3 * shift % 30)).to_le_bytes();
        let [key, cut, ..] = (number >> shift).to_le_bytes();
        let (what, key) = (bits & 7, key & 0x3f);
        let act = match what {
            0 => Act::Keep,
            1 => Act::Remove,
            2 => Act::Rename(key),
            3 => Act::Set,
            4 => Act::Replace,
            5 => Act::Insert,
            _ => Act::Append,
        };
        let packet =
            if len & 1 == 0 { packed(key, &vec![what; usize::from(len & 0x7f)]) } else { packed(0xc0 | key, &[2, 0]) };
        let mut path = path.clone();
        path.truncate(if cut.trailing_zeros() >= 2 { path.len().div_ceil(2) } else { path.len() });
        // The last step of a path enters nothing.
        *path.last_mut().unwrap() &= !0x40;
        Ruled { path, act, packet }
    };
    paths.iter().zip(0..).map(rule).collect()
}

/// Runs a call on sinks of every kind that already hold bytes, and returns what it appends and its result.
fn in_sinks<E: PartialEq + std::fmt::Debug + Copy>(
    needed: Option<usize>,
    write: impl Fn(&mut SliceSink<'_>) -> Result<usize, E>,
    no_room: impl Fn(E) -> bool,
) -> Result<Vec<u8>, E> {
    let with = |room: usize| {
        let mut buffer = vec![0xa5; BEFORE.len() + room];
        let mut sink = SliceSink::new(&mut buffer);
        Sink::store(&mut sink, 0, BEFORE).unwrap();
        sink.finish(BEFORE.len());
        let done = write(&mut sink);
        (sink.written().to_vec(), done)
    };
    let (written, done) = with(needed.unwrap_or(1 << 16));
    let written = written.strip_prefix(BEFORE).expect("the earlier bytes stay").to_vec();
    match done {
        Ok(len) => assert_eq!(len, written.len(), "the number of bytes written"),
        Err(_) => assert!(written.is_empty(), "nothing is written on an error"),
    }
    if let (Some(less), Ok(_)) = (written.len().checked_sub(1), done) {
        let (written, done) = with(less);
        assert_eq!(written, BEFORE, "a full sink has changed");
        assert!(no_room(done.unwrap_err()), "{done:?}");
    }
    done.map(|_| written)
}

fn is_too_small(error: Error) -> bool {
    error.kind() == ErrorKind::BufferTooSmall
}

/// The rules that keep or remove these paths.
pub fn filter_rules(paths: &[Vec<u8>], keeps: bool) -> Vec<Rule<'static>> {
    let rule = if keeps { Rule::keep } else { Rule::remove };
    paths.iter().map(|path| rule(super::same::path(path))).collect()
}

fn same_filter(input: &[u8], paths: &[Vec<u8>], keeps: bool) -> bool {
    if paths.is_empty() {
        // An edit without rules reads nothing.
        #[cfg(feature = "alloc")]
        same_output(
            input,
            &if keeps { Edit::keep([]) } else { Edit::new() },
            &if keeps { filtered(input, paths, keeps) } else { Ok(input.to_vec()) },
        );
        return true;
    }
    let rules = filter_rules(paths, keeps);
    let expected = filtered(input, paths, keeps);
    same_output(input, &Edit::from_rules(&rules), &expected);
    // Many paths are compiled.
    #[cfg(feature = "alloc")]
    same_output(input, &rules.repeat(33).into_iter().collect(), &expected);
    if let Ok(expected) = &expected {
        // More pieces than the edit keeps at a time.
        same_output(&input.repeat(18), &Edit::from_rules(&rules), &Ok(expected.repeat(18)));
    }
    expected.is_ok()
}

/// Applies the edit to slices of exactly the necessary size. An edit that fails may write a lot before the error,
/// because a rule can insert a long packet many times.
fn applied(input: &[u8], edit: &Edit<'_>, needed: Option<usize>) -> Result<Vec<u8>, Error> {
    let apply = |room| in_sinks(Some(room), |sink| edit.apply(input, sink), is_too_small);
    let guess = 2 * input.len() + 4096;
    let mut answers = (0..4).map(|more| apply(guess << (4 * more)));
    match needed {
        Some(needed) => apply(needed),
        None => answers.find(|answer| !answer.as_ref().is_err_and(|error| is_too_small(*error))).unwrap(),
    }
}

/// Compares every way in which an edit writes.
fn same_output(input: &[u8], edit: &Edit<'_>, expected: &Result<Vec<u8>, Error>) {
    assert_eq!(edit.output_len(input), expected.as_ref().map(Vec::len).map_err(|error| *error), "{edit:?}");
    assert_eq!(applied(input, edit, expected.as_ref().map(Vec::len).ok()), *expected, "{edit:?}");

    let mut storage = vec![Piece::EMPTY; input.len() + 200];
    let count = match edit.pieces_in(input, &mut storage) {
        Ok(pieces) => {
            same_pieces(input, pieces, expected.as_ref().unwrap());
            #[cfg(feature = "alloc")]
            assert_eq!(edit.pieces(input).as_deref(), Ok(pieces));
            pieces.len()
        }
        Err(error) => {
            assert_eq!(Err(error), *expected);
            0
        }
    };
    if count > 0 {
        assert!(edit.pieces_in(input, &mut storage[..count]).is_ok(), "room for exactly these pieces");
        assert!(edit.pieces_in(input, &mut storage[..count - 1]).is_err_and(is_too_small));
    }
    #[cfg(feature = "alloc")]
    {
        let mut out = BEFORE.to_vec();
        assert_eq!(edit.apply(input, &mut out).map(|_| out[BEFORE.len()..].to_vec()), *expected);
        assert_eq!(&out[..BEFORE.len()], BEFORE);
        assert!(expected.is_ok() || out == BEFORE);
    }
}

/// Asserts that the pieces form the output. Borrowed pieces lie in the input, in order, and are more than a header.
fn same_pieces(input: &[u8], pieces: &[Piece<'_>], expected: &[u8]) {
    assert_eq!(pieces.iter().flat_map(Piece::as_bytes).copied().collect::<Vec<u8>>(), expected);
    let mut end = input.as_ptr();
    let mut is_input = false;
    for piece in pieces {
        assert!(!piece.as_bytes().is_empty());
        if let Some(bytes) = piece.borrowed() {
            let range = bytes.as_ptr_range();
            assert!(
                end <= range.start && range.end <= input.as_ptr_range().end,
                "a piece of the input, after the last"
            );
            assert!(!(is_input && end == range.start), "pieces that touch are one");
            end = range.end;
        }
        is_input = piece.borrowed().is_some();
    }
}

fn same_patch(input: &[u8], path: &[u8], number: i32) {
    let at = super::same::path(path);
    let first = first_at(input, path);
    let value = encode_nvar(i128::from(number));
    let mut bytes = input.to_vec();
    let done = edit::patch(&mut bytes, at, number);
    let padded = {
        let mut bytes = input.to_vec();
        let done = edit::patch_padded(&mut bytes, at, number);
        (bytes, done)
    };
    let packet = match first {
        Err(error) => {
            assert_eq!((&bytes[..], done), (input, Err(error)));
            assert_eq!(padded, (bytes, done));
            return;
        }
        Ok(None) => {
            assert_eq!((&bytes[..], done), (input, Err(Error::new(ErrorKind::NotFound, input.len() as u64))));
            assert_eq!(padded, (bytes, done));
            return;
        }
        Ok(Some((packet, _))) => packet,
    };
    if packet.is_node() {
        assert_eq!((&bytes[..], done), (input, Err(Error::new(ErrorKind::NotAPrimitive, packet.offset as u64))));
        assert_eq!(padded, (bytes, done));
        return;
    }
    let width = Error::new(ErrorKind::WrongWidth, packet.value.start as u64);
    let patched = |value: &[u8]| [&input[..packet.value.start], value, &input[packet.value.end..]].concat();
    if value.len() == packet.value.len() {
        assert_eq!((bytes, done), (patched(&value), Ok(())));
    } else {
        assert_eq!((&bytes[..], done), (input, Err(width)));
    }
    if (value.len()..=4).contains(&packet.value.len()) {
        let long = number.to_be_bytes();
        assert_eq!(padded, (patched(&long[4 - packet.value.len()..]), Ok(())));
        let read = y3::PathSet::new([at]).watch(&padded.0).next().unwrap().unwrap();
        assert_eq!(read.decode::<i32>(), Ok(number), "patched and read again");
    } else {
        assert_eq!(padded, (input.to_vec(), Err(width)));
    }
}

fn same_splice(input: &[u8], path: &[u8], number: i32) {
    let value = encode_nvar(i128::from(number));
    let encoded = packed(0x3e, &value);
    let (at, content) = (super::same::path(path), Packet::from_slice(&encoded).unwrap());
    let first = first_at(input, path);
    let expected = |is_append: bool, is_replace: bool| {
        let not_found = Error::new(ErrorKind::NotFound, input.len() as u64);
        let (packet, mut around) = first.clone()?.ok_or(not_found)?;
        if is_append && !packet.is_node() {
            return Err(Error::new(ErrorKind::NotANode, packet.offset as u64));
        }
        let place = if is_append {
            packet.value.end..packet.value.end
        } else {
            packet.offset..if is_replace { packet.value.end } else { packet.offset }
        };
        if is_append {
            around.push(packet);
        }
        let key = if around.last().is_some_and(|around| around.tag >= 0xc0) { 0 } else { 0x3e };
        Ok(spliced(input, &around, place, &packed(key, &value)))
    };
    same_output(input, &Edit::from_rules(&[Rule::replace(at, content)]), &expected(false, true));
    same_output(input, &Edit::from_rules(&[Rule::insert(at, content)]), &expected(false, false));
    same_output(input, &Edit::from_rules(&[Rule::append(at, content)]), &expected(true, false));
    #[cfg(feature = "alloc")]
    same_output(input, &Edit::new().replace(at, 0x3e, number), &expected(false, true));
    #[cfg(feature = "alloc")]
    same_output(input, &Edit::new().insert(at, 0x3e, number), &expected(false, false));
    #[cfg(feature = "alloc")]
    same_output(input, &Edit::new().append(at, 0x3e, number), &expected(true, false));
}

fn same_canonical(input: &[u8]) {
    let deviation = kind_and_offset(edit::first_deviation(input));
    assert_eq!(deviation, first_deviation(input), "first deviation");
    let expected = canonical(input);
    let needed = expected.as_ref().ok().map(Vec::len);
    let written = in_sinks(needed.map(|needed| needed + 16), |sink| edit::canonicalize(input, sink), is_too_small);
    assert_eq!(written, expected, "canonical form");
    if let Ok(written) = expected {
        assert_eq!(edit::first_deviation(&written), Ok(None));
        assert_eq!(deviation.unwrap().is_none(), written == input);
        let again = in_sinks(Some(written.len()), |sink| edit::canonicalize(&written, sink), is_too_small);
        assert_eq!(again, Ok(written), "canonical form of canonical bytes");
    }
}

/// A rule for the naive editor: a path, an operation, and the packet to write.
#[derive(Clone, Debug)]
pub struct Ruled {
    pub path: Vec<u8>,
    pub act: Act,
    pub packet: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Keep,
    Remove,
    Rename(u8),
    Set,
    Replace,
    Insert,
    Append,
}

impl Ruled {
    fn writes(&self) -> bool {
        !matches!(self.act, Act::Keep | Act::Remove | Act::Rename(_))
    }

    /// The same rule for the crate.
    pub fn rule(&self) -> Rule<'_> {
        let path: Path = super::same::path(&self.path);
        let packet = Packet::from_slice(&self.packet).unwrap();
        match self.act {
            Act::Keep => Rule::keep(path),
            Act::Remove => Rule::remove(path),
            Act::Rename(key) => Rule::rename(path, key),
            Act::Set => Rule::set(path, packet),
            Act::Replace => Rule::replace(path, packet),
            Act::Insert => Rule::insert(path, packet),
            Act::Append => Rule::append(path, packet),
        }
    }

    /// The packet of the rule as it is written under a key, inside packets with the tag `around`.
    fn content(&self, key: u8, around: u8) -> Vec<u8> {
        let packet = Packet::from_slice(&self.packet).unwrap();
        packed(like(packet.tag().get(), key, around), packet.value())
    }
}

/// A tag of the same kind with another key. In a slice the key is 0.
fn like(tag: u8, key: u8, around: u8) -> u8 {
    let key = if around >= 0xc0 { 0 } else { key };
    if tag & 0x80 == 0 { key } else { tag & 0xc0 | key }
}

/// A packet of a decoded input, and what the rules do to it.
#[derive(Default)]
struct Knot {
    tag: u8,
    whole: Vec<u8>,
    /// The steps that lead to the packet. Its own step lacks the bit for a primitive that is entered.
    steps: Vec<u8>,
    parent: Option<usize>,
    inside: Vec<usize>,
    /// True if the value is read as packets.
    is_packets: bool,
    /// True if the packet is dropped, removed or replaced.
    is_gone: bool,
    /// The rules that write before the packet, in its place, and at its end.
    before: Vec<usize>,
    instead: Option<usize>,
    ends: Vec<usize>,
    key: Option<u8>,
}

/// The output bytes, or the errors of which one must be reported. `None` if an error lies where rules read.
pub fn ruled(input: &[u8], rules: &[Ruled], skips_absent: bool) -> Option<Result<Vec<u8>, Vec<ErrorKind>>> {
    let mut knots = Vec::new();
    let top = decode(input, TOP, None, &mut knots)?;
    if rules.iter().any(|rule| rule.act == Act::Keep) {
        for &knot in &top {
            keep(&mut knots, knot, rules)?;
        }
    }
    // For `set`: the level in which it searches (`Some(None)` is the top level), and whether it has replaced a packet.
    let mut levels: Vec<Option<Option<usize>>> =
        rules.iter().map(|rule| (rule.act == Act::Set && rule.path.len() == 1).then_some(None)).collect();
    let (mut found, mut errors) = (vec![false; rules.len()], Vec::new());
    for at in 0..knots.len() {
        let mut around = Some(at);
        while around.is_some_and(|knot| !knots[knot].is_gone) {
            around = knots[around.unwrap()].parent;
        }
        if around.is_some() {
            continue;
        }
        let (mut is_removed, mut shut) = (false, (false, false));
        for (index, rule) in rules.iter().enumerate() {
            let knot = &mut knots[at];
            if ends_at(&rule.path, knot) {
                match rule.act {
                    Act::Remove => is_removed = true,
                    Act::Rename(key) => knot.key = Some(key),
                    Act::Insert if !found[index] => {
                        knot.before.push(index);
                        found[index] = true;
                    }
                    Act::Replace if !found[index] => (knot.instead, found[index]) = (Some(index), true),
                    Act::Set if !found[index] && levels[index] == Some(knot.parent) => {
                        (knot.instead, found[index]) = (Some(index), true);
                    }
                    _ => {}
                }
            } else if rule.act == Act::Remove && leads(&rule.path, knot) {
                let opens = opens(rule.path[knot.steps.len() - 1], knot.tag);
                shut = (shut.0 || opens, shut.1 || !opens);
            }
        }
        if is_removed || knots[at].instead.is_some() {
            knots[at].is_gone = true;
            knots[at].instead = knots[at].instead.filter(|_| !is_removed);
            continue;
        }
        if shut == (false, true) {
            errors.push(if knots[at].tag & 0x80 != 0 { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode });
        }
        for (index, rule) in rules.iter().enumerate() {
            let length = knots[at].steps.len();
            if leads(&rule.path, &knots[at]) && rule.act != Act::Keep && opens(rule.path[length - 1], knots[at].tag) {
                if !knots[at].is_packets {
                    return None;
                }
                let stays = knots[at].inside.iter().any(|&inside| !knots[inside].is_gone);
                let counts = rule.path.last().unwrap() & 0x80 == 0 || stays;
                if rule.act == Act::Set && rule.path.len() == length + 1 && levels[index].is_none() && counts {
                    levels[index] = Some(Some(at));
                }
            }
            if rule.act == Act::Append && ends_at(&rule.path, &knots[at]) && !found[index] {
                found[index] = true;
                knots[at].ends.push(index);
                if knots[at].tag & 0x80 == 0 {
                    errors.push(ErrorKind::NotANode);
                }
            }
        }
    }
    let mut ends = Vec::new();
    for (index, rule) in rules.iter().enumerate().rev() {
        if rule.act == Act::Set && !found[index] && rule.path.last().unwrap() & 0x80 == 0 {
            match levels[index] {
                None => continue,
                Some(None) => ends.insert(0, index),
                Some(Some(knot)) => knots[knot].ends.insert(0, index),
            }
            found[index] = true;
        }
    }
    if !skips_absent && rules.iter().zip(&found).any(|(rule, found)| rule.writes() && !found) {
        errors.push(ErrorKind::NotFound);
    }
    if !errors.is_empty() {
        return Some(Err(errors));
    }
    let mut out = top.iter().flat_map(|&knot| emit(&knots, knot, rules)).collect::<Vec<u8>>();
    out.extend(ends.iter().flat_map(|&rule| at_end(&rules[rule], 0)));
    Some(Ok(out))
}

fn decode(input: &[u8], level: Level, parent: Option<usize>, knots: &mut Vec<Knot>) -> Option<Vec<usize>> {
    let (seen, then) = siblings(input, level);
    if then.is_some() {
        return None;
    }
    let mut all = Vec::new();
    for seen in seen {
        let mut steps = parent.map_or(Vec::new(), |parent| knots[parent].steps.clone());
        if parent.is_some_and(|parent| knots[parent].tag & 0x80 == 0) {
            *steps.last_mut().unwrap() |= 0x40;
        }
        steps.push(seen.key());
        let at = knots.len();
        all.push(at);
        knots.push(Knot { tag: seen.tag, whole: whole(input, &seen).to_vec(), steps, parent, ..Knot::default() });
        let (input, level) = content(input, &seen);
        match decode(input, level, Some(at), knots) {
            Some(inside) => (knots[at].inside, knots[at].is_packets) = (inside, true),
            None if seen.is_node() => return None,
            None => knots.truncate(at + 1),
        }
    }
    Some(all)
}

/// True if the steps before the last lead to the packet and the last key is its key.
fn reaches(path: &[u8], knot: &Knot) -> bool {
    let depth = knot.steps.len();
    path.len() >= depth
        && (0..depth).all(|at| {
            has_key(path[at], knot.steps[at] & 0x3f) && (at + 1 == depth || (path[at] ^ knot.steps[at]) & 0x40 == 0)
        })
}

fn ends_at(path: &[u8], knot: &Knot) -> bool {
    path.len() == knot.steps.len() && reaches(path, knot)
}

fn leads(path: &[u8], knot: &Knot) -> bool {
    path.len() > knot.steps.len() && reaches(path, knot)
}

fn keep(knots: &mut [Knot], at: usize, rules: &[Ruled]) -> Option<bool> {
    let knot = &knots[at];
    let keeps = |rule: &&Ruled| rule.act == Act::Keep;
    if rules.iter().filter(keeps).any(|rule| ends_at(&rule.path, knot)) {
        return Some(true);
    }
    let depth = knot.steps.len();
    let mut stays = false;
    if rules.iter().filter(keeps).any(|rule| leads(&rule.path, knot) && opens(rule.path[depth - 1], knot.tag)) {
        if !knot.is_packets {
            return None;
        }
        for inside in knot.inside.clone() {
            stays |= keep(knots, inside, rules)?;
        }
    }
    knots[at].is_gone = !stays;
    Some(stays)
}

fn at_end(rule: &Ruled, around: u8) -> Vec<u8> {
    let own = rule.packet[0] & 0x3f;
    rule.content(if rule.act == Act::Set { *rule.path.last().unwrap() } else { own }, around)
}

/// The bytes of a packet after the rules have acted on it.
fn emit(knots: &[Knot], at: usize, rules: &[Ruled]) -> Vec<u8> {
    let knot = &knots[at];
    let around = knot.parent.map_or(0, |parent| knots[parent].tag);
    let own = |rule: usize| rules[rule].content(rules[rule].packet[0] & 0x3f, around);
    let mut out: Vec<u8> = knot.before.iter().flat_map(|&rule| own(rule)).collect();
    match knot.instead {
        Some(rule) if rules[rule].act == Act::Set => out.extend(rules[rule].content(knot.tag & 0x3f, around)),
        Some(rule) => out.extend(own(rule)),
        None if knot.is_gone => {}
        None if !is_changed(knots, at) => out.extend(&knot.whole),
        None => {
            let mut value: Vec<u8> = knot.inside.iter().flat_map(|&inside| emit(knots, inside, rules)).collect();
            if !knot.is_packets {
                value = Packet::from_slice(&knot.whole).unwrap().value().to_vec();
            }
            value.extend(knot.ends.iter().flat_map(|&rule| at_end(&rules[rule], knot.tag)));
            out.extend(packed(knot.key.map_or(knot.tag, |key| like(knot.tag, key, around)), &value));
        }
    }
    out
}

fn is_changed(knots: &[Knot], at: usize) -> bool {
    let knot = &knots[at];
    let changes =
        |&inside: &usize| knots[inside].is_gone || !knots[inside].before.is_empty() || is_changed(knots, inside);
    knot.key.is_some() || !knot.ends.is_empty() || knot.inside.iter().any(changes)
}

/// Compares a set of rules with the naive editor.
fn same_rules(input: &[u8], rules: &[Ruled]) {
    let compiled: Vec<Rule<'_>> = rules.iter().map(Ruled::rule).collect();
    for skips in [false, true] {
        let edit = if skips { Edit::from_rules(&compiled).skip_absent() } else { Edit::from_rules(&compiled) };
        let len = edit.output_len(input);
        match ruled(input, rules, skips) {
            Some(Ok(expected)) => same_output(input, &edit, &Ok(expected)),
            Some(Err(kinds)) => {
                let error = len.unwrap_err();
                assert!(kinds.contains(&error.kind()), "{error:?} is none of {kinds:?}");
                same_output(input, &edit, &Err(error));
            }
            None => {
                let written = applied(input, &edit, len.ok());
                assert_eq!(written.as_ref().map(Vec::len), len.as_ref().copied());
                same_output(input, &edit, &written);
            }
        }
        // Many paths to keep or remove are compiled. A repeated path changes nothing.
        #[cfg(feature = "alloc")]
        {
            let filters = rules.iter().filter(|rule| !rule.writes() && !matches!(rule.act, Act::Rename(_)));
            let many: Edit<'_> = compiled.iter().copied().chain(filters.map(Ruled::rule).cycle().take(33)).collect();
            let many = if skips { many.skip_absent() } else { many };
            assert_eq!(many.output_len(input), edit.output_len(input), "{many:?}");
            let mut outs = [Vec::new(), Vec::new()];
            let done = [edit.apply(input, &mut outs[0]), many.apply(input, &mut outs[1])];
            assert_eq!((done[0], &outs[0]), (done[1], &outs[1]), "{many:?}");
        }
    }
}

/// The result of editing each top-level packet alone, continuing after each error.
#[cfg(feature = "alloc")]
fn edited_one_by_one(input: &[u8], edit: &Edit<'_>, limits: Limits) -> (Vec<u8>, Vec<Error>) {
    let (mut out, mut faults, mut at) = (Vec::new(), Vec::new(), 0);
    while at < input.len() {
        let rest = &input[at..];
        let fault = |kind, inside: u64| Error::new(kind, at as u64 + inside);
        let len = match read_length(&rest[1..]) {
            Length::Is { length, size } => usize::try_from(length).unwrap() + size + 1,
            Length::Fault(kind) => {
                faults.push(fault(kind, 1));
                break;
            }
            Length::Cut => usize::MAX,
        };
        if len < usize::MAX && len > limits.max_packet_len() {
            faults.push(fault(ErrorKind::SizeLimit, 0));
        }
        match rest.get(..len) {
            None => {
                faults.push(fault(ErrorKind::UnexpectedEnd, 0));
                break;
            }
            Some(part) if part.len() <= limits.max_packet_len() => {
                let done = edit.apply(part, &mut out);
                faults.extend(done.err().map(|error| fault(error.kind(), error.offset())));
            }
            Some(_) => {}
        }
        at += len;
    }
    (out, faults)
}

/// Compares an edit of a stream with edits of its packets one by one, both past every error and up to the first. No
/// rule sets a top-level packet.
#[cfg(feature = "alloc")]
pub fn same_stream(input: &[u8], edit: &Edit<'_>, limits: Limits, sizes: &[usize]) {
    let (expected, faults) = edited_one_by_one(input, edit, limits);
    let (mut out, mut given, mut first) = (Vec::new(), Vec::new(), None);
    let mut stream = edit.clone().stream(limits);
    'chunks: for mut chunk in cut(input, sizes) {
        assert!(stream.resume(), "without an error nothing changes");
        while let Err(error) = stream.feed(chunk, &mut out) {
            given.push(error);
            first.get_or_insert(out.len());
            assert_eq!(stream.feed(&[], &mut out), Err(error), "an error stays until it is resumed");
            if !stream.resume() {
                break 'chunks;
            }
            chunk = &[];
        }
    }
    if stream.resume() {
        given.extend(stream.finish().err());
    }
    assert_eq!((&out, &given), (&expected, &faults), "{edit:?}, {limits:?}, {sizes:?} at a time");

    let (mut stream, mut done, mut short) = (edit.clone().stream(limits), Ok(()), Vec::new());
    for chunk in cut(input, sizes) {
        done = stream.feed(chunk, &mut short);
    }
    assert_eq!(stream.finish().err(), faults.first().copied());
    assert!(done.is_ok() || !stream.resume(), "resumed past unread bytes");
    assert_eq!(short, out[..first.unwrap_or(out.len())], "nothing is written after a fault");
}
