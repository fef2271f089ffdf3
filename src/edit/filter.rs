//! Filter: keeps the watched packets, or all others, with the same walk.
//!
//! In: packets back to back and a set of paths. Out: the packets kept, in a sink or as pieces, or only their length.

use super::follow::{Level, Step, content, place};
use super::output::{Copier, Measure, NODES, Output, header};
use super::pieces::{Piece, Plan, Store};
use crate::error::{Error, ErrorKind};
use crate::read::lookup::WatchedPaths;
use crate::read::packets::{Packets, packets};

use crate::write::encoder::Encoder;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Writes the watched packets and the nodes around them, drops all others, and returns the number of bytes written.
///
/// Bytes: watching `01/11`, `81 06 11 01 07 13 01 61` becomes `81 03 11 01 07`. A watched packet is copied byte for byte,
/// header included; packets inside it are not read. The nodes around it, and the primitives that a path crosses, keep their tags
/// and get minimal lengths. One without a watched packet inside is dropped. The order is kept. [`Filter::output_len`] returns the same number without
/// writing.
/// Cost: one pass over the levels that paths lead through and one copy of the output, for large inputs a few more passes:
/// see [`Filter::write`]. Allocates only what a growing sink needs. Recurses at most 8 levels, one per key of a path.
///
/// # Errors
/// The errors of [`packets`] in the headers of these levels, and [`BufferTooSmall`](ErrorKind::BufferTooSmall) if the sink has
/// no room. The sink is then as it was before the call.
///
/// # Examples
/// ```
/// use y3::{PathSet, SliceSink, edit, path};
///
/// const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
/// let mut buffer = [0; 8];
/// let mut out = SliceSink::new(&mut buffer);
/// assert_eq!(edit::project(&bytes, &NOISE, &mut out)?, 5);
/// assert_eq!(out.written(), [0x81, 0x03, 0x11, 0x01, 0x07]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
pub fn project<S: Sink>(bytes: &[u8], paths: impl WatchedPaths, sink: &mut S) -> Result<usize, Error> {
    Filter::project(paths).write(bytes, sink)
}

/// Writes all packets but the watched ones, and returns the number of bytes written. Fails closed: use it to redact.
///
/// Bytes: watching `01/13`, `81 06 11 01 07 13 01 61` becomes `81 03 11 01 07`. All packets at a watched path are removed,
/// duplicates included. The nodes that a path leads through, and the primitives that it crosses, keep their tags and get minimal
/// lengths; one that becomes empty is kept. Every other packet is copied byte for byte; packets inside it are not read. The order is kept.
/// [`Filter::output_len`] returns the same number without writing.
/// Cost: one pass over the levels that paths lead through and one copy of the output, for large inputs a few more passes:
/// see [`Filter::write`]. Allocates only what a growing sink needs. Recurses at most 8 levels, one per key of a path.
///
/// # Errors
/// If a path cannot be followed to its end in all of the input, nothing is written: the errors of [`packets`] in the headers
/// of the levels that paths lead through, in payloads too; [`NotANode`](ErrorKind::NotANode) for a primitive where a path needs a
/// node, and [`NotAPrimitive`](ErrorKind::NotAPrimitive) for a node where a path only crosses primitives. With a step `*` that
/// holds for every packet at that step.
/// [`BufferTooSmall`](ErrorKind::BufferTooSmall) if the sink has no room. The sink is then as it was before the call.
///
/// # Examples
/// ```
/// use y3::{ErrorKind, PathSet, SliceSink, edit, path};
///
/// const SECRETS: PathSet<1> = PathSet::new([path!(0x01, 0x13, 0x02)]);
///
/// let mut buffer = [0; 8];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::remove(&[0x81, 0x05, 0x93, 0x03, 0x02, 0x01, 0x61], &SECRETS, &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x02, 0x93, 0x00]);
///
/// // `13` is a primitive here, and another reader may find the secret inside it.
/// let error = edit::remove(&[0x81, 0x05, 0x13, 0x03, 0x02, 0x01, 0x61], &SECRETS, &mut out).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::NotANode, 2));
/// assert_eq!(out.written().len(), 4);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
pub fn remove<S: Sink>(bytes: &[u8], paths: impl WatchedPaths, sink: &mut S) -> Result<usize, Error> {
    Filter::remove(paths).write(bytes, sink)
}

