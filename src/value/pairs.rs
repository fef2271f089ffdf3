//! Pairs: maps with any keys, as a slice of pairs.
//!
//! In: a map. Out: a slice with an item for each entry, which is a slice of its key and its value; and back.

use alloc::vec::Vec;

use crate::error::ErrorKind;

/// For `#[y3(with = y3::value::pairs)]`. Cost: a vector of references.
#[must_use]
pub fn encode<'m, M, K: 'm, V: 'm>(map: &'m M) -> Vec<(&'m K, &'m V)>
where
    &'m M: IntoIterator<Item = (&'m K, &'m V)>,
{
    map.into_iter().collect()
}

/// For `#[y3(with = y3::value::pairs)]`.
///
/// # Errors
/// [`RepeatedKey`](ErrorKind::RepeatedKey) if a key is there twice.
pub fn decode<M>(pairs: Vec<<M as IntoIterator>::Item>) -> Result<M, ErrorKind>
where
    M: IntoIterator + FromIterator<<M as IntoIterator>::Item>,
    for<'m> &'m M: IntoIterator,
{
    let count = pairs.len();
    let map: M = pairs.into_iter().collect();
    if (&map).into_iter().count() == count { Ok(map) } else { Err(ErrorKind::RepeatedKey) }
}
