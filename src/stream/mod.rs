//! Reads the same packets and values from bytes that arrive in pieces. It imports `read`, `wire`, `limits` and `error`; only
//! the codec, which sends packets too, imports `write`.

/// The questions that every stream reader answers, for readers built on another reader, with or without a source.
macro_rules! stream_methods {
    (state $inner:ident) => {
        /// The error that ended the watch, until [`resume`](Self::resume). An error in embedded packets does not end it: the
        /// watch goes on after the primitive that has them.
        #[must_use]
        pub const fn error(&self) -> Option<$crate::Error> {
            self.$inner.error()
        }

        /// How many bytes were fed or skipped so far.
        #[must_use]
        pub const fn offset(&self) -> u64 {
            self.$inner.offset()
        }
    };
    ($inner:ident) => {
        stream_methods!(state $inner);

        /// Where an error of this stream is; see [`Watcher::explain`](crate::Watcher::explain).
        #[must_use]
        pub fn explain(&self, error: $crate::Error) -> $crate::ErrorContext {
            self.$inner.explain(error)
        }

        /// After an error, skips to the end of the top-level packet that has it; see [`Watcher::resume`](crate::Watcher::resume).
        pub fn resume(&mut self) -> bool {
            self.$inner.resume()
        }
    };
    ($inner:ident, $source:ident: $type:ty) => {
        stream_methods!($inner);

        /// A reference to the source.
        #[must_use]
        pub const fn get_ref(&self) -> &$type {
            &self.$source
        }

        /// The source. Bytes that were read and not parsed yet are lost.
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
