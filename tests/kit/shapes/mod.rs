//! Values of types made at run time, which call serde as derived types do. What is written must be read as the same
//! value. The bytes choose a value of any type. Only `property` knows the format: `drive` only calls serde, and
//! `expected` is a second implementation of the format's rules.

mod choose;
mod drive;
mod expected;
mod typed;

use arbitrary::Unstructured;

use crate::options::Options;
use typed::Typed;

/// Asserts that a value that is written is read as the same value, and that writing and reading fail where the rules
/// require it. Returns true if the value was written.
pub fn property(bytes: &[u8]) -> bool {
    // Types made at run time need more stack than derived ones, and they reach the format's limits.
    let holds = || {
        let thread = std::thread::Builder::new().stack_size(32 << 20);
        std::thread::scope(|scope| thread.spawn_scoped(scope, || is_kept(bytes).unwrap_or(false)).unwrap().join())
    };
    holds().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn is_kept(bytes: &[u8]) -> arbitrary::Result<bool> {
    let mut u = Unstructured::new(bytes);
    let options = if u.arbitrary()? { Options::DEFAULT.with_pvar() } else { Options::DEFAULT };
    let (value, other) = (choose::value(&mut u)?, choose::value(&mut u)?);
    let Some(mut written) = holds(options, &value) else { return Ok(false) };
    // Another type reads the same packet, and the type reads a changed packet: the result is an error or a value.
    for changes in 0..3 {
        for of in [&value, &other] {
            if let Ok(drive::Read(value)) = drive::as_type_of(of, || options.from_slice(&written)) {
                holds(options, &value);
            }
        }
        let place = u.choose_index(written.len())?;
        written[place] = if changes == 0 { u.arbitrary()? } else { written[place] ^ 1 << u.int_in_range(0..=7)? };
    }
    Ok(true)
}

/// Writes a value and reads it again. Returns its packet, if it has one.
fn holds(options: Options, value: &Typed) -> Option<Vec<u8>> {
    let written = options.to_vec(value);
    assert_eq!(written.is_ok(), expected::is_writable(value), "{value:?} is written as {written:02x?}");
    let written = written.ok()?;
    y3::check(&written).unwrap();
    match drive::as_type_of(value, || options.from_slice(&written)) {
        Ok(drive::Read(again)) => {
            assert_eq!(&again, value, "{written:02x?}");
            assert!(expected::is_readable(value), "{value:?} is read from {written:02x?}");
        }
        Err(error) => assert!(!expected::is_readable(value), "{error}: {value:?} as {written:02x?}"),
    }
    Some(written)
}
