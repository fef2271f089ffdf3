//! Run: applies the rules of an edit to packets in one pass.
//!
//! In: rules, and any number of packets. Out: ranges of the input to cut, and the packets to write in their place.

use super::rule::{Action, Rule, RuleKeys, Top, with_bits};
use super::rules::{Compiled, Edit};
use super::splice::Splicer;
use super::target::Target;
use crate::error::{Error, ErrorKind};
use crate::read::keys::KeySet;
use crate::read::lookup::Prefix;
use crate::read::lookup::sealed::Lookup;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::path::Path;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

impl Edit<'_> {
    /// Applies the rules to the whole input and returns the length of the output.
    pub(super) fn run<'e, T: Target<'e>>(
        &'e self,
        bytes: &'e [u8],
        target: &mut T,
        is_whole: bool,
    ) -> Result<usize, Error> {
        let rules = self.rules()?;
        let Top { keys, keeps, writes, sets, .. } = self.top;
        let root = |paths: &Option<Compiled>| paths.as_ref().map_or(KeySet::EMPTY, |paths| paths.keys_at(Prefix::ROOT));
        let (kept, removed) = (root(&self.kept), root(&self.removed));
        let keys = RuleKeys { others: keys.others.or(kept).or(removed), ..keys };
        let is_kept = self.kept.is_none() && !keeps;
        let mut top = Level { is_kept, sets, keys, kept, removed, ..Level::default() };
        let mut run = Run { edit: self, rules, found: top.sets, output: Splicer::new(bytes, target), adds: is_whole };
        run.level(packets(bytes), &mut top)?;
        if run.found != writes && !self.skips_absent {
            return Err(Error::new(ErrorKind::NotFound, bytes.len() as u64));
        }
        run.output.finish()
    }
}

/// A level: the top-level packets, the packets in a node, or the packets embedded in a primitive.
#[derive(Clone, Copy)]
struct Level {
    /// The keys on the path to this level, and their number. A step of the path enters a primitive where the edit
    /// entered a primitive.
    path: Path,
    depth: usize,
    /// Whether the level is inside a packet that is kept whole.
    is_kept: bool,
    /// The `set` rules for this level that have found no packet so far.
    sets: u64,
    keys: RuleKeys,
    /// The keys at which compiled paths continue.
    kept: KeySet,
    removed: KeySet,
}

/// Makes the top level, before any rule is applied.
impl Default for Level {
    fn default() -> Self {
        let (keys, none) = (RuleKeys::NONE, KeySet::EMPTY);
        Self { path: Path::EMPTY, depth: 0, is_kept: false, sets: 0, keys, kept: none, removed: none }
    }
}

/// The decision about one packet. A set of writing rules is a number with one bit for each, as in [`with_bits`].
#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is the answer to a question of its own")]
struct Decision {
    /// The packet's tag, if the tag is known.
    tag: Option<Tag>,
    /// Whether the packet itself changes. A change to the packets inside it does not count.
    changes_packet: bool,
    /// Whether the packet is removed. Rules for packets inside it then have no effect.
    is_removed: bool,
    /// Whether a kept path continues inside the packet, and whether any other path continues there.
    keeps_inside: bool,
    edits_inside: bool,
    /// Whether a path to remove leads into the packet, and whether one needs to enter it but cannot.
    removes_inside: bool,
    is_blocked: bool,
    key: Option<Key>,
    inserts: u64,
    replaces: u64,
    appends: u64,
    inside: Level,
}

impl Decision {
    /// Records that a path to keep or remove ends at the packet.
    #[inline(always)]
    fn ends(&mut self, action: Action) {
        match action {
            Action::Keep => self.inside.is_kept = true,
            _ => self.is_removed = true,
        }
    }

