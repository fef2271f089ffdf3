//! Slice reference: turns a borrowed slice into `Bytes` that share the memory of the input.
//!
//! In: the `Bytes` that were parsed, and a value or packet borrowed from them. Out: that value or packet as `Bytes`,
//! without a copy.

use bytes::Bytes;

/// Returns the slice `part` of `source` as `Bytes`, without copying it. Returns `None` if `part` is not inside
/// `source`.
///
/// For the bytes of a packet pass [`Packet::as_bytes`](crate::Packet::as_bytes), for those of a value
/// [`Packet::value`](crate::Packet::value). As long as the result exists, all memory of `source` stays allocated. For
/// an empty part the result is empty `Bytes`.
/// Cost: O(1); allocates at most the reference count of `Bytes`.
///
/// # Examples
/// ```
/// let source = bytes::Bytes::from(vec![0x01, 0x02, 0xaa, 0xbb]);
/// let value = y3::Packet::from_slice(&source)?.value();
/// let part = y3::bytes::slice_ref(&source, value).unwrap();
/// assert_eq!(part.as_ptr(), value.as_ptr());
/// assert_eq!(y3::bytes::slice_ref(&source, &[0xaa, 0xbb]), None);
/// # Ok::<(), y3::Error>(())
/// ```
#[must_use]
pub fn slice_ref(source: &Bytes, part: &[u8]) -> Option<Bytes> {
    if part.is_empty() {
        return Some(Bytes::new());
    }
    let start = part.as_ptr().addr().checked_sub(source.as_ptr().addr())?;
    let end = start.checked_add(part.len())?;
    // `slice` panics if the range is outside the source, so check it here.
    (end <= source.len()).then(|| source.slice(start..end))
}
