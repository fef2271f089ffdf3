//! Case: one reader of one hostile family at one size, and what it may cost.

use std::fmt::{self, Debug, Display, Formatter};
use std::hint::black_box;

use y3::SliceSink;

use super::inputs::Input;
use crate::measure::measure;
use crate::stream::Answer;

/// How many bytes may be allocated at once: a fixed number, and a number per byte of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub fixed: usize,
    pub per_byte: usize,
}

impl Memory {
    pub const NONE: Memory = Memory::fixed(0);

    pub const fn fixed(fixed: usize) -> Memory {
        Memory { fixed, per_byte: 0 }
    }

    pub const fn per_byte(per_byte: usize) -> Memory {
        Memory { fixed: 1 << 10, per_byte }
    }
}

impl Display for Memory {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.per_byte {
            0 => write!(out, "{}", self.fixed),
            per_byte => write!(out, "{} + {per_byte} a byte", self.fixed),
        }
    }
}

/// A vector that grows holds its old and its new memory while it moves.
pub const GROWING: Memory = Memory::per_byte(3);
/// For readers that own a buffer for the bytes they read.
pub const BUFFER: Memory = Memory::fixed(65 << 10);
/// It reserves as many bytes as have arrived, so its buffer may double twice at once.
pub const CODEC: Memory = Memory::per_byte(6);
pub const BUFFER_AND_JOINED: Memory = Memory { per_byte: 3, ..BUFFER };

/// One family with one reader at one size.
pub struct Case {
    pub family: &'static str,
    pub reader: &'static str,
    pub memory: Memory,
    /// The number of bytes read or written.
    pub bytes: usize,
    /// The most bytes allocated at once.
    pub peak: usize,
}

/// The sizes of the input in bytes. A family makes the nearest size it can.
pub type Sizes = &'static [usize];
pub const SIZES: Sizes = &[1 << 9, 1 << 11, 1 << 13, 1 << 15];
/// For readers that do not process single bytes.
pub const LARGE: Sizes = &[1 << 14, 1 << 16, 1 << 18, 1 << 20];

#[derive(Default)]
pub struct Cases(pub Vec<Case>);

impl Cases {
    /// Adds one case, which reads or writes `bytes` bytes.
    pub fn case<T: PartialEq + Debug>(
        &mut self,
        (family, reader): (&'static str, &'static str),
        memory: Memory,
        bytes: usize,
        want: &T,
        run: impl FnMut() -> T,
    ) {
        let peak = measure(&format!("{family}, {reader}, {bytes} bytes"), want, run);
        self.0.push(Case { family, reader, memory, bytes, peak });
    }

    /// Adds a writer into a slice, which allocates nothing and makes these bytes.
    pub fn slice<T, E: PartialEq + Debug>(
        &mut self,
        names: (&'static str, &'static str),
        bytes: usize,
        want: &[u8],
        mut write: impl FnMut(&mut SliceSink<'_>) -> Result<T, E>,
    ) {
        let mut slice = vec![0; want.len()];
        self.case(names, Memory::NONE, bytes, &Ok(want.len()), || {
            let mut sink = SliceSink::new(&mut slice);
            write(&mut sink).map(|_| sink.written().len())
        });
        assert!(slice == want, "{names:?}, {bytes}");
    }

    /// Adds a writer into a vector that grows.
    pub fn vec<T, E: PartialEq + Debug>(
        &mut self,
        names: (&'static str, &'static str),
        bytes: usize,
        want: Vec<u8>,
        mut write: impl FnMut(&mut Vec<u8>) -> Result<T, E>,
    ) {
        self.case(names, GROWING, bytes, &Ok(want), || {
            let mut out = Vec::new();
            write(&mut out).map(|_| out)
        });
    }

    /// Adds a reader of inputs of about these sizes, made by `make`: what it may allocate, and its answer, made of the family's.
    pub fn reader(
        &mut self,
        names: (&'static str, &'static str),
        (sizes, make): (Sizes, &impl Fn(usize) -> Input),
        memory: Memory,
        answer: impl Fn(Answer) -> Answer,
        read: impl Fn(&[u8]) -> Answer,
    ) {
        for &size in sizes {
            let input = make(size);
            self.case(names, memory, input.bytes.len(), &answer(input.answer), || read(black_box(&input.bytes)));
        }
    }
}

/// Adds a family of inputs, each with its readers. A reader returns the family's answer and allocates nothing, if its row does not say
/// `[what it may allocate]` or `{its answer, made of the family's}`.
macro_rules! families {
    ($cases:ident; $($family:expr, $sizes:expr, $make:expr => {
        $($reader:literal $([$memory:expr])? $({$answer:expr})? |$bytes:ident| $read:expr;)*
    })*) => {$({
        let (sizes, make): (super::case::Sizes, _) = ($sizes, $make);
        $($cases.reader(
            ($family, $reader),
            (sizes, &make),
            families!(@memory $($memory)?),
            families!(@answer $($answer)?),
            |$bytes: &[u8]| $read,
        );)*
    })*};
    (@memory) => { Memory::NONE };
    (@answer) => { |answer| answer };
    (@$other:ident $given:expr) => { $given };
}

pub(crate) use families;

/// No items, the same error.
pub fn no_items(answer: Answer) -> Answer {
    Answer { items: 0, ..answer }
}

pub fn nothing(_: Answer) -> Answer {
    Answer::default()
}

pub fn one(_: Answer) -> Answer {
    Answer::items(1)
}
