//! Paths: a set of any number of paths, made at run time.
//!
//! In: paths. Out: a set that owns its memory. Clones of the set share this memory.

use alloc::boxed::Box;
#[cfg(not(target_has_atomic = "ptr"))]
use alloc::rc::Rc as Shared;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc as Shared;
use alloc::vec::Vec;

use super::compiled::{Compiled, NextKeys, Storage, compile};
use super::found::{FirstOnly, Found};
use super::keys::KeySet;
use super::path::Path;
use super::set::Set;

/// A set of any number of paths, compiled at run time. It owns its memory, which its clones share. A reader that owns
/// such a set can be returned from a function and sent to another thread.
///
/// You can use `Paths` wherever a [`PathSet`](crate::PathSet) is used, by value or by reference.
/// Cost: 84 bytes per path; O(n log n) to make it; O(1) to clone it. Watching with `Paths` takes as long as with a
/// [`PathSet`](crate::PathSet) of the same paths, and never allocates. However, on targets without atomic pointers the
/// type is not `Send`.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// use y3::{Limits, Path, Paths, Watcher};
///
/// fn watcher(paths: &str) -> Result<Watcher<Paths>, y3::Error> {
///     let paths: Paths = paths.split(' ').map(str::parse).collect::<Result<_, _>>()?;
///     Ok(Watcher::new(paths, Limits::DEFAULT))
/// }
///
/// assert_eq!(watcher("01/11 01/13")?.feed(&[0x81, 0x02, 0x13, 0x00]).count(), 1);
/// # Ok::<(), y3::Error>(())
/// ```
pub type Paths<F = ()> = Set<Shared<Boxed>, F>;

type Boxed = Compiled<Box<[Path]>, Box<[u32]>, Box<[NextKeys]>>;

impl Storage for Shared<Boxed> {
    type Paths = Box<[Path]>;
    type Indices = Box<[u32]>;
    type Keys = Box<[NextKeys]>;

    #[inline(always)]
    fn compiled(&self) -> &Boxed {
        self
    }
}

impl Paths {
    /// Makes a set of these paths. [`Hit::path_index`](crate::Hit::path_index) returns the index of a path in the order
    /// given. If a path is given twice, both have the index of the first.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = Path>) -> Self {
        Self::of(compiled(paths.into_iter()))
    }

    /// The same paths, but only the first packet at each path is a hit: see [`FirstOnly`].
    #[must_use]
    pub fn first_only(self) -> Paths<FirstOnly> {
        Paths::of(self.storage().clone())
    }
}

fn compiled(paths: impl Iterator<Item = Path>) -> Shared<Boxed> {
    let given: Box<[Path]> = paths.collect();
    let mut order: Vec<(Path, u32)> = given.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let sorted: Box<[Path]> = order.iter().map(|(path, _)| *path).collect();
    let indices = order.iter().map(|(_, index)| *index).collect();
    let mut keys: Box<[NextKeys]> = order.iter().map(|_| [KeySet::EMPTY; Path::MAX_LEN]).collect();
    let special = compile(&sorted, &mut keys);
    let search = special.search(given.len());
    Shared::new(Compiled { len: given.len(), given, sorted, indices, keys, special, search })
}

impl FromIterator<Path> for Paths {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        Self::new(paths)
    }
}

/// Makes the empty set, which finds no hits.
impl<F: Found> Default for Paths<F> {
    fn default() -> Self {
        Self::of(compiled([].into_iter()))
    }
}
