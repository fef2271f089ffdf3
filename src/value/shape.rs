//! Shapes: what the packets of a type hold.
//!
//! In: a type. Out: its parts, for names files and for padding.

/// What the packet of a type holds. Types are functions, so that one may hold itself.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Anything: a names file leaves it out.
    Any,
    /// The value of a primitive, by the file's word for it; none if its number is all there is.
    Value(&'static str),
    /// A slice of items of one type.
    Slice(fn() -> Shape),
    /// A slice with one item of each type.
    Tuple(&'static [fn() -> Shape]),
    /// A node whose keys are those of a map.
    Map(fn() -> Shape),
    /// The same with integers as `PVarInt`.
    PVar(fn() -> Shape),
    /// A node with fields.
    Node(Fields),
    /// An enum.
    OneOf(Fields),
    /// A derived type: its name with its path and parameters, its own name, and what it is.
    Named(fn() -> &'static str, &'static str, fn() -> Shape),
}

/// Calls a function with each field: its key, its name, whether it may be absent, and its type.
pub type Fields = fn(&mut dyn FnMut(u8, &'static str, bool, fn() -> Shape));
