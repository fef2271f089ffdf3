//! A peer of YoMo 1.18: sources and stream functions that speak its frames, which are Y3 packets, over QUIC.
//!
//! [`Source::connect`] and [`Source::write`] send messages; [`StreamFunction::connect`] gets the messages of some tags and
//! answers them. `README.md` shows how to write a stream function, start to finish;
//! `docs/spec/yomo.md` in the crate has the frames.
//!
//! YoMo acknowledges no message. So a peer reports what a lost connection may have lost, as a range of message numbers in
//! [`Event::Lost`], and [`Source::confirm`] shrinks that range: it waits until the server has routed all messages so far.

mod error;
mod frame;
mod frames;
mod function;
mod link;
mod options;
mod source;
mod tls;

pub use error::Error;
pub use frame::{Frame, Message};
pub use function::{Handled, StreamFunction};
pub use options::{Event, Options, Retry, Tls};
pub use source::{Sent, Source};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Page;
