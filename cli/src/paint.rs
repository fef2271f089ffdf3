//! Colours: those of the sixteen that are readable on light and on dark, and none where they are not wanted.

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

/// How parts of a line are shown; each is written before its part, and with `#` after it.
#[derive(Clone, Copy, Default)]
pub struct Paint {
    pub key: Style,
    pub name: Style,
    pub value: Style,
    pub fault: Style,
}

/// The colours of standard output or standard error, by `--color`, the environment, and whether it is a terminal.
pub fn of(stream: &impl anstream::stream::RawStream) -> Paint {
    match AutoStream::choice(stream) {
        ColorChoice::Never => Paint::default(),
        _ => Paint {
            key: AnsiColor::Cyan.on_default(),
            name: AnsiColor::Magenta.on_default(),
            value: AnsiColor::Green.on_default(),
            fault: AnsiColor::Red.on_default().bold(),
        },
    }
}

/// Takes what `--color` says.
pub fn choose(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}
