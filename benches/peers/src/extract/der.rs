//! der: ASN.1's distinguished encoding, with the tag of a type and a length before each value of a SEQUENCE. Fields are
//! known by their position; so always in the order of the fields, whatever the model's.
//!
//! Integers are INTEGER, texts `UTF8String`, floats OCTET STRING of their eight or four bytes: other programs read the
//! output of the crate's REAL as another number, and its decoder panics on malformed bytes. Its documentation recommends a
//! whole struct, here with borrowed texts. An expert reads tags and lengths up to the field and jumps over the values.

use der::asn1::{OctetStringRef, Utf8StringRef};
use der::{
    Decode as _, DecodeValue, Encode, EncodeValue, FixedTag, Header, Length, Reader as _, Sequence, SliceReader, Tag,
};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record::{FromItem, from_node, take};
use super::scenario::{Digest, Shape};
use super::schema::{flat_messages, nested_messages};
use kit::data::{Item, Node};

macro_rules! float {
    ($($name:ident $float:ident $size:literal;)*) => {$(
        pub struct $name($float);

        impl FromItem for $name {
            fn from_item(item: &Item) -> Self {
                Self(<$float>::from_item(item))
            }
        }

        impl<'a> DecodeValue<'a> for $name {
            type Error = der::Error;

            fn decode_value<R: der::Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
                let bytes = <[u8; $size]>::try_from(<&OctetStringRef>::decode_value(reader, header)?)?;
                Ok(Self(<$float>::from_be_bytes(bytes)))
            }
        }

        impl EncodeValue for $name {
            fn value_len(&self) -> der::Result<Length> {
                Ok(Length::new($size))
            }

            fn encode_value(&self, writer: &mut impl der::Writer) -> der::Result<()> {
                writer.write(&self.0.to_be_bytes())
            }
        }

        impl FixedTag for $name {
            const TAG: Tag = Tag::OctetString;
        }
    )*};
}

float! { F32 f32 4; F64 f64 8; }

impl Digest for F32 {
    #[inline]
    fn digest(self) -> u64 {
        self.0.digest()
    }
}

impl Digest for Utf8StringRef<'_> {
    #[inline]
    fn digest(self) -> u64 {
        self.as_str().digest()
    }
}

/// Records as they are written.
mod owned {
    use super::{F32, F64, FromItem, Item, Node, Sequence, flat_messages, from_node, nested_messages, take};

    macro_rules! kind {
        (F32) => { F32 };
        (F64) => { F64 };
        ($($kind:tt)+) => { super::super::record::kind!($($kind)+) };
    }

    macro_rules! record {
        ($name:ident $watched:ident { $($key:literal $field:ident [$($kind:tt)+];)* }) => {
            #[derive(Sequence)]
            pub struct $name {
                $(pub $field: kind!($($kind)+),)*
            }

            from_node!($name, $name, $($key $field)*);
        };
    }

    flat_messages!(record);
    nested_messages!(record);
}

/// The same as they are read, texts borrowed.
mod borrowed {
    use super::{F32, F64, Sequence, Utf8StringRef, flat_messages, nested_messages};

    macro_rules! kind {
        (Text) => { Utf8StringRef<'a> };
        (F32) => { F32 };
        (F64) => { F64 };
        (Node $message:ident) => { $message<'a> };
        ($kind:ident) => { super::super::record::kind!($kind) };
    }

    macro_rules! record {
        ($name:ident $watched:ident { $($key:literal $field:ident [$($kind:tt)+];)* }) => {
            #[derive(Sequence)]
            pub struct $name<'a> {
                $(pub $field: kind!($($kind)+),)*
            }
        };
    }

    flat_messages!(record);
    nested_messages!(record);
}

/// The readers of a value: one decodes the whole struct, one reads by hand.
macro_rules! value {
    ($record:ident $(.$field:ident)+, $by_hand:expr) => {
        vec![
            Reader::new("der", "struct", Way::Recommended, Hostile::Safe, encode::<owned::$record>, |bytes| {
                Some(borrowed::$record::from_der(bytes).ok()?$(.$field)+.digest())
            }),
            Reader::new("der", "Header, read_slice", Way::Expert, Hostile::Safe, encode::<owned::$record>, $by_hand),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63.k32, |bytes| Some(field(bytes, 31)?.decode::<i64>().ok()?.digest())),
        Shape::C32 => value!(C32.k16, |bytes| Some(field(bytes, 15)?.decode::<i32>().ok()?.digest())),
        Shape::C16 => value!(C16.k8, |bytes| Some(field(bytes, 7)?.decode::<Utf8StringRef<'_>>().ok()?.digest())),
        Shape::C03 => value!(C03.k2, |bytes| Some(field(bytes, 1)?.decode::<i32>().ok()?.digest())),
        Shape::Texts => value!(Texts.k32, |bytes| Some(field(bytes, 31)?.decode::<Utf8StringRef<'_>>().ok()?.digest())),
        Shape::Nested => value!(Outer.k4.k4.k4, |bytes| {
            let middle = field(bytes, 3)?.tlv_bytes().ok()?;
            let inner = field(middle, 3)?.tlv_bytes().ok()?;
            Some(field(inner, 3)?.decode::<i64>().ok()?.digest())
        }),
        Shape::Frame => value!(Frame.k2.k17, |bytes| {
            let reading = field(bytes, 1)?.tlv_bytes().ok()?;
            Some(field(reading, 0)?.decode::<F32>().ok()?.digest())
        }),
    }
}

/// A reader of a SEQUENCE, positioned at a field by its index.
fn field(sequence: &[u8], before: usize) -> Option<SliceReader<'_>> {
    let mut reader = SliceReader::new(sequence).ok()?;
    let header = Header::decode(&mut reader).ok()?;
    header.tag().assert_eq(Tag::Sequence).ok()?;
    let mut reader = SliceReader::new(reader.read_slice(header.length()).ok()?).ok()?;
    for _ in 0..before {
        let header = Header::decode(&mut reader).ok()?;
        reader.read_slice(header.length()).ok()?;
    }
    Some(reader)
}

fn encode<T: for<'a> From<&'a Node> + Encode>(model: &Node) -> Vec<u8> {
    T::from(model).to_der().expect("lengths fit")
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("der", "encode_to_vec", Way::Recommended, |record: &owned::C63, out| {
        record.encode_to_vec(out).expect("lengths fit");
    })]
}
