//! How a packet is read or written: the nesting depth, the dialect of integers, and a mark for items of a slice.
//!
//! A mode has two bytes, which fit into the padding of the type `Packet`.

/// The maximum nesting depth for readers that enter every node: 64 nodes.
///
/// The limit applies to [`walk`](crate::walk), [`check`](crate::check), [`Patterns::watch`](crate::Patterns::watch),
/// typed values and serde. You can set a lower limit for a [`Walk`](crate::iter::Walk), or in
/// [`Limits`](crate::Limits).
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
pub const MAX_DEPTH: usize = 64;

/// How a packet is read or written. `nodes` is the number of nodes around the packet. `special` is 0 if the packet is
/// not an item of a slice and its integers have the default dialect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    nodes: u8,
    special: u8,
}

impl Mode {
    const PVAR: u8 = 0x80;
    /// Marks an item of a slice. Only writers set this bit. Readers recognize a slice by its tag.
    const SLICE: u8 = 0x01;

    /// Returns the same mode, but with at most `nodes` further nested nodes allowed.
    #[must_use]
    pub(crate) const fn with_max_depth(self, nodes: usize) -> Self {
        let [around, ..] = MAX_DEPTH.saturating_sub(nodes).to_le_bytes();
        if around > self.nodes { Self { nodes: around, ..self } } else { self }
    }

    #[inline(always)]
    pub(crate) const fn is_pvar(self) -> bool {
        self.special & Self::PVAR != 0
    }

    #[must_use]
    #[inline(always)]
    pub(crate) const fn pvar(self) -> Self {
        Self { special: self.special | Self::PVAR, ..self }
    }

    /// True if the packets are items of a slice. All items have key 0.
    #[inline(always)]
    pub(crate) const fn is_slice(self) -> bool {
        self.special & Self::SLICE != 0
    }

    /// Returns the mode of the packets inside a node or slice.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn inside(self, is_slice: bool) -> Self {
        let special = self.special & Self::PVAR | if is_slice { Self::SLICE } else { 0 };
        Self { special, ..self.deeper(1) }
    }

    /// Returns the mode of a packet inside `nodes` more nodes.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn deeper(self, nodes: usize) -> Self {
        let [more, ..] = nodes.to_le_bytes();
        Self { nodes: self.nodes.saturating_add(more), ..self }
    }

    /// True if no further nested node is allowed.
    #[inline(always)]
    pub(crate) const fn is_deepest(self) -> bool {
        self.nodes as usize >= MAX_DEPTH
    }

    /// True if a packet keeps its own key when written, and its integers have the default dialect.
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.special == 0
    }

    /// True if a packet with this tag is a primitive, and its integers have the default dialect. One comparison tests
    /// both.
    #[inline(always)]
    pub(crate) const fn is_plain_tag(self, tag: u8) -> bool {
        (self.special | tag) < Self::PVAR
    }
}
