//! Run: packets of bounded length one after the other, written with one check of the room for all.
//!
//! In: a value or fields whose types have a bound, and a place. Out: their packets. Without a bound, or without room for all of the
//! bound, each packet is checked.

use super::bound::Bound;
use super::place::{Node, Place, Written};
use super::to_packet::{ToField, ToPacket};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;
use crate::write::window::{SHORT_TEXT, Window};
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
    /// Writes a text, if there is one before the fields, and the fields, one after the other.
    ///
    /// `run` returns the fields: made only where they are written, they need no memory.
    ///
    /// # Errors
    /// As [`field`](Self::field).
    #[doc(hidden)]
    #[inline(always)]
    pub fn run<T: ToField + ?Sized, R: Run>(
        &mut self,
        text: Option<(u8, &T)>,
        run: impl Fn() -> R,
    ) -> Result<(), Error> {
        let text_len = if text.is_some() { SHORT_TEXT + 2 } else { 0 };
        match const { most(R::BOUND) }.map(|len| len.saturating_add(text_len)) {
            Some(..=64) => self.run_in_window::<_, _, SMALL>(text, run),
            Some(65..=256) => self.run_in_window::<_, _, MEDIUM>(text, run),
            _ => self.run_checked(text, run),
        }
    }

    /// Writes the fields with one check of the room for all, and for the text if it is short.
    #[inline(always)]
    fn run_in_window<T: ToField + ?Sized, R: Run, const N: usize>(
        &mut self,
        text: Option<(u8, &T)>,
        run: impl Fn() -> R,
    ) -> Result<(), Error> {
        /// Not inlined: this is for the end of a slice, for a vector that has to grow, and for counting.
        #[inline(never)]
        fn without_window<S: Sink, T: ToField + ?Sized, R: Run, const PVAR: bool>(
            mut node: Node<'_, S, PVAR>,
            text: Option<(u8, &T)>,
            run: impl Fn() -> R,
        ) -> Result<usize, Error> {
            node.run_checked(text, run)?;
            Ok(node.writer.position())
        }

        let (mut start, mut unwritten) = (self.writer.position(), text);
        let room = match text.and_then(|(key, text)| Some((Key::new(key)?, text.text_field()?))) {
            Some((key, text)) if text.len() <= SHORT_TEXT => self
                .writer
                .window::<N>()
                .and_then(|mut window| Some((window.put_text(Tag::primitive(key), text)?, window))),
            _ => {
                if let Some((key, text)) = unwritten.take() {
                    self.field(key, text)?;
                    start = self.writer.position();
                }
                self.writer.window::<N>().map(|window| (0, window))
            }
        };
        let done = room.map(|(len, mut window)| {
            let mut node = Node::<_, PVAR>::of_writer(Writer::at(&mut window, len), self.budget);
            run().write(&mut node)?;
            Ok(node.writer.position())
        });
        let end = match done {
            Some(Ok(len)) if len <= Window::<N>::LEN => start + len,
            Some(Err(error)) if !is_without_room(error) => return Err(error.rebased(start as u64)),
            _ => without_window(self.inside(), unwritten, run)?,
        };
        self.writer.go_on_at(end);
        Ok(())
    }

    #[inline(always)]
    fn run_checked<T: ToField + ?Sized, R: Run>(
        &mut self,
        text: Option<(u8, &T)>,
        run: impl Fn() -> R,
    ) -> Result<(), Error> {
        if let Some((key, text)) = text {
            self.field(key, text)?;
        }
        run().write(self)
    }
}

/// Whether packets are longer than the bound that a type states, which one can implement by hand.
fn is_without_room(error: Error) -> bool {
    error.kind() == ErrorKind::BufferTooSmall
}

/// Writes a value as the outermost packet, and returns the position after it.
#[inline(always)]
pub(super) fn write_record<T: ToPacket + ?Sized, S: Sink>(
    value: &T,
    mut writer: Writer<'_, S>,
    key: Key,
) -> Result<usize, Error> {
    writer.reserve(match T::MAX_LEN {
        Some(..=64) => 64,
        Some(65..=256) => 256,
        Some(257..=1024) => 1024,
        Some(len) => len,
        // Not all of it: most values may be shorter by far. Types with many fields have a window after the last one too.
        None => match T::BOUND.room().min(1024) {
            room @ 0..=128 => room,
            room => room + 256,
        },
    });
    let end = match T::MAX_LEN {
        Some(..=64) => record_in_window::<_, _, SMALL>(value, &mut writer, key)?,
        Some(65..=256) => record_in_window::<_, _, MEDIUM>(value, &mut writer, key)?,
        Some(257..=1024) => record_in_window::<_, _, LARGE>(value, &mut writer, key)?,
        _ => None,
    };
    match end {
        Some(end) => Ok(end),
        None => value.write(Place::<'_, _, false>::outermost(writer, key)).map(Written::position),
    }
}

/// Writes into a window, and returns the position after the packet; `None` if the sink has no window, or if the packet is too long
/// for it.
#[inline(always)]
fn record_in_window<T: ToPacket + ?Sized, S: Sink, const N: usize>(
    value: &T,
    writer: &mut Writer<'_, S>,
    key: Key,
) -> Result<Option<usize>, Error> {
    let start = writer.position();
    let Some(mut window) = writer.window::<N>() else { return Ok(None) };
    let place = Place::<'_, _, false>::outermost(Writer::at(&mut window, 0), key);
    match value.write(place).map(Written::position) {
        Ok(len) if len <= Window::<N>::LEN => Ok(Some(start + len)),
        Err(error) if !is_without_room(error) => Err(error.rebased(start as u64)),
        _ => Ok(None),
    }
}
