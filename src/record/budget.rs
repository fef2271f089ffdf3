//! Budget: the remaining depth of recursion, when reading and when writing.
//!
//! In: the nodes and other steps of recursion that lead to a value. Out: the remaining budget, or nothing.

use crate::limits::{MAX_DEPTH, MAX_STEPS};

/// The maximum number of nested nodes: [`MAX_DEPTH`] as a byte.
const MAX_NODES: u8 = 64;
const _: () = assert!(MAX_NODES as usize == MAX_DEPTH);

/// The nodes and steps of recursion that remain.
///
/// A limit on nodes alone does not bound the recursion: `struct N(Box<N>)` reads the same packet again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    nodes: u8,
    steps: u8,
}

impl Budget {
    pub(super) const FULL: Budget = Budget { nodes: MAX_NODES, steps: MAX_STEPS };

    /// The budget inside a node.
    #[inline(always)]
    pub(super) const fn node(self) -> Option<Self> {
        match self.nodes.checked_sub(1) {
            Some(nodes) => Some(Self { nodes, ..self }),
            None => None,
        }
    }

    /// The budget for the content of an option, a newtype or a variant.
    #[inline(always)]
    pub(super) const fn step(self) -> Option<Self> {
        match self.steps.checked_sub(1) {
            Some(steps) => Some(Self { steps, ..self }),
            None => None,
        }
    }
}
