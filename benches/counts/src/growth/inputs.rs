//! Inputs: the path sets, packets and outputs of the cases, made without the crate.

use kit::by_hand::{packet, repeat};
use y3::{Encoder, Error, Path, PathSet, Paths, Sink, path};

use crate::stream::Answer;

/// The maximum nesting depth that is read.
pub const DEPTH: usize = y3::MAX_DEPTH;

/// An input and its expected answer.
pub struct Input {
    pub bytes: Vec<u8>,
    pub answer: Answer,
}

impl Input {
    /// The same part, repeated, each with `items` items.
    pub fn repeated(part: &[u8], size: usize, items: usize) -> Input {
        let (bytes, times) = repeat(part, size);
        Input { bytes, answer: Answer::items(items * times) }
    }

    /// Packets `02 01 07` in one node with this tag.
    pub fn in_node(tag: u8, size: usize) -> Input {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        Input { bytes: packet(tag, &inside), answer: Answer::items(items) }
    }
}

pub const ONE: PathSet<1> = PathSet::new([path!(0x01)]);
pub const CHILD: PathSet<1> = PathSet::new([path!(0x01, 0x02)]);
pub const NOWHERE: PathSet<1> = PathSet::new([path!(0x3f, 0x3f)]);
/// A path that ends at each level; each is a prefix of the next.
pub const LEVELS: PathSet<8> = PathSet::new([
    path!(1),
    path!(1, 1),
    path!(1, 1, 1),
    path!(1, 1, 1, 1),
    path!(1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1, 1, 1),
]);

pub const BOTH: PathSet<2> = PathSet::new([path!(0x01), path!(0x01, 0x02)]);
pub const DEEP: PathSet<2> = PathSet::new([path!(0x01, 0x02), path!(1, 1, 1, 1, 1, 1, 1, 1)]);

/// Paths with common prefixes: the first of 256 paths of two keys. Owned, so that one loop serves all sizes: the loops of constant sets
/// are compiled for each size, and differ.
pub fn many_paths(count: usize) -> Paths {
    let paths = (1..=4).flat_map(|node| (0..64).map(move |key| Path::new(&[node, key]).expect("two keys")));
    paths.take(count).collect()
}

/// 4,096 paths of eight steps: each choice of steps that are any key, with the key 1 elsewhere, and 16 last keys.
pub fn patterns() -> Paths {
    let path = |number: usize| {
        let last = [u8::try_from(number / 256).expect("below 16")];
        let steps = (0..8).map(|depth| match (number >> depth & 1, depth) {
            (0, 7) => Path::new(&last).expect("a key"),
            (0, _) => path!(0x01),
            _ => Path::ANY,
        });
        steps.reduce(|path, step| path.join(step).expect("at most eight steps")).expect("eight steps")
    };
    (0..4096).map(path).collect()
}

/// A message with a number, a watched value and a text.
pub fn message() -> Vec<u8> {
    packet(0x81, &[packet(0x10, &[0x07]), packet(0x02, b"abcd"), packet(0x13, b"10.0.3.7")].concat())
}

/// What an encoder writes.
#[derive(Clone)]
pub enum Output {
    /// That many primitives.
    Numbers(usize),
    Bytes(Vec<u8>),
    Node(Vec<Output>),
    /// That many empty items of a slice.
    Items(usize),
}

impl Output {
    /// A primitive of 64 bytes with its header: the node around it needs a length of two bytes, and so its body moves by one.
    pub fn body() -> Output {
        Output::Bytes(vec![0x61; 62])
    }

    /// Around a packet so many nested nodes, each with these packets before the next.
    pub fn nested(nodes: usize, each: &[Output], innermost: Output) -> Output {
        (0..nodes).fold(innermost, |inside, _| Output::Node([each, &[inside]].concat()))
    }

    pub fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        match self {
            Output::Numbers(count) => (0..*count).try_for_each(|_| encoder.put(0x01, 7i32)),
            Output::Bytes(value) => encoder.put(0x02, &value[..]),
            Output::Node(inside) => encoder.node(0x01, |node| inside.iter().try_for_each(|output| output.write(node))),
            Output::Items(count) => encoder.slice(0x01, |items| (0..*count).try_for_each(|_| items.put(0, ""))),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Output::Numbers(count) => [0x01, 0x01, 0x07].repeat(*count),
            Output::Bytes(value) => packet(0x02, value),
            Output::Node(inside) => packet(0x81, &inside.iter().flat_map(Output::bytes).collect::<Vec<u8>>()),
            Output::Items(count) => packet(0xc1, &[0x00, 0x00].repeat(*count)),
        }
    }
}
