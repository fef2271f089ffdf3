//! Observe: a callback for each watched path.
//!
//! In: chunks, cut anywhere, and for each path a closure and the type it wants. Out: calls with values of that type.

use alloc::boxed::Box;
use core::fmt;

use super::collect::{Chunk, Joiner};
use crate::error::Error;
use crate::limits::Limits;
use crate::read::path::{Path, PathSet};
use crate::read::value::Decode;
use crate::read::watch::Hit;

/// A type that an [`Observer`] can be called with: each that [`Packet::decode`](crate::Packet::decode) reads, and `str` and `[u8]`
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
            f(hit.decode()?);
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
/// A closure that panics leaves the observers in step: the chunk is taken whole, as after an error, but without the calls
/// for what is behind that packet.
/// Cost: as a [`Collector`](crate::Collector), and for each hit the calls for its path, about 5 ns each; the observers of other
/// paths cost it nothing. Chunks of one byte cost most: some 400 instructions each with one path, 700 with 256, so feed what
/// the source gives at once. One allocation for each closure.
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
    /// For each observer the next one of its path, or `N`.
    next: [usize; N],
    joiner: Joiner,
}

impl<'f, const N: usize> Observers<'f, N> {
    /// Observers at the first byte of a stream. Several may have one path: each of them is called, in their order.
    #[must_use]
    pub fn new(observers: [Observer<'f>; N], limits: Limits) -> Self {
        let paths = observers.each_ref().map(|observer| observer.path);
        let (next, paths) = (same_path(&paths), PathSet::new(paths));
        Self { joiner: Joiner::new(&paths, limits), paths, calls: observers, next }
    }

    /// Takes the next bytes of the stream, however many, and makes the calls for what is whole with them.
    ///
    /// # Errors
    /// The first of these; the chunk is taken whole all the same. A fault of the stream, as
    /// [`Collector::feed`](crate::Collector::feed) gives it: it stays. A value that is not of the type asked for
    /// ([`InvalidValue`](crate::ErrorKind::InvalidValue), [`InvalidUtf8`](crate::ErrorKind::InvalidUtf8)) or another
    /// error of a closure: its packet is passed over, others are not touched, and the next chunk goes on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let Self { paths, calls, next, joiner } = self;
        call_all(Chunk::new(joiner, paths, chunk), calls, next)
    }

    /// Ends the stream: makes the calls for what is whole inside a packet that is not, and says whether the stream may end
    /// here.
    ///
    /// # Errors
    /// As [`feed`](Self::feed), and [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd).
    pub fn finish(&mut self) -> Result<(), Error> {
        let Self { paths, calls, next, joiner } = self;
        call_all(Chunk::last(joiner, paths), calls, next)
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

/// For each path where it is given next, or `N`.
fn same_path<const N: usize>(paths: &[Path; N]) -> [usize; N] {
    let mut order: [usize; N] = core::array::from_fn(|place| place);
    order.sort_unstable_by_key(|&place| (paths.get(place), place));
    let mut next = [N; N];
    for pair in order.windows(2) {
        let &[first, second] = pair else { continue };
        let Some(next) = next.get_mut(first).filter(|_| paths.get(first) == paths.get(second)) else { continue };
        *next = second;
    }
    next
}

/// Makes the calls for each hit of a chunk; the first error of all.
fn call_all<const N: usize>(
    mut chunk: Chunk<'_, '_, '_, N>,
    observers: &mut [Observer<'_>; N],
    next: &[usize; N],
) -> Result<(), Error> {
    let mut done = Ok(());
    while let Some(hit) = chunk.next_hit() {
        done = done.and(match hit {
            Ok(hit) => call(observers, next, &hit),
            Err(error) => Err(error),
        });
    }
    done
}

/// Calls each observer of the hit's path. An error of one does not keep the others from their call.
fn call<const N: usize>(observers: &mut [Observer<'_>; N], next: &[usize; N], hit: &Hit<'_>) -> Result<(), Error> {
    let (mut done, mut place) = (Ok(()), hit.path_index());
    while let Some(observer) = observers.get_mut(place) {
        done = done.and((observer.call)(hit));
        place = next.get(place).copied().unwrap_or(N);
    }
    done
}
