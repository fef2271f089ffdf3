//! Budget: the limit of recursion while reading or writing a value.
//!
//! In: the nodes and other steps of recursion on the way to a value. Out: the budget that is left, or an error.

use super::error::{Error, ErrorKind};
use crate::limits::MAX_STEPS;

/// The recursion that is still allowed on the way to a value.
///
/// Nodes alone do not bound the recursion: reading `struct N(Option<Box<N>>)` asks the same packet for a newtype, an
/// option, a newtype and so on, without end.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    nodes: u8,
    steps: u8,
}

impl Budget {
    pub(super) const fn new(nodes: u8) -> Self {
        Self { nodes, steps: MAX_STEPS }
    }

    /// The budget inside a node whose tag is at `offset`.
    #[inline(always)]
    pub(super) fn node(self, offset: u64) -> Result<Self, Error> {
        match self.nodes.checked_sub(1) {
            Some(nodes) => Ok(Self { nodes, ..self }),
            None => Err(exhausted(ErrorKind::Wire(crate::ErrorKind::DepthLimit), offset)),
        }
    }

    /// The budget for the content of an option, a newtype or a variant whose packet is at `offset`.
    #[inline(always)]
    pub(super) fn step(self, offset: u64) -> Result<Self, Error> {
        match self.steps.checked_sub(1) {
            Some(steps) => Ok(Self { steps, ..self }),
            None => Err(exhausted(ErrorKind::RecursionLimit, offset)),
        }
    }
}

#[cold]
fn exhausted(kind: ErrorKind, offset: u64) -> Error {
    Error::new(kind).at(offset)
}
