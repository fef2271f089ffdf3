//! An allocator that refuses requests above a size on the current thread, as a machine without memory does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The longest allocation that this thread gets.
    static LONGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Refusing;

fn refuses(size: usize) -> bool {
    // A thread that is ending has lost its limit, but it runs no test any more.
    LONGEST.try_with(|longest| size > longest.get()).unwrap_or(false)
}

// SAFETY: every call is refused, which the trait allows, or is forwarded to the system's allocator with the same
// arguments. The limit is made at compile time and has no destructor to register, so reading it allocates nothing. To
// move or clear memory, the default methods of the trait call `alloc`.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract, which is the same; `place` came from `System`, as all memory here.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs a function whose allocations may not be longer than this many bytes.
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
