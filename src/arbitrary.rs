//! Arbitrary: keys, tags, numbers, paths and limits for fuzz targets.
//!
//! In: a fuzzer's bytes, one for each choice. Out: any value that a user could make.

use ::arbitrary::{Arbitrary, Result, Unstructured};

use crate::limits::{Limits, MAX_DEPTH};
use crate::read::keys::KeySet;
use crate::read::path::{Path, PathSet};
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// Takes one byte and uses its low six bits.
impl<'a> Arbitrary<'a> for Key {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u8::arbitrary(u).map(Key::of_tag)
    }

    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        u8::size_hint(depth)
    }
}

/// Takes one byte.
impl<'a> Arbitrary<'a> for Tag {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u8::arbitrary(u).map(Tag::from)
    }

    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        u8::size_hint(depth)
    }
}

/// Takes what the number takes without the wrapper.
impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for PVarInt<T> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        T::arbitrary(u).map(PVarInt)
    }

    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        T::size_hint(depth)
    }
}

/// Takes eight bytes, one bit for each key.
impl<'a> Arbitrary<'a> for KeySet {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let bits = u64::arbitrary(u)?;
        Ok((0..64).filter(|key| bits >> key & 1 != 0).filter_map(Key::new).collect())
    }

    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        u64::size_hint(depth)
    }
}

/// Takes a byte for the number of keys, 1 to 8, and a byte for each key.
///
/// # Examples
/// ```
/// use arbitrary::{Arbitrary, Unstructured};
/// use y3::{Path, path};
///
/// let mut bytes = Unstructured::new(&[2, 0x01, 0x10, 0x11, 0xff]);
/// assert_eq!(Path::arbitrary(&mut bytes).unwrap(), path!(0x01, 0x10, 0x11));
/// assert_eq!(bytes.len(), 1);
/// ```
impl<'a> Arbitrary<'a> for Path {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut keys = [0; Path::MAX_LEN];
        let len = u.int_in_range(1..=Path::MAX_LEN)?;
        for key in keys.iter_mut().take(len) {
            *key = Key::arbitrary(u)?.get();
        }
        keys.get(..len).and_then(Path::new).ok_or(::arbitrary::Error::IncorrectFormat)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (2, Some(1 + Path::MAX_LEN))
    }
}

/// Takes `N` paths, which may be equal.
impl<'a, const N: usize> Arbitrary<'a> for PathSet<N> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        <[Path; N]>::arbitrary(u).map(PathSet::new)
    }

    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        <[Path; N]>::size_hint(depth)
    }
}

/// Takes five bytes: two lengths of at most 65535, so that small inputs reach them, and a depth.
impl<'a> Arbitrary<'a> for Limits {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let (packet, value) = (u16::arbitrary(u)?, u16::arbitrary(u)?);
        let depth = u.int_in_range(0..=MAX_DEPTH)?;
        Ok(Limits::NONE.with_max_packet_len(packet.into()).with_max_value_len(value.into()).with_max_depth(depth))
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (5, Some(5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Debug;

    /// The value these bytes make. It takes as many bytes as its size hint says.
    fn made<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
        let mut u = Unstructured::new(bytes);
        let value = T::arbitrary(&mut u).unwrap();
        let (least, most) = T::size_hint(0);
        let taken = bytes.len() - u.len();
        assert!(least <= taken && Some(taken) <= most, "{taken} bytes, not {least} to {most:?}");
        value
    }

    fn same<'a, T: Arbitrary<'a> + Debug + PartialEq>(bytes: &'a [u8], expected: &T) {
        assert_eq!(&made::<T>(bytes), expected);
    }

    #[test]
    fn a_value_is_made_of_the_first_bytes() {
        same(&[0xd1, 9], &Key::new(0x11).unwrap());
        same(&[0xd1, 9], &Tag::from(0xd1));
        same(&[0xff, 0xff, 0xff, 0xff, 9], &PVarInt(-1i32));
        same(&[0x06, 0, 0, 0, 0, 0, 0, 0x80, 9], &crate::keys![1, 2, 63]);
        same(&[0, 0x01, 9], &crate::path!(0x01));
        same(&[7, 1, 2, 3, 4, 5, 6, 0x47, 0xff, 9], &crate::path!(1, 2, 3, 4, 5, 6, 7, 63));
        let limits = Limits::NONE.with_max_packet_len(0x0201).with_max_value_len(7).with_max_depth(64);
        same(&[0x01, 0x02, 7, 0, 64, 9], &limits);
    }

    #[test]
    fn a_path_set_watches_the_paths_made_before_it() {
        let set: PathSet<2> = made(&[1, 0x01, 0x11, 0, 0x02, 9]);
        let hits = set.watch(&[0x81, 0x02, 0x11, 0x00, 0x02, 0x00]);
        assert!(hits.map(|hit| hit.unwrap().path_index()).eq([0, 1]));
    }

    #[test]
    fn any_bytes_and_no_bytes_make_a_value() {
        for byte in 0..=u8::MAX {
            let bytes = [byte; 80];
            assert!(made::<Path>(&bytes).depth() <= Path::MAX_LEN);
            assert!(made::<Limits>(&bytes).max_depth() <= MAX_DEPTH);
        }
        assert_eq!(Path::arbitrary(&mut Unstructured::new(&[])).unwrap(), crate::path!(0));
    }
}
