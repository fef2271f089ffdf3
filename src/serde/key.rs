//! Key: the keys of a type's fields and variants, none of them twice.
//!
//! In: names that serde hands over, mostly ones that the compiler knows. Out: the keys they say, or the error that one says
//! none or the key of another.

use super::error::{Error, ErrorKind};
use super::name::{key_of, name_of};
use crate::read::keys::KeySet;
use crate::wire::key::Key;

/// As [`key_of`], for names that must say one.
#[inline(always)]
pub(super) fn named(name: &'static str) -> Result<Key, Error> {
    key_of(name).ok_or_else(|| not_a_key(name))
}

#[cold]
fn not_a_key(name: &'static str) -> Error {
    Error::new(ErrorKind::NotAKey(name))
}

#[cold]
fn twice(name: &'static str) -> Error {
    Error::new(ErrorKind::KeyTwice(name))
}

/// Keys claimed one after the other: none of them twice.
#[derive(Clone, Copy)]
pub(super) struct Claims(KeySet);

impl Claims {
    pub(super) const NONE: Claims = Claims(KeySet::EMPTY);

    /// Whether the key was free.
    #[inline(always)]
    pub(super) fn claim(&mut self, key: Key) -> bool {
        let free = !self.0.contains(key);
        self.0 = self.0.with(key);
        free
    }

    /// The key that a name says, if it is free.
    #[inline(always)]
    pub(super) fn claim_named(&mut self, name: &'static str) -> Result<Key, Error> {
        let key = named(name)?;
        if self.claim(key) { Ok(key) } else { Err(twice(name)) }
    }
}

/// The names of a struct's fields, as the type expects them.
#[derive(Clone, Copy)]
pub(super) struct Names {
    all: &'static [&'static str],
    keys: KeySet,
    /// Every name is the one that [`name_of`] gives, so none has to be looked for.
    plain: bool,
}

impl Names {
    /// Cost: O(names); none, if the compiler knows them and they are few.
    #[inline(always)]
    pub(super) fn new(names: &'static [&'static str]) -> Result<Self, Error> {
        let (mut claims, mut plain) = (Claims::NONE, true);
        for name in names {
            claims.claim_named(name)?;
            plain &= matches!(name.as_bytes(), [_, _, _, low] if !low.is_ascii_uppercase());
        }
        Ok(Self { all: names, keys: claims.0, plain })
    }

    pub(super) const fn keys(&self) -> KeySet {
        self.keys
    }

    /// The name that says this key; for a key that none says, one that differs from all.
    #[inline(always)]
    pub(super) fn name(&self, key: Key) -> &'static str {
        if self.plain { name_of(key) } else { look_up(self.all, key).unwrap_or(name_of(key)) }
    }
}

/// The name in a list that says this key, the first if there are more.
#[cold]
fn look_up(names: &'static [&'static str], key: Key) -> Option<&'static str> {
    names.iter().copied().find(|name| key_of(name) == Some(key))
}

/// The name of the variant that has this key, if there is one. Of two, serde would take the first for the second.
#[inline]
pub(super) fn variant_name(variants: &'static [&'static str], key: Key) -> Result<Option<&'static str>, Error> {
    let mut names = variants.iter().copied().filter(|name| key_of(name) == Some(key));
    let name = names.next();
    match names.next() {
        None => Ok(name),
        Some(second) => Err(twice(second)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_other_than_the_plain_ones_are_looked_up() {
        let names = Names::new(&["0x11", "0x1", "0x3F"]).unwrap();
        let given = [17, 1, 63, 16].map(|number| names.name(Key::new(number).unwrap()));
        assert_eq!(given, ["0x11", "0x1", "0x3F", "0x10"]);
    }
}
