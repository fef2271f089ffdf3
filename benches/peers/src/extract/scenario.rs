//! Scenario: which messages are read in which order, and which value is watched.
//!
//! In: a scenario and a regime. Out: the models to encode, and the answer for each.

use std::fs;

use kit::data::{Item, Node, Random};
pub use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Nested, Values100, Values1024, Watched};
use serde_json::Value;
use y3::{Packet, packets};

/// The shape of a message, shared by several scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    C63,
    C32,
    C16,
    C03,
    /// 63 texts.
    Texts,
    /// 63 floats.
    Floats,
    /// Eight nodes of eight nodes of eight values.
    Nested,
    /// A data frame of a recorded session with the reading in it.
    Frame,
}

/// One table of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    C63K32,
    C32K16,
    C16K08,
    C03K02,
    Texts100,
    Texts1024,
    Nested,
    Telemetry,
    Batch,
    Session,
}

impl Scenario {
    pub const ALL: [Scenario; 10] = [
        Scenario::C63K32,
        Scenario::C32K16,
        Scenario::C16K08,
        Scenario::C03K02,
        Scenario::Texts100,
        Scenario::Texts1024,
        Scenario::Nested,
        Scenario::Telemetry,
        Scenario::Batch,
        Scenario::Session,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Scenario::C63K32 => C63K32::NAME,
            Scenario::C32K16 => C32K16::NAME,
            Scenario::C16K08 => C16K08::NAME,
            Scenario::C03K02 => C03K02::NAME,
            Scenario::Texts100 => Values100::NAME,
            Scenario::Texts1024 => Values1024::NAME,
            Scenario::Nested => Nested::NAME,
            Scenario::Telemetry => "telemetry-63",
            Scenario::Batch => "batch-1000",
            Scenario::Session => "session",
        }
    }

    pub fn shape(self) -> Shape {
        match self {
            Scenario::C63K32 => Shape::C63,
            Scenario::C32K16 => Shape::C32,
            Scenario::C16K08 | Scenario::Batch => Shape::C16,
            Scenario::C03K02 => Shape::C03,
            Scenario::Texts100 | Scenario::Texts1024 => Shape::Texts,
            Scenario::Nested => Shape::Nested,
            Scenario::Telemetry => Shape::Floats,
            Scenario::Session => Shape::Frame,
        }
    }

    pub fn regimes(self) -> &'static [Regime] {
        match self {
            // What a receiver of one layout gets: all values are new in each message, the keys never.
            Scenario::Telemetry => &[Regime::KeysInOrder],
            Scenario::Batch | Scenario::Session => &[Regime::InOrder],
            _ => &Regime::ALL,
        }
    }

    /// The models of a regime's messages, visited in the order of [`Regime::visits`].
    pub fn models(self, regime: Regime) -> Vec<Node> {
        match self {
            Scenario::Session => session(),
            Scenario::Telemetry => telemetry(),
            _ => regime.models(&self.model()),
        }
    }

    fn model(self) -> Node {
        match self {
            Scenario::C63K32 => C63K32::model(),
            Scenario::C32K16 => C32K16::model(),
            Scenario::C16K08 | Scenario::Batch => C16K08::model(),
            Scenario::C03K02 => C03K02::model(),
            Scenario::Texts100 => Values100::model(),
            Scenario::Texts1024 => Values1024::model(),
            Scenario::Nested => Nested::model(),
            Scenario::Telemetry => unreachable!("each message has its own values"),
            Scenario::Session => unreachable!("a session is recorded"),
        }
    }
}

impl Shape {
    /// The keys that lead to the watched value, below the root.
    pub fn path(self) -> &'static [u8] {
        match self {
            Shape::C63 | Shape::Texts | Shape::Floats => &[32],
            Shape::C32 => &[16],
            Shape::C16 => &[8],
            Shape::C03 => &[2],
            Shape::Nested => &[4, 4, 4],
            Shape::Frame => &[2, 17],
        }
    }

    /// The correct answer of a reader.
    pub fn answer(self, model: &Node) -> u64 {
        let [outer @ .., last] = self.path() else { unreachable!("no path is empty") };
        let at = |node: &Node, key: &u8| node.0.iter().find(|pair| pair.0 == *key).expect("keys are there").1.clone();
        let node = outer.iter().fold(model.clone(), |node, key| match at(&node, key) {
            Item::Node(inner) => inner,
            other => unreachable!("a node, not {other:?}"),
        });
        match at(&node, last) {
            Item::Text(text) => text.digest(),
            Item::I32(number) => number.digest(),
            Item::I64(number) => number.digest(),
            Item::F32(number) => number.digest(),
            other => unreachable!("nobody watches {other:?}"),
        }
    }
}

/// Messages of a device with 63 sensors: floats from 32 to 64 with random bits, so that Y3 leaves the last byte of one in 256 out.
fn telemetry() -> Vec<Node> {
    let mut random = Random::new(5);
    let mut float = |_| Item::F32(f32::from_bits(0x4200_0000 | u32::try_from(random.number() >> 41).expect("23 bits")));
    (0..256).map(|_| Node::new(63, &mut float)).collect()
}

/// The contents of the data frames of the recorded session.
fn session() -> Vec<Node> {
    let lines = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/noise.jsonl"));
    let lines = lines.expect("the recording is in the repository");
    let recording = recording();
    let frame = |(line, frame): (&str, Packet<'_>)| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let noise: f32 = serde_json::from_value(line["noise"].clone()).expect("a number");
        let reading = Node(vec![
            (17, Item::F32(noise)),
            (18, Item::I64(line["time"].as_i64().expect("a number"))),
            (19, Item::Text(line["from"].as_str().expect("a text").to_owned())),
        ]);
        let tag = u32::try_from(line["tag"].as_u64().expect("a number")).expect("32 bits");
        // The models have no metadata.
        let metadata = frame.find(3).expect("whole").expect("there").decode::<&str>().expect("a text");
        Node(vec![(1, Item::U32(tag)), (3, Item::Text(metadata.to_owned())), (2, Item::Node(reading))])
    };
    lines.lines().zip(data_frames(&recording)).map(frame).collect()
}

/// A YoMo session as it was recorded.
pub fn recording() -> Vec<u8> {
    let recording = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/noise.y3"));
    recording.expect("the recording is in the repository")
}

/// The data frames of a recorded session.
pub fn data_frames(recording: &[u8]) -> impl Iterator<Item = Packet<'_>> {
    packets(recording).map(|packet| packet.expect("whole")).filter(|packet| packet.key().get() == 0x3f)
}

/// A value reduced to a number that can be compared, for an instruction or two, the same for all codecs.
pub trait Digest {
    fn digest(self) -> u64;
}

impl Digest for i64 {
    #[inline(always)]
    fn digest(self) -> u64 {
        self.cast_unsigned()
    }
}

impl Digest for i32 {
    #[inline(always)]
    fn digest(self) -> u64 {
        i64::from(self).digest()
    }
}

impl Digest for f32 {
    #[inline(always)]
    fn digest(self) -> u64 {
        u64::from(self.to_bits())
    }
}

/// A text's length and first letter: texts here repeat one letter.
impl Digest for &str {
    #[inline(always)]
    fn digest(self) -> u64 {
        self.as_bytes().digest()
    }
}

impl Digest for &[u8] {
    #[inline(always)]
    fn digest(self) -> u64 {
        self.len() as u64 | u64::from(self.first().copied().unwrap_or_default()) << 32
    }
}

impl Digest for String {
    #[inline(always)]
    fn digest(self) -> u64 {
        self.as_str().digest()
    }
}
