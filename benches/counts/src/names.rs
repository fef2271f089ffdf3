//! Names: of the cases that have run, in the order in which they are counted.

use std::fmt::Debug;

use crate::measure::measure;

#[derive(Default)]
pub struct Names(Vec<String>);

impl Names {
    /// Runs once uncounted, so that reused buffers have grown.
    pub fn case<T: PartialEq + Debug>(&mut self, name: impl Into<String>, want: &T, mut run: impl FnMut() -> T) {
        let name = name.into();
        assert_eq!(run(), *want, "{name}");
        measure(&name, want, run);
        self.0.push(name);
    }

    pub fn into_inner(self) -> Vec<String> {
        self.0
    }
}
