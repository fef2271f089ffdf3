//! Regimes: which messages are read, and in which order.
//!
//! In: the model of a scenario. Out: the models to encode, and the order in which to visit their messages.

use std::hint::black_box;

use crate::data::{Node, Random};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// The same message each time, as in the published report: all of it is in the cache, and every branch is predicted.
    OneBuffer,
    /// The same message each time, its texts of 1 to 32 letters: formats that store the shortest texts in place gain nothing.
    OneBufferTexts,
    /// 256 messages with texts of varied lengths, visited in a random order. Their keys are in order, as most encoders write them:
    /// formats without keys have no other order either.
    KeysInOrder,
    /// 256 messages with shuffled keys and texts of varied lengths, visited in a random order: nothing can be predicted.
    Rotating,
    /// A thousand such messages, or those of a recorded session, in order.
    InOrder,
}

/// The number of visits before the order repeats. Branch predictors learn an order of 8,192 visits: three pairs then take a
/// third of the time that they take in any longer order.
pub const VISITS: usize = 65_536;

impl Regime {
    /// The regimes beside other codecs of a scenario that is not recorded. Branch predictors learn everything in the first two, the
    /// order of keys in the third, and nothing in the last, where formats with keys alone have them shuffled.
    pub const ALL: [Regime; 4] = [Regime::OneBuffer, Regime::OneBufferTexts, Regime::KeysInOrder, Regime::Rotating];

    /// The name in the ids of benches.
    pub fn name(self) -> &'static str {
        match self {
            Regime::OneBuffer => "one-buffer",
            Regime::OneBufferTexts => "one-buffer-texts",
            Regime::KeysInOrder => "keys-in-order",
            Regime::Rotating => "rotating",
            Regime::InOrder => "in-order",
        }
    }

    /// The models of the messages, made from the scenario's model.
    pub fn models(self, model: &Node) -> Vec<Node> {
        let mut random = Random::new(3);
        match self {
            Regime::OneBuffer => vec![model.clone()],
            Regime::OneBufferTexts => vec![model.varied(&mut random, false)],
            Regime::KeysInOrder => (0..256).map(|_| model.varied(&mut random, false)).collect(),
            Regime::Rotating => (0..256).map(|_| model.varied(&mut random, true)).collect(),
            Regime::InOrder => (0..1000).map(|_| model.varied(&mut random, true)).collect(),
        }
    }

    /// The order in which that many messages are visited.
    pub fn visits(self, messages: usize) -> Box<[u16; VISITS]> {
        let mut random = Random::new(4);
        let visits: Vec<u16> = (0..VISITS)
            .map(|visit| match self {
                Regime::OneBuffer | Regime::OneBufferTexts => 0,
                Regime::KeysInOrder | Regime::Rotating => u16::from(random.byte()),
                Regime::InOrder => u16::try_from(visit % messages).expect("a few thousand"),
            })
            .collect();
        visits.try_into().expect("so many were made")
    }

    /// A function that returns the inputs in the order of the regime, endlessly; the compiler cannot predict which comes
    /// next.
    pub fn feed<T: Copy>(self, inputs: &[T]) -> impl FnMut() -> T + use<T> {
        let (visits, inputs) = (self.visits(inputs.len()), inputs.to_vec());
        let mut visit = 0;
        move || {
            visit = (visit + 1) % VISITS;
            black_box(inputs[usize::from(visits[visit])])
        }
    }
}
