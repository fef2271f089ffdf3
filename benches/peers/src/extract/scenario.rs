//! Scenarios: the messages that are read, their order, and the watched value.

use std::fs;

use kit::data::{Item, Node, Random};
pub use kit::regime::Regime;
use kit::watched::{self, Watched};
use serde::Deserialize;

use super::shape::Shape;

/// One table of the report.
#[derive(Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub shape: Shape,
    pub regimes: &'static [Regime],
    /// The models of a regime's messages, visited in the order of [`Regime::visits`].
    pub models: fn(Regime) -> Vec<Node>,
}

/// A scenario of the crate's own benches.
const fn own<W: Watched>(shape: Shape) -> Scenario {
    Scenario { name: W::NAME, shape, regimes: &Regime::ALL, models: |regime| regime.models(&W::model()) }
}

impl Scenario {
    pub const C63K32: Scenario = own::<watched::C63K32>(Shape::C63);

    pub const ALL: [Scenario; 10] = [
        Scenario::C63K32,
        own::<watched::C32K16>(Shape::C32),
        own::<watched::C16K08>(Shape::C16),
        own::<watched::C03K02>(Shape::C03),
        own::<watched::Values100>(Shape::Texts),
        own::<watched::Values1024>(Shape::Texts),
        own::<watched::Nested>(Shape::Nested),
        // The messages of one device: each has new values for the same keys.
        Scenario {
            name: "telemetry-63",
            shape: Shape::Floats,
            regimes: &[Regime::KeysInOrder],
            models: |_| telemetry(),
        },
        Scenario { name: "batch-1000", regimes: &[Regime::InOrder], ..own::<watched::C16K08>(Shape::C16) },
        Scenario { name: "session", shape: Shape::Frame, regimes: &[Regime::InOrder], models: |_| session() },
    ];
}

/// Messages of a device with 63 sensors. Values are floats from 32 to 64 with random bits: Y3 omits the last byte of one in 256.
fn telemetry() -> Vec<Node> {
    let mut random = Random::new(5);
    let mut float = |_| Item::F32(f32::from_bits(0x4200_0000 | u32::try_from(random.number() >> 41).expect("23 bits")));
    (0..256).map(|_| Node::new(63, &mut float)).collect()
}

/// A line of the recorded session.
#[derive(Deserialize)]
struct Line {
    tag: u32,
    noise: f32,
    time: i64,
    from: String,
}

/// The contents of the data frames of a recorded `YoMo` session.
fn session() -> Vec<Node> {
    let file = |name: &str| fs::read(format!("{}/../../tests/data/{name}", env!("CARGO_MANIFEST_DIR")));
    let recorded = |name: &str| file(name).expect("the recording is in the repository");
    let (lines, packets) = (recorded("noise.jsonl"), recorded("noise.y3"));
    let mut frames =
        y3::packets(&packets).map(|packet| packet.expect("whole")).filter(|packet| packet.key().get() == 0x3f);
    let of_line = |line: Result<Line, _>| {
        let (Line { tag, noise, time, from }, frame) =
            (line.expect("JSON"), frames.next().expect("a frame for each line"));
        // The lines have no metadata.
        let metadata = frame.find(3).expect("whole").expect("there").decode().expect("a text");
        let reading = Node(vec![(17, Item::F32(noise)), (18, Item::I64(time)), (19, Item::Text(from))]);
        let model = Node(vec![(1, Item::U32(tag)), (3, Item::Text(metadata)), (2, Item::Node(reading))]);
        assert_eq!(super::y3::encode(&model), frame.as_bytes(), "as YoMo writes it");
        model
    };
    let models = serde_json::Deserializer::from_slice(&lines).into_iter().map(of_line).collect();
    assert!(frames.next().is_none(), "a line for each frame");
    models
}
