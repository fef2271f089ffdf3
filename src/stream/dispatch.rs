//! Dispatch: a callback for each watched path.
//!
//! In: chunks, cut anywhere, and for each path a closure and the type of its argument. Out: calls with values of that type.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::join::{Chunk, Joiner};
use crate::error::Error;
use crate::limits::Limits;
use crate::read::lookup::PathLookup;
use crate::read::path::Path;
use crate::read::paths::Paths;
use crate::read::watch::Hit;
use crate::value::Decode;

/// A type that a [`Handler`] can be called with: every type that [`Packet::decode`](crate::Packet::decode) reads, and `str`
/// and `[u8]` for borrowed text and bytes.
pub trait HandlerArgument {
    /// The argument of the closure.
    type Value<'a>: Decode<'a>;
}

impl<T> HandlerArgument for T
where
    T: for<'a> Decode<'a>,
{
    type Value<'a> = T;
}

impl HandlerArgument for str {
    type Value<'a> = &'a str;
}

impl HandlerArgument for [u8] {
    type Value<'a> = &'a [u8];
}

/// A path and the closure that is called for each packet there.
pub struct Handler<'f> {
    path: Path,
    call: Box<Call<'f>>,
}

type Call<'f> = dyn FnMut(&Hit<'_>) -> Result<(), Error> + Send + 'f;
type OnError<'f> = dyn FnMut(Error) + Send + 'f;

impl<'f> Handler<'f> {
    /// Calls `f` with each value at `path`, read as a `T`.
    ///
    /// # Examples
    /// ```
    /// use y3::{Handler, PVarInt, path};
    ///
    /// Handler::new::<f32>(path!(0x01, 0x10, 0x11), |noise| println!("{noise}"));
    /// Handler::new::<PVarInt<i64>>(path!(0x01, 0x10, 0x12), |time| println!("{}", time.0));
    /// Handler::new::<str>(path!(0x01, 0x10, 0x13), |from| println!("{from}"));
    /// ```
    pub fn new<T: HandlerArgument + ?Sized>(path: Path, mut f: impl FnMut(T::Value<'_>) + Send + 'f) -> Self {
        Self::hits(path, move |hit| {
            f(hit.decode()?);
            Ok(())
        })
    }

    /// Calls `f` with each packet at `path`: for nodes, offsets, or values that need more than a type.
    pub fn hits(path: Path, f: impl FnMut(&Hit<'_>) -> Result<(), Error> + Send + 'f) -> Self {
        Self { path, call: Box::new(f) }
    }
}

impl fmt::Debug for Handler<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Calls closures with the values of a stream as they arrive.
///
/// If a closure panics, the rest of the chunk is consumed without further calls, so the dispatcher stays at the right place
/// in the stream.
/// Cost: that of a [`Collector`](crate::Collector), and about 5 ns for each call; handlers of other paths cost nothing.
/// Chunks of one byte are the most expensive, some 400 instructions each with one path and 700 with 256: feed what the
/// source returns at once. One allocation for each closure.
///
/// # Examples
/// ```
/// use y3::{Dispatcher, Handler, Limits, path};
///
/// let (mut loudest, mut places) = (0.0f32, Vec::new());
/// let mut dispatcher = Dispatcher::new(
///     [
///         Handler::new::<f32>(path!(0x01, 0x11), |noise| loudest = loudest.max(noise)),
///         Handler::new::<str>(path!(0x01, 0x13), |place| places.push(place.to_owned())),
///     ],
///     Limits::DEFAULT,
/// );
/// dispatcher.feed(&[0x81, 0x08, 0x11, 0x02, 0x41])?;
/// dispatcher.feed(&[0xb8, 0x13, 0x02, b'Y', b'3'])?;
/// dispatcher.finish()?;
/// drop(dispatcher);
/// assert_eq!((loudest, places), (23.0, vec!["Y3".to_owned()]));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
pub struct Dispatcher<'f> {
    paths: Paths,
    handlers: Vec<Handler<'f>>,
    /// Called with errors that do not end the stream.
    on_error: Option<Box<OnError<'f>>>,
    /// For each handler the index of the next handler with the same path, or the number of handlers.
    next: Vec<usize>,
    joiner: Joiner,
}

impl fmt::Debug for Dispatcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("handlers", &self.handlers)
            .field("offset", &self.offset())
            .finish_non_exhaustive()
    }
}

