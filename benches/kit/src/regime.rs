//! Regimes: the messages that are read, and their order.

use std::hint::black_box;

use crate::data::{Node, Random};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// The same message each time, as in the published report. It is in the cache, and every branch is predicted.
    OneBuffer,
    /// The same message each time, with texts of 1 to 32 letters, so formats that store very short texts in place have
    /// no advantage.
    OneBufferTexts,
    /// 256 messages with texts of varied lengths, read in a random order. The keys of a message are in order, as most
    /// encoders write them. Formats without keys have no other order.
    KeysInOrder,
    /// 256 messages with shuffled keys and texts of varied lengths, read in a random order. Nothing can be predicted.
    Rotating,
    /// A thousand messages of the kind in `Rotating`, or those of a recorded session, in order.
    InOrder,
}

/// The number of reads after which the order repeats. Branch predictors learn an order of 8,192 reads: three pairs then
/// take a third of the time that they take in any longer order.
pub const VISITS: usize = 65_536;

impl Regime {
    /// The regimes for comparisons with other codecs, except in recorded scenarios. Branch predictors learn everything
    /// in the first two, the order of keys in the third, and nothing in the last. In the last one, only formats with
    /// keys have shuffled keys.
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

    /// The models of all messages, made from the scenario's model.
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

    /// The order in which the messages are read.
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

    /// A function that returns the inputs in the order of the regime, without end. The compiler cannot predict the next
    /// input.
    pub fn feed<T: Copy>(self, inputs: &[T]) -> impl FnMut() -> T + use<T> {
        let (visits, inputs) = (self.visits(inputs.len()), inputs.to_vec());
        let mut visit = 0;
        move || {
            visit = (visit + 1) % VISITS;
            black_box(inputs[usize::from(visits[visit])])
        }
    }
}
