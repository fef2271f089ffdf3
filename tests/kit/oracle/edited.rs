//! Editing, naively: packets are decoded to a list, dropped from it, and encoded again, level by level.
//!
//! In: bytes and what is watched in them. Out: what `y3::edit` has to make of them, by the rules of docs/spec/editing.md.

use std::ops::Range;

use y3::edit::{self, DeviationKind, EditError, Filter, Piece};
use y3::{Error, ErrorKind, PathSet, Sink, SliceSink};

use super::{Level, Seen, TOP, encode_nvar, encode_pvar, siblings, walk};

/// Tag, minimal length, value.
pub fn packet(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag], &encode_pvar(value.len() as i128)[..], value].concat()
}

fn whole<'a>(input: &'a [u8], seen: &Seen) -> &'a [u8] {
    &input[seen.offset..seen.value.end]
}

/// What stays when the watched packets are kept, or all others are.
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
        } else if through.any(|path| opens(path[here], &seen)) {
            let taken = if seen.is_node() { seen.key() } else { seen.key() | 0x40 };
            let (input, level) = content(input, &seen);
            let inside = filtered_level(input, level, paths, keeps_watched, &[parents, &[taken]].concat())?;
            if !keeps_watched || !inside.is_empty() {
                out.extend(packet(seen.tag, &inside));
            }
        } else if !keeps_watched {
            let kind = if seen.is_node() { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode };
            return Err(Error::new(kind, seen.offset as u64));
        }
    }
    then.map_or(Ok(out), Err)
}

/// Whether a step of a path has a key.
fn has_key(step: u8, key: u8) -> bool {
    step & 0x80 != 0 || step & 0x3f == key
}

/// Whether a path goes on inside a packet behind that step.
fn opens(step: u8, seen: &Seen) -> bool {
    (step & 0x40 != 0) != seen.is_node()
}

/// Where the packets inside a node are read; those in a payload are an input of their own.
fn content<'a>(input: &'a [u8], seen: &Seen) -> (&'a [u8], Level) {
    if seen.is_node() {
        (input, seen.inside())
    } else {
        (&input[..seen.value.end], Level { at: seen.value.start, ..TOP })
    }
}

/// The primitives, and the nodes without packets: path, tag and value of each.
pub fn leaves(input: &[u8]) -> Vec<(Vec<u8>, u8, Vec<u8>)> {
    let (seen, then) = walk(input, TOP, usize::MAX, &|_| true);
    assert_eq!(then, None, "a filter's output is sound where its input is");
    let is_leaf = |seen: &&Seen| !seen.is_node() || seen.value.is_empty();
    seen.iter().filter(is_leaf).map(|seen| (seen.path.clone(), seen.tag, input[seen.value.clone()].to_vec())).collect()
}

/// The packets in canonical form; of which nodes 64 at most lie one in another.
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
            packet(seen.tag & 0xc0 | key, &canonical_level(input, seen.inside(), seen.tag >= 0xc0))
        } else {
            packet(key, &input[seen.value.clone()])
        }
    });
    packets.collect::<Vec<_>>().concat()
}

/// The first deviation, or the fault before it.
pub fn first_deviation(input: &[u8]) -> Result<Option<(DeviationKind, u64)>, Error> {
    let (seen, then) = walk(input, TOP, 64, &|_| true);
    for packet in &seen {
        let parent = |slice: &Seen| {
            slice.tag >= 0xc0 && slice.value.contains(&packet.offset) && slice.path.len() + 1 == packet.path.len()
        };
        let offset = packet.offset as u64;
        if (0x40..0x80).contains(&packet.tag) {
            return Ok(Some((DeviationKind::FlaggedPrimitive, offset)));
        }
        if packet.key() != 0 && seen.iter().any(parent) {
            return Ok(Some((DeviationKind::ItemKey, offset)));
        }
        if input[packet.offset + 1..packet.value.start] != encode_pvar(packet.value.len() as i128) {
            return Ok(Some((DeviationKind::PaddedLength, offset + 1)));
        }
    }
    then.map_or(Ok(None), Err)
}

/// The first packet at a path, and the packets around it, the outermost first.
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
        if opens(*step, &seen) {
            let (input, level) = content(input, &seen);
            let found = first_in(input, level, rest, &[around, &[seen]].concat())?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    then.map_or(Ok(None), Err)
}

/// The input with `content` in place of some of its bytes, which lie in these nodes.
pub fn spliced(input: &[u8], around: &[Seen], place: Range<usize>, content: &[u8]) -> Vec<u8> {
    let (mut range, mut new) = (place, content.to_vec());
    for node in around.iter().rev() {
        let value = [&input[node.value.start..range.start], &new, &input[range.end..node.value.end]].concat();
        new = packet(node.tag, &value);
        range = node.offset..node.value.end;
    }
    [&input[..range.start], &new, &input[range.end..]].concat()
}

