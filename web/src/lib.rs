//! y3 for JavaScript. All calls use two input buffers and one output buffer of bytes, so no generated bindings are
//! needed.
//!
//! The caller writes bytes to the addresses that [`input`] and [`arguments`] return. A call then returns the length of
//! its result. The result is at the address that [`output`] returns. If a call returns a negative number, the result is
//! an error message, whose length is the bitwise complement of the number (`!length`).

#![allow(clippy::must_use_candidate, reason = "JavaScript calls them")]

mod call;
// The command's code that detects and decodes an input.
#[path = "../../cli/src/decode.rs"]
mod decode;
#[path = "../../cli/src/look.rs"]
mod look;
mod output;
mod rows;
mod stream;

use std::cell::RefCell;
use std::ptr;

use y3::{Collector, Paths};

use call::{Arguments, Result};

/// The buffers. A buffer is kept between calls and never shrinks.
#[derive(Default)]
struct Buffers {
    input: Vec<u8>,
    arguments: Vec<u8>,
    output: Vec<u8>,
    /// The stream that this instance of the module currently watches.
    stream: Option<Collector<Paths>>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

// The functions are exported only in WebAssembly. On other targets, `open` and `read` would replace the system's
// functions.

/// Prepares an input buffer of `len` bytes and returns its address, or null if there is no memory.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.input, len))
}

/// Prepares an argument buffer of `len` bytes and returns its address, or null if there is no memory. Each argument consists of
/// its length as four little-endian bytes, followed by UTF-8 text.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn arguments(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.arguments, len))
}

/// Returns the address of the result of the last call.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.output.as_ptr())
}

fn room(buffer: &mut Vec<u8>, len: usize) -> *mut u8 {
    buffer.clear();
    if buffer.try_reserve_exact(len).is_err() {
        return ptr::null_mut();
    }
    buffer.resize(len, 0);
    buffer.as_mut_ptr()
}

/// Runs a call, and stores its result or its error message in the output buffer.
fn answer(call: impl FnOnce(&[u8], Arguments<'_>, &mut Vec<u8>) -> Result) -> isize {
    streamed(|input, arguments, _, output| call(input, arguments, output))
}

/// Like [`answer`], for a call that uses the stream.
fn streamed(call: impl FnOnce(&[u8], Arguments<'_>, &mut Option<Collector<Paths>>, &mut Vec<u8>) -> Result) -> isize {
    BUFFERS.with_borrow_mut(|Buffers { input, arguments, output, stream }| {
        output.clear();
        let result = call(input, Arguments(arguments), stream, output);
        ended(result, output)
    })
}

#[inline(never)]
fn ended(result: Result, output: &mut Vec<u8>) -> isize {
    let Err(message) = result else { return length(output) };
    output.clear();
    output.extend_from_slice(message.0.as_bytes());
    !length(output)
}

fn length(bytes: &[u8]) -> isize {
    isize::try_from(bytes.len()).unwrap_or(isize::MAX)
}

/// Exports calls under the given names.
macro_rules! exports {
    ($($(#[$doc:meta])* $name:ident($($number:ident),*) = $call:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn $name($($number: usize),*) -> isize {
            answer($call)
        }
    )*};
}

exports! {
    /// Returns the dump of the input, with one line per packet and at most `lines` lines. The arguments are the same as
    /// for [`rows`].
    dump(lines) = |input, arguments, output| call::dump(input, arguments, lines, output);
    /// Returns at most `most` packets of the dump as a JSON array. The arguments are a names file, then the paths of
    /// the primitives to read as packets. `*` selects every primitive that contains packets. Without paths, the names
    /// file selects the primitives.
    rows(most) = |input, arguments, output| rows::rows(input, arguments, most, output);
    /// Returns the input in the text form. The arguments are the same as for [`rows`].
    text() = call::text;
    /// Encodes the input, which is in the text form, as bytes.
    encode() = |input, _, output| call::encode(input, output);
    /// Returns the hits and the faults as a JSON array. The arguments are a names file, then paths.
    watch() = stream::watch;
    /// Returns the first fault in the whole input as JSON, or `null`.
    check() = |input, _, output| call::check(input, output);
    /// Returns the value of the input, which is one packet. The arguments are a names file and a type, or a names file,
    /// an empty string and a path.
    value() = call::value;
    /// Returns the packets of the input as JSON, one per line. The argument is a names file.
    json() = call::json;
    /// Returns the paths of the primitives that contain packets, as a JSON array. The argument is a names file.
    names() = call::names;
    /// Returns the changes from one names file to another as a JSON array. The arguments are the old and the new file.
    lint() = call::lint;
    /// Decodes pasted text. The result is a line with the encoding, then the bytes. The argument is `auto`, `hex`,
    /// `base64` or `text`.
    read() = call::read;
    /// Escapes the input, so it is safe to show.
    escape() = call::escape;
}

/// Begins a stream. Values that are split across chunks are joined, up to `limit` bytes. The arguments are a names
/// file, then paths.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn open(limit: usize) -> isize {
    streamed(|_, arguments, stream, _| {
        *stream = Some(stream::open(arguments, limit)?);
        Ok(())
    })
}

/// Reads the input as the next chunk, or ends the stream. Returns the hits that end in this chunk.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn feed(is_end: usize) -> isize {
    streamed(|input, _, stream, output| stream::feed(stream.as_mut(), input, is_end != 0, output))
}

/// Continues after the packet with the fault. Returns 1 if this is possible, otherwise 0.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn resume() -> usize {
    BUFFERS.with_borrow_mut(|buffers| buffers.stream.as_mut().is_some_and(Collector::resume).into())
}