    /// Records that a path to keep or remove leads through the packet. `enters` is false if the path cannot enter the
    /// packet.
    #[inline(always)]
    fn leads_inside(&mut self, action: Action, enters: bool) {
        match (action, enters) {
            (Action::Keep, true) => self.keeps_inside = true,
            (Action::Keep, false) => {}
            (_, true) => (self.edits_inside, self.removes_inside) = (true, true),
            (_, false) => self.is_blocked = true,
        }
    }
}

struct Run<'e, 'r, 't, T> {
    edit: &'e Edit<'r>,
    rules: &'e [Rule<'r>],
    /// The writing rules that have already been applied.
    found: u64,
    output: Splicer<'e, 't, T>,
    /// Whether a packet may be added at the end of the input.
    adds: bool,
}

impl<'e, 'r, T: Target<'e>> Run<'e, 'r, '_, T> {
    /// Calls `each` for the rules that agree with `path` in the bits `shared`. A call for a writing rule also gets the
    /// rule's bit. Skips writing rules that were already applied, and `keep` rules inside a kept packet.
    #[inline(always)]
    fn each(&self, path: Path, shared: u64, level: &Level, mut each: impl FnMut(u64, &Rule<'r>)) {
        let done = self.found & !level.sets;
        for (bit, rule) in with_bits(self.rules) {
            let matters = bit & done == 0 && !(level.is_kept && rule.action == Action::Keep);
            if rule.path.shares(path, shared & rule.fixed) && matters {
                each(bit, rule);
            }
        }
    }

    /// Returns the keys at a level to which a rule may apply.
    fn keys(&self, level: &Level) -> RuleKeys {
        let mut keys = RuleKeys::NONE;
        // The last step may enter the packet or not. The level above decides this, so all paths at this level share the
        // step.
        self.each(level.path, Path::all_bits(level.depth), level, |_, rule| {
            if rule.depth > level.depth {
                keys.add(rule, level.depth);
            }
        });
        keys.others = keys.others.or(level.removed).or(if level.is_kept { KeySet::EMPTY } else { level.kept });
        keys
    }

    /// Edits a level.
    fn level(&mut self, mut packets: Packets<'e>, level: &mut Level) -> Result<(), Error> {
        let mut decision = Decision::default();
        while !packets.remainder().is_empty() {
            let Some(packet) = self.filter(&mut packets, &level.keys, level.is_kept)? else { break };
            // Neighbouring packets often have the same tag.
            if decision.tag != Some(packet.tag()) {
                self.decide(level, packet.tag(), &mut decision);
            }
            let before = (self.found, level.sets);
            self.packet(&packet, &decision, level)?;
            if before != (self.found, level.sets) {
                level.keys = self.keys(level);
                decision.tag = None;
            }
        }
        // These `set` rules found no packet on the whole level.
        if level.sets != 0 { self.add(level, packets.offset()) } else { Ok(()) }
    }

    /// Returns the next packet to which another rule than keep or remove may apply. Packets before it are kept or cut.
    #[inline(always)]
    fn filter(
        &mut self,
        packets: &mut Packets<'e>,
        keys: &RuleKeys,
        is_kept: bool,
    ) -> Result<Option<Packet<'e>>, Error> {
        let wanted = keys.others.or(if is_kept { keys.removed } else { keys.kept });
        // If no rule is left, the remaining packets of the level stay unread.
        if is_kept && wanted.is_empty() {
            return Ok(None);
        }
        let mut start = packets.offset();
        while let Some(packet) = packets.next_with(|tag| wanted.contains(tag.key())) {
            let packet = packet?;
            let is_other = keys.others.contains(packet.key());
            if is_kept && !is_other {
                self.output.cut(packet.offset(), packet.end())?;
            } else if is_other || !keys.removed.contains(packet.key()) {
                if !is_kept {
                    self.output.cut(start, packet.offset())?;
                }
                if is_other {
                    return Ok(Some(packet));
                }
                start = packet.end();
            }
        }
        if !is_kept {
            self.output.cut(start, packets.offset())?;
        }
        Ok(None)
    }

