//! The program is in `bare`, which has its own panic handler. Only the profile `consumer`, in which panics abort, can
//! build it.
#![cfg_attr(panic = "abort", no_std, no_main)]

#[cfg(panic = "abort")]
mod bare;

/// For all other profiles of the workspace.
#[cfg(not(panic = "abort"))]
fn main() {
    eprintln!("tests/consumer/check builds and runs this program");
    std::process::exit(1);
}
