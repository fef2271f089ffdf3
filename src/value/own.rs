//! Own: what impls of `Encode` and `Decode` may say, and those of users may not.
//!
//! In: a constant or a result. Out: the same in a type that other crates cannot name.

/// What only impls of this crate may say. Other crates cannot name the type, so they cannot override an item that has it.
#[derive(Clone, Copy, Debug)]
pub struct Own<T = ()>(pub(crate) T);

impl<T> Own<T> {
    /// What was said, for the derive.
    #[inline(always)]
    pub fn get(self) -> T {
        self.0
    }
}

impl Own<bool> {
    pub const fn is(self) -> bool {
        self.0
    }
}

impl<T> Own<Option<T>> {
    #[inline(always)]
    pub(super) fn map<U>(self, wrap: impl FnOnce(T) -> U) -> Own<Option<U>> {
        Own(self.0.map(wrap))
    }
}

/// What impls of this crate and of the derive may say.
#[derive(Clone, Copy, Debug)]
pub struct Derived<T>(pub T);

/// Refuses a type that may be absent where a packet is needed.
///
/// # Panics
/// If it may be absent; in a `const` that is an error of the compiler.
pub const fn never_absent(is_optional: Derived<bool>) {
    assert!(
        !is_optional.0,
        "an `Option` is a field with a key and has no packet of its own: make an item a struct with such a field"
    );
}
