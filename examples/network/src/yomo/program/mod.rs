//! The subcommand `yomo`.

/// Arguments of `network yomo`.
#[derive(clap::Args)]
pub struct Arguments {}

/// Runs the subcommand.
///
/// # Errors
/// Those of its program.
pub async fn run(_: Arguments) -> anyhow::Result<()> {
    Ok(())
}
