#![doc = include_str!("../README.md")]

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
