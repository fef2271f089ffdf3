//! Readers of one value of a message, in every way that a user would choose, and writers of the report's 63 pairs.
//!
//! The file of a codec or of a family of codecs describes the encoding and says why the modes were chosen.

pub mod mode;
pub mod scenario;
pub mod shape;

mod bilrost;
mod buffa;
mod capnp;
mod cbor;
mod der;
mod der_float;
mod flatbuffers;
mod hand;
mod jiter;
mod json;
mod positional;
mod prelude;
mod prost;
mod quick_protobuf;
mod rkyv;
mod rmp;
mod simd;
mod sonic;
mod y3;

use mode::{Reader, Writer};
use shape::{Shape, owned, record};

use crate::formats;

/// What the whole structs use: a model as protobuf and as `MessagePack` with names, a number read by hand, a value written by rkyv.
pub(crate) use {hand::integer, prost::encode as numbers, rkyv::write as archive, rmp::encode as names};

/// All ways to take the watched value out of a message of this shape.
pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! all {
        ($($codec:ident)*) => { [$($codec::readers(shape)),*] };
    }
    let all = all! {
        y3 hand json sonic simd jiter rmp cbor prost quick_protobuf buffa bilrost positional der rkyv flatbuffers capnp
    };
    all.into_iter().flat_map(|ways| ways.all).collect()
}

/// All ways to write the report's 63 pairs. Each starts from the form in which users of the codec keep a message.
pub fn writers() -> Vec<Writer> {
    let made = record::<owned::C63>;
    vec![
        Writer::new("y3", "Encoder", made, shape::write_c63),
        Writer::new("y3", "derive", made, y3::write_derived),
        // Every writer must at least copy the bytes of a message.
        Writer::new("loop", "copy of the bytes", y3::encode, |packet, out| out.extend_from_slice(packet)),
        Writer::new("serde_json", "to_writer", made, formats::serde_json::write),
        Writer::new("sonic-rs", "to_writer", made, formats::sonic_rs::write),
        Writer::new("simd-json", "to_writer", made, formats::simd_json::write),
        Writer::new("rmp-serde", "write_named", made, rmp::write_named),
        Writer::new("rmpv", "write_value", rmp::value, rmp::write_value),
        Writer::new("minicbor", "encode", made, formats::minicbor::write),
        Writer::new("ciborium", "into_writer", made, formats::ciborium::write),
        Writer::new("prost", "encode", prost::message, formats::prost::write),
        Writer::new("quick-protobuf", "write_message", quick_protobuf::message, quick_protobuf::write),
        Writer::new("buffa", "encode", buffa::message, buffa::write),
        Writer::new("bilrost", "encode", made, formats::bilrost::write),
        Writer::new("postcard", "to_extend", made, formats::postcard::write),
        Writer::new("bincode", "encode_into_std_write", made, formats::bincode::write),
        Writer::new("bincode", "encode_into_slice", made, positional::write_into_slice),
        Writer::new("der", "encode_to_vec", record::<shape::der_owned::C63>, der::write),
        Writer::new("rkyv", "to_bytes_in", made, rkyv::write),
        Writer::new("flatbuffers", "FlatBufferBuilder", made, flatbuffers::write),
        Writer::new("capnp", "Builder", made, capnp::write),
        Writer::new("capnp", "Builder, scratch space", made, capnp::write_in_scratch_space),
    ]
}

/// The first reader of a codec for the report's 63 pairs. It reads the output of the codec's writers.
pub fn reader_of(codec: &str) -> Reader {
    readers(Shape::C63).into_iter().find(|reader| reader.codec == codec).expect("each codec that writes reads")
}
