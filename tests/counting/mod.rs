//! Counting: an allocator in front of the system's that counts, and refuses large requests where it is told to.
//!
//! In: something to run. Out: how often it allocated, on its own thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    /// Of this thread alone: the test harness allocates on its own ones whenever it likes.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// The longest allocation that this thread gets.
    static LONGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Counting;

impl Counting {
    fn count() {
        // A thread that is ending has no counter any more, and no test running.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    }

    fn refuses(size: usize) -> bool {
        LONGEST.try_with(|longest| size > longest.get()).unwrap_or(false)
    }
}

// SAFETY: every call goes on to the system's allocator with the arguments it came with. Counting allocates nothing
// itself: the counter is made at compile time and has no destructor to register.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        if Self::refuses(size) {
            return std::ptr::null_mut();
        }
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

/// How often something allocates.
#[allow(dead_code, reason = "each test binary uses a part of it")]
pub fn allocations<T>(run: impl FnOnce() -> T) -> u64 {
    let before = ALLOCATIONS.get();
    black_box(run());
    ALLOCATIONS.get() - before
}

/// Runs something that gets no allocation of more than so many bytes.
#[allow(dead_code, reason = "each test binary uses a part of it")]
pub fn with_longest<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    struct Restore(usize);
    impl Drop for Restore {
        fn drop(&mut self) {
            LONGEST.set(self.0);
        }
    }
    let _restore = Restore(LONGEST.replace(bytes));
    run()
}
