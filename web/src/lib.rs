//! y3 for JavaScript. Calls take two input buffers of bytes and fill one output buffer, so no generated bindings are needed.
//!
//! In: bytes that the caller writes at the addresses that [`input`] and [`arguments`] return. Out: the length of the answer at [`output`].
//! If the number is negative, the answer is an error message, and its length is the complement of the number (`!length`).

#![allow(clippy::must_use_candidate, reason = "JavaScript calls them")]

mod call;
// The command's own detection of an input.
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

/// The buffers. They are kept between calls, so each has the size of its largest use.
#[derive(Default)]
struct Buffers {
    input: Vec<u8>,
    arguments: Vec<u8>,
    output: Vec<u8>,
    /// The stream that the instance watches, if any.
    stream: Option<Collector<Paths>>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

// Exported in WebAssembly alone: elsewhere `open` and `read` would take the place of the system's own.

/// Makes an input buffer of `len` bytes and returns its address; null if there is no memory.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.input, len))
}

/// Makes an argument buffer of `len` bytes and returns its address; null if there is no memory. An argument is its length, four
/// little-endian bytes, and its text in UTF-8.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn arguments(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.arguments, len))
}

/// The address of the last call's answer.
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

/// Answers with the output of a call, or with its error.
fn answer(call: impl FnOnce(&[u8], Arguments<'_>, &mut Vec<u8>) -> Result) -> isize {
    streamed(|input, arguments, _, output| call(input, arguments, output))
}

/// The same for a call that uses the stream.
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

/// Exports calls under their names.
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
    /// The dump of the input, with one line per packet and at most `lines` lines. Arguments: the primitives to open, see [`rows`].
    dump(lines) = |input, arguments, output| call::dump(input, arguments, lines, output);
    /// The packets of the dump as a JSON array, at most `most` packets. Arguments: a names file, then the primitives to open: `*` for every
    /// primitive that holds packets, or paths. Without these, the primitives of the names file are opened.
    rows(most) = |input, arguments, output| rows::rows(input, arguments, most, output);
    /// The input as the text form. Arguments: as for [`rows`].
    text() = call::text;
    /// The bytes of the input, which is in the text form.
    encode() = |input, _, output| call::encode(input, output);
    /// The hits of paths as a JSON array, which includes faults. Arguments: a names file, and the paths.
    watch() = stream::watch;
    /// The first error of the whole input as JSON, or `null`.
    check() = |input, _, output| call::check(input, output);
    /// The value of the input, which is one packet. Arguments: a names file, and a type; or an empty type, and the path of a field.
    value() = call::value;
    /// The packets of the input as JSON, one per line. Arguments: a names file.
    json() = call::json;
    /// The paths of the primitives that hold packets as a JSON array. Arguments: a names file.
    names() = call::names;
    /// The changes from one names file to another as a JSON array. Arguments: both files.
    lint() = call::lint;
    /// The bytes of a pasted text, after a line that names its encoding. Arguments: `auto`, `hex`, `base64` or `text`.
    read() = call::read;
    /// The input as text that is safe to show.
    escape() = call::escape;
}

/// Begins a stream. Split values of at most `limit` bytes are joined. Arguments: a names file, and the paths.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn open(limit: usize) -> isize {
    streamed(|_, arguments, stream, _| {
        *stream = Some(stream::open(arguments, limit)?);
        Ok(())
    })
}

/// The hits that end in the input, which is the next chunk, or that end with the stream.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn feed(is_end: usize) -> isize {
    streamed(|input, _, stream, output| stream::feed(stream.as_mut(), input, is_end != 0, output))
}

/// Continues after the packet with an error. Returns 1 if that is possible.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn resume() -> usize {
    BUFFERS.with_borrow_mut(|buffers| buffers.stream.as_mut().is_some_and(Collector::resume).into())
}
