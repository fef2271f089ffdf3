//! Mode: one way of a codec to read one value, and one way to write a message.
//!
//! In: a closure. Out: the closure with a name, in a loop that is compiled for it, so that no mode has the cost of a call
//! that a user would not make.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::time::{Duration, Instant};

use kit::data::Node;
use kit::regime::{Regime, VISITS};

/// Who recommends the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The codec's own documentation recommends it for reading one field.
    Recommended,
    /// An expert uses it if that is too slow.
    Expert,
}

/// What malformed untrusted bytes can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// An error, or a wrong value of the right type: no panic, no endless loop, no allocation that a length field decides.
    Safe,
    /// Worse than that; the text says what.
    Unsafe(&'static str),
}

/// A way to read the watched value of a message.
pub struct Reader {
    pub codec: &'static str,
    /// The name in a row of a table.
    pub mode: &'static str,
    pub way: Way,
    pub hostile: Hostile,
    encode: fn(&Node) -> Vec<u8>,
    read: Box<Read>,
    time: Box<Time>,
}

type Read = dyn FnMut(Batch<'_>, &mut [Option<u64>]);
type Time = dyn FnMut(&Inputs, u64) -> Duration;

/// The number of messages in a batch that is timed.
const BATCH: usize = 64;

/// Messages that are all there before the first is read.
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

impl Reader {
    /// A reader of the bytes that `encode` makes of a model. It returns the value's [`Digest`](super::scenario::Digest), or
    /// `None` if the message is malformed or has no such value.
    pub fn new(
        codec: &'static str,
        mode: &'static str,
        way: Way,
        hostile: Hostile,
        encode: fn(&Node) -> Vec<u8>,
        mut read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
    ) -> Reader {
        let mut once = read.clone();
        // Short turns go on where the last one ended: the same visits in each of them would be learned.
        let mut next = 0;
        let time = move |inputs: &Inputs, iterations: u64| {
            let slices: Vec<&[u8]> = inputs.slices().collect();
            let iterations = usize::try_from(iterations).expect("64 bits");
            let mut visits = inputs.visits.iter().cycle();
            visits.by_ref().take(next).for_each(drop);
            next = (next + iterations) % VISITS;
            let begin = Instant::now();
            for visit in visits.take(iterations) {
                black_box(read(black_box(slices[usize::from(*visit)])));
            }
            begin.elapsed()
        };
        let read = move |batch: Batch<'_>, answers: &mut [Option<u64>]| {
            answers.iter_mut().zip(batch).for_each(|(answer, bytes)| *answer = once(bytes));
        };
        Reader { codec, mode, way, hostile, encode, read: Box::new(read), time: Box::new(time) }
    }

    /// A reader of the messages of a batch, which are there at the same time: it puts the answer of each into the slice, in the
    /// order of the messages. The name of the mode begins with `batch: `.
    pub fn batch(
        codec: &'static str,
        mode: &'static str,
        way: Way,
        hostile: Hostile,
        encode: fn(&Node) -> Vec<u8>,
        mut read: impl FnMut(Batch<'_>, &mut [Option<u64>]) + Clone + 'static,
    ) -> Reader {
        assert!(mode.starts_with("batch: "), "{mode}");
        let once = read.clone();
        let mut next = 0;
        let time = move |inputs: &Inputs, iterations: u64| {
            let slices: Vec<&[u8]> = inputs.slices().collect();
            let mut answers = [None; BATCH];
            let mut left = usize::try_from(iterations).expect("64 bits");
            let mut batches = inputs.visits.chunks(BATCH).cycle();
            batches.by_ref().take(next).for_each(drop);
            next = (next + left.div_ceil(BATCH)) % VISITS.div_ceil(BATCH);
            let begin = Instant::now();
            for visits in batches {
                let visits = &visits[..visits.len().min(left)];
                let answers = &mut answers[..visits.len()];
                read(black_box(Batch { messages: &slices, visits: visits.iter() }), answers);
                black_box(answers);
                left -= visits.len();
                if left == 0 {
                    break;
                }
            }
            begin.elapsed()
        };
        Reader { codec, mode, way, hostile, encode, read: Box::new(once), time: Box::new(time) }
    }

    /// A loop over a batch. No message waits for the answer of another, so that a processor may overlap their reads as far as it
    /// can.
    pub fn looped(
        codec: &'static str,
        mode: &'static str,
        way: Way,
        hostile: Hostile,
        encode: fn(&Node) -> Vec<u8>,
        mut read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
    ) -> Reader {
        Reader::batch(codec, mode, way, hostile, encode, move |batch, answers| {
            answers.iter_mut().zip(batch).for_each(|(answer, bytes)| *answer = read(bytes));
        })
    }

    /// A message in this codec's bytes.
    pub fn encode(&self, model: &Node) -> Vec<u8> {
        (self.encode)(model)
    }

    /// The messages of these models.
    pub fn inputs(&self, regime: Regime, models: &[Node]) -> Inputs {
        Inputs::new(regime, &models.iter().map(self.encode).collect::<Vec<Vec<u8>>>())
    }

    /// Takes the value once.
    pub fn read(&mut self, bytes: &[u8]) -> Option<u64> {
        let mut answer = [None];
        (self.read)(Batch { messages: &[bytes], visits: [0].iter() }, &mut answer);
        let [answer] = answer;
        answer
    }

    /// Takes the value of each message, of all in one batch if this is a reader of batches.
    pub fn read_all(&mut self, messages: &[&[u8]]) -> Vec<Option<u64>> {
        let visits: Vec<u16> = (0..).take(messages.len()).collect();
        let mut answers = vec![None; messages.len()];
        (self.read)(Batch { messages, visits: visits.iter() }, &mut answers);
        answers
    }

    /// The time of that many reads.
    pub fn time(&mut self, inputs: &Inputs, iterations: u64) -> Duration {
        (self.time)(inputs, iterations)
    }
}

/// A way to write a message into a reused buffer.
pub struct Writer {
    pub codec: &'static str,
    pub mode: &'static str,
    pub way: Way,
    prepare: Box<Prepare>,
}

type Prepare = dyn Fn(&[Node]) -> Box<dyn Messages>;

/// Messages in the form in which users of a codec hold them.
pub trait Messages {
    /// Writes one of them into an empty buffer.
    fn write(&mut self, message: usize, out: &mut Vec<u8>);

    /// The time of that many writes, in a regime's order.
    fn time(&mut self, regime: Regime, iterations: u64) -> Duration;
}

impl Writer {
    /// The message is made of a model, untimed; `write` writes it into an empty buffer.
    pub fn new<M: for<'a> From<&'a Node> + 'static>(
        codec: &'static str,
        mode: &'static str,
        way: Way,
        write: impl FnMut(&M, &mut Vec<u8>) + Copy + 'static,
    ) -> Writer {
        let prepare = move |models: &[Node]| -> Box<dyn Messages> {
            Box::new(Prepared { messages: models.iter().map(M::from).collect(), write, out: Vec::new(), next: 0 })
        };
        Writer { codec, mode, way, prepare: Box::new(prepare) }
    }

    pub fn prepare(&self, models: &[Node]) -> Box<dyn Messages> {
        (self.prepare)(models)
    }

    /// The bytes written for each model, aligned so that every codec can read them in place.
    pub fn inputs(&self, regime: Regime, models: &[Node]) -> Inputs {
        let mut prepared = self.prepare(models);
        let write = |message| {
            let mut out = Vec::new();
            prepared.write(message, &mut out);
            out
        };
        Inputs::new(regime, &(0..models.len()).map(write).collect::<Vec<Vec<u8>>>())
    }
}

