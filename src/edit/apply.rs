//! Apply: runs the rules of an edit over packets, in one pass.
//!
//! In: rules, and packets back to back. Out: cuts of the input, and packets written in their place.

use super::pieces::{Collect, Piece};
use super::rules::{Action, Edit, Rule};
use super::weave::{Measure, Target, Weave, place};
use crate::error::{Error, ErrorKind};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::path::Path;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

impl Edit<'_> {
    /// Writes the edited packets at the end of the sink, and returns the number of bytes written.
    ///
    /// Cost: one pass over the levels that paths lead through, up to the last place where a rule can do something, and one copy. An
    /// output of more than 16 [`pieces`](Self::pieces_in) takes a second pass, in which closing a changed node of 64 bytes or more
    /// shifts its body by one to four bytes. Allocates only what a growing sink needs.
    ///
    /// # Errors
    /// The errors of [`packets`] in the headers of these levels, and those of the rules: see [`Edit`].
    /// [`NotFound`](ErrorKind::NotFound) at the end of the input, [`SizeLimit`](ErrorKind::SizeLimit) for a node that becomes too
    /// long or more than 64 rules that write, [`BufferTooSmall`](ErrorKind::BufferTooSmall) if the sink has no room. The sink is then
    /// as it was before the call.
    ///
    /// # Examples
    /// ```
    /// use y3::{SliceSink, edit::{Edit, Rule}, path};
    ///
    /// let mut buffer = [0; 8];
    /// let mut out = SliceSink::new(&mut buffer);
    /// let rules = [Rule::remove(path!(0x01, 0x13))];
    /// assert_eq!(Edit::of(&rules).apply(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61], &mut out)?, 5);
    /// assert_eq!(out.written(), [0x81, 0x03, 0x11, 0x01, 0x07]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn apply<S: Sink>(&self, bytes: &[u8], sink: &mut S) -> Result<usize, Error> {
        self.write(bytes, sink, true)
    }

    /// As [`apply`](Self::apply); `is_whole` is false for a packet of a stream, where nothing is added after it.
    pub(super) fn write<S: Sink>(&self, bytes: &[u8], sink: &mut S, is_whole: bool) -> Result<usize, Error> {
        let mut encoder = Encoder::new(sink);
        let mut output = encoder.unfinished();
        let mut writer = output.writer();
        let start = writer.position();
        let mut few = [Piece::EMPTY; 16];
        match self.run(bytes, Collect { store: &mut few[..], count: 0 }, is_whole) {
            Ok((Collect { count, .. }, _)) => {
                few.iter().take(count).try_for_each(|piece| writer.append(piece.as_bytes()))?;
            }
            // Only the storage of pieces can be too small.
            Err(error) if error.kind() == ErrorKind::BufferTooSmall => {
                (writer, _) = self.run(bytes, writer, is_whole)?
            }
            Err(error) => return Err(error),
        }
        let end = writer.position();
        output.end(end);
        Ok(end - start)
    }

    /// The exact length of the output in bytes.
    ///
    /// Cost: one pass over the levels that paths lead through; allocates never.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn output_len(&self, bytes: &[u8]) -> Result<usize, Error> {
        self.run(bytes, Measure, true).map(|(_, len)| len)
    }

    /// The output as borrowed parts of the input and rewritten headers between them, for a vectored write.
    ///
    /// The concatenated pieces are the bytes that [`apply`](Self::apply) writes. No value is copied. If no rule changes anything,
    /// the input is one piece.
    /// Cost: one pass over the levels that paths lead through; allocates never. At most one piece per run of adjacent packets that
    /// stay, one per node around a change, and two per packet that a rule writes.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); [`BufferTooSmall`](ErrorKind::BufferTooSmall) if `storage` is too short, at the offset in the
    /// input of a piece that has no place in it.
    ///
    /// # Examples
    /// ```
    /// use y3::{edit::{Edit, Piece, Rule}, path};
    ///
    /// static REDACT: Edit<'static> = Edit::of(&[Rule::remove(path!(0x01, 0x13))]);
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let mut storage = [Piece::EMPTY; 8];
    /// let pieces = REDACT.pieces_in(&bytes, &mut storage)?;
    /// assert_eq!(pieces.len(), 2);
    /// assert_eq!(pieces[0].as_bytes(), [0x81, 0x03]);
    /// assert_eq!(pieces[1].as_bytes().as_ptr(), bytes[2..].as_ptr());
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn pieces_in<'e, 's>(
        &'e self,
        bytes: &'e [u8],
        storage: &'s mut [Piece<'e>],
    ) -> Result<&'s [Piece<'e>], Error> {
        let (Collect { count, .. }, _) = self.run(bytes, Collect { store: &mut *storage, count: 0 }, true)?;
        Ok(storage.get(..count).unwrap_or_default())
    }

    /// The output as pieces in a new vector; see [`pieces_in`](Self::pieces_in).
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use std::io::{IoSlice, Write};
    /// use y3::{edit::Edit, path};
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let edit = Edit::new().remove(path!(0x01, 0x13));
    /// let pieces = edit.pieces(&bytes)?;
    /// let parts: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece.as_bytes())).collect();
    /// let mut socket = Vec::new();
    /// assert_eq!(socket.write_vectored(&parts).unwrap(), 5);
    /// assert_eq!(socket, [0x81, 0x03, 0x11, 0x01, 0x07]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn pieces<'e>(&'e self, bytes: &'e [u8]) -> Result<alloc::vec::Vec<Piece<'e>>, Error> {
        let mut pieces = alloc::vec::Vec::new();
        let (Collect { count, .. }, _) = self.run(bytes, Collect { store: &mut pieces, count: 0 }, true)?;
        pieces.truncate(count);
        Ok(pieces)
    }

    /// Runs the rules over all of the input, and returns the target and the length of the output.
    fn run<'e, T: Target<'e>>(&'e self, bytes: &'e [u8], target: T, is_whole: bool) -> Result<(T, usize), Error> {
        let rules = self.rules()?;
        let sets = writers(rules).filter(|(_, rule)| rule.action == Action::Set && rule.path.depth() == 1);
        let sets = sets.fold(0, |all, (bit, _)| all | bit);
        let top = Level { way: Path::EMPTY, depth: 0, is_kept: !self.keeps(rules), sets, adds: is_whole };
        let mut run = Run { edit: self, rules, found: sets, output: Weave::new(bytes, target) };
        run.level(packets(bytes), top)?;
        if !self.skips_absent() && writers(rules).any(|(bit, _)| run.found & bit == 0) {
            return Err(Error::new(ErrorKind::NotFound, bytes.len() as u64));
        }
        run.output.finish()
    }
}

