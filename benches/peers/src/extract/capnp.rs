//! capnp: a struct is a block of numbers and a block of pointers. The schema fixes the position of each field.
//!
//! For a message in memory its documentation recommends `read_message_from_flat_slice`. An expert uses the variant that does not
//! allocate, because it keeps no table of segments. Both check each pointer when they follow it, and enforce the default limits: 64 MiB
//! read and 64 nested structs.

use std::cell::RefCell;

use capnp::message::{Allocator, Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::private::layout::{PointerBuilder, PointerReader, StructBuilder, StructReader, StructSize};
use capnp::serialize::{read_message_from_flat_slice, read_message_from_flat_slice_no_alloc, write_message};
use capnp::traits::{FromPointerBuilder, FromPointerReader, HasStructSize, SetterInput};
use capnp::{Word, text};

use super::prelude::*;

/// A record that can fill a struct.
pub trait Set {
    type Builder<'a>: FromPointerBuilder<'a>;

    fn set(&self, builder: Self::Builder<'_>);
}

/// Structs like capnpc's, written by `build.rs`. With a `StructReader` each is what capnpc calls `Reader`, with a `StructBuilder` what it
/// calls `Builder`.
#[allow(clippy::all, clippy::pedantic, dead_code, unused_mut, reason = "generated")]
mod generated {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/capnp.rs"));
}

digests! { capnp::Result<text::Reader<'_>>: |text| text.ok()?.to_str().ok()?.digest(); }

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
        Ways::of("capnp", |model| encoded(model, write::<owned::$message>))
            .reader("flat slice", |mut bytes| {
                let message = read_message_from_flat_slice(&mut bytes, ReaderOptions::new()).ok()?;
                let root: generated::$message<StructReader<'_>> = message.get_root().ok()?;
                root.$field()$(.ok()?.$fields())*.digest()
            })
            .both("flat slice, no alloc", |mut bytes| {
                let message = read_message_from_flat_slice_no_alloc(&mut bytes, ReaderOptions::new()).ok()?;
                let root: generated::$message<StructReader<'_>> = message.get_root().ok()?;
                root.$field()$(.ok()?.$fields())*.digest()
            })
    }
}

pub fn write<R: Set>(record: &R, out: &mut Vec<u8>) {
    write_with(record, Builder::new_default(), out);
}

/// Writes with memory that is reused for the next message.
pub fn write_in_scratch_space(record: &owned::C63, out: &mut Vec<u8>) {
    /// The number of words; a record of 63 pairs is smaller.
    const SCRATCH: usize = 512;
    thread_local! {
        static ALLOCATOR: RefCell<ScratchSpaceHeapAllocator<'static>> = {
            let words = Vec::leak(Word::allocate_zeroed_vec(SCRATCH));
            RefCell::new(ScratchSpaceHeapAllocator::new(Word::words_to_bytes_mut(words)))
        };
    }
    ALLOCATOR.with_borrow_mut(|allocator| write_with(record, Builder::new(allocator), out));
}

fn write_with(record: &impl Set, mut message: Builder<impl Allocator>, out: &mut Vec<u8>) {
    record.set(message.init_root());
    write_message(out, &message).expect("a vector takes all");
}
