//! Extract: one value out of a message, in every way that a user would choose.
//!
//! In: a shape. Out: the readers of all codecs for it, and the writers of the report's 63 pairs. One file per codec; each
//! describes its encoding and the choice of its modes.

pub mod mode;
pub mod scenario;
pub mod shape;

mod bilrost;
mod bincode;
mod buffa;
mod capnp;
mod cbor;
mod der;
mod flatbuffers;
mod hand;
mod jiter;
mod json;
mod postcard;
mod prelude;
mod prost;
mod quick_protobuf;
mod rkyv;
mod rmp;
mod simd;
mod sonic;
mod y3;

use mode::{Reader, Writer};
use shape::Shape;

/// A model as `MessagePack` with names, and as protobuf; a number read by hand.
pub(crate) use {hand::integer, prost::encode as numbers, rmp::encode as names};

macro_rules! codecs {
    ($($codec:ident)*) => {
        /// All ways to take the watched value out of a message of this shape.
        pub fn readers(shape: Shape) -> Vec<Reader> {
            [$($codec::readers(shape)),*].into_iter().flatten().collect()
        }

        /// All ways to write the report's 63 pairs.
        pub fn writers() -> Vec<Writer> {
            [$($codec::writers()),*].into_iter().flatten().collect()
        }
    };
}

codecs! {
    y3 hand json sonic simd jiter rmp cbor prost quick_protobuf buffa bilrost postcard bincode der rkyv flatbuffers capnp
}

/// The first reader of a codec for the report's 63 pairs: it reads what the codec's writers write.
pub fn reader_of(codec: &str) -> Reader {
    readers(Shape::C63).into_iter().find(|reader| reader.codec == codec).expect("each codec that writes reads")
}
