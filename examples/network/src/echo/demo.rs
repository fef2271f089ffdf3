//! Demo: servers and callers in one process, a thread each.
use anyhow::Result;
#[derive(clap::Args, Default)]
pub struct Arguments {}
pub fn run(_: &Arguments) -> Result<()> {
    Ok(())
}
