//! der: ASN.1's distinguished encoding. Each value of a SEQUENCE has the tag of its type and a length before it. Fields have no keys, so
//! they are always in the order of the struct.
//!
//! Integers are INTEGER, texts `UTF8String`, and floats an OCTET STRING of their eight or four bytes. The crate's REAL is not used: other
//! programs read its output as another number, and its decoder panics on malformed bytes. Its documentation recommends a whole struct,
//! here with borrowed texts. An expert reads tags and lengths up to the field and jumps over the values.

use der::asn1::Utf8StringRef;
use der::{Decode as _, Encode, Header, Reader as _, SliceReader, Tag};

use super::der_float::F32;
use super::prelude::*;
use super::shape::{der_borrowed, der_owned};

digests! {
    F32: |float| float.0.digest();
    Utf8StringRef<'_>: |text| text.as_str().digest();
}

/// The index of a field. Keys of most messages begin at 1, those of a reading at 17.
const fn place(key: usize) -> usize {
    if key == 17 { 0 } else { key - 1 }
}

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
        Ways::of("der", |model| encoded(model, write::<der_owned::$message>))
            .reader("struct", |bytes| der_borrowed::$message::from_der(bytes).ok()?.$field$(.$fields)*.digest())
            .reader("Header, read_slice", |bytes| {
                let mut reader = field(bytes, place($key))?;
                $(let mut reader = field(reader.tlv_bytes().ok()?, place($keys))?;)*
                <$type>::by(
                    &mut reader,
                    |reader| reader.decode().ok(),
                    |reader| reader.decode().ok(),
                    |reader| Some(reader.decode::<F32>().ok()?.0),
                    |reader| Some(reader.decode::<Utf8StringRef<'_>>().ok()?.as_str()),
                ).digest()
            })
    }
}

/// Returns a reader of a SEQUENCE that is positioned after a number of fields.
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

pub fn write<R: Encode>(record: &R, out: &mut Vec<u8>) {
    record.encode_to_vec(out).expect("lengths fit");
}
