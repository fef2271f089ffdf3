//! der: ASN.1's distinguished encoding, with the tag of a type and a length before each value of a SEQUENCE. Fields are
//! known by their position; so always in the order of the fields, whatever the model's.
//!
//! Integers are INTEGER, texts `UTF8String`, floats OCTET STRING of their eight or four bytes: other programs read the
//! output of the crate's REAL as another number, and its decoder panics on malformed bytes. Its documentation recommends a
//! whole struct, here with borrowed texts. An expert reads tags and lengths up to the field and jumps over the values.

pub(super) mod float;

use der::asn1::Utf8StringRef;
use der::{Decode as _, Encode, Header, Reader as _, SliceReader, Tag};
use serde::de::DeserializeOwned;

use self::float::F32;
use super::prelude::*;
use super::shape::{by_type, der_borrowed, der_owned};

by_type! { Digest::digest -> u64;
    F32: |float| float.get().digest();
    Utf8StringRef<'_>: |text| text.as_str().digest();
}

/// The place of a field. The keys of messages begin at 1, but those of a reading at 17.
const fn place(key: usize) -> usize {
    if key == 17 { 0 } else { key - 1 }
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
            let der = Codec("der", encode::<der_owned::$message>);
            vec![
                der.reader("struct", |bytes| {
                    Some(<der_borrowed::$message<'_>>::from_der(bytes).ok()?.$field$(.$fields)*.digest())
                }),
                der.reader("Header, read_slice", |bytes| {
                    let mut reader = field(bytes, place($key))?;
                    $(let mut reader = field(reader.tlv_bytes().ok()?, place($keys))?;)*
                    Some(<$type>::by(
                        &mut reader,
                        |reader| reader.decode().ok(),
                        |reader| reader.decode().ok(),
                        |reader| Some(reader.decode::<F32>().ok()?.get()),
                        |reader| Some(reader.decode::<Utf8StringRef<'_>>().ok()?.as_str()),
                    )?.digest())
                }),
            ]
        }};
    }
    of_shape!(shape, value)
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

fn encode<R: DeserializeOwned + Encode>(model: &Node) -> Vec<u8> {
    record::<R>(model).to_der().expect("lengths fit")
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("der", "encode_to_vec", record::<der_owned::C63>, |record, out| {
        record.encode_to_vec(out).expect("lengths fit");
    })]
}
