//! flatbuffers: a table of offsets has the position of each field; once the message is trusted, only that field is read.
//!
//! Its documentation recommends `root`, which first verifies the whole message: the offsets, alignment and texts of all
//! fields. `root_unchecked` is for messages that the program itself has built. A builder is meant to be reused; its output
//! is copied, since it is at the end of the builder's own buffer. Fields have fixed slots: there is no order of keys to
//! shuffle.
//!
//! `build.rs` writes the tables as flatc does.

use std::cell::RefCell;

use flatbuffers::{
    FlatBufferBuilder, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, Verifiable, Verifier, WIPOffset, root,
    root_unchecked,
};

use serde::de::DeserializeOwned;

use super::prelude::*;
use super::shape::Given;

/// Builds a record.
trait Create {
    type Table<'fbb>;

    fn create<'fbb>(&self, builder: &mut FlatBufferBuilder<'fbb>) -> WIPOffset<Self::Table<'fbb>>;
}

/// What flatc would make of the schema.
#[allow(clippy::all, clippy::pedantic, dead_code, reason = "generated")]
mod generated {
    use super::{Create, FlatBufferBuilder, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, Verifiable, Verifier};
    use super::{WIPOffset, owned};

    include!(concat!(env!("OUT_DIR"), "/flatbuffers.rs"));
}

const UNCHECKED: &str = "undefined behaviour or a panic, because the reader follows offsets without checks";

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
            let flatbuffers = Codec("flatbuffers", encode::<owned::$message>);
            vec![
                flatbuffers.reader("root", |bytes| {
                    root::<generated::$message<'_>>(bytes).ok()?.$field()$(?.$fields())*.given()
                }),
                flatbuffers.reader("root_unchecked", |bytes| {
                    // SAFETY: the message comes from `encode`; with other messages this is undefined behaviour, as the mode's name says.
                    unsafe { root_unchecked::<generated::$message<'_>>(bytes) }.$field()$(?.$fields())*.given()
                }).dangerous(UNCHECKED),
            ]
        }};
    }
    of_shape!(shape, value)
}

/// Encodes the model as a record.
fn encode<R: Create + DeserializeOwned>(model: &Node) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let root = record::<R>(model).create(&mut builder);
    builder.finish_minimal(root);
    builder.finished_data().to_vec()
}

pub fn writers() -> Vec<Writer> {
    thread_local! {
        static BUILDER: RefCell<FlatBufferBuilder<'static>> = RefCell::default();
    }
    vec![Writer::new("flatbuffers", "FlatBufferBuilder", record::<owned::C63>, |record, out| {
        BUILDER.with_borrow_mut(|builder| {
            builder.reset();
            let root = record.create(builder);
            builder.finish_minimal(root);
            out.extend_from_slice(builder.finished_data());
        });
    })]
}
