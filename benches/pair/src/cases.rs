//! Cases: what users do most, on packets made without the crate.
//!
//! In: nothing. Out: for each case its name, its answer, compared with what is expected, and a loop to time.

use std::fmt::Debug;
use std::hint::black_box;
use std::time::{Duration, Instant};

use y3::{Encoder, Error, ErrorKind, Event, Limits, Packet, Path, PathSet, Watcher, path};

use crate::api::{self, Decode, Encode};

pub struct Case {
    pub name: &'static str,
    pub answer: String,
    /// The time of that many operations.
    pub timed: Box<dyn FnMut(u32) -> Duration>,
}

/// Fields with their keys, types and values, as a struct that the derive writes and reads, and written by hand.
macro_rules! numbers {
    ($($key:literal $field:ident $type:ident $value:expr;)*) => {
        #[derive(Debug, PartialEq, Encode, Decode)]
        struct Numbers { $(#[y3($key)] $field: $type,)* }

        const NUMBERS: Numbers = Numbers { $($field: $value,)* };

        fn by_hand(numbers: &Numbers, out: &mut Vec<u8>) -> Result<(), Error> {
            Encoder::new(out).node(1, |node| {
                $(node.put($key, numbers.$field)?;)*
                Ok(())
            })
        }
    };
}

numbers! {
    1 a1 u32 7; 2 a2 i32 -65; 3 a3 u64 1 << 40; 4 a4 i64 -1; 5 a5 f32 0.25; 6 a6 f64 23.0; 7 a7 u32 70_000;
    8 b1 u32 300; 9 b2 i32 -40_000; 10 b3 u64 9; 11 b4 i64 -1 << 50; 12 b5 f32 45.12; 13 b6 f64 0.1; 14 b7 u32 u32::MAX;
    15 c1 u32 1; 16 c2 i32 130; 17 c3 u64 u64::MAX; 18 c4 i64 5_000; 19 c5 f32 1.0; 20 c6 f64 -2.5; 21 c7 u32 128;
    22 d1 u32 9_000_000; 23 d2 i32 3; 24 d3 u64 77_777; 25 d4 i64 i64::MIN; 26 d5 f32 -7.7; 27 d6 f64 1e300; 28 d7 u32 0;
    29 e1 u32 255; 30 e2 i32 i32::MAX; 31 e3 u64 1 << 33; 32 e4 i64 12; 33 e5 f32 3.5; 34 e6 f64 4.0; 35 e7 u32 65_536;
    36 f1 u32 127; 37 f2 i32 -128; 38 f3 u64 500; 39 f4 i64 -70_000; 40 f5 f32 0.0; 41 f6 f64 6.25; 42 f7 u32 20_000;
    43 g1 u32 1 << 30; 44 g2 i32 -1; 45 g3 u64 1 << 55; 46 g4 i64 1 << 45; 47 g5 f32 9.9; 48 g6 f64 0.5; 49 g7 u32 33;
    50 h1 u32 5_000; 51 h2 i32 1 << 20; 52 h3 u64 2; 53 h4 i64 -300; 54 h5 f32 2.0; 55 h6 f64 7.0; 56 h7 u32 1 << 25;
    57 i1 u32 2; 58 i2 i32 -9_000_000; 59 i3 u64 1 << 20; 60 i4 i64 99; 61 i5 f32 1e9; 62 i6 f64 8.5; 63 i7 u32 4_000;
}

macro_rules! message {
    ($name:ident $data:ident $text:ty $(, $life:lifetime)?) => {
        #[derive(Debug, PartialEq, Encode, Decode)]
        struct $name$(<$life>)? {
            #[y3(0x10)]
            error: u32,
            #[y3(0x11)]
            msg: $text,
            #[y3(0x12)]
            data: $data$(<$life>)?,
        }

        #[derive(Debug, PartialEq, Encode, Decode)]
        struct $data$(<$life>)? {
            #[y3(0x10)]
            name: $text,
            #[y3(0x11)]
            age: u32,
        }
    };
}

message!(Message Data &'a str, 'a);
message!(Owned OwnedData String);

const MESSAGE: Message<'_> = Message { error: 0, msg: "success", data: Data { name: "testName", age: 18 } };
const MESSAGE_BYTES: &[u8] = b"\x81\x1b\x10\x01\x00\x11\x07success\x92\x0d\x10\x08testName\x11\x01\x12";

/// One pass over the fields of a node with two or three fields, as a user writes it.
macro_rules! pass {
    ($node:expr, |$field:ident| $name:ident { $($key:literal $member:ident $read:expr;)* }) => {{
        $(let mut $member = None;)*
        for $field in $node.children() {
            let $field = $field?;
            match $field.key().get() {
                $($key => $member = Some($read?),)*
                _ => {}
            }
        }
        let missing = || Error::new(ErrorKind::InvalidValue, $node.offset());
        Ok($name { $($member: $member.ok_or_else(missing)?,)* })
    }};
}

fn message_by_hand(bytes: &[u8]) -> Result<Message<'_>, Error> {
    let node = Packet::from_slice(bytes)?;
    pass!(node, |f| Message { 0x10 error f.decode(); 0x11 msg f.decode(); 0x12 data data_by_hand(f); })
}

fn data_by_hand(node: Packet<'_>) -> Result<Data<'_>, Error> {
    pass!(node, |f| Data { 0x10 name f.decode(); 0x11 age f.decode(); })
}

/// Xorshift with a fixed seed: both programs get the same packets.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

/// A tag, a length of one or two bytes, and the value.
fn packet(tag: u8, value: &[u8]) -> Vec<u8> {
    let [.., high, low] = value.len().to_be_bytes();
    let header = if value.len() > 63 { vec![tag, 0x80 | high << 1 | low >> 7, low & 0x7f] } else { vec![tag, low] };
    [&header, value].concat()
}

/// A root with so many levels of nodes, its keys shuffled. The values are of varied lengths; each byte is the value's key.
fn tree(tag: u8, count: u8, levels: usize, random: &mut Random) -> Vec<u8> {
    let mut keys: Vec<u8> = (1..=count).collect();
    (1..keys.len()).rev().for_each(|at| keys.swap(at, random.below(at + 1)));
    let field = |key: u8| match levels {
        0 => packet(key, &vec![key; [1 + random.below(32), 2, 2, 1, 8, 1, 2][usize::from(key % 7)]]),
        _ => tree(0x80 | key, count, levels - 1, random),
    };
    packet(tag, &keys.into_iter().flat_map(field).collect::<Vec<u8>>())
}

#[derive(Default)]
struct Cases(Vec<Case>);

impl Cases {
    /// An operation on the next of these inputs. The answer is that of all, each once.
    fn on<I: ?Sized + 'static, T: PartialEq + Debug>(
        &mut self,
        name: &'static str,
        inputs: &'static [Box<I>],
        want: &[T],
        mut once: impl FnMut(&'static I) -> T + 'static,
    ) {
        let answers: Vec<T> = inputs.iter().map(|input| once(input)).collect();
        assert!(answers == want, "{name}: {answers:x?} instead of {want:x?}");
        // Branch predictors learn an order that repeats soon.
        let mut random = Random(4);
        let visits: Vec<usize> = (0..1 << 16).map(|_| random.below(inputs.len())).collect();
        let mut visit = 0;
        let timed = Box::new(move |times| {
            let begin = Instant::now();
            for _ in 0..times {
                visit = (visit + 1) % visits.len();
                black_box(once(black_box(&inputs[visits[visit]])));
            }
            begin.elapsed()
        });
        self.0.push(Case { name, answer: format!("{want:x?}"), timed });
    }

    /// A writer: the buffer is used again.
    fn write<I: ?Sized + 'static, R, E: Debug>(
        &mut self,
        name: &'static str,
        inputs: &'static [Box<I>],
        want: &[Vec<u8>],
        once: impl Fn(&I, &mut Vec<u8>) -> Result<R, E> + 'static,
    ) {
        let mut out = Vec::new();
        for (input, want) in inputs.iter().zip(want) {
            out.clear();
            once(input, &mut out).expect(name);
            assert!(out == *want, "{name}: {out:x?} instead of {want:x?}");
        }
        let lens: Vec<usize> = want.iter().map(Vec::len).collect();
        self.on(name, inputs, &lens, move |input| {
            out.clear();
            once(input, &mut out).map_or(0, |_| out.len())
        });
    }
}

/// Lives as long as the program.
fn kept<I: ?Sized>(inputs: impl IntoIterator<Item = Box<I>>) -> &'static [Box<I>] {
    Vec::leak(inputs.into_iter().collect())
}

