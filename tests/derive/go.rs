//! What the Go `Marshal` writes, read into derived types and written back: every case of slices.json's list `marshal`.
//!
//! In: the vectors. Out: the values that Go's own reader gives, and the same bytes again, but for the cases that the kit lists.

use serde_json::Value;
use testkit::go::{NOT_TEXT, Shown, assert_is_gos, is_default, shown_fields};
use testkit::vectors::{Marshal, slices};
use testkit::{structs_of_go, types_of_go};
use y3::{Decode, Encode, Encoder, Error, ErrorKind, PVarInt, Packet};

/// Fields one after the other, since an attribute cannot be chosen inside of a repetition.
macro_rules! derived {
    ($($name:ident { $($mark:ident $field:ident $key:literal $text:literal: $type:ty,)* })*) => {$(
        derived!(@ $name [] $($mark $field $key: $type,)*);

        impl Shown for $name {
            fn shown(&self) -> Value {
                shown_fields([$((stringify!($field), $text, self.$field.shown())),*])
            }
        }
    )*};
    (@ $name:ident [$($done:tt)*] keep $field:ident $key:literal: $type:ty, $($rest:tt)*) => {
        derived!(@ $name [$($done)* #[y3($key)] $field: $type,] $($rest)*);
    };
    (@ $name:ident [$($done:tt)*] omit $field:ident $key:literal: $type:ty, $($rest:tt)*) => {
        derived!(@ $name [$($done)* #[y3($key, default, skip_if = is_default)] $field: $type,] $($rest)*);
    };
    (@ $name:ident [$($done:tt)*]) => {
        #[derive(Debug, Default, PartialEq, Encode, Decode)]
        struct $name { $($done)* }
    };
}

structs_of_go!(derived, Vec<u8>);

fn read<T: for<'a> Decode<'a>>(case: &Marshal) -> Result<T, Error> {
    let root = Packet::from_slice(&case.hex.as_ref().unwrap().0).unwrap();
    let packet = root.find(case.key).unwrap().unwrap_or_else(|| panic!("{}", case.id));
    packet.pvar().decode()
}

/// Read, compared with what Go reads, and written back.
fn holds<T: Shown + Encode + for<'a> Decode<'a>>(case: &Marshal) {
    let value = read::<T>(case).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    let mut written = Vec::new();
    Encoder::new(&mut written).node(0x01, |root| root.put(case.key, PVarInt(&value))).unwrap();
    assert_is_gos(case, &value, &written);
}

/// A type that cannot have the value.
fn refused<T: for<'a> Decode<'a>>(case: &Marshal, kind: ErrorKind) {
    let error = read::<T>(case).err().unwrap_or_else(|| panic!("{}", case.id));
    assert_eq!(error.kind(), kind, "{}", case.id);
}

#[test]
fn what_go_marshals_is_read_and_written_back() {
    let mut held = 0;
    for case in slices().marshal {
        if case.kind != "ok" {
            continue;
        }
        held += 1;
        types_of_go!(&case, Vec<u8>, holds, refused, ErrorKind::InvalidUtf8, {
            // Two fields with one key do not compile.
            "main.untagged" => refused::<KeyZero>(&case, ErrorKind::RepeatedField),
            "main.twice" => refused::<Once>(&case, ErrorKind::RepeatedField),
        });
    }
    assert_eq!(held, 77);
}