/// What a sink held before, and must hold after an error.
const BEFORE: &[u8] = &[0xa5, 0x5a];

/// Everything in `y3::edit` beside the naive editor; whether nothing on the watched paths has a fault.
pub fn same(input: &[u8], paths: &[Vec<u8>], number: i64) -> bool {
    let set = super::same::path_set(paths);
    let is_sound = [true, false].map(|keeps| same_filter(input, &set, paths, keeps));
    if is_sound == [true, true] {
        let all = |keeps| leaves_of(&filtered(input, paths, keeps).unwrap());
        if y3::check(input).is_ok() && !paths.iter().flatten().any(|step| step & 0x40 != 0) {
            let parts = [all(true), all(false)].concat();
            assert_eq!(sorted(parts), sorted(leaves_of(input)), "project and remove have each primitive once");
        }
    }
    for path in paths {
        same_patch(input, path, number);
        same_splice(input, path, number);
    }
    same_canonical(input);

    is_sound == [true, true]
}

fn leaves_of(input: &[u8]) -> Vec<(Vec<u8>, u8, Vec<u8>)> {
    leaves(input).into_iter().filter(|(_, tag, _)| *tag < 0x80).collect()
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}

/// What a call leaves in sinks of every kind behind what was there, and what it says.
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
    let written = written.strip_prefix(BEFORE).expect("what was there stays").to_vec();
    match done {
        Ok(len) => assert_eq!(len, written.len(), "the number of bytes written"),
        Err(_) => assert!(written.is_empty(), "nothing is written on an error"),
    }
    if let (Some(less), Ok(_)) = (written.len().checked_sub(1), done) {
        let (written, done) = with(less);
        assert_eq!(written, BEFORE, "a sink without room is as it was");
        assert!(no_room(done.unwrap_err()), "{done:?}");
    }
    done.map(|_| written)
}

fn is_too_small(error: Error) -> bool {
    error.kind() == ErrorKind::BufferTooSmall
}

fn same_filter(input: &[u8], set: &PathSet<8>, paths: &[Vec<u8>], keeps: bool) -> bool {
    let filter = if keeps { Filter::project(set) } else { Filter::remove(set) };
    let expected = filtered(input, paths, keeps);
    assert_eq!(filter.output_len(input), expected.as_ref().map(Vec::len).map_err(|error| *error), "keeps {keeps}");
    let needed = expected.as_ref().ok().map(Vec::len);
    let written = in_sinks(needed, |sink| filter.write(input, sink), is_too_small);
    assert_eq!(written, expected, "keeps {keeps}");
    let call = in_sinks(
        needed,
        |sink| if keeps { edit::project(input, set, sink) } else { edit::remove(input, set, sink) },
        is_too_small,
    );
    assert_eq!(call, expected, "keeps {keeps}");

    let mut storage = vec![Piece::EMPTY; input.len() + 1];
    let count = match filter.pieces(input, &mut storage) {
        Ok(pieces) => {
            same_pieces(input, pieces, expected.as_ref().unwrap());
            pieces.len()
        }
        Err(error) => {
            assert_eq!(Err(error), expected);
            0
        }
    };
    if count > 0 {
        assert!(filter.pieces(input, &mut storage[..count]).is_ok(), "room for exactly these pieces");
    }
    if let Ok(pieces) = filter.pieces(input, &mut storage) {
        let pieces = pieces.to_vec();
        #[cfg(feature = "alloc")]
        assert_eq!(filter.to_pieces(input).as_ref(), Ok(&pieces));
        let mut fewer = vec![Piece::EMPTY; pieces.len().saturating_sub(1)];
        assert_eq!(filter.pieces(input, &mut fewer).is_err(), !pieces.is_empty());
    }
    #[cfg(feature = "alloc")]
    {
        let mut out = BEFORE.to_vec();
        assert_eq!(filter.write(input, &mut out).map(|_| out[BEFORE.len()..].to_vec()), expected);
        assert_eq!(&out[..BEFORE.len()], BEFORE);
        assert!(expected.is_ok() || out == BEFORE);
    }
    if let Ok(expected) = &expected {
        // More pieces than are kept at a time.
        let (many, needed) = (input.repeat(18), expected.len() * 18);
        assert_eq!(in_sinks(Some(needed), |sink| filter.write(&many, sink), is_too_small), Ok(expected.repeat(18)));
    }
    expected.is_ok()
}

/// Pieces are the output; what is borrowed lies in the input, in order, and headers alone do not.
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
                "a piece of the input, behind the last"
            );
            assert!(!(is_input && end == range.start), "pieces that touch are one");
            end = range.end;
        } else {
            assert!(piece.as_bytes().len() <= 6, "only headers are copied");
        }
        is_input = piece.borrowed().is_some();
    }
}

