//! capnp: a struct is a block of numbers and a block of pointers, each field at a place that the schema fixes.
//!
//! For a message in memory its documentation recommends `read_message_from_flat_slice`. An expert uses the variant without
//! an allocation, which keeps no table of segments. Both check each pointer when they follow it, and count the bytes read
//! against the default limits: 64 MiB, and 64 nested structs. Fields have fixed positions: there is no order of keys to
//! shuffle.
//!
//! `build.rs` writes the structs as capnpc does.

use std::cell::RefCell;

use capnp::message::{Allocator, Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::private::layout::{PointerBuilder, PointerReader, StructBuilder, StructReader, StructSize};
use capnp::serialize::{read_message_from_flat_slice, read_message_from_flat_slice_no_alloc, write_message};
use capnp::traits::{FromPointerBuilder, FromPointerReader, HasStructSize, SetterInput};
use capnp::{Word, text};

use serde::de::DeserializeOwned;

use super::prelude::*;
use super::shape::Given;

/// A record that can fill a struct.
trait Set {
    type Builder<'a>: FromPointerBuilder<'a>;

    fn set(&self, builder: Self::Builder<'_>);
}

/// What capnpc would make of the schema: with a `StructReader` what it calls `Reader`, with a `StructBuilder` what it calls `Builder`.
#[allow(clippy::all, clippy::pedantic, dead_code, unused_mut, reason = "generated")]
mod generated {
    use super::{
        FromPointerBuilder, FromPointerReader, HasStructSize, PointerBuilder, PointerReader, Set, SetterInput,
    };
    use super::{StructBuilder, StructReader, StructSize, Word, owned, text};

    include!(concat!(env!("OUT_DIR"), "/capnp.rs"));
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
            let without_alloc = |mut bytes: &[u8]| {
                let message = read_message_from_flat_slice_no_alloc(&mut bytes, ReaderOptions::new()).ok()?;
                let root: generated::$message<StructReader<'_>> = message.get_root().ok()?;
                root.$field()$(.ok()?.$fields())*.given()
            };
            let capnp = Codec("capnp", encode::<owned::$message>);
            vec![
                capnp.reader("flat slice", |mut bytes| {
                    let message = read_message_from_flat_slice(&mut bytes, ReaderOptions::new()).ok()?;
                    let root: generated::$message<StructReader<'_>> = message.get_root().ok()?;
                    root.$field()$(.ok()?.$fields())*.given()
                }),
                capnp.reader("flat slice, no alloc", without_alloc),
                capnp.looped("batch: flat slice, no alloc", without_alloc),
            ]
        }};
    }
    of_shape!(shape, value)
}

/// Encodes the model as a record.
fn encode<R: Set + DeserializeOwned>(model: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    write(&record::<R>(model), Builder::new_default(), &mut out);
    out
}

fn write(record: &impl Set, mut message: Builder<impl Allocator>, out: &mut Vec<u8>) {
    record.set(message.init_root());
    write_message(out, &message).expect("a vector takes all");
}

pub fn writers() -> Vec<Writer> {
    /// Larger than a record of 63 pairs.
    const SCRATCH: usize = 512;
    thread_local! {
        static ALLOCATOR: RefCell<ScratchSpaceHeapAllocator<'static>> = {
            let words = Vec::leak(Word::allocate_zeroed_vec(SCRATCH));
            RefCell::new(ScratchSpaceHeapAllocator::new(Word::words_to_bytes_mut(words)))
        };
    }
    vec![
        Writer::new("capnp", "Builder", record::<owned::C63>, |record, out| {
            write(record, Builder::new_default(), out);
        }),
        Writer::new("capnp", "Builder, scratch space", record::<owned::C63>, |record, out| {
            ALLOCATOR.with_borrow_mut(|allocator| write(record, Builder::new(allocator), out));
        }),
    ]
}
