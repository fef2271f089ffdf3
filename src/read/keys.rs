//! Keys: a set of them in one word, and the filter that watches them among siblings.
//!
//! In: packets back to back and a set of keys. Out: the packets with those keys; the others are jumped over unread.

use core::fmt;
use core::iter::FusedIterator;

use super::packet::Packet;
use super::packets::{Packets, packets};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;

/// A set of keys: one bit for each of the 64.
///
/// Make it with [`keys!`](crate::keys), checked at compile time, or collect it from [`Key`]s.
///
/// # Examples
/// ```
/// const WATCHED: y3::KeySet = y3::keys![0x02, 0x04];
///
/// let bytes = [0x01, 0x00, 0x02, 0x01, 0xaa, 0x03, 0x00, 0x04, 0x01, 0xbb];
/// let values: Result<Vec<_>, _> = WATCHED.watch(&bytes).map(|hit| Ok(hit?.value())).collect();
/// assert_eq!(values, Ok::<_, y3::Error>(vec![&[0xaa][..], &[0xbb]]));
/// ```
/// Source: SPEC §9
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct KeySet(u64);

impl KeySet {
    /// No key at all.
    pub const EMPTY: KeySet = KeySet(0);
    /// Every key.
    pub const ALL: KeySet = KeySet(u64::MAX);

    /// The set of these keys, or `None` if one is above 63.
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

    /// The set and one more key.
    ///
    /// # Examples
    /// ```
    /// assert!(y3::KeySet::EMPTY.with(y3::Key::ROOT).contains(y3::Key::ROOT));
    /// ```
    #[must_use]
    pub const fn with(self, key: Key) -> KeySet {
        KeySet(self.0 | 1 << key.get())
    }

    /// Whether the key is in the set.
    ///
    /// # Examples
    /// ```
    /// assert!(!y3::keys![0x02].contains(y3::Key::ROOT));
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn contains(self, key: Key) -> bool {
        self.0 >> key.get() & 1 != 0
    }

    /// Whether no key is in the set.
    ///
    /// # Examples
    /// ```
    /// assert!(y3::KeySet::EMPTY.is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The packets with these keys among packets back to back; [`Packets::watch`] does the same inside a node.
    ///
    /// Cost: one jump a packet; allocates never. Bytes inside the packets jumped over are not looked at, so a fault there
    /// goes unnoticed; [`check`](crate::check) would find it.
    ///
    /// # Examples
    /// ```
    /// let hit = y3::keys![0x02].watch(&[0x01, 0x00, 0x02, 0x01, 0xaa]).next().unwrap()?;
    /// assert_eq!((hit.offset(), hit.value()), (2, &[0xaa][..]));
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §9
    #[must_use]
    #[inline]
    pub fn watch(self, bytes: &[u8]) -> WatchKeys<'_> {
        packets(bytes).watch(self)
    }
}

impl From<Key> for KeySet {
    fn from(key: Key) -> KeySet {
        KeySet::EMPTY.with(key)
    }
}

impl FromIterator<Key> for KeySet {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> KeySet {
        keys.into_iter().fold(KeySet::EMPTY, KeySet::with)
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries((0..64).filter_map(Key::new).filter(|key| self.contains(*key))).finish()
    }
}

/// A [`KeySet`] of constant keys, checked at compile time.
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
    ($($key:expr),* $(,)?) => {
        const {
            match $crate::KeySet::new(&[$($key),*]) {
                Some(keys) => keys,
                None => panic!("a key is above 63"),
            }
        }
    };
}

/// The packets of a [`KeySet`] among their siblings, made by [`KeySet::watch`] and [`Packets::watch`].
#[derive(Clone, Debug)]
pub struct WatchKeys<'a> {
    packets: Packets<'a>,
    keys: KeySet,
}

impl<'a> WatchKeys<'a> {
    /// The packets not yet looked at.
    ///
    /// # Examples
    /// ```
    /// let mut watch = y3::keys![0x01].watch(&[0x01, 0x00, 0x02, 0x00]);
    /// watch.next();
    /// assert_eq!(watch.into_inner().remainder(), [0x02, 0x00]);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Packets<'a> {
        self.packets
    }
}

impl<'a> Iterator for WatchKeys<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let keys = self.keys;
        self.packets.next_with(|tag| keys.contains(tag.key()))
    }
}

impl FusedIterator for WatchKeys<'_> {}

impl<'a> Packets<'a> {
    /// Only the packets whose key is in the set; the others are jumped over unread.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x03, 0x01, 0x08])?;
    /// let hit = node.children().watch(y3::keys![0x03]).next().unwrap()?;
    /// assert_eq!(hit.value(), [0x08]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §9
    #[must_use]
    #[inline]
    pub fn watch(self, keys: KeySet) -> WatchKeys<'a> {
        WatchKeys { packets: self, keys }
    }
}

impl<'a> Packet<'a> {
    /// The first packet with that key directly inside a node, or `None`.
    ///
    /// Cost: one jump for each packet before it; packets behind it are not looked at.
    ///
    /// # Errors
    /// [`InvalidKey`](ErrorKind::InvalidKey) if `key` is above 63, [`NotANode`](ErrorKind::NotANode) for a primitive, and
    /// the faults of [`packets`](crate::packets) in the headers on the way.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08])?;
    /// assert_eq!(node.find(0x02)?.unwrap().value(), [0x07]);
    /// assert_eq!(node.find(0x03)?, None);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6
    #[inline]
    pub fn find(&self, key: u8) -> Result<Option<Packet<'a>>, Error> {
        let Some(key) = Key::new(key) else { return Err(Error::new(ErrorKind::InvalidKey, self.offset())) };
        self.children().watch(key.into()).next().transpose()
    }
}
