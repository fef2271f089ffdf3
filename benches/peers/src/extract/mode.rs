//! Ways to read one value and to write a message: each is a closure with a name. The loop that times a closure is compiled for it, so no
//! way has the cost of a call that a user would not make.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::time::{Duration, Instant};

use kit::data::Node;
use kit::regime::{Regime, VISITS};
use kit::turns::{Timed, looped};
use rkyv::util::AlignedVec;

use crate::formats::written;

/// A way to read the watched value of a message.
pub struct Reader {
    pub codec: &'static str,
    pub name: String,
    /// The harm that malformed untrusted bytes can do: a panic, an endless loop, undefined behaviour, or an allocation whose size a length
    /// field decides. `None` if they lead only to an error or to a wrong value of the right type.
    pub danger: Option<&'static str>,
    /// Writes a message in this codec's format.
    pub encode: fn(&Node) -> Vec<u8>,
    read: Box<Read>,
    /// Returns the time of a number of reads.
    pub time: Box<Time>,
}

type Read = dyn FnMut(Batch<'_>, &mut [Option<u64>]);
type Time = dyn FnMut(&Inputs, u64) -> Duration;

/// The number of messages in a batch that is timed.
const BATCH: usize = 64;

/// Messages that are all in memory before the first is read.
#[derive(Clone)]
pub struct Batch<'a> {
    messages: &'a [&'a [u8]],
    visits: slice::Iter<'a, u16>,
}

impl<'a> Iterator for Batch<'a> {
    type Item = &'a [u8];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u8]> {
        Some(self.messages[usize::from(*self.visits.next()?)])
    }
}

/// The readers of one codec or of several. A reader returns the value's [`Digest`](super::shape::Digest), or `None` if the message is
/// malformed or lacks the value.
#[must_use]
pub struct Ways {
    codec: &'static str,
    encode: fn(&Node) -> Vec<u8>,
    pub all: Vec<Reader>,
}

impl Ways {
    pub fn of(codec: &'static str, encode: fn(&Node) -> Vec<u8>) -> Ways {
        Ways { codec, encode, all: Vec::new() }
    }

    /// Gives the next readers another codec.
    pub fn and_of(self, codec: &'static str, encode: fn(&Node) -> Vec<u8>) -> Ways {
        Ways { codec, encode, ..self }
    }

    /// Adds a reader that gets one message after the other.
    pub fn reader(self, mode: &str, mut read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Ways {
        let mut once = read.clone();
        let mut next = 0;
        let time = move |inputs: &Inputs, iterations: u64| {
            let slices: Vec<&[u8]> = inputs.slices().collect();
            let visits = onward(inputs.visits.iter(), &mut next, usize::try_from(iterations).expect("64 bits"));
            let begin = Instant::now();
            for visit in visits {
                black_box(read(black_box(slices[usize::from(*visit)])));
            }
            begin.elapsed()
        };
        let read = move |batch: Batch<'_>, answers: &mut [Option<u64>]| {
            answers.iter_mut().zip(batch).for_each(|(answer, bytes)| *answer = once(bytes));
        };
        self.named(mode, Box::new(read), Box::new(time))
    }

