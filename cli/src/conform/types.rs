//! Types: encodes and decodes values of derived types.
//!
//! Questions name types in the notation of docs/spec/serde.md.

use serde_json::Value;
use y3::{Decode, Encode, Error};

macro_rules! derived {
    () => {
        use y3::{Decode, Encode};
    };
    (struct $name:ident { $($number:literal $named:literal $field:ident: $type:ty,)* }) => {
        #[derive(Encode, Decode)]
        struct $name {
            $(#[y3($number)]
            $field: $type,)*
        }
    };
    (enum $name:ident { $($number:literal $named:literal $variant:ident $(($type:ty))?,)* }) => {
        #[derive(Encode, Decode)]
        enum $name {
            $(#[y3($number)]
            $variant $(($type))?,)*
        }
    };
}

mod shown;

pub use self::shown::Shown;
use self::shown::{Call, with_type};

struct Read<'a>(&'a [u8]);

impl Call for Read<'_> {
    type Out = Result<Value, Error>;

    fn of<T: Shown + Encode + for<'a> Decode<'a>>(self) -> Self::Out {
        y3::decode::<T>(self.0).map(|value| value.show())
    }
}

struct Write<'a>(&'a Value);

impl Call for Write<'_> {
    /// `None` means that the JSON is not a value of the type.
    type Out = Option<Result<Vec<u8>, Error>>;

    fn of<T: Shown + Encode + for<'a> Decode<'a>>(self) -> Self::Out {
        Some(y3::to_vec(0x01, &T::parse(self.0)?))
    }
}

/// Decodes the value of a packet. Returns `None` for an unknown type.
pub fn read(name: &Value, packet: &[u8]) -> Option<Result<Value, Error>> {
    with_type(name, Read(packet))
}

/// Encodes a value as a packet. Returns `None` for an unknown type, and for JSON that is not a value of the
/// type.
pub fn write(name: &Value, value: &Value) -> Option<Result<Vec<u8>, Error>> {
    with_type(name, Write(value)).flatten()
}
