//! flatbuffers: a table has the offset of each field, so a reader of a trusted message reads only the field that it needs.
//!
//! Its documentation recommends `root`, which first verifies the offsets, the alignment and the texts of the whole message.
//! `root_unchecked` is for messages that the program itself has built. A program is meant to reuse a builder. The output lies at the end
//! of the builder's buffer, so it is copied.

use std::cell::RefCell;

use flatbuffers::{
    FlatBufferBuilder, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, Verifiable, Verifier, WIPOffset, root,
    root_unchecked,
};

use super::prelude::*;

/// A record that can be written as a table.
pub trait Create {
    type Table<'fbb>;

    fn create<'fbb>(&self, builder: &mut FlatBufferBuilder<'fbb>) -> WIPOffset<Self::Table<'fbb>>;
}

/// Tables like flatc's, written by `build.rs`.
#[allow(clippy::all, clippy::pedantic, dead_code, reason = "generated")]
mod generated {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/flatbuffers.rs"));
}

const UNCHECKED: &str = "undefined behaviour or a panic, because the reader follows offsets without checks";

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
        Ways::of("flatbuffers", |model| encoded(model, write::<owned::$message>))
            .reader("root", |bytes| root::<generated::$message<'_>>(bytes).ok()?.$field()$(?.$fields())*.digest())
            .reader("root_unchecked", |bytes| {
                // SAFETY: the message comes from `write`; with other messages this is undefined behaviour, as the mode's name says.
                unsafe { root_unchecked::<generated::$message<'_>>(bytes) }.$field()$(?.$fields())*.digest()
            })
            .dangerous(UNCHECKED)
    }
}

pub fn write<R: Create>(record: &R, out: &mut Vec<u8>) {
    thread_local! {
        static BUILDER: RefCell<FlatBufferBuilder<'static>> = RefCell::default();
    }
    BUILDER.with_borrow_mut(|builder| {
        builder.reset();
        let root = record.create(builder);
        builder.finish_minimal(root);
        out.extend_from_slice(builder.finished_data());
    });
}
