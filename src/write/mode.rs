//! Mode: how packets are written: the nodes around them, the dialect of their integers, and whether they are items of a slice.
//!
//! In: the mode of a node. Out: that of the packets inside.

use crate::limits::MAX_DEPTH;

/// Two bytes: the first counts nodes, the second is 0 in a node with integers in the usual dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    depth: u8,
    special: u8,
}

impl Mode {
    const PVAR: u8 = 1;
    const SLICE: u8 = 2;

    /// Inside no node.
    pub(super) const TOP_LEVEL: Self = Self { depth: 0, special: 0 };

    /// With at most so many of the allowed nodes left.
    #[must_use]
    pub(super) const fn with_max_depth(self, nodes: usize) -> Self {
        let around = MAX_DEPTH.saturating_sub(nodes);
        let [low, ..] = around.to_le_bytes();
        if low > self.depth { Self { depth: low, ..self } } else { self }
    }

    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.special == 0
    }

    #[inline(always)]
    pub(super) const fn is_pvar(self) -> bool {
        self.special & Self::PVAR != 0
    }

    /// Whether the packets are items, which all have the key 0.
    #[inline(always)]
    pub(crate) const fn is_slice(self) -> bool {
        self.special & Self::SLICE != 0
    }

    #[must_use]
    #[inline(always)]
    pub(crate) const fn pvar(self) -> Self {
        Self { special: self.special | Self::PVAR, ..self }
    }

    /// Inside one more node or slice.
    #[must_use]
    #[inline(always)]
    pub(super) const fn inside(self, is_slice: bool) -> Self {
        let special = self.special & Self::PVAR | if is_slice { Self::SLICE } else { 0 };
        Self { depth: self.depth.wrapping_add(1), special }
    }

    /// Whether no further node may be written.
    #[inline(always)]
    pub(super) const fn is_deepest(self) -> bool {
        self.depth as usize >= MAX_DEPTH
    }
}
