//! Extract: one value out of a message, in every way that a user would choose.
//!
//! In: a shape. Out: the readers of all codecs for it, and the writers of the report's 63 pairs. One file per codec; each
//! describes its encoding and the choice of its modes.

pub mod mode;
pub mod record;
pub mod scenario;
pub(crate) mod schema;

mod bilrost;
mod bincode;
mod buffa;
mod capnp;
mod cbor;
mod der;
mod flatbuffers;
mod generic;
mod jiter;
mod json;
mod named;
mod postcard;
mod prost;
mod quick_protobuf;
mod rkyv;
mod rmp;
mod simd;
mod sonic;
mod y3;

use mode::{Reader, Writer};
use scenario::Shape;

/// A model as `MessagePack` with names, and as protobuf.
pub(crate) use {prost::encode as numbers, rmp::encode as names};

/// All ways to take the watched value out of a message of this shape.
pub fn readers(shape: Shape) -> Vec<Reader> {
    [
        y3::readers,
        json::readers,
        sonic::readers,
        simd::readers,
        jiter::readers,
        rmp::readers,
        cbor::readers,
        prost::readers,
        quick_protobuf::readers,
        buffa::readers,
        bilrost::readers,
        postcard::readers,
        bincode::readers,
        der::readers,
        rkyv::readers,
        flatbuffers::readers,
        capnp::readers,
    ]
    .iter()
    .flat_map(|readers| readers(shape))
    .collect()
}

/// The first reader of a codec for the report's 63 pairs: it reads what the codec's writers write.
pub fn reader_of(codec: &str) -> Reader {
    readers(Shape::C63).into_iter().find(|reader| reader.codec == codec).expect("each codec that writes reads")
}

/// All ways to write the report's 63 pairs.
pub fn writers() -> Vec<Writer> {
    [
        y3::writers,
        json::writers,
        sonic::writers,
        simd::writers,
        rmp::writers,
        cbor::writers,
        prost::writers,
        quick_protobuf::writers,
        buffa::writers,
        bilrost::writers,
        postcard::writers,
        bincode::writers,
        der::writers,
        rkyv::writers,
        flatbuffers::writers,
        capnp::writers,
    ]
    .iter()
    .flat_map(|writers| writers())
    .collect()
}
