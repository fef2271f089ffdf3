//! bilrost: like protobuf with another wire format, where the number of a field is the distance from the one before; so
//! always in the order of the numbers, whatever the model's.
//!
//! Its documentation recommends a whole struct, and one with borrowed texts where copies are too slow; a struct with a part
//! of the fields skips the others. An expert calls the functions that the derived code calls, which are documented as
//! experimental, and stops at the field.

use bilrost::encoding::{
    Capped, DecodeContext, General, TagReader, ValueBorrowDecoder, WireType, Wiretyped, check_wire_type, skip_field,
};
use bilrost::{BorrowedMessage as _, Message, OwnedMessage as _};

use serde::de::DeserializeOwned;

use super::prelude::*;
use super::shape::{K2, K4, K8, K16, K17, K32};

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
            let bilrost = Codec("bilrost", encode::<owned::$message>);
            let by_hand = |bytes: &[u8]| {
                let field = find(bytes, $key)?;
                $(let field = find(field.delimited()?, $keys)?;)*
                Some(field.value::<$type>()?.digest())
            };
            vec![
                bilrost.reader("struct", |bytes| {
                    Some(owned::$message::decode(bytes).ok()?.$field$(.$fields)*.digest())
                }),
                bilrost.reader("struct, borrowed", |bytes| {
                    Some(<borrowed::$message<'_>>::decode_borrowed(bytes).ok()?.$field$(.$fields)*.digest())
                }),
                bilrost.reader("struct, one field", |bytes| {
                    Some(<only!($type, $one $($ones)*)>::decode_borrowed(bytes).ok()?.$field$(.$fields)*.digest())
                }),
                bilrost.reader("TagReader, skip_field", by_hand),
                bilrost.looped("batch: TagReader, skip_field", by_hand),
            ]
        }};
    }
    of_shape!(shape, value)
}

/// A field that was found.
struct Field<'a> {
    wire_type: WireType,
    /// The value, and the bytes after it.
    rest: &'a [u8],
}

/// The field with this number. Fields are in order, so the search ends at a greater number.
fn find(message: &[u8], number: u32) -> Option<Field<'_>> {
    let mut rest = message;
    let mut tags = TagReader::new();
    while !rest.is_empty() {
        let (tag, wire_type) = tags.decode_key(Capped::new(&mut rest)).ok()?;
        if tag >= number {
            return (tag == number).then_some(Field { wire_type, rest });
        }
        skip_field(wire_type, Capped::new(&mut rest)).ok()?;
    }
    None
}

impl<'a> Field<'a> {
    fn value<T: Default>(mut self) -> Option<T>
    where
        (): ValueBorrowDecoder<'a, General, T>,
    {
        check_wire_type(<() as Wiretyped<General, T>>::WIRE_TYPE, self.wire_type).ok()?;
        let mut value = T::default();
        <()>::borrow_decode_value(&mut value, Capped::new(&mut self.rest), DecodeContext::default()).ok()?;
        Some(value)
    }

    fn delimited(mut self) -> Option<&'a [u8]> {
        check_wire_type(WireType::LengthDelimited, self.wire_type).ok()?;
        Capped::new(&mut self.rest).take_borrowed_length_delimited().ok()
    }
}

fn encode<R: DeserializeOwned + Message>(model: &Node) -> Vec<u8> {
    record::<R>(model).encode_to_vec()
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("bilrost", "encode", record::<owned::C63>, |record, out| {
        record.encode(out).expect("a vector takes all");
    })]
}