impl<'f> Dispatcher<'f> {
    /// A dispatcher for a stream that starts with the next byte. Several handlers may have the same path: all of them are
    /// called, in order. Of several different paths that match a packet, which needs a `*`, only the handlers of the first are
    /// called.
    ///
    /// # Examples
    /// ```
    /// use y3::{Dispatcher, Handler, Limits, path};
    ///
    /// let (mut noise, mut others) = (0, 0);
    /// let handlers = [
    ///     Handler::new::<i32>(path!(0x01, 0x11), |_| noise += 1),
    ///     Handler::hits(path!(0x01, *), |_| Ok(others += 1)),
    /// ];
    /// Dispatcher::new(handlers, Limits::DEFAULT).feed(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61])?;
    /// assert_eq!((noise, others), (1, 1));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn new(handlers: impl IntoIterator<Item = Handler<'f>>, limits: Limits) -> Self {
        let handlers: Vec<_> = handlers.into_iter().collect();
        let paths: Paths = handlers.iter().map(|handler| handler.path).collect();
        let next = next_of_path(paths.as_slice());
        Self { joiner: Joiner::new(&paths, limits), paths, handlers, on_error: None, next }
    }

    /// Calls `f` with each error that does not end the stream, instead of returning the first of a chunk: errors in values, those
    /// that closures return, and errors in the values of primitives that paths cross. So a faulty message neither stops
    /// [`read`](Self::read) nor hides the next one's error.
    ///
    /// # Examples
    /// ```
    /// use y3::{Dispatcher, Handler, Limits, path};
    ///
    /// let (mut sum, mut faults) = (0.0, Vec::new());
    /// let handler = Handler::new::<f32>(path!(0x01), |value| sum += value);
    /// let mut dispatcher = Dispatcher::new([handler], Limits::DEFAULT).on_error(|error| faults.push(error.offset()));
    /// // The second and the third value are longer than an `f32` may be.
    /// let stream = [0x01, 0x01, 0x40, 0x01, 0x05, 0, 0, 0, 0, 0, 0x01, 0x05, 0, 0, 0, 0, 0, 0x01, 0x01, 0x40];
    /// dispatcher.feed(&stream)?;
    /// drop(dispatcher);
    /// assert_eq!((sum, faults), (4.0, vec![5, 12]));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn on_error(mut self, f: impl FnMut(Error) + Send + 'f) -> Self {
        self.on_error = Some(Box::new(f));
        self
    }

    /// Feeds the next bytes of the stream, any number of them, and calls the handlers of the hits that end in them.
    ///
    /// # Errors
    /// The first error; the whole chunk is consumed all the same. With [`on_error`](Self::on_error) only an error of the stream.
    /// - An error of the stream, one of those of [`Collector::feed`](crate::Collector::feed). Every later call returns it
    ///   too.
    /// - An error in the value of a primitive that a path crosses. Only the rest of that value is lost; later calls continue.
    /// - A value that is not of the type asked for ([`InvalidValue`](crate::ErrorKind::InvalidValue),
    ///   [`InvalidUtf8`](crate::ErrorKind::InvalidUtf8)) or another error of a closure. Only that packet is lost; later
    ///   calls continue.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let Self { paths, joiner, .. } = self;
        call_all(Chunk::new(joiner, paths, chunk), &mut self.handlers, self.on_error.as_deref_mut(), &self.next)
    }

    /// Ends the stream: calls the handlers of whole hits inside a watched packet that is itself cut short, and checks that
    /// the stream may end here.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed), and [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd).
    pub fn finish(&mut self) -> Result<(), Error> {
        let Self { paths, joiner, .. } = self;
        call_all(Chunk::last(joiner, paths), &mut self.handlers, self.on_error.as_deref_mut(), &self.next)
    }

    /// The error of the stream, which is permanent. Errors of closures, and errors in the values of primitives that paths cross,
    /// are not recorded.
    #[must_use]
    pub const fn error(&self) -> Option<Error> {
        self.joiner.error()
    }

    /// How many bytes were fed so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.joiner.offset()
    }

    /// Reads a source to its end and calls the handlers.
    ///
    /// # Errors
    /// The first error of [`feed`](Self::feed) and [`finish`](Self::finish); [`ReadError::Io`](crate::ReadError::Io) if
    /// reading fails, after which another call continues.
    ///
    /// # Examples
    /// ```
    /// use y3::{Dispatcher, Handler, Limits, path};
    ///
    /// let mut sum = 0;
    /// let handler = Handler::new::<i32>(path!(0x01, 0x11), |number| sum += number);
    /// let source: &[u8] = &[0x81, 0x06, 0x11, 0x01, 0x07, 0x11, 0x01, 0x08];
    /// Dispatcher::new([handler], Limits::DEFAULT).read(source)?;
    /// assert_eq!(sum, 15);
    /// # Ok::<(), y3::ReadError>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn read(&mut self, mut source: impl std::io::Read) -> Result<(), crate::ReadError> {
        let mut buffer = std::vec![0; super::reader::BUFFER];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(self.finish()?),
                Ok(read) => self.feed(buffer.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// For each path the index of the next equal path, or the number of paths.
fn next_of_path(paths: &[Path]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_unstable_by_key(|&index| (paths.get(index), index));
    let mut next: Vec<usize> = order.iter().map(|_| paths.len()).collect();
    for pair in order.windows(2) {
        let &[first, second] = pair else { continue };
        let Some(next) = next.get_mut(first).filter(|_| paths.get(first) == paths.get(second)) else { continue };
        *next = second;
    }
    next
}

/// Calls the handlers of each hit of a chunk, and returns the first error that `on_error` does not get.
fn call_all(
    mut chunk: Chunk<'_, '_, Paths>,
    handlers: &mut [Handler<'_>],
    mut on_error: Option<&mut OnError<'_>>,
    next: &[usize],
) -> Result<(), Error> {
    let mut done = Ok(());
    let mut keep = |error, ends: bool| match &mut on_error {
        Some(on_error) if !ends => on_error(error),
        _ => done = done.and(Err(error)),
    };
    loop {
        let error = match chunk.next_hit() {
            None => return done,
            Some(Ok(hit)) => {
                call(handlers, next, &hit, |error| keep(error, false));
                continue;
            }
            Some(Err(error)) => error,
        };
        keep(error, chunk.error() == Some(error));
    }
}

/// Calls each handler of the hit's path, also after one returned an error, and hands on their errors.
fn call(handlers: &mut [Handler<'_>], next: &[usize], hit: &Hit<'_>, mut keep: impl FnMut(Error)) {
    let mut index = hit.path_index();
    while let Some(handler) = handlers.get_mut(index) {
        if let Err(error) = (handler.call)(hit) {
            keep(error);
        }
        index = next.get(index).copied().unwrap_or(usize::MAX);
    }
}
