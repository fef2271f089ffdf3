//! The subcommand `yomo`: noise readings from a source, through a server of YoMo, to a stream function.

mod demo;
mod function;
mod readings;
mod source;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;

use super::options::{Options, Tls};

/// Arguments of `network yomo`.
///
/// Without a program it is the demo.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(clap::Subcommand)]
enum Program {
    /// Start a server, a source and a stream function, and print noise readings as they come (needs Go)
    Demo(demo::Arguments),
    /// Write recorded noise readings to a server
    Source(source::Arguments),
    /// Observe tags at a server and print noise readings as they come
    Function(function::Arguments),
}

/// Runs the subcommand.
///
/// # Errors
/// Those of its program.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.program {
        None => demo::run(demo::Arguments::default()).await,
        Some(Program::Demo(arguments)) => demo::run(arguments).await,
        Some(Program::Source(arguments)) => source::run(arguments).await,
        Some(Program::Function(arguments)) => function::run(arguments).await,
    }
}

/// How a program reaches a server.
#[derive(clap::Args)]
struct Server {
    /// The server: host or address, and port
    #[arg(long, default_value = "127.0.0.1:9000")]
    server: String,
    /// What to show the server, as in Go: token:SECRET
    #[arg(long)]
    credential: Option<String>,
    /// Trust only servers with a certificate of this authority (a PEM file); without it any server, as Go's peers do
    #[arg(long, value_name = "FILE")]
    authority: Option<PathBuf>,
    /// This peer's certificate (a PEM file), for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// The key of the certificate (a PEM file)
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
}

impl Server {
    fn options(self, name: &str) -> Options {
        let tls = Tls { authority: self.authority, identity: self.certificate.zip(self.key) };
        Options { credential: self.credential, tls, ..Options::new(self.server, name) }
    }
}

/// A tag, decimal or hexadecimal.
fn tag(text: &str) -> Result<u32, String> {
    let tag = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    tag.map_err(|_| format!("a tag is a number up to {}, or hexadecimal: 0x33", u32::MAX))
}

/// The pause between two readings, of so many milliseconds.
fn pause(milliseconds: u64) -> anyhow::Result<tokio::time::Interval> {
    if milliseconds == 0 {
        bail!("--every has to be at least 1 ms");
    }
    let mut pause = tokio::time::interval(Duration::from_millis(milliseconds));
    pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    Ok(pause)
}
