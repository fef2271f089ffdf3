//! Reads packets from bytes that arrive in chunks, with the same results as the module `read`. This module imports
//! `read`, `wire`, `limits` and `error`. The codec also imports `write`, because it sends packets.

/// Methods of the stream readers that wrap another reader. Some of these readers also have a source.
macro_rules! stream_methods {
    (state $inner:ident) => {
        /// Returns the error that ended the watch, until [`resume`](Self::resume) succeeds. An error in embedded
        /// packets does not end the watch, so this method does not return it.
        #[must_use]
        pub const fn error(&self) -> Option<$crate::Error> {
            self.$inner.error()
        }

        /// Returns the number of bytes that were fed or skipped so far.
        #[must_use]
        pub const fn offset(&self) -> u64 {
            self.$inner.offset()
        }
    };
    ($inner:ident) => {
        stream_methods!(state $inner);

        /// Returns the path and the lengths of the packet that caused an error in this stream. See
        /// [`Watcher::explain`](crate::Watcher::explain).
        #[must_use]
        pub fn explain(&self, error: $crate::Error) -> $crate::ErrorContext {
            self.$inner.explain(error)
        }

        /// After an error, skips to the end of the faulty top-level packet. See
        /// [`Watcher::resume`](crate::Watcher::resume).
        pub fn resume(&mut self) -> bool {
            self.$inner.resume()
        }
    };
    ($inner:ident, $source:ident: $type:ty) => {
        stream_methods!($inner);

        /// Returns a reference to the source.
        #[must_use]
        pub const fn get_ref(&self) -> &$type {
            &self.$source
        }

        /// Returns the source. Bytes that the reader has read from the source but not parsed yet are lost.
        #[must_use]
        pub fn into_inner(self) -> $type {
            self.$source
        }
    };
}

#[cfg(feature = "codec")]
pub(crate) mod async_reader;
#[cfg(feature = "bytes")]
pub(crate) mod bytes;
#[cfg(feature = "codec")]
pub(crate) mod codec;
#[cfg(feature = "alloc")]
pub(crate) mod collect;
#[cfg(feature = "std")]
pub(crate) mod error;
pub(crate) mod event;
mod machine;
#[cfg(feature = "std")]
pub(crate) mod reader;
pub(crate) mod watcher;
