//! Shapes: types made at run time, which drive serde as derived types do; what is written is read as the same value.
//!
//! In: bytes that choose a type and a value of it. Out: whether the value could be written; or a panic that says which claim
//! does not hold. Nothing but `property` knows the format: `drive` calls serde alone, `expected` is the format's rules again.

mod choose;
mod drive;
mod expected;
mod schema;

use std::rc::Rc;

use crate::options::Options;

use choose::Choices;
use drive::{Read, Typed};
use expected::{readable, writable};
use schema::{Schema, Value};

/// Whatever is written is read as the same value, and neither happens when the format's rules say that it must not.
pub fn property(bytes: &[u8]) -> bool {
    // Types made at run time take more stack than derived ones, and they go to the format's limits.
    let holds = || {
        let thread = std::thread::Builder::new().stack_size(32 << 20);
        std::thread::scope(|scope| thread.spawn_scoped(scope, || is_kept(bytes)).unwrap().join())
    };
    holds().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn is_kept(bytes: &[u8]) -> bool {
    let mut choices = Choices::new(bytes);
    let options = if choices.below(2) == 0 { Options::DEFAULT } else { Options::DEFAULT.with_pvar() };
    let (schema, other) = (Rc::new(choices.schema()), Rc::new(choices.schema()));
    let Some(value) = choices.value_of(&schema) else { return false };
    let Some(mut written) = holds(options, &schema, &value) else { return false };
    // Another type reads the same packet, and the type reads a packet that is a little different: an error or a value.
    for changes in 0..3 {
        for schema in [&schema, &other] {
            if let Ok(Read(value)) = drive::as_type(schema, || options.from_slice(&written)) {
                holds(options, schema, &value);
            }
        }
        let place = choices.below(written.len());
        written[place] = if changes == 0 { choices.byte() } else { written[place] ^ 1 << choices.below(8) };
    }
    true
}

/// Writes a value and reads it again: its packet, if it has one.
fn holds(options: Options, schema: &Rc<Schema>, value: &Value) -> Option<Vec<u8>> {
    let written = options.to_vec(&Typed { schema, shape: &schema.root, value });
    assert_eq!(written.is_ok(), writable(schema, value), "{value:?} of {schema:?} is written as {written:02x?}");
    let written = written.ok()?;
    y3::check(&written).unwrap();
    match drive::as_type(schema, || options.from_slice(&written)) {
        Ok(Read(again)) => {
            assert_eq!(&again, value, "{written:02x?} of {schema:?}");
            assert!(readable(schema, value), "{value:?} of {schema:?} is read from {written:02x?}");
        }
        Err(error) => assert!(!readable(schema, value), "{error}: {value:?} of {schema:?} as {written:02x?}"),
    }
    Some(written)
}
