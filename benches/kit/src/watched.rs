//! Watched: the message of each scenario, and its watched value.

use std::fmt::{Debug, Display};

use serde::Deserialize;
use serde_json::Value;
use y3::{Decode, PathSet, path};

use crate::data::{Item, Node};

/// A scenario: a model, and the path to its watched value.
pub trait Watched {
    const NAME: &'static str;
    /// The keys of the path, from the root.
    const PATH: &'static [u8];
    const SET: PathSet<1>;
    /// The type of the watched value.
    type Number<'a>: Decode<'a> + Deserialize<'a> + PartialEq + Debug + Display;

    fn model() -> Node;
}

macro_rules! watched {
    ($name:ident, $text:literal, [$($key:literal),+]: $type:ty, $model:expr) => {
        pub struct $name;

        impl Watched for $name {
            const NAME: &'static str = $text;
            const PATH: &'static [u8] = &[$($key),+];
            const SET: PathSet<1> = PathSet::new([path!($($key),+)]);
            type Number<'a> = $type;

            fn model() -> Node {
                $model
            }
        }
    };
}

watched!(C63K32, "C63-K32", [0, 32]: i64, Node::new(63, Item::cycle));
watched!(C32K16, "C32-K16", [0, 16]: i32, Node::new(32, Item::cycle));
watched!(C16K08, "C16-K08", [0, 8]: &'a str, Node::new(16, Item::cycle));
watched!(C03K02, "C03-K02", [0, 2]: i32, Node::new(3, Item::cycle));

// Scenarios that are not in the report.
watched!(Nested, "nested-8x8x8", [0, 4, 4, 4]: i64, {
    let node = |item: &dyn Fn(u8) -> Item| Node::new(8, item);
    node(&|_| Item::Node(node(&|_| Item::Node(node(&Item::cycle)))))
});
watched!(Values100, "values-63x100", [0, 32]: &'a str, texts(100));
watched!(Values1024, "values-63x1024", [0, 32]: &'a str, texts(1024));
watched!(Miss, "miss-C63", [0, 0]: i64, Node::new(63, Item::cycle));

fn texts(len: usize) -> Node {
    Node::new(63, |place| Item::Text(char::from(b'a' + place % 26).to_string().repeat(len)))
}

/// Panics unless the Y3 bytes of a report's scenario equal those in `tests/vectors`.
pub fn assert_is_the_reports<W: Watched>() {
    let cases: Value = serde_json::from_str(include_str!("../../../tests/vectors/scenarios.json")).expect("JSON");
    let case = cases["cases"].as_array().and_then(|cases| cases.iter().find(|case| case["name"] == W::NAME));
    let case = case.expect("the vectors hold the report's scenarios");
    let pair = W::model().to_pair();

    let hex: Vec<String> = pair.y3.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(case["nvar_hex"], hex.concat(), "{}", W::NAME);

    let parse = |json: &[u8]| serde_json::from_slice::<Value>(json).expect("JSON");
    let theirs = case["json"].as_str().expect("JSON in a string");
    assert_eq!(parse(theirs.as_bytes()), parse(&pair.json), "{}", W::NAME);

    let hit = W::SET.watch(&pair.y3).next().expect("the watched value is there").expect("well-formed");
    let value: W::Number<'_> = hit.decode().expect("the value of its type");
    assert_eq!(case["want"]["v"], value.to_string(), "{}", W::NAME);
}
