//! flatbuffers: a table of offsets has the position of each field; once the message is trusted, only that field is read.
//!
//! Its documentation recommends `root`, which first verifies the whole message: the offsets, alignment and texts of all
//! fields. `root_unchecked` is for messages that the program itself has built. A builder is meant to be reused; its output
//! is copied, since it is at the end of the builder's own buffer. Fields have fixed slots: there is no order of keys to
//! shuffle.
//!
//! A table is written here as flatc generates it: accessors over `Table::get`, a verifier that visits each field, and a
//! function that writes wide fields first.

use std::cell::RefCell;

use flatbuffers::{
    FlatBufferBuilder, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, VOffsetT, Verifiable, Verifier, WIPOffset,
    root, root_unchecked,
};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record;
use super::scenario::{Digest, Shape};
use super::schema::{flat_messages, nested_messages};
use kit::data::Node;

/// Builds a record.
trait Create {
    type Table<'fbb>;

    fn create<'fbb>(&self, builder: &mut FlatBufferBuilder<'fbb>) -> WIPOffset<Self::Table<'fbb>>;
}

/// The slot of a field in a table's list of offsets.
const fn slot(place: u16) -> VOffsetT {
    4 + 2 * place
}

/// A field's type as it is stored.
macro_rules! stored {
    (Text) => { ForwardsUOffset<&'a str> };
    (Node $message:ident) => { ForwardsUOffset<$message<'a>> };
    ($number:ident) => { record::kind!($number) };
}

/// The result of an accessor: texts and tables may be missing, numbers have a default.
macro_rules! given {
    (Text) => { Option<&'a str> };
    (Node $message:ident) => { Option<$message<'a>> };
    ($number:ident) => { record::kind!($number) };
}

#[rustfmt::skip]
macro_rules! default {
    ($value:expr, Text) => { $value };
    ($value:expr, Node $message:ident) => { $value };
    ($value:expr, $number:ident) => { $value.unwrap_or_default() };
}

/// Builds the parts that a table points at, before the table.
macro_rules! before {
    ($builder:ident, $value:expr, Text) => {
        $builder.create_string(&$value)
    };
    ($builder:ident, $value:expr, Node $message:ident) => {
        $value.create($builder)
    };
    ($builder:ident, $value:expr, $number:ident) => {
        $value
    };
}

/// A number of eight bytes.
#[rustfmt::skip]
macro_rules! wide {
    ($builder:ident, $slot:expr, $value:ident, I64) => { $builder.push_slot($slot, $value, 0) };
    ($builder:ident, $slot:expr, $value:ident, U64) => { $builder.push_slot($slot, $value, 0) };
    ($builder:ident, $slot:expr, $value:ident, F64) => { $builder.push_slot($slot, $value, 0.0) };
    ($builder:ident, $slot:expr, $value:ident, $($narrow:ident)+) => {};
}

/// A number or an offset of four bytes.
#[rustfmt::skip]
macro_rules! narrow {
    ($builder:ident, $slot:expr, $value:ident, I32) => { $builder.push_slot($slot, $value, 0) };
    ($builder:ident, $slot:expr, $value:ident, U32) => { $builder.push_slot($slot, $value, 0) };
    ($builder:ident, $slot:expr, $value:ident, F32) => { $builder.push_slot($slot, $value, 0.0) };
    ($builder:ident, $slot:expr, $value:ident, Text) => { $builder.push_slot_always($slot, $value) };
    ($builder:ident, $slot:expr, $value:ident, Node $message:ident) => { $builder.push_slot_always($slot, $value) };
    ($builder:ident, $slot:expr, $value:ident, $wide:ident) => {};
}

macro_rules! table {
    ($name:ident $watched:ident { $($key:literal $field:ident [$($kind:tt)+];)* }) => {
        #[derive(Clone, Copy)]
        pub struct $name<'a>(Table<'a>);

        const _: () = {
            /// Fields by their place, which decides their slot.
            #[allow(non_camel_case_types, reason = "they are called as the fields")]
            #[repr(u16)]
            enum Place { $($field),* }

            impl<'a> Follow<'a> for $name<'a> {
                type Inner = $name<'a>;

                #[inline]
                unsafe fn follow(buf: &'a [u8], loc: usize) -> Self {
                    // SAFETY: the caller vouches that such a table is there.
                    $name(unsafe { Table::new(buf, loc) })
                }
            }

            #[allow(dead_code, reason = "a user reads other fields")]
            impl<'a> $name<'a> {
                $(
                    #[inline]
                    pub fn $field(&self) -> given!($($kind)+) {
                        // SAFETY: the code that made this table guarantees that the slot is empty or leads to a value of
                        // this type.
                        let value = unsafe { self.0.get::<stored!($($kind)+)>(slot(Place::$field as u16), None) };
                        default!(value, $($kind)+)
                    }
                )*
            }

            impl<'a> Verifiable for $name<'a> {
                #[inline]
                fn run_verifier(verifier: &mut Verifier, position: usize) -> Result<(), InvalidFlatbuffer> {
                    verifier
                        .visit_table(position)?
                        $(.visit_field::<stored!($($kind)+)>(stringify!($field), slot(Place::$field as u16), false)?)*
                        .finish();
                    Ok(())
                }
            }

            impl Create for record::$name {
                type Table<'fbb> = $name<'fbb>;

                fn create<'fbb>(&self, builder: &mut FlatBufferBuilder<'fbb>) -> WIPOffset<$name<'fbb>> {
                    $(let $field = before!(builder, self.$field, $($kind)+);)*
                    let start = builder.start_table();
                    $(wide!(builder, slot(Place::$field as u16), $field, $($kind)+);)*
                    $(narrow!(builder, slot(Place::$field as u16), $field, $($kind)+);)*
                    WIPOffset::new(builder.end_table(start).value())
                }
            }
        };
    };
}

