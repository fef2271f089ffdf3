//! Step: one step of a path, stored as a byte.
//!
//! In: a byte of a path. Out: the key of the step, or any key, and whether the next step is inside a primitive.

use super::keys::KeySet;
use crate::wire::key::Key;

/// A step with a key is stored as this bit together with the key.
pub(super) const KEY: u8 = 0x80;
/// A step with any key is stored as this byte.
pub(super) const ANY: u8 = 0x01;
/// A step with any number of keys is stored as this byte. Only patterns have such steps.
pub(super) const ANY_DEPTH: u8 = 0x02;
/// This bit marks a step that leads into a primitive: the next step is inside the value of the primitive.
pub(super) const ENTERS: u8 = 0x40;

/// A step of a path. It has a key, or `None` for any key.
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

    /// Whether the step leads to a packet with this key.
    pub(super) fn is(self, key: Key) -> bool {
        self.key.is_none_or(|wanted| wanted == key)
    }

    /// The keys that the step matches.
    pub(crate) fn keys(self) -> KeySet {
        self.key.map_or(KeySet::ALL, |key| KeySet::EMPTY.with(key))
    }
}
