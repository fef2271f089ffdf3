//! The compile errors for types that cannot be packets, with their positions.
//!
//! Each file in `tests/ui` has its expected errors beside it. Errors in the compiler's own words are compared only with
//! the version [`COMPILER`].

use std::process::Command;

/// The compiler version whose messages are in `tests/ui/types`.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn errors_stand_at_the_field() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/keys/*.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().unwrap().stdout;
    if version.starts_with(COMPILER.as_bytes()) {
        tests.compile_fail("tests/ui/types/*.rs");
    }
}