pub fn all() -> Vec<Case> {
    let mut cases = Cases::default();
    structs(&mut cases);
    packets(&mut cases);
    cases.0
}

fn structs(cases: &mut Cases) {
    let (numbers, mut bytes) = (kept([Box::new(NUMBERS)]), Vec::new());
    by_hand(&NUMBERS, &mut bytes).expect("keys are below 64");
    let (want, encoded) = ([bytes.clone()], kept([bytes.into_boxed_slice()]));
    cases.write("63 numbers written, derived", numbers, &want, api::put);
    cases.write("63 numbers written by hand", numbers, &want, by_hand);
    cases.on("63 numbers read, derived", encoded, &[NUMBERS], |bytes| api::decode::<Numbers>(bytes).unwrap());

    let (message, encoded) = (kept([Box::new(MESSAGE)]), kept([Box::<[u8]>::from(MESSAGE_BYTES)]));
    let data = OwnedData { name: "testName".into(), age: 18 };
    let owned = [Owned { error: 0, msg: "success".into(), data }];
    cases.write("message written, derived", message, &[MESSAGE_BYTES.to_vec()], api::put);
    cases.on("message read borrowed, derived", encoded, &[MESSAGE], |bytes| api::decode::<Message<'_>>(bytes).unwrap());
    cases.on("message read borrowed by hand", encoded, &[MESSAGE], |bytes| message_by_hand(bytes).unwrap());
    cases.on("message read owned, derived", encoded, &owned, |bytes| api::decode::<Owned>(bytes).unwrap());
}

/// The root's keys 1 to 60. Key 0, of which there is no packet, fills the set.
const fn sixty() -> [Path; 64] {
    let (mut paths, mut key) = ([path!(1, 0); 64], 60);
    while key > 0 {
        if let Some(path) = Path::new(&[1, key]) {
            paths[key as usize] = path;
        }
        key -= 1;
    }
    paths
}

/// The first bytes of the values of all hits, added: the keys, as the packets are made.
fn hits<const N: usize>(set: &PathSet<N>, bytes: &[u8]) -> u32 {
    set.watch(bytes).map(|hit| u32::from(hit.expect("a packet").value()[0])).sum()
}

fn packets(cases: &mut Cases) {
    const ONE: PathSet<1> = PathSet::new([path!(1, 32)]);
    const THREE: PathSet<3> = PathSet::new([path!(1, 8), path!(1, 32), path!(1, 60)]);
    const SIXTY: PathSet<64> = PathSet::new(sixty());
    const MISS: PathSet<1> = PathSet::new([path!(1, 0)]);
    const DEEP: PathSet<1> = PathSet::new([path!(1, 4, 4, 4)]);
    let random = &mut Random(3);
    let mut packets = |count, levels| kept((0..256).map(|_| tree(0x81, count, levels, random).into_boxed_slice()));
    let (flat, deep) = (packets(63, 0), packets(8, 2));
    let small = kept((0..64).map(|at| {
        let fields: Vec<u8> = (0..63)
            .flat_map(|field| {
                let key = 1 + (field * 2 + at) % 63;
                [key, 1, key]
            })
            .collect();
        packet(0x81, &fields).into_boxed_slice()
    }));
    cases.on("first of 63 watched", flat, &[32; 256], |bytes| {
        ONE.watch(bytes).next().map_or(0, |hit| u32::from(hit.expect("a packet").value()[0]))
    });
    cases.on("three of 63 watched", flat, &[100; 256], |bytes| hits(const { &THREE }, bytes));
    cases.on("60 of 63 watched, 64 paths", flat, &[60 * 61 / 2; 256], |bytes| hits(const { &SIXTY }, bytes));
    cases.on("60 of 63 watched, 64 paths, small values", small, &[60 * 61 / 2; 64], |bytes| {
        hits(const { &SIXTY }, bytes)
    });
    cases.on("a miss in 63", flat, &[0; 256], |bytes| hits(const { &MISS }, bytes));
    cases.on("one of 8x8x8 watched", deep, &[4; 256], |bytes| hits(const { &DEEP }, bytes));

    let batch = kept([flat.iter().map(|bytes| bytes.to_vec()).collect::<Box<[Vec<u8>]>>()]);
    cases.on("256 packets, first of 63 in a batch", batch, &[32 * 256], |packets| {
        let mut sum = 0;
        api::first_each(const { &ONE }, packets, |hit| sum += u32::from(hit.value()[0]));
        sum
    });

    let stream: Vec<u8> = flat.iter().flat_map(|bytes| bytes.iter().copied()).collect();
    let stream = kept([stream.into_boxed_slice()]);
    cases.on("256 packets, Watcher, chunks of 64", stream, &[256], |bytes| watched(const { &ONE }, bytes, 64));
    cases.on("256 packets, Watcher, chunks of 64 KiB", stream, &[256], |bytes| watched(const { &ONE }, bytes, 1 << 16));

    // A field is its key, its length, and that many bytes.
    let filtered = |bytes: &[u8], keeps: bool| {
        let (mut stay, mut rest) = (Vec::new(), &bytes[3..]);
        while let [key, len, ..] = *rest {
            let (field, after) = rest.split_at(2 + usize::from(len));
            stay.extend_from_slice(if [8, 32, 60].contains(&key) == keeps { field } else { &[] });
            rest = after;
        }
        packet(0x81, &stay)
    };
    let [kept, removed] =
        [true, false].map(|keeps| flat.iter().map(|bytes| filtered(bytes, keeps)).collect::<Vec<_>>());
    cases.write("three of 63 kept", flat, &kept, |bytes, out| api::edit(&api::KEEP, bytes, out));
    cases.write("three of 63 removed", flat, &removed, |bytes, out| api::edit(&api::REMOVE, bytes, out));
    cases.write("256 packets, three of 63 kept, chunks of 1 KiB", stream, &[kept.concat()], |bytes, out| {
        api::edit_stream(&api::KEEP, bytes.chunks(1024), out)
    });
    cases.write("256 packets, three of 63 kept, chunks of 100", stream, &[kept.concat()], |bytes, out| {
        api::edit_stream(&api::KEEP, bytes.chunks(100), out)
    });
    cases.write("256 packets, three of 63 removed, chunks of 100", stream, &[removed.concat()], |bytes, out| {
        api::edit_stream(&api::REMOVE, bytes.chunks(100), out)
    });
}

fn watched(set: &'static PathSet<1>, bytes: &[u8], chunk: usize) -> u32 {
    let (mut watcher, mut hits) = (Watcher::new(set, Limits::DEFAULT), 0);
    for chunk in bytes.chunks(chunk) {
        for event in watcher.feed(chunk) {
            hits += u32::from(matches!(event.expect("packets"), Event::Hit(_) | Event::End { .. }));
        }
    }
    watcher.finish().expect("whole packets");
    hits
}
