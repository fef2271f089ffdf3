//! Bound: the maximum length of a type's packet.
//!
//! In: the bounds of the types inside. Out: a length known at compile time, for each dialect of integers, or none.

use crate::write::window::SHORT_TEXT;

/// The maximum length of a type's packet in bytes, header included, for each dialect of integers.
///
/// Texts, sequences and recursive types have no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    nvar: Option<usize>,
    pvar: Option<usize>,
    /// The room to make beforehand: the bounds of all parts, and for a part without one the length of a short text.
    room: usize,
}

impl Bound {
    /// No bound.
    pub const NONE: Bound = Bound { nvar: None, pvar: None, room: SHORT_TEXT + 2 };
    /// No bytes: the bound of an empty node's value.
    pub const ZERO: Bound = Bound { nvar: Some(0), pvar: Some(0), room: 0 };

    /// A byte of a byte string.
    pub(super) const BYTE: Bound = Bound { nvar: Some(1), pvar: Some(1), room: 1 };

    /// A packet whose value takes at most `nvar` bytes, or with integers as `PVarInt` at most `pvar`.
    #[must_use]
    pub const fn of_values(nvar: usize, pvar: usize) -> Bound {
        let room = if nvar > pvar { nvar } else { pvar };
        Bound { nvar: Some(nvar), pvar: Some(pvar), room }.packet()
    }

    /// The packet of a variant number, written as a `u32`.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_number(number: u32) -> Bound {
        // One bit more for the sign, 32 at most: the highest numbers have the bits of negative ones, whose encoding may be
        // shorter than this bound.
        let bits = 33 - number.leading_zeros();
        let bits = if bits > 32 { 32 } else { bits as usize };
        Bound::of_values(bits.div_ceil(8), bits.div_ceil(7))
    }

    /// The maximum length with integers as `NVarInt`, or `None`.
    #[must_use]
    pub const fn max_len(self) -> Option<usize> {
        self.nvar
    }

    /// The bound with integers as `PVarInt` in both dialects of the surrounding type.
    #[must_use]
    pub const fn in_pvar(self) -> Bound {
        Bound { nvar: self.pvar, ..self }
    }

    /// The bound of both packets, back to back.
    #[must_use]
    pub const fn and(self, other: Bound) -> Bound {
        let room = self.room.saturating_add(other.room);
        Bound { nvar: sum(self.nvar, other.nvar), pvar: sum(self.pvar, other.pvar), room }
    }

    /// The bound of `count` packets, back to back.
    #[must_use]
    pub const fn times(self, count: usize) -> Bound {
        let room = self.room.saturating_mul(count);
        Bound { nvar: product(self.nvar, count), pvar: product(self.pvar, count), room }
    }

    /// The bound of one packet or the other.
    #[must_use]
    pub const fn or(self, other: Bound) -> Bound {
        let room = if self.room > other.room { self.room } else { other.room };
        Bound { nvar: max(self.nvar, other.nvar), pvar: max(self.pvar, other.pvar), room }
    }

    /// The bound of a packet whose value has this bound.
    #[must_use]
    pub const fn packet(self) -> Bound {
        Bound { nvar: with_header(self.nvar), pvar: with_header(self.pvar), room: self.room.saturating_add(2) }
    }

    /// The room to make before the packet is written.
    pub(super) const fn room(self) -> usize {
        self.room
    }
}

const fn sum(left: Option<usize>, right: Option<usize>) -> Option<usize> {
    match (left, right) {
        (Some(left), Some(right)) => left.checked_add(right),
        _ => None,
    }
}

const fn product(len: Option<usize>, count: usize) -> Option<usize> {
    match len {
        Some(len) => len.checked_mul(count),
        None => None,
    }
}

const fn max(left: Option<usize>, right: Option<usize>) -> Option<usize> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if left > right { left } else { right }),
        _ => None,
    }
}

/// Adds the tag and a length field of one to five bytes.
const fn with_header(value: Option<usize>) -> Option<usize> {
    let Some(value) = value else { return None };
    let bits = usize::BITS - value.leading_zeros();
    let field = (bits as usize) / 7 + 1;
    if value > i32::MAX.unsigned_abs() as usize { None } else { value.checked_add(1 + field) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::length;

    #[test]
    fn header_is_as_long_as_the_encoder_makes_it() {
        for value in [0, 1, 63, 64, 127, 8191, 8192, 0xf_ffff, 0x10_0000, 0x7ff_ffff, 0x800_0000, 0x7fff_ffff] {
            let field = length::encode(value).unwrap().len();
            assert_eq!(with_header(Some(value)), Some(value + 1 + field), "{value}");
        }
        assert_eq!(with_header(Some(0x8000_0000)), None);
    }

    #[test]
    fn what_has_no_bound_or_overflows_has_none() {
        let most = Bound { nvar: Some(usize::MAX), pvar: Some(1), room: 1 };
        assert_eq!(most.and(Bound::of_values(1, 1)).max_len(), None);
        assert_eq!(most.times(2), Bound { nvar: None, pvar: Some(2), room: 2 });
        assert_eq!(Bound::NONE.and(Bound::ZERO), Bound::NONE);
        assert_eq!(Bound::NONE.or(Bound::ZERO), Bound::NONE);
        assert_eq!(Bound::NONE.packet().max_len(), None);
        assert_eq!(Bound::of_values(1, 2).in_pvar(), Bound::of_values(2, 2));
    }
}
