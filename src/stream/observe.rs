//! Observe: a callback for each watched path.
//!
//! In: chunks, cut anywhere, and for each path a closure and the type it wants. Out: calls with values of that type.

use alloc::boxed::Box;
use core::fmt;

use super::collect::{Joiner, Spot};
use crate::error::Error;
use crate::limits::Limits;
use crate::read::path::{Path, PathSet};
use crate::read::value::Decode;
use crate::read::watch::Hit;

/// A type that an [`Observer`] can be called with: each that [`Packet::to`](crate::Packet::to) reads, and `str` and `[u8]`
/// for borrowed text and bytes.
pub trait Observe {
    /// What the closure gets.
    type Value<'a>: Decode<'a>;
}

impl<T> Observe for T
where
    T: for<'a> Decode<'a>,
{
    type Value<'a> = T;
}

impl Observe for str {
    type Value<'a> = &'a str;
}

impl Observe for [u8] {
    type Value<'a> = &'a [u8];
}

/// A path and what to do with each packet found there.
pub struct Observer<'f> {
    path: Path,
    call: Box<Call<'f>>,
}

type Call<'f> = dyn FnMut(&Hit<'_>) -> Result<(), Error> + Send + 'f;

impl<'f> Observer<'f> {
    /// Calls `f` with each value at `path`, read as a `T`.
    ///
    /// # Examples
    /// ```
    /// use y3::{Observer, PVarInt, path};
    ///
    /// Observer::new::<f32>(path!(0x01, 0x10, 0x11), |noise| println!("{noise}"));
    /// Observer::new::<PVarInt<i64>>(path!(0x01, 0x10, 0x12), |time| println!("{}", time.0));
    /// Observer::new::<str>(path!(0x01, 0x10, 0x13), |from| println!("{from}"));
    /// ```
    pub fn new<T: Observe + ?Sized>(path: Path, mut f: impl FnMut(T::Value<'_>) + Send + 'f) -> Self {
        Self::hits(path, move |hit| {
            f(hit.to()?);
            Ok(())
        })
    }

    /// Calls `f` with each packet at `path`: for nodes, offsets, or values that need more than a type.
    pub fn hits(path: Path, f: impl FnMut(&Hit<'_>) -> Result<(), Error> + Send + 'f) -> Self {
        Self { path, call: Box::new(f) }
    }
}

impl fmt::Debug for Observer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Closures that are called as a stream brings values for them.
///
/// Cost: as a [`Collector`](crate::Collector), one allocation for each closure.
///
/// # Examples
/// ```
/// use y3::{Limits, Observer, Observers, path};
///
/// let (mut loudest, mut places) = (0.0f32, Vec::new());
/// let mut observers = Observers::new(
///     [
///         Observer::new::<f32>(path!(0x01, 0x11), |noise| loudest = loudest.max(noise)),
///         Observer::new::<str>(path!(0x01, 0x13), |place| places.push(place.to_owned())),
///     ],
///     Limits::DEFAULT,
/// );
/// observers.feed(&[0x81, 0x08, 0x11, 0x02, 0x41])?;
/// observers.feed(&[0xb8, 0x13, 0x02, b'Y', b'3'])?;
/// observers.finish()?;
/// drop(observers);
/// assert_eq!((loudest, places), (23.0, vec!["Y3".to_owned()]));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §9
#[derive(Debug)]
pub struct Observers<'f, const N: usize> {
    paths: PathSet<N>,
    calls: [Observer<'f>; N],
    joiner: Joiner,
}

impl<'f, const N: usize> Observers<'f, N> {
    /// Observers at the first byte of a stream. Several may have one path: each of them is called, in their order.
    #[must_use]
    pub fn new(observers: [Observer<'f>; N], limits: Limits) -> Self {
        let paths = PathSet::new(observers.each_ref().map(|observer| observer.path));
        Self { joiner: Joiner::new(&paths, limits), paths, calls: observers }
    }

    /// Takes the next bytes of the stream, however many, and makes the calls for what is whole with them.
    ///
    /// # Errors
    /// The first of these; the chunk is taken whole all the same. A fault of the stream, as
    /// [`Collector::feed`](crate::Collector::feed) gives it: it stays. A value that is not of the type asked for
    /// ([`InvalidValue`](crate::ErrorKind::InvalidValue), [`InvalidUtf8`](crate::ErrorKind::InvalidUtf8)) or another
    /// error of a closure: its packet is passed over, others are not touched, and the next chunk goes on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let mut cursor = self.joiner.machine.chunk(chunk);
        let mut done = Ok(());
        while let Some(spot) = self.joiner.find(&self.paths, &mut cursor) {
            let called = spot.and_then(|spot| match spot {
                Spot::Chunk(hit) => call(&mut self.calls, &hit),
                Spot::Joined(place) => place.hit(&self.joiner.joined).map_or(Ok(()), |hit| call(&mut self.calls, &hit)),
            });
            done = done.and(called);
        }
        self.joiner.drop_rest(cursor);
        done
    }

    /// Ends the stream: makes the calls for what is whole inside a packet that is not, and says whether the stream may end
    /// here.
    ///
    /// # Errors
    /// As [`feed`](Self::feed), and [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd).
    pub fn finish(&mut self) -> Result<(), Error> {
        self.joiner.end();
        self.feed(&[]).and(self.joiner.machine.last().map_or(Ok(()), Err))
    }

    /// Reads a source to its end and makes the calls.
    ///
    /// # Errors
    /// As [`feed`](Self::feed) and [`finish`](Self::finish), at the first of them; [`ReadError::Io`](crate::ReadError::Io)
    /// when the source fails, and then another call goes on.
    ///
    /// # Examples
    /// ```
    /// use y3::{Limits, Observer, Observers, path};
    ///
    /// let mut sum = 0;
    /// let observer = Observer::new::<i32>(path!(0x01, 0x11), |number| sum += number);
    /// let source: &[u8] = &[0x81, 0x06, 0x11, 0x01, 0x07, 0x11, 0x01, 0x08];
    /// Observers::new([observer], Limits::DEFAULT).read(source)?;
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

fn call(observers: &mut [Observer<'_>], hit: &Hit<'_>) -> Result<(), Error> {
    let path = observers.get(hit.path()).map(|observer| observer.path);
    let mut done = Ok(());
    for observer in observers.iter_mut().filter(|observer| Some(observer.path) == path) {
        done = done.and((observer.call)(hit));
    }
    done
}
