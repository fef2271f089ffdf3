//! The code that all benches share: messages in Y3 and JSON, scenarios, regimes, readers, and timing of threads.
//!
//! All benches read the same data in the same order, so their results can be compared.
#![forbid(unsafe_code)]

use y3::{Error, Event, Hit, Limits, WatchedPaths, Watcher};

#[cfg(feature = "criterion")]
pub mod bench;
pub mod by_hand;
pub mod counted;
pub mod data;
pub mod hand;
pub mod message;
pub mod readers;
pub mod regime;
pub mod turns;
pub mod watched;

/// The result of a reader of many packets: the number of values and of their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub values: usize,
    pub bytes: usize,
}

impl Sum {
    /// The sum over all hits of a watch. The packets must be valid.
    #[inline(always)]
    pub fn of_hits<'a>(hits: impl Iterator<Item = Result<Hit<'a>, Error>>) -> Sum {
        hits.map(|hit| hit.expect("no faults").value()).collect()
    }

    /// The sum over all hits in chunks of a size, complete or split.
    #[inline(always)]
    pub fn of_chunks(paths: &impl WatchedPaths, bytes: &[u8], chunk: usize) -> Sum {
        let (mut sum, mut watcher) = (Sum::default(), Watcher::new(paths, Limits::DEFAULT));
        for chunk in bytes.chunks(chunk) {
            for event in watcher.feed(chunk) {
                match event.expect("no faults") {
                    Event::Hit(hit) => sum.add(hit.value()),
                    Event::Start { .. } => sum.values += 1,
                    Event::Data { bytes, .. } => sum.bytes += bytes.len(),
                    _ => {}
                }
            }
        }
        watcher.finish().expect("whole packets");
        sum
    }

    #[inline(always)]
    pub fn add(&mut self, value: &[u8]) {
        self.values += 1;
        self.bytes += value.len();
    }
}

impl<'a> FromIterator<&'a [u8]> for Sum {
    #[inline(always)]
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(values: I) -> Sum {
        let mut sum = Sum::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}
