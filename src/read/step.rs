//! Step: one step of a path, and its byte.
//!
//! In: a byte of a path. Out: the key that it leads through, or any; and whether the next step is inside a primitive.

use super::keys::KeySet;
use crate::wire::key::Key;

/// The byte of a step with a key: this bit and the key.
pub(super) const KEY: u8 = 0x80;
/// The byte of a step with any key.
pub(super) const ANY: u8 = 0x01;
/// The byte of a step of any number of keys, which only patterns have.
pub(super) const ANY_DEPTH: u8 = 0x02;
/// The bit of a step into a primitive: the next step is inside its bytes.
pub(super) const ENTERS: u8 = 0x40;

/// A step of a path: a key or, without one, any.
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

    /// Whether a packet with this key is on the step.
    pub(super) fn is(self, key: Key) -> bool {
        self.key.is_none_or(|wanted| wanted == key)
    }

    /// The keys that the step leads through.
    pub(crate) fn keys(self) -> KeySet {
        self.key.map_or(KeySet::ALL, |key| KeySet::EMPTY.with(key))
    }
}
