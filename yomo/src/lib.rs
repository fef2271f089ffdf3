//! Sources and stream functions for YoMo's Go servers (1.18). The frames of the protocol are Y3 packets over QUIC.
//!
//! [`Source::connect`] and [`Source::send`] send messages. A [`StreamFunction`] receives the messages with certain tags and
//! answers them. The README shows a complete stream function. `docs/spec/yomo.md` in the repository describes the frames. Newer
//! YoMo servers, which are written in Rust, do not use Y3 and cannot be used with this crate.
//!
//! YoMo does not acknowledge messages. Therefore, after a lost connection, a peer (a source or a stream function) reports the
//! numbers of all messages that may be lost, in [`Event::Lost`]. [`Source::confirm`] waits until the server has routed all
//! messages so far. These messages then no longer count as possibly lost. A stream function confirms its answers automatically.
//! A confirmed message is not lost, however long the server was away: see [`Options::hold`].

mod error;
mod event;
mod frame;
mod frames;
mod function;
mod knock;
mod link;
mod message;
mod options;
mod source;
mod tls;

pub use error::Error;
pub use event::{Counters, Event};
pub use function::{Running, Sender, StreamFunction};
pub use message::{Answers, Message};
pub use options::{Observer, Options, Retry};
pub use source::{Sent, Source};
pub use tls::Tls;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Page;
