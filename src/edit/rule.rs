//! Rule: an action of an edit at a path.

use crate::error::ErrorKind;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::path::{Path, Step};
use crate::wire::key::Key;

/// One rule of an [`Edit`](super::Edit): a path, and what the edit does with the packets at this path.
///
/// Use this type to store rules in a constant, to edit without an allocator, or to collect many rules before making an
/// edit. A `Rule` borrows the encoded packet that it writes. The methods of `Edit` take a value and encode it.
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
    /// The number of steps of `path`.
    pub(super) depth: usize,
    /// A mask of the path bits to compare. A packet is at this path if its own path has the same bits under the mask.
    pub(super) fixed: u64,
    pub(super) action: Action,
    pub(super) content: Content<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Keep,
    Remove,
    /// The new key, or `None` if the number is above 63. Applying the edit then returns an error.
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
    /// The position of the packet in `Edit::bytes`: start and end.
    #[cfg(feature = "alloc")]
    Own(usize, usize),
}

impl<'a> Rule<'a> {
    pub(super) const fn new(path: Path, action: Action, content: Content<'a>) -> Self {
        Self { path, depth: path.len(), fixed: path.fixed(), action, content }
    }

    /// Keeps the packets at a path, as `Edit::keep` does.
    #[must_use]
    pub const fn keep(path: Path) -> Self {
        Self::new(path, Action::Keep, Content::None)
    }

    /// Removes all packets at a path, as `Edit::remove` does.
    #[must_use]
    pub const fn remove(path: Path) -> Self {
        Self::new(path, Action::Remove, Content::None)
    }

    /// Changes the key of all packets at a path to `key`, as `Edit::rename` does.
    #[must_use]
    pub const fn rename(path: Path, key: u8) -> Self {
        Self::new(path, Action::Rename(Key::new(key)), Content::None)
    }

    /// Overwrites the value of the first packet at a path with the value of `packet`, as `Edit::set` does. An
    /// overwritten packet keeps its key, and an added packet gets the last key of the path. The edit does not use the
    /// key of `packet`.
    #[must_use]
    pub const fn set(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Set, Content::Borrowed(packet))
    }

    /// Replaces the first packet at a path with `packet`, as `Edit::replace` does. The new packet has the key of
    /// `packet`.
    #[must_use]
    pub const fn replace(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Replace, Content::Borrowed(packet))
    }

    /// Inserts `packet` before the first packet at a path, as `Edit::insert` does.
    #[must_use]
    pub const fn insert(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Insert, Content::Borrowed(packet))
    }

    /// Writes `packet` at the end of the first node at a path, as `Edit::append` does.
    #[must_use]
    pub const fn append(path: Path, packet: Packet<'a>) -> Self {
        Self::new(path, Action::Append, Content::Borrowed(packet))
    }

    /// True if the rule writes a packet. Such a rule applies only once, to the first packet at its path.
    pub(super) const fn writes(&self) -> bool {
        !matches!(self.content, Content::None)
    }
}

/// A summary of all rules. It is made before any packet is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    /// The keys of the top-level packets to which a rule can apply.
    pub(super) keys: RuleKeys,
    pub(super) keeps: bool,
    /// The rules that write a packet, as bits of [`with_bits`].
    pub(super) writes: u64,
    /// The `set` rules for a top-level packet, as bits of [`with_bits`].
    pub(super) sets: u64,
    /// An error in the rules: more than 64 rules write packets, or a key is above 63.
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

/// The keys of the packets on one level to which a rule can apply.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleKeys {
    /// The keys at which the path of a `keep` rule ends.
    pub(super) kept: KeySet,
    /// The keys at which the path of a `remove` rule ends.
    pub(super) removed: KeySet,
    /// The keys at which a path continues inside the packet, or at which another rule applies.
    pub(super) others: KeySet,
}

impl RuleKeys {
    pub(super) const NONE: RuleKeys = RuleKeys { kept: KeySet::EMPTY, removed: KeySet::EMPTY, others: KeySet::EMPTY };

    /// Adds the key that the path of `rule` has on level `depth`. The path must have more than `depth` keys.
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

/// Iterates over the rules, each with a bit mask. Each rule that writes a packet has one bit, beginning with the
/// lowest. The mask of all other rules is 0.
pub(super) fn with_bits<'e, 'r>(rules: &'e [Rule<'r>]) -> impl Iterator<Item = (u64, &'e Rule<'r>)> {
    let mut next = 1;
    rules.iter().map(move |rule| {
        let bit = if rule.writes() { next } else { 0 };
        next <<= u32::from(rule.writes());
        (bit, rule)
    })
}
