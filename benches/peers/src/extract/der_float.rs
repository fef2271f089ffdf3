//! The floats of der's structs. Each float is an OCTET STRING.

use der::asn1::OctetStringRef;
use der::{DecodeValue, EncodeValue, FixedTag, Header, Length, Tag};
use serde::Deserialize;

macro_rules! float {
    ($($name:ident $float:ident $size:literal;)*) => {$(
        /// A float in an OCTET STRING, with the most significant byte first.
        #[derive(Deserialize)]
        pub struct $name(pub(super) $float);

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
