//! capnp: a struct is a block of numbers and a block of pointers, each field at a place that the schema fixes.
//!
//! For a message in memory its documentation recommends `read_message_from_flat_slice`. An expert uses the variant without
//! an allocation, which keeps no table of segments. Both check each pointer when they follow it, and count the bytes read
//! against the default limits: 64 MiB, and 64 nested structs. Fields have fixed positions: there is no order of keys to
//! shuffle.
//!
//! The code of a struct is like that of capnpc: accessors that call `get_data_field` and `get_pointer_field`. Fields are numbered
//! in the order of their keys and have the positions that the schema compiler gives them.

use std::cell::RefCell;

use capnp::message::{Allocator, Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::private::layout::{PointerBuilder, PointerReader, StructBuilder, StructReader, StructSize};
use capnp::serialize::{read_message_from_flat_slice, read_message_from_flat_slice_no_alloc, write_message};
use capnp::traits::{FromPointerBuilder, FromPointerReader, HasStructSize, SetterInput};
use capnp::{Word, text};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record;
use super::scenario::{Digest, Shape};
use super::schema::{flat_messages, nested_messages};
use kit::data::Node;

/// The space of a field in its struct, as the schema compiler counts it.
#[derive(Clone, Copy)]
enum Room {
    /// In the block of numbers.
    FourBytes,
    EightBytes,
    /// In the block of pointers.
    Pointer,
}

/// Where the fields are: of numbers counted in their own size, of pointers as such.
struct Layout<const N: usize> {
    offsets: [usize; N],
    size: StructSize,
}

/// Positions fields one after the other; the free half of a word is for the next number of four bytes.
const fn layout<const N: usize>(rooms: [Room; N]) -> Layout<N> {
    let mut offsets = [0; N];
    let (mut words, mut pointers) = (0, 0);
    let mut hole = None;
    let mut field = 0;
    while field < N {
        offsets[field] = match (rooms[field], hole) {
            (Room::FourBytes, Some(half)) => {
                hole = None;
                half
            }
            (Room::FourBytes, None) => {
                words += 1;
                hole = Some(2 * words - 1);
                2 * words - 2
            }
            (Room::EightBytes, _) => {
                words += 1;
                words - 1
            }
            (Room::Pointer, _) => {
                pointers += 1;
                pointers - 1
            }
        };
        field += 1;
    }
    assert!(words < 1 << 16 && pointers < 1 << 16, "a struct counts in sixteen bits");
    #[allow(clippy::cast_possible_truncation, reason = "asserted")]
    let size = StructSize { data: words as u16, pointers: pointers as u16 };
    Layout { offsets, size }
}

#[rustfmt::skip]
macro_rules! room {
    (Text) => { Room::Pointer };
    (Node $message:ident) => { Room::Pointer };
    (I32) => { Room::FourBytes };
    (U32) => { Room::FourBytes };
    (F32) => { Room::FourBytes };
    ($wide:ident) => { Room::EightBytes };
}

/// The result type of an accessor.
macro_rules! given {
    (Text) => { capnp::Result<text::Reader<'a>> };
    (Node $message:ident) => { capnp::Result<$message<StructReader<'a>>> };
    ($number:ident) => { record::kind!($number) };
}

#[rustfmt::skip]
macro_rules! get {
    ($reader:expr, $offset:expr, Text) => { FromPointerReader::get_from_pointer(&$reader.get_pointer_field($offset), None) };
    ($reader:expr, $offset:expr, Node $message:ident) => { get!($reader, $offset, Text) };
    ($reader:expr, $offset:expr, $number:ident) => { $reader.get_data_field($offset) };
}

macro_rules! set {
    ($builder:expr, $offset:expr, $value:expr, Text) => {
        SetterInput::<text::Owned>::set_pointer_builder($builder.reborrow().get_pointer_field($offset), &$value, false)
            .expect("a text fits a segment")
    };
    ($builder:expr, $offset:expr, $value:expr, Node $message:ident) => {
        $value.set(FromPointerBuilder::init_pointer($builder.reborrow().get_pointer_field($offset), 0))
    };
    ($builder:expr, $offset:expr, $value:expr, $number:ident) => {
        $builder.set_data_field($offset, $value)
    };
}

/// A record that can fill a struct.
trait Set {
    type Builder<'a>: FromPointerBuilder<'a>;

    fn set(&self, builder: Self::Builder<'_>);
}

macro_rules! message {
    ($name:ident $watched:ident { $($key:literal $field:ident [$($kind:tt)+];)* }) => {
        /// With a `StructReader` what capnpc calls `Reader`, with a `StructBuilder` what it calls `Builder`.
        pub struct $name<S>(S);

        const _: () = {
            #[allow(non_camel_case_types, reason = "they are called as the fields")]
            enum Place { $($field),* }

            const ROOMS: &[Room] = &[$(room!($($kind)+)),*];
            const LAYOUT: Layout<{ ROOMS.len() }> = layout([$(room!($($kind)+)),*]);

            impl<'a> FromPointerReader<'a> for $name<StructReader<'a>> {
                fn get_from_pointer(reader: &PointerReader<'a>, default: Option<&'a [Word]>) -> capnp::Result<Self> {
                    Ok($name(reader.get_struct(default)?))
                }
            }

            impl HasStructSize for $name<StructBuilder<'_>> {
                const STRUCT_SIZE: StructSize = LAYOUT.size;
            }

            impl<'a> FromPointerBuilder<'a> for $name<StructBuilder<'a>> {
                fn init_pointer(builder: PointerBuilder<'a>, _size: u32) -> Self {
                    $name(builder.init_struct(Self::STRUCT_SIZE))
                }

                fn get_from_pointer(builder: PointerBuilder<'a>, default: Option<&'a [Word]>) -> capnp::Result<Self> {
                    Ok($name(builder.get_struct(Self::STRUCT_SIZE, default)?))
                }
            }

            #[allow(dead_code, reason = "a user reads other fields")]
            impl<'a> $name<StructReader<'a>> {
                $(
                    #[inline]
                    pub fn $field(&self) -> given!($($kind)+) {
                        get!(self.0, const { LAYOUT.offsets[Place::$field as usize] }, $($kind)+)
                    }
                )*
            }

            impl Set for record::$name {
                type Builder<'a> = $name<StructBuilder<'a>>;

                fn set(&self, mut builder: $name<StructBuilder<'_>>) {
                    $(set!(builder.0, const { LAYOUT.offsets[Place::$field as usize] }, self.$field, $($kind)+);)*
                }
            }
        };
    };
}

flat_messages!(message);
nested_messages!(message);

/// The readers of a value. Arguments: its struct, and an expression that reads it from there.
macro_rules! value {
    ($name:ident, $root:ident => $value:expr) => {{
        let without_alloc = |mut bytes: &[u8]| {
            let message = read_message_from_flat_slice_no_alloc(&mut bytes, ReaderOptions::new()).ok()?;
            let $root: $name<StructReader<'_>> = message.get_root().ok()?;
            Some($value.digest())
        };
        let encode = encode::<record::$name>;
        vec![
            reader::<record::$name>("flat slice", Way::Recommended, |mut bytes| {
                let message = read_message_from_flat_slice(&mut bytes, ReaderOptions::new()).ok()?;
                let $root: $name<StructReader<'_>> = message.get_root().ok()?;
                Some($value.digest())
            }),
            reader::<record::$name>("flat slice, no alloc", Way::Expert, without_alloc),
            Reader::looped("capnp", "batch: flat slice, no alloc", Way::Expert, Hostile::Safe, encode, without_alloc),
        ]
    }};
}

fn reader<R: Set + for<'a> From<&'a Node>>(
    mode: &'static str,
    way: Way,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new("capnp", mode, way, Hostile::Safe, encode::<R>, read)
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63, root => root.k32()),
        Shape::C32 => value!(C32, root => root.k16()),
        Shape::C16 => value!(C16, root => root.k8().ok()?.to_str().ok()?),
        Shape::C03 => value!(C03, root => root.k2()),
        Shape::Texts => value!(Texts, root => root.k32().ok()?.to_str().ok()?),
        Shape::Nested => value!(Outer, root => root.k4().ok()?.k4().ok()?.k4()),
        Shape::Frame => value!(Frame, root => root.k2().ok()?.k17()),
    }
}

/// Encodes the model as a record.
fn encode<R: Set + for<'a> From<&'a Node>>(model: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    write(&R::from(model), Builder::new_default(), &mut out);
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
        Writer::new("capnp", "Builder", Way::Recommended, |record: &record::C63, out| {
            write(record, Builder::new_default(), out);
        }),
        Writer::new("capnp", "Builder, scratch space", Way::Expert, |record: &record::C63, out| {
            ALLOCATOR.with_borrow_mut(|allocator| write(record, Builder::new(allocator), out));
        }),
    ]
}
