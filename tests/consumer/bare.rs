//! The consumer as a program without an operating system's help: three ways in, and no way out for a panic.
//!
//! In: packets, from standard input or from a browser's memory. Out: the answer of `y3_consumer::answer`, the exit status 0.

use core::panic::PanicInfo;

unsafe extern "C" {
    /// Nobody has this. A program in which a panic can be reached does not link.
    safe fn a_panic_can_be_reached() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    a_panic_can_be_reached()
}

/// In memory of its own, not on a stack that may be small. One thread, so nobody else is there.
static mut INPUT: [u8; 128 << 10] = [0; 128 << 10];
static mut OUTPUT: [u8; 1 << 10] = [0; 1 << 10];

/// The answer to the first bytes of `INPUT`, in `OUTPUT`; no bytes for a fault.
fn answer(len: usize, chunk: usize) -> usize {
    let (input, output) = (&raw const INPUT, &raw mut OUTPUT);
    // SAFETY: there is one thread, and each reference ends with this call.
    let (input, output) = unsafe { (&*input, &mut *output) };
    input.get(..len).and_then(|input| y3_consumer::answer(input, chunk, output).ok()).unwrap_or_default()
}

/// In node or a browser: the caller writes to the address of `input`, calls `answer`, and reads at the address of `output`.
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

/// Reads standard input to its end and writes the answer: the exit status.
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

/// The C library, and `main` as it calls it.
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
        // SAFETY: the buffer has room for as many bytes.
        unsafe { c_read(0, buffer.as_mut_ptr().cast(), buffer.len()) }
    }

    pub fn write(bytes: &[u8]) -> isize {
        // SAFETY: so many bytes are there.
        unsafe { c_write(1, bytes.as_ptr().cast(), bytes.len()) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn main() -> c_int {
        super::run()
    }

    /// The compiled core library names it in its unwind tables. Nothing unwinds here, so nothing calls it.
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() {}
}

/// Bare metal has no input. What stands here are the calls of Linux on Arm, so that `qemu-arm` can run the program.
#[cfg(all(target_os = "none", target_arch = "arm"))]
mod system {
    use core::arch::asm;

    fn call(number: usize, file: usize, address: usize, len: usize) -> isize {
        let result: isize;
        // SAFETY: `read`, `write` and `exit` touch no memory but the bytes they are given, and a system call no registers.
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
