//! Counting: how often something allocates, on its own thread. Tests that count link the counting allocator.

use std::hint::black_box;

use allocation_counter::measure;

/// How often something allocates; moving a buffer to a larger place counts once.
pub fn allocations<T>(run: impl FnOnce() -> T) -> u64 {
    measure(|| {
        black_box(run());
    })
    .count_total
}
