use y3::{Decode, Encode, Encoder, Error, Key, Packet, Sink};

struct Short;

impl Encode for Short {
    const IS_SHORT: bool = true;
    const OPTIONAL: bool = true;

    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        7.encode(key, to)
    }
}

struct Nothing;

impl Encode for Nothing {
    fn encode_short(&self, _: Key, _: &mut [u8; 16], _: impl Sized) -> usize {
        0
    }

    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        7.encode(key, to)
    }
}

impl<'a> Decode<'a> for Nothing {
    const IS_FLAT: bool = true;

    fn decode(_: Packet<'a>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn absent() -> Option<Self> {
        Some(Self)
    }

    fn decode_vec<T>(_: Packet<'a>, _: T) -> Result<Vec<Self>, Error> {
        Ok(Vec::new())
    }
}

fn main() {}
