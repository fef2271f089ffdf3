//! Floats in OCTET STRINGs of their bytes, the most significant first.

use der::asn1::OctetStringRef;
use der::{DecodeValue, EncodeValue, FixedTag, Header, Length, Tag};
use serde::Deserialize;

macro_rules! float {
    ($($name:ident $float:ident $size:literal;)*) => {$(
        #[derive(Deserialize)]
        pub struct $name($float);

        impl $name {
            pub fn get(&self) -> $float {
                self.0
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