    /// Adds a reader that gets a batch of messages at once and writes their answers to the slice, in the order of the messages. The name
    /// of its mode begins with `batch: `.
    pub fn batch(self, mode: &str, mut read: impl FnMut(Batch<'_>, &mut [Option<u64>]) + Clone + 'static) -> Ways {
        let once = read.clone();
        let mut next = 0;
        let time = move |inputs: &Inputs, iterations: u64| {
            let slices: Vec<&[u8]> = inputs.slices().collect();
            let mut answers = [None; BATCH];
            let mut left = usize::try_from(iterations).expect("64 bits");
            let batches = onward(inputs.visits.chunks(BATCH), &mut next, left.div_ceil(BATCH));
            let begin = Instant::now();
            for visits in batches {
                let visits = &visits[..visits.len().min(left)];
                let answers = &mut answers[..visits.len()];
                read(black_box(Batch { messages: &slices, visits: visits.iter() }), answers);
                black_box(answers);
                left -= visits.len();
            }
            begin.elapsed()
        };
        self.named(&format!("batch: {mode}"), Box::new(once), Box::new(time))
    }

    /// Adds a reader, and a loop in which the same reader reads a batch. In the loop no message waits for the answer of another, so the
    /// processor can overlap their reads.
    pub fn both(self, mode: &str, mut read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Ways {
        self.reader(mode, read.clone()).batch(mode, move |batch, answers| {
            answers.iter_mut().zip(batch).for_each(|(answer, bytes)| *answer = read(bytes));
        })
    }

    fn named(mut self, mode: &str, read: Box<Read>, time: Box<Time>) -> Ways {
        let (codec, encode) = (self.codec, self.encode);
        self.all.push(Reader { codec, name: format!("{codec} {mode}"), danger: None, encode, read, time });
        self
    }

    /// Sets the danger of the last reader.
    pub fn dangerous(mut self, danger: impl Into<Option<&'static str>>) -> Ways {
        self.all.last_mut().expect("a reader before").danger = danger.into();
        self
    }
}

/// Returns the next visits, in a circle. A turn begins where the last one ended, because the processor would learn the same visits in
/// each turn.
fn onward<V: ExactSizeIterator + Clone>(visits: V, next: &mut usize, count: usize) -> impl Iterator<Item = V::Item> {
    let all = visits.len();
    let mut visits = visits.cycle();
    visits.by_ref().take(*next).for_each(drop);
    *next = (*next + count) % all;
    visits.take(count)
}

impl Reader {
    pub fn inputs(&self, regime: Regime, models: &[Node]) -> Inputs {
        Inputs::new(regime, models.iter().map(self.encode))
    }

    /// Reads the value of one message.
    pub fn read(&mut self, bytes: &[u8]) -> Option<u64> {
        let mut answer = [None];
        (self.read)(Batch { messages: &[bytes], visits: [0].iter() }, &mut answer);
        answer[0]
    }

    /// Reads the value of each message. A reader of batches gets all messages as one batch.
    pub fn read_all(&mut self, inputs: &Inputs) -> Vec<Option<u64>> {
        let messages: Vec<&[u8]> = inputs.slices().collect();
        let visits: Vec<u16> = (0..).take(messages.len()).collect();
        let mut answers = vec![None; messages.len()];
        (self.read)(Batch { messages: &messages, visits: visits.iter() }, &mut answers);
        answers
    }
}

/// A way to write a message into a reused buffer.
pub struct Writer {
    pub codec: &'static str,
    pub name: String,
    /// Returns the bytes that are written for each model, and a function that times the writing in a regime's order.
    pub prepare: Box<Prepare>,
}

type Prepare = dyn Fn(Regime, &[Node]) -> (Inputs, Timed<'static>);

impl Writer {
    /// `make` turns a model into the form in which users of the codec keep a message; this is not timed. `write` writes it to an empty
    /// buffer.
    pub fn new<M: 'static>(
        codec: &'static str,
        mode: &str,
        make: fn(&Node) -> M,
        mut write: impl FnMut(&M, &mut Vec<u8>) + Copy + 'static,
    ) -> Writer {
        let prepare = move |regime: Regime, models: &[Node]| {
            let messages: Vec<M> = models.iter().map(make).collect();
            let inputs = Inputs::new(regime, messages.iter().map(|message| written(message, write)));
            let mut next = regime.feed(&(0..messages.len()).collect::<Vec<usize>>());
            let mut out = Vec::new();
            let timed = looped(move || {
                out.clear();
                write(&messages[next()], &mut out);
                black_box(&out).len()
            });
            (inputs, timed)
        };
        Writer { codec, name: format!("{codec} {mode}"), prepare: Box::new(prepare) }
    }
}

/// Messages in memory, and the order of visits. Each message is aligned, so flatbuffers, capnp and rkyv can read numbers in place.
pub struct Inputs {
    pub regime: Regime,
    memory: AlignedVec<ALIGNMENT>,
    /// The position of each message.
    places: Vec<Range<usize>>,
    visits: Box<[u16; VISITS]>,
}

/// A multiple of every codec's alignment.
pub const ALIGNMENT: usize = 16;

impl Inputs {
    pub fn new(regime: Regime, messages: impl Iterator<Item = Vec<u8>>) -> Inputs {
        let mut memory = AlignedVec::new();
        let place = |message: Vec<u8>| {
            memory.resize(memory.len().next_multiple_of(ALIGNMENT), 0);
            memory.extend_from_slice(&message);
            memory.len() - message.len()..memory.len()
        };
        let places: Vec<Range<usize>> = messages.map(place).collect();
        let visits = regime.visits(places.len());
        Inputs { regime, memory, places, visits }
    }

    pub fn slices(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.memory[place.clone()])
    }
}
