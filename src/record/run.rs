//! Run: packets of bounded length one after the other, written with one check of the room for all.
//!
//! In: a value or fields whose types have a bound, and a place. Out: their packets. Without a bound, or without room for all of the
//! bound, each packet is checked.

use super::bound::Bound;
use super::budget::Budget;
use super::place::{Node, Place, Written};
use super::to_packet::{ToField, ToPacket};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::write::sink::Sink;
use crate::write::window::Window;
use crate::write::writer::Writer;

/// The windows for packets of up to 64, 256 and 1,024 bytes.
const SMALL: usize = 64 + 16;
const MEDIUM: usize = 256 + 16;
const LARGE: usize = 1024 + 16;

/// Fields of a struct, in pairs: `(a, (b, (c, ())))`.
#[doc(hidden)]
pub trait Run: Copy {
    /// The maximum length of their packets.
    const BOUND: Bound;

    /// Writes the packets.
    ///
    /// # Errors
    /// As [`Node::field`].
    fn write<S: Sink, const PVAR: bool>(self, node: &mut Node<'_, S, PVAR>) -> Result<(), Error>;
}

/// A field with its key.
#[doc(hidden)]
#[derive(Debug)]
pub struct InRun<'a, T: ?Sized, const PVAR: bool>(pub u8, pub &'a T);

impl<T: ?Sized, const PVAR: bool> Clone for InRun<'_, T, PVAR> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized, const PVAR: bool> Copy for InRun<'_, T, PVAR> {}

impl Run for () {
    const BOUND: Bound = Bound::ZERO;

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(self, _: &mut Node<'_, S, PVAR>) -> Result<(), Error> {
        Ok(())
    }
}

impl<A: Run, B: Run> Run for (A, B) {
    const BOUND: Bound = A::BOUND.and(B::BOUND);

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(self, node: &mut Node<'_, S, PVAR>) -> Result<(), Error> {
        self.0.write(node)?;
        self.1.write(node)
    }
}

impl<T: ToField + ?Sized> Run for InRun<'_, T, false> {
    const BOUND: Bound = T::BOUND;

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(self, node: &mut Node<'_, S, PVAR>) -> Result<(), Error> {
        node.field(self.0, self.1)
    }
}

impl<T: ToField + ?Sized> Run for InRun<'_, T, true> {
    const BOUND: Bound = T::BOUND.in_pvar();

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(self, node: &mut Node<'_, S, PVAR>) -> Result<(), Error> {
        node.pvar_field(self.0, self.1)
    }
}

/// The maximum length in both dialects.
const fn most(bound: Bound) -> Option<usize> {
    bound.or(bound.in_pvar()).max_len()
}

impl<S: Sink, const PVAR: bool> Node<'_, S, PVAR> {
    /// Writes fields one after the other.
    ///
    /// # Errors
    /// As [`field`](Self::field).
    #[doc(hidden)]
    #[inline(always)]
    pub fn run<R: Run>(&mut self, run: R) -> Result<(), Error> {
        /// Not inlined: this is for a slice that is nearly full, and for counting.
        #[inline(never)]
        fn checked<S: Sink, R: Run, const PVAR: bool>(mut node: Node<'_, S, PVAR>, run: R) -> Result<usize, Error> {
            run.write(&mut node)?;
            Ok(node.writer.position())
        }

        let fields = Fields::<R, PVAR>(run, self.budget);
        let end = match const { most(R::BOUND) } {
            Some(..=64) => in_window::<_, _, SMALL>(&mut self.writer, fields)?,
            Some(65..=256) => in_window::<_, _, MEDIUM>(&mut self.writer, fields)?,
            _ => return run.write(self),
        };
        let end = match end {
            Some(end) => end,
            None => checked(self.inside(), run)?,
        };
        self.writer.go_on_at(end);
        Ok(())
    }
}

/// Writes a value as the outermost packet, and returns the position after it.
#[inline(always)]
pub(super) fn write_record<T: ToPacket + ?Sized, S: Sink>(
    value: &T,
    mut writer: Writer<'_, S>,
    key: Key,
) -> Result<usize, Error> {
    let record = Record(value, key);
    let end = match T::MAX_LEN {
        Some(..=64) => in_window::<_, _, SMALL>(&mut writer, record)?,
        Some(65..=256) => in_window::<_, _, MEDIUM>(&mut writer, record)?,
        Some(257..=1024) => in_window::<_, _, LARGE>(&mut writer, record)?,
        Some(len) => {
            writer.reserve(len)?;
            None
        }
        None => None,
    };
    match end {
        Some(end) => Ok(end),
        None => record.write(writer),
    }
}

/// What is written in a window. A trait and not a closure, which could not be told to be inlined.
trait Write: Copy {
    /// Writes the packets, and returns the position after them.
    fn write<S: Sink>(self, writer: Writer<'_, S>) -> Result<usize, Error>;
}

/// The fields of a run and the depth that remains for them.
#[derive(Clone, Copy)]
struct Fields<R, const PVAR: bool>(R, Budget);

impl<R: Run, const PVAR: bool> Write for Fields<R, PVAR> {
    #[inline(always)]
    fn write<S: Sink>(self, writer: Writer<'_, S>) -> Result<usize, Error> {
        let mut node = Node::<_, PVAR>::of_writer(writer, self.1);
        self.0.write(&mut node)?;
        Ok(node.writer.position())
    }
}

/// A value as the outermost packet, with this key.
struct Record<'a, T: ?Sized>(&'a T, Key);

impl<T: ?Sized> Clone for Record<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Record<'_, T> {}

impl<T: ToPacket + ?Sized> Write for Record<'_, T> {
    #[inline(always)]
    fn write<S: Sink>(self, writer: Writer<'_, S>) -> Result<usize, Error> {
        self.0.write(Place::<'_, _, false>::outermost(writer, self.1)).map(Written::position)
    }
}

/// Writes into a window, and returns the position after the packets; `None` if the sink has no window, or if the packets are longer
/// than the bound that a type states, which one can implement by hand.
#[inline(always)]
fn in_window<W: Write, S: Sink, const N: usize>(
    writer: &mut Writer<'_, S>,
    packets: W,
) -> Result<Option<usize>, Error> {
    let start = writer.position();
    let Some(mut window) = writer.window::<N>() else { return Ok(None) };
    match packets.write(Writer::new(&mut window)) {
        Ok(len) if len <= Window::<N>::LEN => Ok(Some(start + len)),
        Err(error) if error.kind() != ErrorKind::BufferTooSmall => Err(error.rebased(start as u64)),
        _ => Ok(None),
    }
}
