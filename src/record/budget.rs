//! Budget: how much deeper a value may go, in both directions.
//!
//! In: the nodes and other steps of recursion on the way to a value. Out: what is left, or nothing.

use crate::limits::{MAX_DEPTH, MAX_STEPS};

/// Nodes on the way to a value: [`MAX_DEPTH`] in a byte.
const MAX_NODES: u8 = 64;
const _: () = assert!(MAX_NODES as usize == MAX_DEPTH);

/// What is left on the way to a value.
///
/// Nodes alone do not bound the recursion: `struct N(Box<N>)` asks the same packet again and again when it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    nodes: u8,
    steps: u8,
}

impl Budget {
    pub(super) const FULL: Budget = Budget { nodes: MAX_NODES, steps: MAX_STEPS };

    /// What is left inside of a node.
    #[inline(always)]
    pub(super) const fn node(self) -> Option<Self> {
        match self.nodes.checked_sub(1) {
            Some(nodes) => Some(Self { nodes, ..self }),
            None => None,
        }
    }

    /// What is left for the content of an option, a newtype or a variant.
    #[inline(always)]
    pub(super) const fn step(self) -> Option<Self> {
        match self.steps.checked_sub(1) {
            Some(steps) => Some(Self { steps, ..self }),
            None => None,
        }
    }
}
