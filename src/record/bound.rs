//! Bound: the most bytes that a type's packet takes.
//!
//! In: the types inside. Out: a length known at compile time, in either dialect of integers, or none.

/// The most bytes that a packet of a type takes, header included, with integers in either dialect.
///
/// Texts, sequences and whatever may hold itself have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    nvar: Option<usize>,
    pvar: Option<usize>,
}

impl Bound {
    /// No bound.
    pub const NONE: Bound = Bound { nvar: None, pvar: None };
    /// No bytes: what the packets of a node begin with.
    pub const ZERO: Bound = Bound { nvar: Some(0), pvar: Some(0) };

    /// A byte of a byte string.
    pub(super) const BYTE: Bound = Bound { nvar: Some(1), pvar: Some(1) };

    /// A packet whose value takes at most `nvar` bytes, or with integers as `PVarInt` at most `pvar`.
    #[must_use]
    pub const fn of_values(nvar: usize, pvar: usize) -> Bound {
        Bound { nvar: Some(nvar), pvar: Some(pvar) }.packet()
    }

    /// A packet whose value takes at most this number's bytes as an unsigned integer of 32 bits.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_number(number: u32) -> Bound {
        // As a signed number of 32 bits one sign bit stays: highest numbers are negative and short, so the bound is of bits.
        let bits = 33 - number.leading_zeros();
        let bits = if bits > 32 { 32 } else { bits as usize };
        Bound::of_values(bits.div_ceil(8), bits.div_ceil(7))
    }

    /// The length with integers as `NVarInt`.
    #[must_use]
    pub const fn max_len(self) -> Option<usize> {
        self.nvar
    }

    /// The bound with integers as `PVarInt`, whatever the dialect around them.
    #[must_use]
    pub const fn in_pvar(self) -> Bound {
        Bound { nvar: self.pvar, ..self }
    }

    /// Packets one behind the other.
    #[must_use]
    pub const fn and(self, other: Bound) -> Bound {
        Bound { nvar: sum(self.nvar, other.nvar), pvar: sum(self.pvar, other.pvar) }
    }

    /// So many packets one behind the other.
    #[must_use]
    pub const fn times(self, count: usize) -> Bound {
        Bound { nvar: product(self.nvar, count), pvar: product(self.pvar, count) }
    }

    /// One packet or the other.
    #[must_use]
    pub const fn or(self, other: Bound) -> Bound {
        Bound { nvar: max(self.nvar, other.nvar), pvar: max(self.pvar, other.pvar) }
    }

    /// A packet whose value is this.
    #[must_use]
    pub const fn packet(self) -> Bound {
        Bound { nvar: with_header(self.nvar), pvar: with_header(self.pvar) }
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

/// A tag and a length of one to five bytes in front.
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
        let most = Bound { nvar: Some(usize::MAX), pvar: Some(1) };
        assert_eq!(most.and(Bound::of_values(1, 1)).max_len(), None);
        assert_eq!(most.times(2), Bound { nvar: None, pvar: Some(2) });
        assert_eq!(Bound::NONE.and(Bound::ZERO), Bound::NONE);
        assert_eq!(Bound::NONE.or(Bound::ZERO), Bound::NONE);
        assert_eq!(Bound::NONE.packet(), Bound::NONE);
        assert_eq!(Bound::of_values(1, 2).in_pvar(), Bound::of_values(2, 2));
    }
}
