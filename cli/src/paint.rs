//! Colours for the terminal. All of them are readable on light and dark backgrounds.

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

/// The styles for the parts of a line. Write `{style}` before a part and `{style:#}` after it.
#[derive(Clone, Copy, Default)]
pub struct Paint {
    pub key: Style,
    pub name: Style,
    pub value: Style,
    pub fault: Style,
}

/// Returns the colours for standard output or standard error. `--color` and the environment can turn colours on or off.
/// Otherwise only terminals have colours.
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

/// Applies the argument `--color`.
pub fn choose(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}
