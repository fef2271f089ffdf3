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

use super::generic::{C03, C16, C32, C63, Frame, Outer, Texts};
use super::mode::{Hostile, Reader, Way, Writer};
use super::scenario::{Digest, Shape};
use kit::data::Node;

/// One field of a message, the others skipped: one type per number.
macro_rules! only {
    ($($name:ident $field:ident $tag:tt;)*) => {$(
        #[derive(Message)]
        pub struct $name<T> {
            #[bilrost($tag)]
            pub $field: T,
        }
    )*};
}

only! { K2 k2 2; K4 k4 4; K8 k8 8; K16 k16 16; K17 k17 17; K32 k32 32; }

/// The readers of a value: they decode the whole struct (owned and borrowed), a struct of only that field, or read by hand.
macro_rules! value {
    ($whole:ident, $only:ty, $by_hand:expr, $($access:tt)+) => {{
        let by_hand = $by_hand;
        let encode = encode::<$whole<String>>;
        vec![
            reader::<$whole<String>>("struct", Way::Recommended, |bytes| {
                Some($whole::<String>::decode(bytes).ok()?$($access)+.digest())
            }),
            reader::<$whole<String>>("struct, borrowed", Way::Recommended, |bytes| {
                Some($whole::<&str>::decode_borrowed(bytes).ok()?$($access)+.digest())
            }),
            reader::<$whole<String>>("struct, one field", Way::Recommended, |bytes| {
                Some(<$only>::decode_borrowed(bytes).ok()?$($access)+.digest())
            }),
            reader::<$whole<String>>("TagReader, skip_field", Way::Expert, by_hand),
            Reader::looped("bilrost", "batch: TagReader, skip_field", Way::Expert, Hostile::Safe, encode, by_hand),
        ]
    }};
}

fn reader<T: for<'a> From<&'a Node> + Message>(
    mode: &'static str,
    way: Way,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new("bilrost", mode, way, Hostile::Safe, encode::<T>, read)
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63, K32<i64>, |bytes: &[u8]| Some(find(bytes, 32)?.value::<i64>()?.digest()), .k32),
        Shape::C32 => value!(C32, K16<i32>, |bytes: &[u8]| Some(find(bytes, 16)?.value::<i32>()?.digest()), .k16),
        Shape::C16 => value!(C16, K8<&str>, |bytes: &[u8]| Some(find(bytes, 8)?.value::<&str>()?.digest()), .k8),
        Shape::C03 => value!(C03, K2<i32>, |bytes: &[u8]| Some(find(bytes, 2)?.value::<i32>()?.digest()), .k2),
        Shape::Texts => value!(Texts, K32<&str>, |bytes: &[u8]| Some(find(bytes, 32)?.value::<&str>()?.digest()), .k32),
        Shape::Nested => value!(Outer, K4<K4<K4<i64>>>, |bytes: &[u8]| {
            let middle = find(bytes, 4)?.delimited()?;
            Some(find(find(middle, 4)?.delimited()?, 4)?.value::<i64>()?.digest())
        }, .k4.k4.k4),
        Shape::Frame => value!(Frame, K2<K17<f32>>, |bytes: &[u8]| {
            Some(find(find(bytes, 2)?.delimited()?, 17)?.value::<f32>()?.digest())
        }, .k2.k17),
    }
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

fn encode<T: for<'a> From<&'a Node> + Message>(model: &Node) -> Vec<u8> {
    T::from(model).encode_to_vec()
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("bilrost", "encode", Way::Recommended, |record: &C63<String>, out| {
        record.encode(out).expect("a vector takes all");
    })]
}
