//! Values as numbers, floats and texts: what every type reads from them, beside the naive oracle.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::Packet;

use testkit::oracle::same::same_typed;
use testkit::oracle::trees::{byte, config};
use testkit::oracle::{encode_nvar, encode_pvar, one, packed};

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn every_type_decodes_random_values_as_the_oracle_does(
        bytes in vec(prop_oneof![byte(), prop::sample::select(vec![0xe0, 0xf0, 0xf7, 0xf8, 0xfe])], 0..12),
    ) {
        let input = packed(0x01, &bytes);
        same_typed(&Packet::from_slice(&input).unwrap(), &one(&input).unwrap());
    }

    /// PVarInts of the longest sizes: random bytes are hardly ever such.
    #[test]
    fn long_pvarints_decode_as_the_oracle_does(groups in vec(any::<u8>(), 3..11), first in byte(), sign in any::<bool>()) {
        let mut bytes: Vec<u8> = groups.iter().map(|group| group | 0x80).collect();
        bytes[0] = first | 0x80;
        if sign {
            bytes[0] |= 0x78;
        }
        *bytes.last_mut().unwrap() &= 0x7f;
        let input = packed(0x01, &bytes);
        same_typed(&Packet::from_slice(&input).unwrap(), &one(&input).unwrap());
    }
}

/// Padded with leading groups and bytes, up to the widest form that a type accepts and beyond.
#[test]
fn padded_numbers_decode_as_the_oracle_does() {
    for power in (0..64).step_by(if cfg!(miri) { 31 } else { 1 }) {
        for near in [-2, -1, 0, 1] {
            let number = (1i128 << power) + near;
            for number in [number, -number] {
                let (pvar, nvar) = (encode_pvar(number), encode_nvar(number));
                for padding in 0..12 {
                    let (group, byte) = if number < 0 { (0xff, 0xff) } else { (0x80, 0x00) };
                    for value in [[vec![group; padding], pvar.clone()], [vec![byte; padding], nvar.clone()]] {
                        let value = value.concat();
                        let input = packed(0x01, &value);
                        same_typed(&Packet::from_slice(&input).unwrap(), &one(&input).unwrap());
                    }
                }
            }
        }
    }
}
