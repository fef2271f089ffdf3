//! Inputs: the path sets, packets and outputs of the cases. The packets are made without the crate.

use kit::by_hand::{packet, repeat};
use y3::{Encoder, Error, Path, PathSet, Paths, Sink, path};

use crate::stream::Answer;

/// The maximum nesting depth of the readers.
pub const DEPTH: usize = y3::MAX_DEPTH;

/// An input and its expected answer.
pub struct Input {
    pub bytes: Vec<u8>,
    pub answer: Answer,
}

impl Input {
    /// Repeats a part; each part has `items` items.
    pub fn repeated(part: &[u8], size: usize, items: usize) -> Input {
        let (bytes, times) = repeat(part, size);
        Input { bytes, answer: Answer::items(items * times) }
    }

    /// One node with this tag that contains many packets `02 01 07`.
    pub fn in_node(tag: u8, size: usize) -> Input {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        Input { bytes: packet(tag, &inside), answer: Answer::items(items) }
    }
}

pub const ONE: PathSet<1> = PathSet::new([path!(0x01)]);
pub const CHILD: PathSet<1> = PathSet::new([path!(0x01, 0x02)]);
pub const NOWHERE: PathSet<1> = PathSet::new([path!(0x3f, 0x3f)]);
/// One path for each level. Each path is a prefix of the next.
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

/// The first of 256 paths of two keys, which share prefixes. The set is owned, so the same loop runs for all sizes. The
/// compiler makes a different loop for each size of a constant set.
pub fn many_paths(count: usize) -> Paths {
    let paths = (1..=4).flat_map(|node| (0..64).map(move |key| Path::new(&[node, key]).expect("two keys")));
    paths.take(count).collect()
}

/// 4,096 paths of eight steps. Each step is the wildcard `*` or a key: one of 16 keys at the last step, 1 at the
/// others.
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

/// The expected output of an encoder.
#[derive(Clone)]
pub enum Output {
    /// A number of primitives.
    Numbers(usize),
    Bytes(Vec<u8>),
    Node(Vec<Output>),
    /// A slice with a number of empty items.
    Items(usize),
}

impl Output {
    /// A primitive of 64 bytes with its header. The length of the node around it takes two bytes, so the encoder shifts
    /// the body by one byte.
    pub fn body() -> Output {
        Output::Bytes(vec![0x61; 62])
    }

    /// Puts a packet into nested nodes. Each node has these packets before the next node.
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