/// The packets at the top, in a node, or embedded in a primitive.
#[derive(Clone, Copy)]
struct Level {
    /// The keys that lead there, as a path that enters primitives where the input does, and their number.
    way: Path,
    depth: usize,
    /// Whether the level lies in a packet that is kept whole.
    is_kept: bool,
    /// The `set` rules for packets of this level that have found none yet.
    sets: u64,
    /// Whether such a rule adds a packet.
    adds: bool,
}

/// The rules that write packets, each with a bit of its own, lowest first.
fn writers<'e, 'r>(rules: &'e [Rule<'r>]) -> impl Iterator<Item = (u64, &'e Rule<'r>)> {
    (0..u64::BITS).map(|bit| 1 << bit).zip(rules.iter().filter(|rule| rule.writes()))
}

impl Level {
    /// The way into a packet of this level, and the packets there.
    fn inside<'a>(&self, packet: &Packet<'a>) -> (Path, Packets<'a>) {
        let way = self.way.then_key(self.depth, packet.key());
        if packet.is_node() { (way, packet.children()) } else { (way.crossing(self.depth + 1), packet.embedded()) }
    }
}

/// What the rules come to for one packet. Rules that write are bits: see [`writers`].
#[derive(Default)]
struct Meeting {
    /// Whether a path ends at it that is kept, or removed; then the rules inside it do not matter.
    is_kept: bool,
    is_removed: bool,
    /// Whether a path that is kept goes on inside, and whether any other does.
    leads_on: bool,
    is_entered: bool,
    /// Whether a path to be removed leads through it that cannot go on inside, and none that can.
    is_shut: bool,
    key: Option<Key>,
    inserts: u64,
    replaces: u64,
    appends: u64,
    /// The `set` rules for packets inside it.
    sets: u64,
}

