//! Structs with the feature `serde`, in both directions.

mod attributes;
mod edges;
mod recursion;
mod structs;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use testkit::hex::{hex, unhex};
use y3::ErrorKind;
use y3::serde::{Error, from_slice, to_vec};

/// The kind of an error, and the name in it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told(ErrorKind, Option<&'static str>);

impl PartialEq<ErrorKind> for Told {
    fn eq(&self, kind: &ErrorKind) -> bool {
        (self.0, self.1) == (*kind, None)
    }
}

impl PartialEq<(ErrorKind, &'static str)> for Told {
    fn eq(&self, (kind, name): &(ErrorKind, &'static str)) -> bool {
        (self.0, self.1) == (*kind, Some(*name))
    }
}

fn told(error: &Error) -> Told {
    Told(error.kind(), error.name())
}

#[track_caller]
fn fails<T: Debug, K: Debug>(result: Result<T, Error>, kind: K, path: &[u8], offset: u64)
where
    Told: PartialEq<K>,
{
    let error = result.unwrap_err();
    assert_eq!(told(&error), kind, "{error}");
    assert_eq!((error.path().collect::<Vec<_>>(), error.offset()), (path.to_vec(), offset), "{error}");
}

/// Asserts that the value is written as these bytes and read back.
#[track_caller]
fn both_ways<T: Debug + PartialEq + Serialize + DeserializeOwned>(value: &T, bytes: &str) {
    assert_eq!(hex(&to_vec(value).unwrap()), bytes, "{value:?}");
    assert_eq!(&from_slice::<T>(&unhex(bytes)).unwrap(), value, "{bytes}");
}
