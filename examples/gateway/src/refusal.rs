//! Refusal: the reason why a server closes a connection.

use crate::message::Fault;

/// The reason why a server closes a connection.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A packet was incomplete for too long.
    #[error("a request timed out after {bytes} bytes")]
    Slow { bytes: usize },
    #[error("the client does not read its replies")]
    Deaf,
    #[error("the backend sends nothing while requests wait")]
    Silent,
    /// The connection ended inside a packet.
    #[error("the client closed the connection after {bytes} bytes of a request")]
    Cut { bytes: usize },
    #[error("the connection was idle for too long")]
    Idle,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