flat_messages!(table);
nested_messages!(table);

/// The readers of a value. Arguments: its table, and an expression that reads it from there.
macro_rules! value {
    ($name:ident, $root:ident => $value:expr) => {
        vec![
            Reader::new("flatbuffers", "root", Way::Recommended, Hostile::Safe, encode::<record::$name>, |bytes| {
                let $root = root::<$name>(bytes).ok()?;
                Some($value.digest())
            }),
            Reader::new("flatbuffers", "root_unchecked", Way::Expert, UNCHECKED, encode::<record::$name>, |bytes| {
                // SAFETY: the message comes from `encode`; with other messages this is undefined behaviour, as the mode's name says.
                let $root = unsafe { root_unchecked::<$name>(bytes) };
                Some($value.digest())
            }),
        ]
    };
}

const UNCHECKED: Hostile = Hostile::Unsafe("undefined behaviour, or a panic: offsets are followed unchecked");

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63, root => root.k32()),
        Shape::C32 => value!(C32, root => root.k16()),
        Shape::C16 => value!(C16, root => root.k8()?),
        Shape::C03 => value!(C03, root => root.k2()),
        Shape::Texts => value!(Texts, root => root.k32()?),
        Shape::Nested => value!(Outer, root => root.k4()?.k4()?.k4()),
        Shape::Frame => value!(Frame, root => root.k2()?.k17()),
    }
}

/// Encodes the model as a record.
fn encode<R: Create + for<'a> From<&'a Node>>(model: &Node) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let root = R::from(model).create(&mut builder);
    builder.finish_minimal(root);
    builder.finished_data().to_vec()
}

pub fn writers() -> Vec<Writer> {
    thread_local! {
        static BUILDER: RefCell<FlatBufferBuilder<'static>> = RefCell::default();
    }
    vec![Writer::new("flatbuffers", "FlatBufferBuilder", Way::Recommended, |record: &record::C63, out| {
        BUILDER.with_borrow_mut(|builder| {
            builder.reset();
            let root = record.create(builder);
            builder.finish_minimal(root);
            out.extend_from_slice(builder.finished_data());
        });
    })]
}
