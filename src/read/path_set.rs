//! A set of paths in storage of fixed size.
//!
//! The set holds up to `N` paths and needs no allocator. It is compiled at compile time or at run time.

use super::compiled::{Compiled, NextKeys, Search, Special, Storage, compile};
use super::found::{FirstOnly, Found};
use super::keys::KeySet;
use super::path::Path;
use super::set::Set;

/// A set of up to `N` paths to watch. A `const` set is compiled at compile time.
///
/// If the paths are known only at run time, use `Paths` (feature `alloc`), which has no unused capacity. Memory: 84
/// bytes per path. Making the set takes at most O(N²). A watch makes one binary search for each packet whose key a path
/// can match. The search takes log2(`N`) steps, even if the set has fewer than `N` paths. With `N` = 1 there is no
/// search. If the paths have `*` at `k` different depths, a watch makes 2^k searches for such a packet.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// use y3::{PathSet, path};
///
/// const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
///
/// let bytes = [0x81, 0x08, 0x11, 0x02, 0x3e, 0x80, 0x12, 0x00, 0x13, 0x00];
/// let mut watch = WATCHED.watch(&bytes);
/// assert_eq!(watch.next().unwrap()?.decode::<f32>()?, 0.25);
/// assert_eq!(watch.next().unwrap()?.path_index(), 1);
/// assert!(watch.next().is_none());
/// # Ok::<(), y3::Error>(())
/// ```
pub type PathSet<const N: usize, F = ()> = Set<Array<N>, F>;

/// The storage of a [`PathSet`].
pub type Array<const N: usize> = Compiled<[Path; N], [u32; N], [NextKeys; N]>;

impl<const N: usize> Storage for Array<N> {
    type Paths = [Path; N];
    type Indices = [u32; N];
    type Keys = [NextKeys; N];

    #[inline(always)]
    fn compiled(&self) -> &Self {
        self
    }

    /// Returns `Search::One` for a set with capacity for one path, so that the compiler leaves out the code for other
    /// sets.
    #[inline(always)]
    fn search(&self) -> Search {
        match self.search {
            _ if N == 1 => Search::One,
            Search::Special => Search::Special,
            _ => Search::Plain,
        }
    }
}

impl<const N: usize> PathSet<N> {
    /// Makes a set of these paths. [`Hit::path_index`](crate::Hit::path_index) returns the index of a path in this
    /// array. If the array contains a path twice, the hits at this path have the lower index.
    #[must_use]
    pub const fn new(paths: [Path; N]) -> Self {
        Self::of(of_slice(&paths))
    }

    /// Makes a set of paths that are known only at run time. Returns `None` if there are more than `N` paths.
    #[must_use]
    pub const fn from_slice(paths: &[Path]) -> Option<Self> {
        if paths.len() <= N { Some(Self::of(of_slice(paths))) } else { None }
    }

    /// Returns a set of the same paths in which only the first packet at each path is a hit: see [`FirstOnly`].
    #[must_use]
    pub const fn first_only(self) -> PathSet<N, FirstOnly> {
        PathSet::of(*self.storage())
    }
}

/// Compiles a set. `given` must have at most `N` paths.
#[allow(clippy::indexing_slicing, reason = "const: every index is below N")]
#[allow(clippy::cast_possible_truncation, reason = "const: 2^32 paths do not fit any memory")]
const fn of_slice<const N: usize>(given: &[Path]) -> Array<N> {
    let mut set = Compiled {
        len: given.len(),
        given: [Path::EMPTY; N],
        sorted: [Path::NONE; N],
        indices: [0; N],
        keys: [[KeySet::EMPTY; Path::MAX_LEN]; N],
        special: Special::NONE,
        search: Search::One,
    };
    let mut index = 0;
    while index < given.len() {
        // Inserts a path after equal paths, so that a search finds the first of them.
        let mut at = index;
        while at > 0 && given[index].is_before(set.sorted[at - 1]) {
            set.sorted[at] = set.sorted[at - 1];
            set.indices[at] = set.indices[at - 1];
            at -= 1;
        }
        set.sorted[at] = given[index];
        set.indices[at] = index as u32;
        set.given[index] = given[index];
        index += 1;
    }
    set.special = compile(set.sorted.split_at(given.len()).0, &mut set.keys);
    set.search = set.special.search(N);
    set
}

/// Returns an empty set, which has no hits.
impl<const N: usize, F: Found> Default for PathSet<N, F> {
    fn default() -> Self {
        Self::of(of_slice(&[]))
    }
}
