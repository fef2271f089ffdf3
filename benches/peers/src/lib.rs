//! The peers: one value out of a message by every codec (`extract`), and the shoot-out's data: a message, a DNS cache entry and
//! three fields of many, for each serializer in the shape that suits it.
//!
//! In: nothing. Out: readers and writers that all say the same; types, values of them, and y3's calls written by hand.

pub mod dns;
pub mod extract;
pub mod message;
pub mod partial;

/// Numbers that look random and are the same in every run: a linear congruence, of which the high bits are taken.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u32) -> usize {
        usize::try_from(self.number() % u64::from(end)).unwrap_or_default()
    }
}