struct Prepared<M, W> {
    messages: Vec<M>,
    write: W,
    out: Vec<u8>,
    /// Where the next turn goes on.
    next: usize,
}

impl<M, W: FnMut(&M, &mut Vec<u8>)> Messages for Prepared<M, W> {
    fn write(&mut self, message: usize, out: &mut Vec<u8>) {
        (self.write)(&self.messages[message], out);
    }

    fn time(&mut self, regime: Regime, iterations: u64) -> Duration {
        let iterations = usize::try_from(iterations).expect("64 bits");
        let visits = regime.visits(self.messages.len());
        let mut visits = visits.iter().cycle();
        visits.by_ref().take(self.next).for_each(drop);
        self.next = (self.next + iterations) % VISITS;
        let begin = Instant::now();
        for visit in visits.take(iterations) {
            self.out.clear();
            (self.write)(black_box(&self.messages[usize::from(*visit)]), &mut self.out);
            black_box(&self.out);
        }
        begin.elapsed()
    }
}

/// Messages in memory, aligned so that every codec can read them in place, and the order of visits.
pub struct Inputs {
    memory: Vec<u8>,
    /// The position of each message.
    places: Vec<Range<usize>>,
    visits: Box<[u16; VISITS]>,
}

/// A multiple of every codec's alignment; flatbuffers, capnp and rkyv read numbers in place.
const ALIGNMENT: usize = 16;

impl Inputs {
    /// Whether both hold the same messages.
    pub fn is_as(&self, other: &Inputs) -> bool {
        self.places.len() == other.places.len() && self.slices().eq(other.slices())
    }

    pub fn new(regime: Regime, messages: &[Vec<u8>]) -> Inputs {
        let room: usize = messages.iter().map(|message| message.len() + ALIGNMENT).sum();
        let mut memory: Vec<u8> = Vec::with_capacity(room + ALIGNMENT);
        memory.resize(memory.as_ptr().align_offset(ALIGNMENT), 0);
        let first = memory.len();
        let place = |message: &Vec<u8>| {
            memory.resize(first + (memory.len() - first).next_multiple_of(ALIGNMENT), 0);
            memory.extend_from_slice(message);
            memory.len() - message.len()..memory.len()
        };
        let places = messages.iter().map(place).collect();
        Inputs { memory, places, visits: regime.visits(messages.len()) }
    }

    pub fn slices(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.memory[place.clone()])
    }
}
