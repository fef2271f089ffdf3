//! The consumer as a program without `std`. It reads packets from standard input or from a browser's memory, writes
//! what `y3_consumer::answer` returns, and exits with status 0.

use core::panic::PanicInfo;

unsafe extern "C" {
    /// No library defines this function, so a program in which a panic can be reached does not link.
    safe fn a_panic_can_be_reached() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    a_panic_can_be_reached()
}

/// Static, because the stack may be small. The program has one thread, so no other thread uses the buffers.
static mut INPUT: [u8; 128 << 10] = [0; 128 << 10];
static mut OUTPUT: [u8; 1 << 10] = [0; 1 << 10];

/// Writes the answer to the first `len` bytes of `INPUT` to `OUTPUT` and returns its length: 0 after an error.
fn answer(len: usize, chunk: usize) -> usize {
    let (input, output) = (&raw const INPUT, &raw mut OUTPUT);
    // SAFETY: there is one thread, and both references end with this call.
    let (input, output) = unsafe { (&*input, &mut *output) };
    input.get(..len).and_then(|input| y3_consumer::answer(input, chunk, output).ok()).unwrap_or_default()
}

/// For Node.js or a browser, which writes to `input`, calls `answer`, and reads from `output`.
#[cfg(target_family = "wasm")]
mod exports {
    #[unsafe(no_mangle)]
    extern "C" fn input() -> *mut u8 {
        (&raw mut super::INPUT).cast()
    }

    #[unsafe(no_mangle)]
    extern "C" fn output() -> *const u8 {
        (&raw const super::OUTPUT).cast()
    }

    #[unsafe(no_mangle)]
    extern "C" fn answer(len: usize, chunk: usize) -> usize {
        super::answer(len, chunk)
    }
}

/// Reads standard input to its end, writes the answer, and returns the exit status.
#[cfg(not(target_family = "wasm"))]
fn run() -> i32 {
    let (input, output) = (&raw mut INPUT, &raw const OUTPUT);
    let mut len = 0;
    loop {
        // SAFETY: as in `answer`.
        let rest = unsafe { &mut *input }.get_mut(len..).unwrap_or_default();
        match usize::try_from(system::read(rest)) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(_) => return 2,
        }
    }
    let len = answer(len, 1000);
    // SAFETY: as in `answer`.
    match unsafe { &*output }.get(..len) {
        Some(answer) if !answer.is_empty() && usize::try_from(system::write(answer)) == Ok(answer.len()) => 0,
        _ => 1,
    }
}

/// Calls the C library, which calls `main`.
#[cfg(not(any(target_family = "wasm", target_os = "none")))]
mod system {
    use core::ffi::{c_int, c_void};

    #[link(name = "c")]
    unsafe extern "C" {
        #[link_name = "read"]
        fn c_read(file: c_int, buffer: *mut c_void, len: usize) -> isize;
        #[link_name = "write"]
        fn c_write(file: c_int, buffer: *const c_void, len: usize) -> isize;
    }

    pub fn read(buffer: &mut [u8]) -> isize {
        // SAFETY: the buffer holds `buffer.len()` bytes.
        unsafe { c_read(0, buffer.as_mut_ptr().cast(), buffer.len()) }
    }

    pub fn write(bytes: &[u8]) -> isize {
        // SAFETY: `bytes` holds `bytes.len()` bytes.
        unsafe { c_write(1, bytes.as_ptr().cast(), bytes.len()) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn main() -> c_int {
        super::run()
    }

    /// The unwind tables of the compiled core library name this function. Nothing unwinds here, so nothing calls it.
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() {}
}

/// Bare metal has no input. These are the system calls of Linux on Arm, so that `qemu-arm` can run the program.
#[cfg(all(target_os = "none", target_arch = "arm"))]
mod system {
    use core::arch::asm;

    fn call(number: usize, file: usize, address: usize, len: usize) -> isize {
        let result: isize;
        // SAFETY: `read`, `write` and `exit` touch only the bytes they are given, and a system call changes no other
        // registers.
        unsafe {
            asm!(
                "push {{r7}}", "mov r7, {number}", "svc 0", "pop {{r7}}",
                number = in(reg) number, inlateout("r0") file => result, in("r1") address, in("r2") len,
            );
        }
        result
    }

    pub fn read(buffer: &mut [u8]) -> isize {
        call(3, 0, buffer.as_mut_ptr() as usize, buffer.len())
    }

    pub fn write(bytes: &[u8]) -> isize {
        call(4, 1, bytes.as_ptr() as usize, bytes.len())
    }

    #[unsafe(no_mangle)]
    extern "C" fn _start() -> ! {
        let status = super::run();
        loop {
            call(1, status.cast_unsigned() as usize, 0, 0);
        }
    }
}
