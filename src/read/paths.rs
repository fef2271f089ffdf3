//! A set of any number of paths, made at run time.
//!
//! The set owns its memory. Clones of the set share this memory.

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

/// A set of any number of paths, compiled at run time. The set owns its memory and shares it with its clones. For that
/// reason, a function can return a reader that owns such a set, and the reader can be sent to another thread.
///
/// `Paths` works wherever a [`PathSet`](crate::PathSet) works, by value or by reference. Memory: 84 bytes per path.
/// Making a set of n paths takes O(n log n). Cloning a set takes O(1). A watch with `Paths` takes as long as a watch
/// with a [`PathSet`](crate::PathSet) of the same paths, and never allocates. On targets without atomic pointers, the
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
    /// Makes a set of these paths. [`Hit::path_index`](crate::Hit::path_index) returns the index of a path in the given
    /// order. If a path is given twice, the hits at this path have the lower index.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = Path>) -> Self {
        Self::of(compiled(paths.into_iter()))
    }

    /// Returns a set of the same paths in which only the first packet at each path is a hit: see [`FirstOnly`].
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

/// Returns an empty set, which has no hits.
impl<F: Found> Default for Paths<F> {
    fn default() -> Self {
        Self::of(compiled([].into_iter()))
    }
}
