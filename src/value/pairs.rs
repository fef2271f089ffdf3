//! Pairs: reads and writes maps with keys of any type as a slice of pairs.
//!
//! The slice has one item per map entry. Each item is a slice that contains the key and the value.

use alloc::vec::Vec;

use crate::error::ErrorKind;

/// Collects references to the entries of a map in a vector, for `#[y3(with = y3::value::pairs)]`.
#[must_use]
pub fn encode<'m, M, K: 'm, V: 'm>(map: &'m M) -> Vec<(&'m K, &'m V)>
where
    &'m M: IntoIterator<Item = (&'m K, &'m V)>,
{
    map.into_iter().collect()
}

/// Makes a map from its pairs, for `#[y3(with = y3::value::pairs)]`.
///
/// # Errors
/// Returns [`RepeatedKey`](ErrorKind::RepeatedKey) if a key occurs twice.
pub fn decode<M>(pairs: Vec<<M as IntoIterator>::Item>) -> Result<M, ErrorKind>
where
    M: IntoIterator + FromIterator<<M as IntoIterator>::Item>,
    for<'m> &'m M: IntoIterator,
{
    let count = pairs.len();
    let map: M = pairs.into_iter().collect();
    if (&map).into_iter().count() == count { Ok(map) } else { Err(ErrorKind::RepeatedKey) }
}
