//! Mode: how a packet is read: the nodes around it, and the dialect of its integers.
//!
//! In: the mode of a node. Out: that of the packets inside. One byte, in the padding of a packet.

/// The maximum nesting depth of readers that enter every node: 64 nodes.
///
/// It applies to [`walk`](crate::walk), [`check`](crate::check), [`Patterns::watch`](crate::Patterns::watch), typed
/// values and serde. A [`Walk`](crate::iter::Walk) and [`Limits`](crate::Limits) may have a lower limit.
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
pub const MAX_DEPTH: usize = 64;

/// Bit 7 is the dialect, the others count nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode(u8);

impl Mode {
    const PVAR: u8 = 0x80;
    /// The highest count, which is above the limit.
    const DEEPEST: u8 = 0x7f;

    /// With at most so many of the allowed nodes left.
    #[must_use]
    pub(crate) const fn with_max_depth(self, nodes: usize) -> Self {
        let around = MAX_DEPTH.saturating_sub(nodes);
        let [low, ..] = around.to_le_bytes();
        if around > (self.0 & Self::DEEPEST) as usize { Self(self.0 & Self::PVAR | low) } else { self }
    }

    #[inline(always)]
    pub(crate) const fn is_pvar(self) -> bool {
        self.0 & Self::PVAR != 0
    }

    #[must_use]
    #[inline(always)]
    pub(crate) const fn pvar(self) -> Self {
        Self(self.0 | Self::PVAR)
    }

    /// Inside one more node.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn inside(self) -> Self {
        Self(self.0 + (self.0 & Self::DEEPEST != Self::DEEPEST) as u8)
    }

    /// Inside so many more nodes.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn deeper(self, nodes: usize) -> Self {
        let nodes = nodes + (self.0 & Self::DEEPEST) as usize;
        let [low, ..] = nodes.to_le_bytes();
        Self(self.0 & Self::PVAR | if nodes < Self::DEEPEST as usize { low } else { Self::DEEPEST })
    }

    /// Whether no further node may be entered.
    #[inline(always)]
    pub(crate) const fn is_deepest(self) -> bool {
        (self.0 & Self::DEEPEST) as usize >= MAX_DEPTH
    }

    /// Whether this is a primitive with integers in the usual dialect: one comparison for both.
    #[inline(always)]
    pub(crate) const fn is_plain(self, tag: u8) -> bool {
        (self.0 | tag) < Self::PVAR
    }
}