/// Which packets of an input to keep: the watched ones ([`project`]) or all others ([`remove`]).
///
/// # Examples
/// ```
/// use y3::{PathSet, edit::Filter, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
/// const ONLY: Filter<&PathSet<1>> = Filter::project(&WATCHED);
///
/// assert_eq!(ONLY.output_len(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61])?, 5);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, Debug)]
pub struct Filter<P> {
    paths: P,
    keeps_watched: bool,
}

impl<P: WatchedPaths> Filter<P> {
    /// Keeps the watched packets and the nodes around them, as [`project`] does.
    #[must_use]
    pub const fn project(paths: P) -> Self {
        Self { paths, keeps_watched: true }
    }

    /// Keeps everything but the watched packets, as [`remove`] does.
    #[must_use]
    pub const fn remove(paths: P) -> Self {
        Self { paths, keeps_watched: false }
    }

    /// The exact length of the output in bytes.
    ///
    /// Cost: one pass over the levels that paths lead through; allocates never.
    ///
    /// # Errors
    /// As [`project`] and [`remove`].
    pub fn output_len(&self, bytes: &[u8]) -> Result<usize, Error> {
        self.run(bytes, &mut Measure::default())
    }

    /// Writes the packets kept at the end of the sink, and returns the number of bytes written.
    ///
    /// Cost: one pass over the levels that paths lead through, and one copy; adjacent packets are copied at once. An output of
    /// more than 16 [`pieces`](Self::pieces) takes two more passes. After the first 512 nodes that paths lead through, each
    /// level is also measured once per node around it, at most 7 times. [`pieces`](Self::pieces) always takes one pass.
    /// Allocates only what a growing sink needs.
    ///
    /// # Errors
    /// As [`project`] and [`remove`].
    pub fn write<S: Sink>(&self, bytes: &[u8], sink: &mut S) -> Result<usize, Error> {
        let mut encoder = Encoder::new(sink);
        let mut output = encoder.unfinished();
        let mut writer = output.writer();
        let start = writer.position();
        let mut few = [Piece::EMPTY; 16];
        match self.pieces(bytes, &mut few) {
            Ok(pieces) => pieces.iter().try_for_each(|piece| writer.append(piece.as_bytes()))?,
            Err(error) if error.kind() == ErrorKind::BufferTooSmall => self.write_many(bytes, &mut writer)?,
            Err(error) => return Err(error),
        }
        let end = writer.position();
        output.end(end);
        Ok(end - start)
    }

    /// Writes an output of more pieces than `write` stores, in two passes.
    #[cold]
    fn write_many<S: Sink>(&self, bytes: &[u8], writer: &mut Writer<'_, S>) -> Result<(), Error> {
        // The first pass finds all errors before anything is written, and the lengths of the first nodes.
        let mut lengths = [0; NODES];
        self.run(bytes, &mut Measure { lengths: &mut lengths, nodes: 0 })?;
        let drops_empty = self.keeps_watched;
        let mut copier = Copier { input: bytes, writer, run: 0..0, lengths: &lengths, drops_empty };
        self.run(bytes, &mut copier)?;
        copier.flush()
    }

