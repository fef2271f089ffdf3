//! Counting: an allocator in front of the system's that counts.
//!
//! In: something to run. Out: how often it allocated and how many bytes, on its own thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What was asked of the allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocated {
    pub calls: u64,
    /// Of all calls; a vector that moves to a larger place asks for all of that.
    pub bytes: u64,
}

thread_local! {
    /// Of this thread alone: a test harness allocates on its own ones whenever it likes.
    static ALLOCATED: Cell<Allocated> = const { Cell::new(Allocated { calls: 0, bytes: 0 }) };
}

struct Counting;

impl Counting {
    fn count(bytes: usize) {
        // A thread that is ending has no counter any more, and nothing running.
        let _ = ALLOCATED.try_with(|allocated| {
            let Allocated { calls, bytes: before } = allocated.get();
            allocated.set(Allocated { calls: calls + 1, bytes: before.saturating_add(bytes as u64) });
        });
    }
}

// SAFETY: every call goes on to the system's allocator with the arguments it came with. Counting allocates nothing
// itself: the counter is made at compile time and has no destructor to register.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size());
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size());
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count(size);
        // SAFETY: the caller keeps the contract, which is the same; `place` came from `System`, as all memory here.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract, which is the same; `place` came from `System`, as all memory here.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What something gives, and what it allocates for that.
pub fn counted<T>(run: impl FnOnce() -> T) -> (T, Allocated) {
    let before = ALLOCATED.get();
    let given = run();
    let after = ALLOCATED.get();
    (given, Allocated { calls: after.calls - before.calls, bytes: after.bytes - before.bytes })
}
