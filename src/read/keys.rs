//! A set of keys in one word.

use core::fmt;
use core::iter::FusedIterator;

use crate::wire::key::Key;

/// A set of keys, with one bit for each of the 64 keys.
///
/// Make a set with [`keys!`](crate::keys), which checks the keys at compile time, or collect [`Key`]s into a set.
///
/// # Examples
/// ```
/// const WATCHED: y3::KeySet = y3::keys![0x02, 0x04];
///
/// let bytes = [0x01, 0x00, 0x02, 0x01, 0xaa, 0x03, 0x00, 0x04, 0x01, 0xbb];
/// let values: Result<Vec<_>, _> = y3::packets(&bytes).watch(WATCHED).map(|hit| Ok(hit?.value())).collect();
/// assert_eq!(values, Ok::<_, y3::Error>(vec![&[0xaa][..], &[0xbb]]));
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct KeySet(u64);

impl KeySet {
    /// The empty set.
    pub const EMPTY: KeySet = KeySet(0);
    /// The set of all keys.
    pub const ALL: KeySet = KeySet(u64::MAX);

    /// Makes a set of these keys. Returns `None` if a key is above 63.
    ///
    /// # Examples
    /// ```
    /// use y3::KeySet;
    ///
    /// assert_eq!(KeySet::new(&[0x02, 0x04]), Some(y3::keys![0x04, 0x02]));
    /// assert_eq!(KeySet::new(&[64]), None);
    /// ```
    #[must_use]
    pub const fn new(keys: &[u8]) -> Option<KeySet> {
        let mut set = Self::EMPTY;
        let mut left = keys;
        while let [number, others @ ..] = left {
            let Some(key) = Key::new(*number) else { return None };
            set = set.with(key);
            left = others;
        }
        Some(set)
    }

    /// Returns the set with this key added.
    #[must_use]
    pub const fn with(self, key: Key) -> KeySet {
        KeySet(self.0 | 1 << key.get())
    }

    /// Adds a key. Returns `true` if the key was new to the set.
    #[inline(always)]
    pub(crate) fn claim(&mut self, key: Key) -> bool {
        let is_free = !self.contains(key);
        *self = self.with(key);
        is_free
    }

    /// Returns the set without this key.
    #[inline(always)]
    pub(crate) const fn without(self, key: Key) -> KeySet {
        KeySet(self.0 & !(1 << key.get()))
    }

    /// Returns the set of all keys that are in one of the sets or in both.
    #[inline(always)]
    pub(crate) const fn or(self, other: KeySet) -> KeySet {
        KeySet(self.0 | other.0)
    }

    /// True if the key is in the set.
    #[must_use]
    #[inline(always)]
    pub const fn contains(self, key: Key) -> bool {
        self.0 >> key.get() & 1 != 0
    }

    /// Returns the number of keys in the set, 0 to 64.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Iterates over the keys of the set in ascending order.
    #[must_use]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Key> + FusedIterator + Clone {
        (0..64).filter_map(Key::new).filter(move |key| self.contains(*key))
    }

    /// True if the set has no keys.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Key> for KeySet {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> KeySet {
        keys.into_iter().fold(KeySet::EMPTY, KeySet::with)
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Makes a [`KeySet`] of constant keys and checks the keys at compile time.
///
/// # Examples
/// ```
/// const WATCHED: y3::KeySet = y3::keys![0x10, 0x13];
/// assert!(WATCHED.contains(y3::Key::new(0x13).unwrap()));
/// ```
/// ```compile_fail
/// let too_high = y3::keys![0x40];
/// ```
#[macro_export]
macro_rules! keys {
    // A constant item instead of a constant block, so that `cargo check` evaluates it too.
    ($($key:expr),* $(,)?) => {{
        const __Y3_KEYS: $crate::KeySet = match $crate::KeySet::new(&[$($key),*]) {
            ::core::option::Option::Some(keys) => keys,
            ::core::option::Option::None => panic!("a key is above 63"),
        };
        __Y3_KEYS
    }};
}
