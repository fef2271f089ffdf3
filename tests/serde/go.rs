//! What the Go `Marshal` writes, read into Rust types and written back: every case of slices.json's list `marshal`.
//!
//! In: the vectors. Out: the values that Go's own reader gives, and the same bytes again, but for the cases that the kit lists.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;
use y3::ErrorKind;
use y3::serde::from_slice;

use super::{Told, told};

use testkit::go::{NOT_TEXT, Shown, assert_is_gos, is_default, shown_fields};
use testkit::options::Options;
use testkit::vectors::{Marshal, slices};
use testkit::{structs_of_go, types_of_go};

/// Two fields with one key: a struct of that shape is refused, and another finds a key that comes twice.
const KEY_TWICE: [&str; 2] = ["marshal-0063", "marshal-0068"];

/// Fields one after the other, since an attribute cannot be chosen inside of a repetition.
macro_rules! named {
    ($($name:ident { $($mark:ident $field:ident $number:literal $key:literal: $type:ty,)* })*) => {$(
        named!(@ $name [] $($mark $field $key: $type,)*);

        impl Shown for $name {
            fn shown(&self) -> Value {
                shown_fields([$((stringify!($field), $key, self.$field.shown())),*])
            }
        }
    )*};
    (@ $name:ident [$($done:tt)*] keep $field:ident $key:literal: $type:ty, $($rest:tt)*) => {
        named!(@ $name [$($done)* #[serde(rename = $key)] $field: $type,] $($rest)*);
    };
    (@ $name:ident [$($done:tt)*] omit $field:ident $key:literal: $type:ty, $($rest:tt)*) => {
        named!(@ $name [
            $($done)* #[serde(rename = $key, default, skip_serializing_if = "is_default")] $field: $type,
        ] $($rest)*);
    };
    (@ $name:ident [$($done:tt)*]) => {
        #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
        struct $name { $($done)* }
    };
}

structs_of_go!(named, ByteBuf);

/// Two names in Rust cannot be one text, and 0x10 has but one: any key used twice is refused alike.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Twice {
    #[serde(rename = "0x01")]
    a: i32,
    #[serde(rename = "0x1")]
    b: i32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Untagged {
    #[serde(rename = "0x00")]
    age: i32,
    #[serde(rename = "0x0")]
    name: String,
}

/// Read, compared with what Go reads, and written back.
fn holds<T: Shown + Serialize + DeserializeOwned>(case: &Marshal) {
    let options = Options::DEFAULT.with_pvar().with_watched(case.key);
    let bytes = &case.hex.as_ref().unwrap().0;
    let value: T = options.from_slice(bytes).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    assert_is_gos(case, &value, &options.to_vec(&value).unwrap());
}

/// A type that cannot have the value, and one that could.
fn refused<T: Serialize + DeserializeOwned + Default>(case: &Marshal, expected: Told) {
    let options = Options::DEFAULT.with_pvar().with_watched(case.key);
    let error = options.from_slice::<T>(&case.hex.as_ref().unwrap().0).err();
    assert_eq!(told(&error.unwrap_or_else(|| panic!("{}", case.id))), expected, "{}", case.id);
}

#[test]
fn reads_and_writes_what_go_marshals() {
    let mut held = 0;
    for case in slices().marshal {
        if case.kind != "ok" {
            continue;
        }
        held += 1;
        types_of_go!(&case, ByteBuf, holds, refused, Told(ErrorKind::InvalidUtf8, None), {
            "main.untagged" => refused::<Untagged>(&case, Told(ErrorKind::RepeatedKey, Some("0x0"))),
            "main.twice" => {
                refused::<Twice>(&case, Told(ErrorKind::RepeatedKey, Some("0x1")));
                refused::<Once>(&case, Told(ErrorKind::RepeatedField, Some("0x10")));
            },
        });
        assert_eq!(KEY_TWICE.contains(&&*case.id), matches!(&*case.go_type, "main.untagged" | "main.twice"));
    }
    assert_eq!(held, 77);
}

#[test]
fn what_go_refuses_for_its_key_is_refused_above_63_only() {
    for case in slices().marshal.iter().filter(|case| case.kind != "ok" && case.go_type == "int32") {
        let options = Options::DEFAULT.with_pvar().with_watched(case.key);
        match options.to_vec(&1) {
            Ok(bytes) => assert_eq!((case.key < 64, bytes), (true, vec![0x81, 0x03, case.key, 0x01, 0x01])),
            Err(error) => {
                assert_eq!((case.key > 63, error.kind()), (true, ErrorKind::InvalidKey));
            }
        }
    }
}

#[test]
fn reads_a_value_under_any_top_level_key() {
    assert_eq!(from_slice::<i32>(&[0x3f, 0x01, 0x05]).unwrap(), 5);
}
