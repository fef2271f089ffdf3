//! Case: one reader of one kind of hostile input at one size, with its memory limit.

use std::fmt::{self, Debug, Display, Formatter};
use std::hint::black_box;

use y3::SliceSink;

use super::inputs::Input;
use crate::measure::measure;
use crate::stream::Answer;

/// The limit for bytes allocated at once: a fixed number plus a number per byte of input.
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

/// While a vector grows, it has its old and its new memory.
pub const GROWING: Memory = Memory::per_byte(3);
/// The limit for readers that own a read buffer.
pub const BUFFER: Memory = Memory::fixed(65 << 10);
/// The codec reserves as many bytes as have arrived, so its buffer may double twice at once.
pub const CODEC: Memory = Memory::per_byte(6);
pub const BUFFER_AND_JOINED: Memory = Memory { per_byte: 3, ..BUFFER };

/// A kind of input with one reader at one size.
pub struct Case {
    pub family: &'static str,
    pub reader: &'static str,
    pub memory: Memory,
    /// The number of bytes read or written.
    pub bytes: usize,
    /// The maximum number of bytes allocated at once.
    pub peak: usize,
}

/// The sizes of an input in bytes. The actual size is the nearest possible one.
pub type Sizes = &'static [usize];
pub const SIZES: Sizes = &[1 << 9, 1 << 11, 1 << 13, 1 << 15];
/// The sizes for readers that do not read single bytes.
pub const LARGE: Sizes = &[1 << 14, 1 << 16, 1 << 18, 1 << 20];

#[derive(Default)]
pub struct Cases(pub Vec<Case>);

impl Cases {
    /// Adds a case that reads or writes `bytes` bytes.
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

    /// Adds a writer into a slice. It must write `want` and allocate nothing.
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

    /// Adds a writer into a growing vector.
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

    /// Adds a reader of the inputs that `make` creates in these sizes. `answer` makes the reader's answer from the
    /// input's answer.
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

/// Adds inputs, each with its readers. By default, a reader returns the input's answer and allocates nothing. A row can
/// have another memory limit, `[memory]`, and another answer, `{answer}`.
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

/// The answer of a reader that finds the same error but no items.
pub fn no_items(answer: Answer) -> Answer {
    Answer { items: 0, ..answer }
}

pub fn nothing(_: Answer) -> Answer {
    Answer::default()
}

pub fn one(_: Answer) -> Answer {
    Answer::items(1)
}
