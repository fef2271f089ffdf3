//! Measure: runs a case, and counts it with callgrind.
//!
//! In: a function and its expected answer. Out: the instructions it takes, and the most bytes it holds at once.

use std::error::Error;
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

/// Runs a table of this program under callgrind and returns the instructions of each call of [`measure`], in order. There
/// must be `cases` calls.
pub fn instructions(table: &str, cases: usize) -> Result<Vec<u64>, Box<dyn Error>> {
    let counts = kit::counted::instructions(&["run", table])?;
    if counts.len() != cases {
        return Err(format!("callgrind counted {} of {cases} cases", counts.len()).into());
    }
    Ok(counts)
}
