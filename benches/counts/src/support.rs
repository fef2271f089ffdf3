//! Support: the data and the readers of the timed benches, to be counted instead.
//!
//! In: `benches/support`. Out: the parts of it that need no timing harness.

#[path = "../../support/data.rs"]
pub mod data;
#[path = "../../support/hand.rs"]
pub mod hand;
#[path = "../../support/readers.rs"]
pub mod readers;
#[path = "../../support/watched.rs"]
pub mod watched;

use data::Node;

/// Which packets are read, made from the one that describes a scenario.
pub trait Regime {
    fn models(model: Node) -> Vec<Node>;
}

/// That one alone: a count is the same the second time.
pub struct OneBuffer;

impl Regime for OneBuffer {
    fn models(model: Node) -> Vec<Node> {
        vec![model]
    }
}
