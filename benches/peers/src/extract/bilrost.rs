//! bilrost: like protobuf, but the wire has the difference between the numbers of two fields. Fields are therefore always in the order of
//! their numbers.
//!
//! Its documentation recommends a whole struct, or one with borrowed texts if copies are too slow. A struct with some of the fields skips
//! the others. An expert calls the functions that the derived code calls, which are documented as experimental, and stops at the field.

use bilrost::OwnedMessage as _;
use bilrost::encoding::{
    Capped, DecodeContext, General, TagReader, ValueBorrowDecoder, WireType, Wiretyped, check_wire_type, skip_field,
};
use formats::bilrost::{read, write};

use super::prelude::*;

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
        Ways::of("bilrost", |model| encoded(model, write::<owned::$message>))
            .reader("struct", |bytes| owned::$message::decode(bytes).ok()?.$field$(.$fields)*.digest())
            .reader("struct, borrowed", |bytes| read::<borrowed::$message>(bytes)?.$field$(.$fields)*.digest())
            .reader("struct, one field", |bytes| read::<only!($type, $one $($ones)*)>(bytes).digest())
            .both("TagReader, skip_field", |bytes| {
                let field = find(bytes, $key)?;
                $(let field = find(delimited(field)?, $keys)?;)*
                value::<$type>(field).digest()
            })
    }
}

/// The kind of a field, and the bytes from its value on.
type Field<'a> = (WireType, &'a [u8]);

/// Finds the field with this number. Fields are in order, so the search ends at a greater number.
fn find(message: &[u8], number: u32) -> Option<Field<'_>> {
    let mut rest = message;
    let mut tags = TagReader::new();
    while !rest.is_empty() {
        let (tag, wire_type) = tags.decode_key(Capped::new(&mut rest)).ok()?;
        if tag >= number {
            return (tag == number).then_some((wire_type, rest));
        }
        skip_field(wire_type, Capped::new(&mut rest)).ok()?;
    }
    None
}

fn value<'a, T: Default>((wire_type, mut rest): Field<'a>) -> Option<T>
where
    (): ValueBorrowDecoder<'a, General, T>,
{
    check_wire_type(<() as Wiretyped<General, T>>::WIRE_TYPE, wire_type).ok()?;
    let mut value = T::default();
    <()>::borrow_decode_value(&mut value, Capped::new(&mut rest), DecodeContext::default()).ok()?;
    Some(value)
}

fn delimited((wire_type, mut rest): Field<'_>) -> Option<&[u8]> {
    check_wire_type(WireType::LengthDelimited, wire_type).ok()?;
    Capped::new(&mut rest).take_borrowed_length_delimited().ok()
}