fn same_patch(input: &[u8], path: &[u8], number: i64) {
    let narrow = i32::try_from(number).unwrap();
    let at = super::same::path(path);
    let first = first_at(input, path);
    let value = encode_nvar(i128::from(number));
    let mut bytes = input.to_vec();
    let done = edit::patch(&mut bytes, at, narrow);
    let padded = {
        let mut bytes = input.to_vec();
        let done = edit::patch_padded(&mut bytes, at, narrow);
        (bytes, done)
    };
    let packet = match first {
        Err(error) => {
            assert_eq!((&bytes[..], done), (input, Err(EditError::Failed(error))));
            assert_eq!(padded, (bytes, done));
            return;
        }
        Ok(None) => {
            assert_eq!((&bytes[..], done), (input, Err(EditError::NotFound)));
            assert_eq!(padded, (bytes, done));
            return;
        }
        Ok(Some((packet, _))) => packet,
    };
    if packet.is_node() {
        assert_eq!((&bytes[..], done), (input, Err(EditError::NotAPrimitive { offset: packet.offset as u64 })));
        assert_eq!(padded, (bytes, done));
        return;
    }
    let width = EditError::Width { offset: packet.value.start as u64, has: packet.value.len(), needs: value.len() };
    let patched = |value: &[u8]| [&input[..packet.value.start], value, &input[packet.value.end..]].concat();
    if value.len() == packet.value.len() {
        assert_eq!((bytes, done), (patched(&value), Ok(())));
    } else {
        assert_eq!((&bytes[..], done), (input, Err(width)));
    }
    if (value.len()..=4).contains(&packet.value.len()) {
        let long = narrow.to_be_bytes();
        assert_eq!(padded, (patched(&long[4 - packet.value.len()..]), Ok(())));
        let read = y3::PathSet::new([at]).watch(&padded.0).next().unwrap().unwrap();
        assert_eq!(read.decode::<i32>(), Ok(narrow), "patched and read again");
    } else {
        assert_eq!(padded, (input.to_vec(), Err(width)));
    }
}

fn same_splice(input: &[u8], path: &[u8], number: i64) {
    let at = super::same::path(path);
    let content = (0x3e, number);
    let encoded = packet(0x3e, &encode_nvar(i128::from(number)));
    let no_room = |error| matches!(error, EditError::Failed(error) if is_too_small(error));
    let first = first_at(input, path);
    let expected = |is_append: bool, is_replace: bool| {
        let (packet, mut around) = first.clone()?.ok_or(EditError::NotFound)?;
        if is_append && !packet.is_node() {
            return Err(Error::new(ErrorKind::NotANode, packet.offset as u64).into());
        }
        let place = if is_append {
            packet.value.end..packet.value.end
        } else {
            packet.offset..if is_replace { packet.value.end } else { packet.offset }
        };
        if is_append {
            around.push(packet);
        }
        Ok(spliced(input, &around, place, &encoded))
    };
    let replaced = expected(false, true);
    let needed = replaced.as_ref().ok().map(Vec::len);
    assert_eq!(in_sinks(needed, |sink| edit::replace(input, at, content, sink), no_room), replaced, "replace");
    let inserted = expected(false, false);
    let needed = inserted.as_ref().ok().map(Vec::len);
    assert_eq!(in_sinks(needed, |sink| edit::insert(input, at, content, sink), no_room), inserted, "insert");
    let appended = expected(true, false);
    let needed = appended.as_ref().ok().map(Vec::len);
    assert_eq!(in_sinks(needed, |sink| edit::append(input, at, content, sink), no_room), appended, "append");
}

fn same_canonical(input: &[u8]) {
    let deviation = edit::first_deviation(input);
    let shown = deviation.map(|deviation| deviation.map(|deviation| (deviation.kind(), deviation.offset())));
    assert_eq!(shown, first_deviation(input), "first deviation");
    assert_eq!(edit::is_canonical(input), deviation.map(|deviation| deviation.is_none()));
    let expected = canonical(input);
    let needed = expected.as_ref().ok().map(Vec::len);
    let written = in_sinks(needed.map(|needed| needed + 16), |sink| edit::canonicalize(input, sink), is_too_small);
    assert_eq!(written, expected, "canonical form");
    if let Ok(written) = expected {
        assert_eq!(edit::is_canonical(&written), Ok(true));
        assert_eq!(edit::is_canonical(input), Ok(written == input));
        let again = in_sinks(Some(written.len()), |sink| edit::canonicalize(&written, sink), is_too_small);
        assert_eq!(again, Ok(written), "canonical form of canonical bytes");
    }
}
