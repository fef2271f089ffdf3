//! Scenario: which messages are read in which order, and which value is watched.
//!
//! In: a scenario and a regime. Out: the models to encode.

use std::fs;

use kit::data::{Item, Node, Random};
pub use kit::regime::Regime;
use kit::watched::{self, Watched};
use serde_json::Value;
use y3::{Packet, packets};

use super::shape::Shape;

/// One table of the report.
#[derive(Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub shape: Shape,
    pub regimes: &'static [Regime],
    models: fn(Regime) -> Vec<Node>,
}

/// A scenario of the crate's own benches.
const fn own<W: Watched>(shape: Shape) -> Scenario {
    Scenario { name: W::NAME, shape, regimes: &Regime::ALL, models: |regime| regime.models(&W::model()) }
}

impl Scenario {
    pub const C63K32: Scenario = own::<watched::C63K32>(Shape::C63);

    pub const SESSION: Scenario =
        Scenario { name: "session", shape: Shape::Frame, regimes: &[Regime::InOrder], models: |_| session() };

    pub const ALL: [Scenario; 10] = [
        Scenario::C63K32,
        own::<watched::C32K16>(Shape::C32),
        own::<watched::C16K08>(Shape::C16),
        own::<watched::C03K02>(Shape::C03),
        own::<watched::Values100>(Shape::Texts),
        own::<watched::Values1024>(Shape::Texts),
        own::<watched::Nested>(Shape::Nested),
        // What a receiver of one layout gets: all values are new in each message, the keys never.
        Scenario {
            name: "telemetry-63",
            shape: Shape::Floats,
            regimes: &[Regime::KeysInOrder],
            models: |_| telemetry(),
        },
        Scenario { name: "batch-1000", regimes: &[Regime::InOrder], ..own::<watched::C16K08>(Shape::C16) },
        Scenario::SESSION,
    ];

    /// The models of a regime's messages, visited in the order of [`Regime::visits`].
    pub fn models(&self, regime: Regime) -> Vec<Node> {
        (self.models)(regime)
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
