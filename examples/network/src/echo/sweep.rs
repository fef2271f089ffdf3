//! Sweep
use anyhow::Result;
#[derive(clap::Args, Default)]
pub struct Arguments {}
pub async fn run(_: Arguments) -> Result<()> {
    Ok(())
}
