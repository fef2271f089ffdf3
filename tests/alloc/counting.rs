//! Counts the allocations of the current thread. Tests that count allocations use this allocator.

use std::hint::black_box;

use allocation_counter::measure;

/// The number of allocations that `run` makes. A buffer that is reallocated counts once.
pub fn allocations<T>(run: impl FnOnce() -> T) -> u64 {
    measure(|| {
        black_box(run());
    })
    .count_total
}
