//! y3 for JavaScript: calls over two buffers of bytes in and one out, so that no generated code stands between the two languages.
//!
//! In: bytes that the caller writes where [`input`] and [`arguments`] say. Out: the length of the answer that begins at [`output`]; a
//! negative number says that the answer is the message of an error, and its length is that number's complement (`!length`).

mod call;

use std::cell::RefCell;

/// The buffers. They are kept between calls, and are as large as the largest call needed.
#[derive(Default)]
struct Buffers {
    input: Vec<u8>,
    arguments: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Makes room for so many bytes to read, and says where.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.input, len))
}

/// Makes room for so many bytes of the arguments, and says where: UTF-8, one argument a line.
#[unsafe(no_mangle)]
pub extern "C" fn arguments(len: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| room(&mut buffers.arguments, len))
}

/// Where the answer of the last call begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.output.as_ptr())
}

fn room(buffer: &mut Vec<u8>, len: usize) -> *mut u8 {
    buffer.clear();
    buffer.resize(len, 0);
    buffer.as_mut_ptr()
}

/// Answers with what a call writes, or with its error.
fn answer(call: impl FnOnce(&[u8], &str, &mut Vec<u8>) -> Result<(), String>) -> isize {
    BUFFERS.with_borrow_mut(|Buffers { input, arguments, output }| {
        output.clear();
        let result = match std::str::from_utf8(arguments) {
            Ok(arguments) => call(input, arguments, output),
            Err(_) => Err("arguments are not UTF-8".to_owned()),
        };
        let Err(message) = result else { return length(output) };
        output.clear();
        output.extend_from_slice(message.as_bytes());
        !length(output)
    })
}

fn length(bytes: &[u8]) -> isize {
    isize::try_from(bytes.len()).unwrap_or(isize::MAX)
}

/// The dump of the input: at most so many lines, one a packet. Arguments: `*` opens every primitive that holds packets, paths open those.
#[unsafe(no_mangle)]
pub extern "C" fn dump(max_lines: usize) -> isize {
    answer(|input, arguments, output| call::dump(input, arguments, max_lines, output))
}

/// The hits of these paths as a JSON array, faults among them.
#[unsafe(no_mangle)]
pub extern "C" fn watch() -> isize {
    answer(call::watch)
}

/// The first error of the whole input as JSON, or `null`.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> isize {
    answer(|input, _, output| {
        call::check(input, output);
        Ok(())
    })
}

/// The input as the text form. Arguments: as for [`dump`].
#[unsafe(no_mangle)]
pub extern "C" fn text() -> isize {
    answer(call::text)
}

/// The bytes of a text form, which is the input.
#[unsafe(no_mangle)]
pub extern "C" fn encode() -> isize {
    answer(|input, _, output| call::encode(input, output))
}

/// The input, one value without its header, as a type, in JSON. Arguments: the type.
#[unsafe(no_mangle)]
pub extern "C" fn value() -> isize {
    answer(call::value)
}
