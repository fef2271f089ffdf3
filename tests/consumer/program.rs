//! The program is in `bare`, which only the profile `consumer` can build (panics must abort, since `bare` handles them).
#![cfg_attr(panic = "abort", no_std, no_main)]

#[cfg(panic = "abort")]
mod bare;

/// For all other profiles of the workspace.
#[cfg(not(panic = "abort"))]
fn main() {
    eprintln!("tests/consumer/check builds and runs this program");
    std::process::exit(1);
}
