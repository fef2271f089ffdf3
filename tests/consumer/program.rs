//! The program is in `bare`, which has a panic handler of its own: only the profile `consumer`, in which panics abort, can build it.
#![cfg_attr(panic = "abort", no_std, no_main)]

#[cfg(panic = "abort")]
mod bare;

/// In the workspace's other profiles.
#[cfg(not(panic = "abort"))]
fn main() {
    eprintln!("tests/consumer/check builds and runs this program");
    std::process::exit(1);
}
