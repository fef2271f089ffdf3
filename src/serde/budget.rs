//! Budget: limits recursion through values that take no node.
//!
//! In: the options, newtypes and variants on the way to a value. Out: the steps that are left, or an error. Packets and
//! encoders count nodes.

use super::error::Error;
use crate::error::ErrorKind;
use crate::limits::MAX_STEPS;

/// The recursion steps that are left.
///
/// A limit on nodes alone does not bound the recursion: `struct N(Box<N>)` reads the same packet without end.
#[derive(Clone, Copy)]
pub(super) struct Steps(u8);

impl Steps {
    pub(super) const ALL: Steps = Steps(MAX_STEPS);

    /// The steps left for the content of an option, a newtype or a variant.
    #[inline(always)]
    pub(super) fn step(self, offset: u64) -> Result<Self, Error> {
        self.0.checked_sub(1).map(Self).ok_or_else(|| Error::new(ErrorKind::RecursionLimit).at(offset))
    }
}
