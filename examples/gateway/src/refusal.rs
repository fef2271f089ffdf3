//! Refusal: why a server closes a connection.

use std::fmt;
use std::io;

use crate::message::Fault;

/// Why a server closes a connection.
#[derive(Debug)]
pub enum Refusal {
    Fault(Fault),
    /// Half a packet, and then nothing for too long.
    Slow {
        bytes: usize,
    },
    /// A reply that the peer does not read.
    Deaf,
    /// The end of the connection inside a packet.
    Cut {
        bytes: usize,
    },
    Idle,
    Io(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Fault(fault) => fault.fmt(f),
            Refusal::Slow { bytes } => write!(f, "a request stopped after {bytes} bytes and did not go on in time"),
            Refusal::Deaf => f.write_str("it does not read its replies"),
            Refusal::Cut { bytes } => write!(f, "it closed the connection after {bytes} bytes of a request"),
            Refusal::Idle => f.write_str("it was idle for too long"),
            Refusal::Io(error) => error.fmt(f),
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Refusal::Fault(fault)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}
