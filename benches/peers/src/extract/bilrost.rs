//! bilrost: like protobuf, but the wire has the distance from one field's number to the next. Fields are therefore always in the order
//! of their numbers.
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
            .reader("struct, one field", |bytes| read::<only!($type, $one $($ones)*)>(bytes)?.$field$(.$fields)*.digest())
            .both("TagReader, skip_field", |bytes| {
                let field = find(bytes, $key)?;
                $(let field = find(field.delimited()?, $keys)?;)*
                field.value::<$type>().digest()
            })
    }
}

struct Field<'a> {
    wire_type: WireType,
    /// The value and the bytes after it.
    rest: &'a [u8],
}

/// Finds the field with this number. Fields are in order, so the search ends at a greater number.
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
