//! Inputs: the path sets, packets and outputs of the cases, made without the crate.

use y3::{Encoder, Error, Path, PathSet, Paths, Sink, path};

use crate::by_hand::{field, nested, packet, repeat};
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

/// Paths with common prefixes: the first 1, 2, 4, … of 256 paths of two keys.
pub fn many_paths<const N: usize>() -> PathSet<N> {
    let mut paths = [path!(0); N];
    for (place, path) in paths.iter_mut().enumerate() {
        let key = u8::try_from(place % 64).expect("below 64");
        let node = u8::try_from(place / 64).expect("below 4") + 1;
        *path = Path::new(&[node, key]).expect("two keys");
    }
    PathSet::new(paths)
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

/// 64 bytes with its header: the node around it needs a length of two bytes, and so its body moves by one.
const BODY: [u8; 62] = [0x61; 62];

/// What an encoder writes.
pub enum Output {
    /// That many primitives outside of nodes.
    Numbers(usize),
    /// That many nodes side by side.
    Nodes(usize),
    /// That many times 64 nested nodes, as deep as an encoder goes, each with a body of its own too.
    Chains(usize),
    /// 64 nested nodes around one value.
    Around(Vec<u8>),
    /// That many items of a slice.
    Items(usize),
}

impl Output {
    pub fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        match self {
            Output::Numbers(count) => (0..*count).try_for_each(|_| encoder.put(0x01, 7i32)),
            Output::Nodes(count) => (0..*count).try_for_each(|_| encoder.node(0x01, |node| node.put(0x02, BODY))),
            Output::Chains(count) => (0..*count).try_for_each(|_| encoder.node(0x01, |node| chain(node, DEPTH - 1))),
            Output::Around(value) => encoder.node(0x01, |node| around(node, DEPTH - 1, value)),
            Output::Items(count) => encoder.slice(0x01, |items| (0..*count).try_for_each(|_| items.put(0, ""))),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Output::Numbers(count) => [0x01, 0x01, 0x07].repeat(*count),
            Output::Nodes(count) => packet(0x81, &packet(0x02, &BODY)).repeat(*count),
            Output::Chains(count) => {
                let (body, mut len) = (packet(0x02, &BODY), 0);
                let fronts = (0..DEPTH).map(|_| {
                    let front = [&[0x81], &*field(len + body.len()), &*body].concat();
                    len += front.len();
                    front
                });
                // Made from the innermost outwards.
                let mut fronts: Vec<_> = fronts.collect();
                fronts.reverse();
                fronts.concat().repeat(*count)
            }
            Output::Around(value) => nested(usize::MAX, DEPTH, &packet(0x02, value)).0,
            Output::Items(count) => packet(0xc1, &[0x00, 0x00].repeat(*count)),
        }
    }
}

fn chain<S: Sink>(encoder: &mut Encoder<'_, S>, nodes: usize) -> Result<(), Error> {
    encoder.put(0x02, BODY)?;
    if nodes == 0 { Ok(()) } else { encoder.node(0x01, |node| chain(node, nodes - 1)) }
}

fn around<S: Sink>(encoder: &mut Encoder<'_, S>, nodes: usize, value: &[u8]) -> Result<(), Error> {
    if nodes == 0 { encoder.put(0x02, value) } else { encoder.node(0x01, |node| around(node, nodes - 1, value)) }
}
