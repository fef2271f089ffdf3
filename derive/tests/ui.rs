//! What the compiler says of types that have no packet, and where.
//!
//! In: `tests/ui`. Out: the errors beside each file. Those of the compiler's own wording are compared with the version that
//! they were written with.

use std::process::Command;

/// The compiler whose words stand in `tests/ui/types`.
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
