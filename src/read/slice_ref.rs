//! Turns a borrowed slice into `Bytes` that share the memory of the input.

use bytes::Bytes;

/// Returns the slice `part` of `source` as `Bytes`, without copying it. Returns `None` if `part` is not inside
/// `source`.
///
/// To get the bytes of a packet, pass [`Packet::as_bytes`](crate::Packet::as_bytes). To get the bytes of a value, pass
/// [`Packet::value`](crate::Packet::value). All memory of `source` stays allocated until the result is dropped. An
/// empty part returns empty `Bytes`. Cost: O(1). The only possible allocation is the reference count of `Bytes`.
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
    // `slice` panics if the range is outside the source, so check the range first.
    (end <= source.len()).then(|| source.slice(start..end))
}