struct Run<'e, 'r, T> {
    edit: &'e Edit<'r>,
    rules: &'e [Rule<'r>],
    /// The rules that write and have found their place.
    found: u64,
    output: Weave<'e, T>,
}

impl<'e, 'r, T: Target<'e>> Run<'e, 'r, T> {
    /// The rules that can still do something at a level or inside its packets, with their bits, if they write.
    #[inline(always)]
    fn rules_at(&self, level: &Level) -> impl Iterator<Item = (u64, &'e Rule<'r>)> {
        let Level { way, depth, is_kept, sets, .. } = *level;
        let (done, mut next) = (self.found & !sets, 1);
        let with_bits = self.rules.iter().map(move |rule| {
            let bit = if rule.writes() { next } else { 0 };
            next <<= u32::from(bit != 0);
            (bit, rule)
        });
        // All that lies in a kept packet is kept.
        with_bits.filter(move |(bit, rule)| {
            bit & done == 0 && !(is_kept && rule.action == Action::Keep) && rule.path.covers(way, depth)
        })
    }

    /// The keys of a level's packets that matter to a rule.
    fn keys(&self, level: &Level) -> KeySet {
        let steps = self.rules_at(level).filter_map(|(_, rule)| rule.path.step_at(level.depth));
        steps.fold(KeySet::EMPTY, |keys, step| keys | step.keys())
    }

    /// Edits a level.
    fn level(&mut self, mut packets: Packets<'e>, mut level: Level) -> Result<(), Error> {
        let mut keys = self.keys(&level);
        // If no rule is left, the rest of the level is not read.
        while !(keys.is_empty() && level.is_kept) {
            let start = place(packets.offset());
            let next = packets.next_with(|tag| keys.contains(tag.key())).transpose()?;
            if !level.is_kept {
                self.output.cut(start..place(next.map_or(packets.offset(), |packet| packet.offset())))?;
            }
            let Some(packet) = next else { break };
            let before = (self.found, level.sets);
            self.packet(&packet, &mut level)?;
            if before != (self.found, level.sets) {
                keys = self.keys(&level);
            }
        }
        // For each rule left here, the level was read to its end.
        for (bit, rule) in writers(self.rules).filter(|(bit, _)| level.sets & bit != 0) {
            match rule.path.step_at(level.depth).and_then(|step| step.key) {
                Some(key) if level.adds => self.put(place(packets.offset()), Some(key), rule)?,
                _ => self.found &= !bit,
            }
        }
        Ok(())
    }

    /// Edits a packet of a level.
    fn packet(&mut self, packet: &Packet<'e>, level: &mut Level) -> Result<(), Error> {
        let (start, end) = (place(packet.offset()), place(packet.end()));
        let meeting = self.meet(level, packet.tag());
        let is_kept = level.is_kept || meeting.is_kept;
        let (way, inside) = level.inside(packet);
        let mut inner = Level { way, depth: level.depth + 1, is_kept, sets: 0, adds: true };
        if !is_kept && !(meeting.leads_on && self.holds_kept(inside.clone(), &inner)?) {
            return self.output.cut(start..end);
        }
        self.put_all(meeting.inserts, start, None)?;
        self.found |= meeting.replaces | meeting.sets;
        level.sets &= !meeting.replaces;
        if meeting.is_removed || meeting.replaces != 0 {
            self.found &= !meeting.sets;
            self.output.cut(start..end)?;
            // The last rule wins.
            return match meeting.replaces.checked_ilog2() {
                Some(last) if !meeting.is_removed => self.put_all(1 << last, end, Some(packet.key())),
                _ => Ok(()),
            };
        }
        self.output.enter(packet, meeting.key.map_or(packet.tag(), |key| packet.tag().with_key(key)));
        if meeting.key.is_some() {
            self.output.open()?;
        }
        if meeting.is_entered || !is_kept {
            inner.sets = meeting.sets;
            self.level(inside, inner)?;
        }
        if meeting.is_shut || meeting.appends != 0 && !packet.is_node() {
            let kind = if packet.is_node() { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode };
            return Err(Error::new(kind, packet.offset()));
        }
        self.put_all(meeting.appends, end, None)?;
        self.output.leave()
    }

    /// Whether a level has packets to keep, at any depth. What lies before the first is read twice.
    fn holds_kept(&self, mut packets: Packets<'e>, level: &Level) -> Result<bool, Error> {
        let keys = self.keys(level);
        while let Some(packet) = packets.next_with(|tag| keys.contains(tag.key())).transpose()? {
            let meeting = self.meet(level, packet.tag());
            let (way, inside) = level.inside(&packet);
            let inner = Level { way, depth: level.depth + 1, ..*level };
            if meeting.is_kept || meeting.leads_on && self.holds_kept(inside, &inner)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the rules come to for a packet of a level.
    fn meet(&self, level: &Level, tag: Tag) -> Meeting {
        let (mut meeting, mut opens) = (Meeting::default(), false);
        for (bit, rule) in self.rules_at(level) {
            let Some(step) = rule.path.step_at(level.depth) else { continue };
            if step.key.is_some_and(|key| key != tag.key()) {
                continue;
            }
            let left = rule.path.depth() - level.depth - 1;
            match (rule.action, left) {
                (Action::Keep, 0) => meeting.is_kept = true,
                (Action::Remove, 0) => meeting.is_removed = true,
                (Action::Rename(key), 0) => meeting.key = Some(key),
                (Action::Set, 0) => meeting.replaces |= bit & level.sets,
                (Action::Replace, 0) => meeting.replaces |= bit,
                (Action::Insert, 0) => meeting.inserts |= bit,
                (Action::Append, 0) => meeting.appends |= bit,
                (Action::Keep, _) => meeting.leads_on |= step.crosses != tag.is_node(),
                _ if step.crosses != tag.is_node() => {
                    meeting.is_entered = true;
                    opens |= rule.action == Action::Remove;
                    if rule.action == Action::Set && left == 1 {
                        meeting.sets |= bit;
                    }
                }
                (Action::Remove, _) => meeting.is_shut = true,
                _ => {}
            }
        }
        meeting.is_shut &= !opens;
        meeting
    }

    /// Writes the packets of rules, which have then found their place.
    fn put_all(&mut self, bits: u64, at: usize, key: Option<Key>) -> Result<(), Error> {
        if bits == 0 {
            return Ok(());
        }
        self.found |= bits;
        writers(self.rules).filter(|(bit, _)| bits & bit != 0).try_for_each(|(_, rule)| self.put(at, key, rule))
    }

    /// Writes the packet of a rule; that of a `set` rule gets this key.
    fn put(&mut self, at: usize, key: Option<Key>, rule: &'e Rule<'r>) -> Result<(), Error> {
        let Some((tag, value)) = self.edit.content(rule) else { return Ok(()) };
        let key = key.filter(|_| rule.action == Action::Set).unwrap_or(tag.key());
        self.output.put(at, tag.with_key(key), value)
    }
}
