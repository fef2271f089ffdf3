//! Refusal: the reason why a server closes a connection.

use crate::message::Fault;

/// The reason why a server closes a connection.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A part of a packet, and then nothing for too long.
    #[error("a request stopped after {bytes} bytes and did not go on in time")]
    Slow { bytes: usize },
    #[error("it does not read its replies")]
    Deaf,
    #[error("it sends nothing while requests wait")]
    Silent,
    /// The end of the connection inside a packet.
    #[error("it closed the connection after {bytes} bytes of a request")]
    Cut { bytes: usize },
    #[error("it was idle for too long")]
    Idle,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
