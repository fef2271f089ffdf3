//! Run: applies the rules of an edit to packets in one pass.

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
    /// The path to this level. A step of this path enters a primitive if the edit has entered a primitive there.
    path: Path,
    /// The number of steps of `path`.
    depth: usize,
    /// True if the level is inside a packet that is kept whole.
    is_kept: bool,
    /// The `set` rules for this level that have found no packet so far.
    sets: u64,
    keys: RuleKeys,
    /// The keys at which compiled paths of `keep` rules continue.
    kept: KeySet,
    /// The keys at which compiled paths of `remove` rules continue.
    removed: KeySet,
}

/// Makes the top level, before any rule is applied.
impl Default for Level {
    fn default() -> Self {
        let (keys, none) = (RuleKeys::NONE, KeySet::EMPTY);
        Self { path: Path::EMPTY, depth: 0, is_kept: false, sets: 0, keys, kept: none, removed: none }
    }
}

/// The decision about one packet. The numbers `inserts`, `replaces` and `appends` are sets of rules, as bits of
/// [`with_bits`].
#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each bool answers a separate question")]
struct Decision {
    /// The tag that the decision is made for, or `None` before the first decision.
    tag: Option<Tag>,
    /// True if a rule applies to the packet itself. Rules for packets inside the packet do not matter here.
    changes_packet: bool,
    /// True if the packet is removed. Rules for packets inside it then have no effect.
    is_removed: bool,
    /// True if the path of a `keep` rule continues inside the packet.
    keeps_inside: bool,
    /// True if the path of another rule continues inside the packet.
    edits_inside: bool,
    /// True if the path of a `remove` rule continues inside the packet.
    removes_inside: bool,
    /// True if the path of a `remove` rule needs to enter the packet but cannot.
    is_blocked: bool,
    key: Option<Key>,
    inserts: u64,
    replaces: u64,
    appends: u64,
    inside: Level,
}

impl Decision {
    /// Records that the path of a `keep` or `remove` rule ends at the packet.
    #[inline(always)]
    fn ends(&mut self, action: Action) {
        match action {
            Action::Keep => self.inside.is_kept = true,
            _ => self.is_removed = true,
        }
    }

    /// Records that the path of a `keep` or `remove` rule has more steps after the packet. `enters` is false if the
    /// path cannot enter the packet.
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
    /// True if a packet can be added at the end of the input.
    adds: bool,
}

impl<'e, 'r, T: Target<'e>> Run<'e, 'r, '_, T> {
    /// Calls `each` for each rule whose path is equal to `path` in the bits `shared`. The first argument of the call is
    /// the rule's bit of [`with_bits`]. Writing rules that were already applied are skipped. Inside a kept packet,
    /// `keep` rules are skipped.
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

    /// Returns the keys of the packets on a level to which a rule can apply.
    fn keys(&self, level: &Level) -> RuleKeys {
        let mut keys = RuleKeys::NONE;
        // The last step of the path can enter the packet or not. The level above has decided this, so the comparison
        // includes all bits of the step.
        self.each(level.path, Path::all_bits(level.depth), level, |_, rule| {
            if rule.depth > level.depth {
                keys.add(rule, level.depth);
            }
        });
        keys.others = keys.others.or(level.removed).or(if level.is_kept { KeySet::EMPTY } else { level.kept });
        keys
    }

    fn level(&mut self, mut packets: Packets<'e>, level: &mut Level) -> Result<(), Error> {
        let mut decision = Decision::default();
        while !packets.remainder().is_empty() {
            let Some(packet) = self.filter(&mut packets, &level.keys, level.is_kept)? else { break };
            // Neighbouring packets often have the same tag, so the decision is reused.
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
        // The remaining `set` rules found no packet on the whole level.
        if level.sets != 0 { self.add(level, packets.offset()) } else { Ok(()) }
    }

    /// Returns the next packet to which a rule other than `keep` or `remove` can apply. Keeps or cuts the packets
    /// before it.
    #[inline(always)]
    fn filter(
        &mut self,
        packets: &mut Packets<'e>,
        keys: &RuleKeys,
        is_kept: bool,
    ) -> Result<Option<Packet<'e>>, Error> {
        let wanted = keys.others.or(if is_kept { keys.removed } else { keys.kept });
        // If no rule is left, the remaining packets of the level are not read.
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

    /// Adds a packet for each `set` rule that found no packet.
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

    #[inline(always)]
    fn packet(&mut self, packet: &Packet<'e>, decision: &Decision, level: &mut Level) -> Result<(), Error> {
        let (is_kept, only_keeps) = (decision.inside.is_kept, !(decision.changes_packet || decision.edits_inside));
        // The other rules apply only to kept packets. The code therefore first checks if anything in this packet is
        // kept.
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

    /// Edits a packet that a rule removes, renames, replaces, inserts before, or appends to.
    #[inline(never)]
    fn act(&mut self, packet: &Packet<'e>, decision: &Decision, level: &mut Level) -> Result<(), Error> {
        let (start, end) = (packet.offset(), packet.end());
        self.put_all(decision.inserts, start, None)?;
        level.sets &= !decision.replaces;
        if decision.is_removed || decision.replaces != 0 {
            self.found |= decision.replaces;
            self.output.cut(start, end)?;
            // If several rules replace the packet, the last one wins.
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

    /// True if the packet contains a kept packet at any depth. When the edit then processes the packet, it reads the
    /// bytes before the first kept packet again.
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

    /// Decides which rules apply to a packet of a level.
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

    /// Decides which compiled paths apply to a packet of a level.
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

    /// Writes the packets of all rules in `set`, and marks these rules as applied.
    #[inline(always)]
    fn put_all(&mut self, set: u64, at: u64, key: Option<Key>) -> Result<(), Error> {
        if set == 0 {
            return Ok(());
        }
        self.found |= set;
        with_bits(self.rules).filter(|(bit, _)| set & bit != 0).try_for_each(|(_, rule)| self.put(at, key, rule))
    }

    /// Writes the packet of a rule. `key` is the key of the packet if the rule is a `set` rule.
    #[cold]
    fn put(&mut self, at: u64, key: Option<Key>, rule: &'e Rule<'r>) -> Result<(), Error> {
        let Some((tag, value)) = self.edit.content(rule) else { return Ok(()) };
        let key = key.filter(|_| rule.action == Action::Set).unwrap_or(tag.key());
        self.output.put(at, tag, key, value)
    }
}

/// Returns the child packets of a node or the embedded packets of a primitive.
#[inline(always)]
fn content<'a>(packet: &Packet<'a>) -> Packets<'a> {
    if packet.is_node() { packet.children() } else { packet.embedded() }
}
