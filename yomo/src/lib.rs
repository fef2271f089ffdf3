//! Sources and stream functions for YoMo's Go servers (1.18). Their frames are Y3 packets over QUIC.
//!
//! [`Source::connect`] and [`Source::send`] send messages; a [`StreamFunction`] gets the messages of some tags and answers
//! them. The README shows how to write a stream function, start to finish; `docs/spec/yomo.md` in the repository has the
//! frames. Newer YoMo servers, written in Rust, speak no Y3: this crate is not for them.
//!
//! YoMo acknowledges no message. So a peer reports what a lost connection may have lost, as a range of message numbers in
//! [`Event::Lost`]. [`Source::confirm`] shrinks that range: it waits until the server has routed all messages so far. A stream
//! function confirms its answers the same way by itself. A confirmed message is not lost, however long the server was away: see
//! [`Options::hold`].

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