    #[inline(never)]
    fn leaf(&mut self, mut packets: Packets<'e>, keys: RuleKeys, is_kept: bool) -> Result<(), Error> {
        let keys = RuleKeys { others: KeySet::EMPTY, ..keys };
        self.filter(&mut packets, &keys, is_kept).map(drop)
    }

    /// Adds packets for the `set` rules that found no packet.
    #[cold]
    fn add(&mut self, level: &Level, end: u64) -> Result<(), Error> {
        for (bit, rule) in with_bits(self.rules).filter(|(bit, _)| level.sets & bit != 0) {
            match rule.path.step_at(level.depth).and_then(|step| step.key) {
                Some(key) if self.adds || level.depth > 0 => self.put(end, Some(key), rule)?,
                _ => self.found &= !bit,
            }
        }
        Ok(())
    }

    /// Edits a packet of a level.
    #[inline(always)]
    fn packet(&mut self, packet: &Packet<'e>, decision: &Decision, level: &mut Level) -> Result<(), Error> {
        let (is_kept, only_keeps) = (decision.inside.is_kept, !(decision.changes_packet || decision.edits_inside));
        // Other rules apply only to kept packets, so this code first finds out whether anything in this packet is kept.
        if !is_kept && !(decision.keeps_inside && (only_keeps || self.holds_kept(packet, decision)?)) {
            return self.output.cut(packet.offset(), packet.end());
        }
        if decision.changes_packet {
            return self.act(packet, decision, level);
        }
        self.output.enter(packet, packet.tag(), !is_kept && only_keeps);
        self.inside(packet, decision)?;
        self.output.leave()
    }

    /// Edits a packet that is removed, renamed or replaced, or next to which a rule writes.
    #[inline(never)]
    fn act(&mut self, packet: &Packet<'e>, decision: &Decision, level: &mut Level) -> Result<(), Error> {
        let (start, end) = (packet.offset(), packet.end());
        self.put_all(decision.inserts, start, None)?;
        level.sets &= !decision.replaces;
        if decision.is_removed || decision.replaces != 0 {
            self.found |= decision.replaces;
            self.output.cut(start, end)?;
            // The last rule wins.
            return match decision.replaces.checked_ilog2() {
                Some(last) if !decision.is_removed => self.put_all(1 << last, end, Some(packet.key())),
                _ => Ok(()),
            };
        }
        let tag = decision.key.map_or(packet.tag(), |key| self.output.tag(packet.tag(), key));
        self.output.enter(packet, tag, false);
        if decision.key.is_some() {
            self.output.open()?;
        }
        self.inside(packet, decision)?;
        if decision.is_blocked && !decision.removes_inside || decision.appends != 0 && !packet.is_node() {
            let kind = if packet.is_node() { ErrorKind::NotAPrimitive } else { ErrorKind::NotANode };
            return Err(Error::new(kind, packet.offset()));
        }
        self.put_all(decision.appends, end, None)?;
        self.output.leave()
    }

    /// Edits the packets inside a packet of a level.
    #[inline(always)]
    fn inside(&mut self, packet: &Packet<'e>, decision: &Decision) -> Result<(), Error> {
        let inside = &decision.inside;
        if inside.is_kept && !decision.edits_inside {
            return Ok(());
        }
        self.found |= inside.sets;
        if inside.keys.others.is_empty() && inside.sets == 0 {
            return self.leaf(content(packet), inside.keys, inside.is_kept);
        }
        self.level(content(packet), &mut inside.clone())
    }

