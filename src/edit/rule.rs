//! Rule: an action of an edit at a path.
//!
//! In: a path, and the packet to write there. Out: a rule, and a summary of all rules, made before any packet is read.

use crate::error::ErrorKind;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::path::{Path, Step};
use crate::wire::key::Key;

/// One rule of an [`Edit`](super::Edit): an action at a path. Use it for rules in a constant, without an allocator, and
/// to collect many rules at once. A `Rule` borrows the packet that it writes; the methods of `Edit` encode a value.
///
/// # Examples
/// ```
/// use y3::edit::{Edit, Rule};
/// use y3::{SliceSink, path};
///
/// const REDACT: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(0x01, 0x13)), Rule::remove(path!(0x01, 0x14))]);
///
/// let mut buffer = [0; 8];
/// let mut out = SliceSink::new(&mut buffer);
/// REDACT.apply(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61], &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x03, 0x11, 0x01, 0x07]);
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    pub(super) path: Path,
    /// The number of steps, and the bits in which the path of a packet has to agree.
    pub(super) depth: usize,
    pub(super) fixed: u64,
    pub(super) action: Action,
    pub(super) content: Content<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Keep,
    Remove,
    /// The new key; `None` if the number is above 63, which makes the edit an error.
    Rename(Option<Key>),
    Set,
    Replace,
    Insert,
    Append,
}

/// The packet that a rule writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    None,
    Borrowed(Packet<'a>),
    /// A range of the edit's own bytes.
    #[cfg(feature = "alloc")]
    Own(usize, usize),
}

impl<'a> Rule<'a> {
    pub(super) const fn new(path: Path, action: Action, content: Content<'a>) -> Self {
        Self { path, depth: path.len(), fixed: path.fixed(), action, content }
    }

    /// Keeps the packets at a path; see `Edit::keep`.
    #[must_use]
    pub const fn keep(path: Path) -> Self {
        Self::new(path, Action::Keep, Content::None)
    }

    /// Removes all packets at a path; see `Edit::remove`.
    #[must_use]
    pub const fn remove(path: Path) -> Self {
        Self::new(path, Action::Remove, Content::None)
    }

    /// Gives all packets at a path another key; see `Edit::rename`.
    #[must_use]
    pub const fn rename(path: Path, key: u8) -> Self {
        Self::new(path, Action::Rename(Key::new(key)), Content::None)
    }

    /// Writes the value of `packet` to the first packet at a path, under that path's last key; see `Edit::set`.
    #[must_use]
    pub const fn set(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Set, Content::Borrowed(packet))
    }

    /// Writes `packet` in place of the first packet at a path, under its own key; see `Edit::replace`.
    #[must_use]
    pub const fn replace(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Replace, Content::Borrowed(packet))
    }

    /// Writes `packet` before the first packet at a path; see `Edit::insert`.
    #[must_use]
    pub const fn insert(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Insert, Content::Borrowed(packet))
    }

    /// Writes `packet` at the end of the first node at a path; see `Edit::append`.
    #[must_use]
    pub const fn append(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Append, Content::Borrowed(packet))
    }

    /// Whether the rule writes a packet. Such a rule writes only once, at the first place that it finds.
    pub(super) const fn writes(&self) -> bool {
        !matches!(self.content, Content::None)
    }
}

/// The summary of all rules, made before any packet is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    /// The keys of the top-level packets that matter.
    pub(super) keys: RuleKeys,
    /// Whether any rule is a `keep`.
    pub(super) keeps: bool,
    /// The rules that write packets, and those that set a top-level packet, as bits: see [`with_bits`].
    pub(super) writes: u64,
    pub(super) sets: u64,
    /// The error of the rules themselves: more writing rules than bits, or a key above 63.
    pub(super) error: Option<ErrorKind>,
}

impl Top {
    pub(super) const fn of(rules: &[Rule<'_>]) -> Self {
        let mut top = Self { keys: RuleKeys::NONE, keeps: false, writes: 0, sets: 0, error: None };
        let mut left = rules;
        while let [rule, others @ ..] = left {
            top.keys.add(rule, 0);
            top.keeps |= matches!(rule.action, Action::Keep);
            if let Action::Rename(None) = rule.action {
                top.error = Some(ErrorKind::InvalidKey);
            }
            if rule.writes() {
                if top.writes == u64::MAX {
                    top.error = Some(ErrorKind::SizeLimit);
                }
                let bit = !top.writes & top.writes.wrapping_add(1);
                top.writes |= bit;
                top.sets |= if matches!(rule.action, Action::Set) && rule.depth == 1 { bit } else { 0 };
            }
            left = others;
        }
        top
    }
}

/// The keys of a level's packets that matter to a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleKeys {
    /// The keys at which paths end: packets that are kept, or removed.
    pub(super) kept: KeySet,
    pub(super) removed: KeySet,
    /// The keys at which paths continue, or at which other rules apply.
    pub(super) others: KeySet,
}

impl RuleKeys {
    pub(super) const NONE: RuleKeys = RuleKeys { kept: KeySet::EMPTY, removed: KeySet::EMPTY, others: KeySet::EMPTY };

    /// Adds the next key of a rule's path at a level of this depth. The path must have more keys than the depth.
    #[inline(always)]
    pub(super) const fn add(&mut self, rule: &Rule<'_>, depth: usize) {
        let set = match rule.action {
            Action::Keep if rule.depth == depth + 1 => &mut self.kept,
            Action::Remove if rule.depth == depth + 1 => &mut self.removed,
            _ => &mut self.others,
        };
        *set = match rule.path.step_at(depth) {
            Some(Step { key: Some(key), .. }) => set.with(key),
            _ => KeySet::ALL,
        };
    }

    #[inline(always)]
    pub(super) fn all(self) -> KeySet {
        self.kept.or(self.removed).or(self.others)
    }
}

/// Iterates over the rules. Each rule that writes a packet has a bit of its own, lowest first; other rules have none.
pub(super) fn with_bits<'e, 'r>(rules: &'e [Rule<'r>]) -> impl Iterator<Item = (u64, &'e Rule<'r>)> {
    let mut next = 1;
    rules.iter().map(move |rule| {
        let bit = if rule.writes() { next } else { 0 };
        next <<= u32::from(rule.writes());
        (bit, rule)
    })
}
