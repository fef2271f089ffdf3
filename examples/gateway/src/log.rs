//! Log: lines on standard error, in colours on a terminal alone, and not one for each of a thousand.

use std::cell::Cell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use tracing::Level;

/// Writes the log to standard error.
pub fn start(level: Level) {
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_max_level(level).init();
}

/// Limits log lines that a peer can cause as often as it likes. Some are written at once, then one a second, with the
/// number of lines left out.
#[derive(Debug)]
pub struct Seldom {
    /// How far lines may be ahead of the clock. Each line adds a second.
    ahead: Duration,
    at: Cell<Option<Instant>>,
    silent: Cell<u64>,
}

impl Seldom {
    /// Allows at most this many lines at once.
    pub fn new(most: u32) -> Seldom {
        Seldom { ahead: Duration::from_secs(most.into()), at: Cell::default(), silent: Cell::default() }
    }

    /// Returns the number of lines left out if a line may be written now, otherwise `None`.
    pub fn may(&self) -> Option<u64> {
        self.may_at(Instant::now())
    }

    fn may_at(&self, now: Instant) -> Option<u64> {
        let next = self.at.get().map_or(now, |at| at.max(now)) + Duration::from_secs(1);
        if next > now + self.ahead {
            self.silent.set(self.silent.get() + 1);
            return None;
        }
        self.at.set(Some(next));
        Some(self.silent.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_line_a_second_with_the_number_of_those_left_out() {
        let (seldom, begin) = (Seldom::new(2), Instant::now());
        let at = |milliseconds| seldom.may_at(begin + Duration::from_millis(milliseconds));
        assert_eq!([at(0), at(10), at(20), at(990), at(1010)], [Some(0), Some(0), None, None, Some(2)]);
        assert_eq!([at(1020), at(1990), at(2011)], [None, None, Some(2)]);
        // A quiet time gives back what may be written at once, and no more.
        assert_eq!([at(60_000), at(60_001), at(60_002)], [Some(0), Some(0), None]);
        let lines = (60_010..120_000).filter(|&milliseconds| at(milliseconds).is_some()).count();
        assert!((59..=60).contains(&lines), "{lines} lines in a minute");
    }
}
