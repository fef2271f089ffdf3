//! Budget: limits recursion through values that have no node: options, newtypes and variants. Packets and encoders
//! count the nodes.

use super::error::Error;
use crate::error::ErrorKind;
use crate::limits::MAX_STEPS;

/// The number of recursion steps that remain.
///
/// The limit on nodes is not enough. With that limit alone, reading a type such as `struct N(Box<N>)` would read the
/// same packet forever.
#[derive(Clone, Copy)]
pub(super) struct Steps(u8);

impl Steps {
    pub(super) const ALL: Steps = Steps(MAX_STEPS);

    /// Returns the steps that remain for the content of an option, a newtype or a variant.
    #[inline(always)]
    pub(super) fn step(self, offset: u64) -> Result<Self, Error> {
        self.0.checked_sub(1).map(Self).ok_or_else(|| Error::new(ErrorKind::RecursionLimit).at(offset))
    }
}
