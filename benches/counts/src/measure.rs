//! Measure: runs a case, in the function whose calls callgrind counts.
//!
//! In: a function and its expected answer. Out: the most bytes it holds at once.

use std::fmt::Debug;
use std::hint::black_box;

use kit::counted::counted;

/// Runs a function, checks its answer, and returns the most bytes that it held at once.
pub fn measure<T: PartialEq + Debug>(name: &str, want: &T, mut run: impl FnMut() -> T) -> usize {
    let mut got = None;
    let allocated = allocation_counter::measure(|| {
        counted(&mut || got = Some(black_box(run())));
    });
    assert_eq!(got.as_ref(), Some(want), "{name}");
    usize::try_from(allocated.bytes_max).expect("memory is addressed by usize")
}

/// The names of the cases that have run, in the order in which they are counted.
#[derive(Default)]
pub struct Names(pub Vec<String>);

impl Names {
    /// Runs once uncounted, so that reused buffers have grown.
    pub fn case<T: PartialEq + Debug>(&mut self, name: impl Into<String>, want: &T, mut run: impl FnMut() -> T) {
        let name = name.into();
        assert_eq!(run(), *want, "{name}");
        measure(&name, want, run);
        self.0.push(name);
    }
}
