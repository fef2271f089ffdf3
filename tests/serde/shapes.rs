//! Whatever serde writes is read as the same value or refused: over types that are made at run time.

use std::cell::Cell;

use proptest::prelude::*;

use testkit::shapes;

#[test]
fn reads_what_it_writes_of_any_type_as_the_same_value() {
    // Miri is a thousand times slower than the machine, and has no files for failures.
    let config = ProptestConfig {
        cases: if cfg!(miri) { 20 } else { 6_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let written = Cell::new(0);
    proptest!(config, |(bytes in proptest::collection::vec(any::<u8>(), 0..300))| {
        written.set(written.get() + usize::from(shapes::property(&bytes)));
    });
    assert!(written.get() > if cfg!(miri) { 0 } else { 3_000 }, "only {} were written", written.get());
}
