//! One step of a path, stored as a byte.
//!
//! A step has a key or the wildcard `*`. A step can enter a primitive.

use super::keys::KeySet;
use crate::wire::key::Key;

/// This bit marks a step with a key. The key is in the low six bits.
pub(super) const KEY: u8 = 0x80;
/// A step `*`.
pub(super) const ANY: u8 = 0x01;
/// A step `**`. Only patterns have such steps.
pub(super) const ANY_DEPTH: u8 = 0x02;
/// This bit marks a step that enters a primitive: the next step matches packets in the value of the primitive.
pub(super) const ENTERS: u8 = 0x40;

/// A step of a path. The key is `None` in a step `*`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) key: Option<Key>,
    pub(crate) enters: bool,
    pub(super) any_depth: bool,
}

impl Step {
    #[inline(always)]
    pub(super) const fn of_byte(byte: u8) -> Option<Self> {
        if byte == 0 {
            return None;
        }
        let key = if byte & KEY == 0 { None } else { Some(Key::of_tag(byte)) };
        Some(Self { key, enters: byte & ENTERS != 0, any_depth: byte == ANY_DEPTH })
    }

    /// True if the step matches this key.
    pub(super) fn is(self, key: Key) -> bool {
        self.key.is_none_or(|wanted| wanted == key)
    }

    pub(crate) fn keys(self) -> KeySet {
        self.key.map_or(KeySet::ALL, |key| KeySet::EMPTY.with(key))
    }
}
