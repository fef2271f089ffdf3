//! Measure: runs a case in the function whose calls callgrind counts.

use std::fmt::{Debug, Display};
use std::hint::black_box;

use kit::bench::{Cases, Throughput, timed};
use kit::counted::counted;
use kit::regime::Regime;

use crate::pair;

/// Runs a function, checks its answer, and returns the maximum number of bytes allocated at once.
pub fn measure<T: PartialEq + Debug>(name: &str, want: &T, mut run: impl FnMut() -> T) -> usize {
    let mut got = None;
    let allocated = allocation_counter::measure(|| {
        counted(&mut || got = Some(black_box(run())));
    });
    assert_eq!(got.as_ref(), Some(want), "{name}");
    usize::try_from(allocated.bytes_max).expect("memory is addressed by usize")
}

/// The cases of `paths.md`, counted, or timed in turns with another commit.
pub struct Paths {
    is_timed: bool,
    /// The names of the cases that have run, in the order in which they are counted.
    pub names: Vec<String>,
    group: String,
}

impl Paths {
    pub fn new(is_timed: bool) -> Paths {
        Paths { is_timed, names: Vec::new(), group: String::new() }
    }

    /// Counts use the report's message. Timed cases use messages that branch predictors cannot learn.
    pub fn regime(&self) -> Regime {
        if self.is_timed { Regime::Rotating } else { Regime::OneBuffer }
    }
}

impl Cases for Paths {
    fn group(&mut self, name: impl Into<String>, _: Throughput) {
        self.group = name.into() + "/";
    }

    /// The first run is not counted: reused buffers grow in it.
    fn case<T: PartialEq + Debug>(&mut self, name: impl Display, want: &T, mut run: impl FnMut() -> T) {
        let name = format!("{}{name}", self.group);
        assert_eq!(run(), *want, "{name}");
        if self.is_timed {
            pair::serve(&name, |calls| timed(calls, want, &mut run));
        } else {
            measure(&name, want, run);
        }
        self.names.push(name);
    }
}
