//! Key: the keys in the names of fields and variants. Each key can occur only once.

use super::error::Error;
pub(super) use super::name::{key_of, name_of};
use crate::error::ErrorKind;
use crate::read::keys::KeySet;
use crate::wire::key::Key;

/// Returns the key of a name, or an error if the name is not a key.
#[inline(always)]
pub(super) fn named(name: &'static str) -> Result<Key, Error> {
    key_of(name).ok_or_else(|| Error::named(ErrorKind::InvalidKey, name))
}

/// Returns the key of a name and adds it to `claims`. Returns an error if `claims` already contains the key.
#[inline(always)]
pub(super) fn claim_named(claims: &mut KeySet, name: &'static str) -> Result<Key, Error> {
    let key = named(name)?;
    if claims.claim(key) { Ok(key) } else { Err(Error::named(ErrorKind::RepeatedKey, name)) }
}

/// The names of a struct's fields.
#[derive(Clone, Copy)]
pub(super) struct Names {
    all: &'static [&'static str],
    keys: KeySet,
    /// True if every name has the form that [`name_of`] returns. [`name`](Self::name) then need not search the names.
    plain: bool,
}

impl Names {
    /// Makes the list from the names. Cost: O(names), or nothing if the names are few and known to the compiler.
    #[inline(always)]
    pub(super) fn new(names: &'static [&'static str]) -> Result<Self, Error> {
        let (mut claims, mut plain) = (KeySet::EMPTY, true);
        for name in names {
            claim_named(&mut claims, name)?;
            plain &= matches!(name.as_bytes(), [_, _, _, low] if !low.is_ascii_uppercase());
        }
        Ok(Self { all: names, keys: claims, plain })
    }

    pub(super) const fn keys(&self) -> KeySet {
        self.keys
    }

    /// Returns the name with this key. If no name has the key, returns a text that differs from all names.
    #[inline(always)]
    pub(super) fn name(&self, key: Key) -> &'static str {
        if self.plain { name_of(key) } else { look_up(self.all, key).unwrap_or(name_of(key)) }
    }
}

/// Returns the first name in a list that has this key.
#[cold]
fn look_up(names: &'static [&'static str], key: Key) -> Option<&'static str> {
    names.iter().copied().find(|name| key_of(name) == Some(key))
}

/// Returns the name of the variant with this key, or `None` if no variant has it. Two variants with the same key are an
/// error, because serde would read the second variant as the first.
pub(super) fn variant_name(variants: &'static [&'static str], key: Key) -> Result<Option<&'static str>, Error> {
    let mut names = variants.iter().copied().filter(|name| key_of(name) == Some(key));
    let name = names.next();
    match names.next() {
        None => Ok(name),
        Some(second) => Err(Error::named(ErrorKind::RepeatedKey, second)),
    }
}
