//! The error of a stream that reads or writes.
//!
//! One type for errors of the source, of the sink and in packets. It converts to `std::io::Error`.

use core::fmt;
use std::io;

use crate::error::{Error, ErrorKind};

/// The reason why a stream stopped: reading or writing failed, or the bytes are not valid Y3.
///
/// # Examples
/// ```
/// use std::error::Error;
///
/// let error = y3::ReadError::from(std::io::Error::other("cable cut"));
/// assert_eq!(error.to_string(), "i/o failed");
/// assert_eq!(error.source().unwrap().to_string(), "cable cut");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Reading from the source or writing to the sink failed. A reader loses no bytes: its next call reads from the
    /// source again.
    Io(io::Error),
    /// An error in the received bytes, with its offset in the stream, or an error in a packet to send.
    Packet(Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("i/o failed"),
            Self::Packet(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Packet(_) => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        Self::Packet(error)
    }
}

/// Returns an I/O error unchanged. Converts an error in a packet as [`From<y3::Error>`](Error) does.
impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::Packet(error) => error.into(),
        }
    }
}

/// Converts [`ErrorKind::UnexpectedEnd`] to [`UnexpectedEof`](io::ErrorKind::UnexpectedEof), and any other error to
/// [`InvalidData`](io::ErrorKind::InvalidData). The result contains the original error, so you can downcast to it.
///
/// # Examples
/// ```
/// let error = std::io::Error::from(y3::check(&[0x01]).unwrap_err());
/// assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
/// assert!(error.get_ref().unwrap().is::<y3::Error>());
/// ```
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::UnexpectedEnd => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