    /// The output as borrowed parts of the input and rewritten headers between them, for a vectored write.
    ///
    /// The concatenated pieces are the bytes that [`write`](Self::write) writes. No value is copied. If all packets are kept
    /// and all lengths are minimal, the input is one piece.
    /// Cost: one pass over the levels that paths lead through; allocates never. At most one piece per run of adjacent packets
    /// kept and one per node around them.
    ///
    /// # Errors
    /// As [`project`] and [`remove`]; [`BufferTooSmall`](ErrorKind::BufferTooSmall) if `storage` is too short, at the offset in
    /// the input of a piece that has no place in it.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, edit::{Filter, Piece}, path};
    ///
    /// const SECRETS: PathSet<1> = PathSet::new([path!(0x01, 0x13)]);
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let mut storage = [Piece::EMPTY; 8];
    /// let pieces = Filter::remove(&SECRETS).pieces(&bytes, &mut storage)?;
    /// assert_eq!(pieces.len(), 2);
    /// assert_eq!(pieces[0].as_bytes(), [0x81, 0x03]);
    /// assert_eq!(pieces[1].as_bytes().as_ptr(), bytes[2..].as_ptr());
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn pieces<'a, 's>(&self, bytes: &'a [u8], storage: &'s mut [Piece<'a>]) -> Result<&'s [Piece<'a>], Error> {
        let count = self.plan(bytes, storage)?;
        Ok(storage.get(..count).unwrap_or_default())
    }

    /// The output as pieces in a new vector; see [`pieces`](Self::pieces).
    ///
    /// # Errors
    /// As [`project`] and [`remove`].
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use std::io::{IoSlice, Write};
    /// use y3::{PathSet, edit::Filter, path};
    ///
    /// const SECRETS: PathSet<1> = PathSet::new([path!(0x01, 0x13)]);
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let pieces = Filter::remove(&SECRETS).to_pieces(&bytes)?;
    /// let parts: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece.as_bytes())).collect();
    /// let mut socket = Vec::new();
    /// assert_eq!(socket.write_vectored(&parts).unwrap(), 5);
    /// assert_eq!(socket, [0x81, 0x03, 0x11, 0x01, 0x07]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn to_pieces<'a>(&self, bytes: &'a [u8]) -> Result<alloc::vec::Vec<Piece<'a>>, Error> {
        let mut pieces = alloc::vec::Vec::new();
        let count = self.plan(bytes, &mut pieces)?;
        pieces.truncate(count);
        Ok(pieces)
    }

    fn plan<'a, T: Store<'a> + ?Sized>(&self, bytes: &'a [u8], store: &mut T) -> Result<usize, Error> {
        let mut plan = Plan::new(bytes, store);
        self.run(bytes, &mut plan)?;
        plan.finish()
    }

    fn run<'a>(&self, bytes: &'a [u8], output: &mut impl Output<'a>) -> Result<usize, Error> {
        self.level(packets(bytes), Level::outermost(&self.paths), output)
    }

    /// Passes the packets kept at a level to `output`, and returns their length. Recurses into nodes that a path leads through,
    /// so at most as deep as the longest path.
    fn level<'a>(&self, mut packets: Packets<'a>, level: Level, output: &mut impl Output<'a>) -> Result<usize, Error> {
        let mut len = 0;
        loop {
            let others = packets.offset();
            let found = packets.next_with(|tag| level.keys.contains(tag.key())).transpose()?;
            // The packets before it whose keys are in no path: all are kept, or none.
            if !self.keeps_watched {
                let end = found.map_or(packets.offset(), |packet| packet.offset());
                len += copy(output, others, end)?;
            }
            let Some(packet) = found else { return Ok(len) };
            match level.select(&self.paths, packet.tag()) {
                Step::Watched if self.keeps_watched => len += copy(output, packet.offset(), packet.end())?,
                Step::Watched => {}
                Step::Inside(inside) => {
                    let place =
                        output.enter(&packet, || self.level(content(&packet), inside, &mut Measure::default()))?;
                    let body = self.level(content(&packet), inside, output)?;
                    // A packet has at least two bytes, so an empty body holds no watched packet.
                    if self.keeps_watched && body == 0 {
                        output.drop_node(place);
                    } else {
                        let header = header(packet.tag(), body);
                        output.leave(place, &packet, header, body)?;
                        len += header.len() + body;
                    }
                }
                Step::Elsewhere if self.keeps_watched => {}
                // A reader that does not tell nodes from primitives may find a watched packet inside it.
                Step::Elsewhere => {
                    let kind = if packet.is_node() { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode };
                    return Err(Error::new(kind, packet.offset()));
                }
            }
        }
    }
}

fn copy<'a>(output: &mut impl Output<'a>, start: u64, end: u64) -> Result<usize, Error> {
    let range = place(start)..place(end);
    let len = range.len();
    if len > 0 {
        output.copy(range)?;
    }
    Ok(len)
}