    /// Whether the packet contains a kept packet at any depth. The bytes before the first kept packet are read a second
    /// time later.
    #[cold]
    fn holds_kept(&self, packet: &Packet<'e>, Decision { inside, .. }: &Decision) -> Result<bool, Error> {
        let (mut packets, mut decision) = (content(packet), Decision::default());
        while let Some(packet) = packets.next_with(|tag| inside.keys.all().contains(tag.key())).transpose()? {
            self.decide(inside, packet.tag(), &mut decision);
            if decision.inside.is_kept || decision.keeps_inside && self.holds_kept(&packet, &decision)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Determines which rules apply to a packet of a level.
    fn decide(&self, level: &Level, tag: Tag, decision: &mut Decision) {
        let depth = level.depth;
        let path = level.path.then_key(depth, tag.key());
        *decision = Decision { tag: Some(tag), ..Decision::default() };
        decision.inside.path = if tag.is_node() { path } else { path.entering(depth + 1) };
        (decision.inside.depth, decision.inside.is_kept) = (depth + 1, level.is_kept);
        self.each(path, Path::first_bits(depth + 1), level, |bit, rule| {
            let inside = &mut decision.inside;
            if rule.depth > depth + 1 {
                let enters = rule.path.enters_at(depth) != tag.is_node();
                if enters {
                    inside.keys.add(rule, depth + 1);
                }
                match rule.action {
                    Action::Keep | Action::Remove => decision.leads_inside(rule.action, enters),
                    Action::Set if enters && rule.depth == depth + 2 => {
                        decision.edits_inside = true;
                        inside.sets |= bit;
                    }
                    _ => decision.edits_inside |= enters,
                }
            } else if rule.depth == depth + 1 {
                match rule.action {
                    Action::Keep | Action::Remove => decision.ends(rule.action),
                    Action::Rename(key) => decision.key = key,
                    Action::Set => decision.replaces |= bit & level.sets,
                    Action::Replace => decision.replaces |= bit,
                    Action::Insert => decision.inserts |= bit,
                    Action::Append => decision.appends |= bit,
                }
            }
        });
        if level.kept.or(level.removed).contains(tag.key()) {
            self.decide_compiled(level, tag, decision);
        }
        let is_changed = decision.is_removed | decision.is_blocked | decision.key.is_some();
        decision.changes_packet = is_changed || decision.inserts | decision.replaces | decision.appends != 0;
    }

    /// Determines which compiled paths apply to a packet of a level.
    fn decide_compiled(&self, level: &Level, tag: Tag, decision: &mut Decision) {
        let kept = if level.is_kept { KeySet::EMPTY } else { level.kept };
        for (action, paths, keys) in
            [(Action::Keep, &self.edit.kept, kept), (Action::Remove, &self.edit.removed, level.removed)]
        {
            let Some(paths) = paths.as_ref().filter(|_| keys.contains(tag.key())) else { continue };
            let found = paths.select(Prefix::of(level.path, level.depth), keys, tag);
            if found.path_index.is_some() {
                decision.ends(action);
            }
            let enters = found.enters(paths);
            decision.leads_inside(action, enters);
            if enters {
                let inside = &mut decision.inside;
                *if action == Action::Keep { &mut inside.kept } else { &mut inside.removed } = found.keys;
                inside.keys.others = inside.keys.others.or(found.keys);
            }
        }
    }

    /// Writes the packets of the rules in `set`, and marks these rules as applied.
    #[inline(always)]
    fn put_all(&mut self, set: u64, at: u64, key: Option<Key>) -> Result<(), Error> {
        if set == 0 {
            return Ok(());
        }
        self.found |= set;
        with_bits(self.rules).filter(|(bit, _)| set & bit != 0).try_for_each(|(_, rule)| self.put(at, key, rule))
    }

    /// Writes the packet of a rule. For a `set` rule, `key` is the packet's key.
    #[cold]
    fn put(&mut self, at: u64, key: Option<Key>, rule: &'e Rule<'r>) -> Result<(), Error> {
        let Some((tag, value)) = self.edit.content(rule) else { return Ok(()) };
        let key = key.filter(|_| rule.action == Action::Set).unwrap_or(tag.key());
        self.output.put(at, tag, key, value)
    }
}

/// Returns the packets inside a node or embedded in a primitive.
#[inline(always)]
fn content<'a>(packet: &Packet<'a>) -> Packets<'a> {
    if packet.is_node() { packet.children() } else { packet.embedded() }
}
