//! Random calls of the encoder, some with invalid keys, some that fail, some that panic. The caller drops the errors
//! and catches the panics, at any depth. Every sink must hold the packets whose calls succeeded, complete and in order,
//! and nothing else.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Encode, Encoder, Error, ErrorKind, Key, Sink, encoded_len};

use testkit::oracle;
use testkit::oracle::trees::{Value, config, key, value};
use testkit::oracle::written::{in_slice, put};

/// A call to an encoder. An error in one call does not stop the next call.
#[derive(Clone, Debug)]
enum Call {
    Put(u8, Value),
    Node(Body),
    Slice(Body),
    /// Ends the body of the node with an error.
    Fail,
    /// A value that panics while it is encoded.
    Panic,
}

#[derive(Clone, Debug)]
struct Body {
    key: u8,
    calls: Vec<Call>,
    /// True if the node catches a panic from inside, false if the panic continues outwards.
    catches: bool,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let key = || prop_oneof![8 => key(), 1 => 64..=255u8];
    let leaf = prop_oneof![
        10 => (key(), value()).prop_map(|(key, value)| Call::Put(key, value)),
        1 => Just(Call::Fail),
        1 => Just(Call::Panic),
    ];
    let call = leaf.prop_recursive(3, 16, 5, move |call| {
        let body = (key(), vec(call, 0..5), any::<bool>());
        (body, any::<bool>()).prop_map(|((key, calls, catches), is_slice)| {
            let body = Body { key, calls, catches };
            if is_slice { Call::Slice(body) } else { Call::Node(body) }
        })
    });
    vec(call, 0..6)
}

/// The result of a call, or of all calls of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Done,
    Failed(ErrorKind),
    Panicked,
}

impl End {
    /// Catches a panic. Calls panic with `resume_unwind`, which prints nothing.
    fn of(run: impl FnOnce() -> Result<(), Error>) -> End {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => End::Done,
            Ok(Err(error)) => End::Failed(error.kind()),
            Err(_) => End::Panicked,
        }
    }
}

impl Body {
    fn run(&self, run: impl FnOnce() -> Result<(), Error>) -> End {
        match End::of(run) {
            End::Panicked if !self.catches => resume_unwind(Box::new(())),
            end => end,
        }
    }
}

struct Panics;

impl Encode for Panics {
    fn encode<S: Sink>(&self, _: Key, _: &mut Encoder<'_, S>) -> Result<(), Error> {
        resume_unwind(Box::new(()))
    }
}

const OWN: Error = Error::new(ErrorKind::InvalidValue, 77);

fn call<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    calls: &[Call],
    ends: &mut Vec<End>,
) -> Result<(), Error> {
    for each in calls {
        let end = match each {
            Call::Put(key, value) => End::of(|| put(encoder, *key, value)),
            Call::Node(body) => body.run(|| encoder.node(body.key, |node| call(node, &body.calls, ends))),
            Call::Slice(body) => body.run(|| encoder.slice(body.key, |items| call(items, &body.calls, ends))),
            Call::Fail => return Err(OWN),
            Call::Panic => return encoder.put(0x01, Panics),
        };
        ends.push(end);
    }
    Ok(())
}

/// Predicts the content of an output of `room` bytes after the calls: a call that fails leaves nothing [CAN-4].
fn model(out: &mut Vec<u8>, room: usize, calls: &[Call], in_slice: bool, ends: &mut Vec<End>) -> End {
    for each in calls {
        let start = out.len();
        let (tag, key, body) = match each {
            Call::Put(key, _) => (0x00, key, None),
            Call::Node(body) => (0x80, &body.key, Some(body)),
            Call::Slice(body) => (0xc0, &body.key, Some(body)),
            Call::Fail => return End::Failed(OWN.kind()),
            Call::Panic => return End::Panicked,
        };
        if *key > 63 {
            ends.push(End::Failed(ErrorKind::InvalidKey));
            continue;
        }
        let key = if in_slice { 0 } else { *key };
        let mut end = End::Done;
        let value = match (each, body) {
            (Call::Put(_, value), _) => value.encode(),
            // A node fails before its body runs if there is no space for tag and length.
            (_, Some(body)) if start + 2 <= room => {
                out.extend([0, 0]);
                end = model(out, room, &body.calls, tag == 0xc0, ends);
                out.split_off(start + 2)
            }
            _ => vec![0; room],
        };
        out.truncate(start);
        if end == End::Panicked && body.is_some_and(|body| !body.catches) {
            return End::Panicked;
        }
        let packet = oracle::packed(tag | key, &value);
        if end == End::Done && start + packet.len() > room {
            end = End::Failed(ErrorKind::BufferTooSmall);
        }
        if end == End::Done {
            out.extend(packet);
        }
        ends.push(end);
    }
    End::Done
}

/// A sink as a user might write it: it grows up to a limit, and can report that it is full in the middle of a packet.
#[derive(Default)]
struct Capped {
    bytes: Vec<u8>,
    room: usize,
}

impl Sink for Capped {
    fn position(&self) -> usize {
        self.bytes.len()
    }

    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        self.bytes.truncate(position);
        let left = self.room - position;
        self.bytes.extend(bytes.iter().take(left));
        if bytes.len() > left { Err(ErrorKind::BufferTooSmall) } else { Ok(()) }
    }

    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        self.bytes.truncate(range.end);
        self.bytes.splice(range.start..=range.start, bytes.iter().copied());
        if self.bytes.len() > self.room { Err(ErrorKind::BufferTooSmall) } else { Ok(()) }
    }

    fn finish(&mut self, position: usize) {
        self.bytes.truncate(position);
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Written {
    bytes: Vec<u8>,
    ends: Vec<End>,
    end: End,
}

/// Runs the calls on a sink that holds `before`, and returns what the sink holds after that.
fn written<S: Sink>(sink: &mut S, before: usize, bytes: fn(&S) -> &[u8], calls: &[Call]) -> Written {
    let mut ends = Vec::new();
    let end = End::of(|| call(&mut Encoder::new(sink), calls, &mut ends));
    let (kept, bytes) = bytes(sink).split_at(before);
    assert!(kept.iter().all(|byte| *byte == 0xee), "{kept:02x?} was there before");
    Written { bytes: bytes.to_vec(), ends, end }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn holds_exactly_the_packets_that_succeeded(
        calls in calls(),
        room in prop_oneof![2 => Just(100_000), 3 => 0..200usize],
    ) {
        let mut expected = Written { bytes: Vec::new(), ends: Vec::new(), end: End::Done };
        expected.end = model(&mut expected.bytes, room, &calls, false, &mut expected.ends);
        prop_assert_eq!(y3::check(&expected.bytes), Ok(()));

        let (mut ends, mut end) = (Vec::new(), End::Done);
        let (bytes, _) = in_slice(room, |encoder| {
            end = End::of(|| call(encoder, &calls, &mut ends));
            Ok(())
        });
        prop_assert_eq!(&Written { bytes, ends, end }, &expected);

        let mut capped = Capped { bytes: Vec::new(), room };
        prop_assert_eq!(&written(&mut capped, 0, |sink| &sink.bytes, &calls), &expected);

        if room == 100_000 {
            let len = encoded_len(|encoder| {
                let _ = End::of(|| call(encoder, &calls, &mut Vec::new()));
                Ok::<_, Error>(())
            });
            prop_assert_eq!(len, Ok(expected.bytes.len()));
            #[cfg(feature = "alloc")]
            prop_assert_eq!(&written(&mut vec![0xee; 3], 3, |sink| sink, &calls), &expected);
            #[cfg(feature = "bytes")]
            prop_assert_eq!(&written(&mut bytes::BytesMut::from(&[0xee; 3][..]), 3, |sink| sink, &calls), &expected);
        }
    }
}

/// A sink can act on finished packets, so it must not be told about inner nodes, nor twice about a packet.
#[test]
fn finishes_each_outermost_packet_once() {
    #[derive(Default)]
    struct Hears(Vec<usize>);

    impl Sink for Hears {
        fn position(&self) -> usize {
            0
        }

        fn store(&mut self, _: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
            if bytes.len() > 64 { Err(ErrorKind::BufferTooSmall) } else { Ok(()) }
        }

        fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
            Ok(())
        }

        fn finish(&mut self, position: usize) {
            self.0.push(position);
        }
    }

    let mut sink = Hears::default();
    let mut encoder = Encoder::new(&mut sink);
    let node = |node: &mut Encoder<'_, Hears>| {
        node.put(0x02, true)?;
        assert!(node.put(0x03, [0u8; 65]).is_err() && node.put(64, None::<bool>).is_err());
        node.node(0x03, |inner| inner.slice(0x04, |items| items.put(0, 7)))
    };
    assert_eq!((encoder.put(0x01, true), encoder.node(0x01, node)), (Ok(()), Ok(())));
    assert_eq!((encoder.put(0x01, [0u8; 65]).is_err(), encoder.node(0x01, |_| Err(OWN))), (true, Err(OWN)));
    assert_eq!(End::of(|| encoder.node(0x01, |node| node.put(0x02, Panics))), End::Panicked);
    assert_eq!((encoder.put(64, 0).is_err(), encoder.put(0x01, "")), (true, Ok(())));
    // A call with an invalid key begins no packet.
    assert_eq!(sink.0, [3, 15, 15, 15, 15, 17]);
}

/// The sink refuses the length of a node. The error belongs to the node, not to what comes after it.
#[test]
fn reports_where_the_node_begins_whose_length_is_refused() {
    struct Fixed;

    impl Sink for Fixed {
        fn position(&self) -> usize {
            5
        }

        fn store(&mut self, _: usize, _: &[u8]) -> Result<(), ErrorKind> {
            Ok(())
        }

        fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
            Err(ErrorKind::BufferTooSmall)
        }

        fn finish(&mut self, position: usize) {
            assert_eq!(position, 5);
        }
    }

    for len in [0, 10, 100] {
        let body = |node: &mut Encoder<'_, Fixed>| {
            assert_eq!(node.node(0x02, |_| Ok(())), Err(Error::new(ErrorKind::BufferTooSmall, 7)));
            node.put(0x03, &[7u8; 100][..len])
        };
        assert_eq!(Encoder::new(&mut Fixed).node(0x01, body), Err(Error::new(ErrorKind::BufferTooSmall, 5)));
    }
}

#[cfg(feature = "alloc")]
#[test]
fn keeps_the_packets_before_an_error_or_a_panic_in_packets() {
    fn some<S: Sink>(encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        encoder.put(0x01, true)?;
        encoder.node(0x02, |node| node.put(0x03, "four"))
    }
    type Write = fn(&mut Encoder<'_, Vec<u8>>) -> Result<(), Error>;

    let expected = [0xee, 0x01, 0x01, 0x01, 0x82, 0x06, 0x03, 0x04, b'f', b'o', b'u', b'r'];
    let ends: [(Write, End); 5] = [
        (some, End::Done),
        (|encoder| some(encoder).and(Err(OWN)), End::Failed(OWN.kind())),
        (|encoder| some(encoder).and_then(|()| encoder.put(0x04, Panics)), End::Panicked),
        (|encoder| some(encoder).and_then(|()| encoder.put(64, [0u8; 100])), End::Failed(ErrorKind::InvalidKey)),
        (
            |encoder| {
                some(encoder).and_then(|()| encoder.node(0x04, |node| some(node).and_then(|()| node.put(0x04, Panics))))
            },
            End::Panicked,
        ),
    ];
    for (write, expected_end) in ends {
        let mut out = vec![0xee];
        let end = End::of(|| Encoder::new(&mut out).packets(write));
        assert_eq!((end, &out[..]), (expected_end, &expected[..]));
    }
}

/// A user's type that panics while serde writes it.
#[cfg(all(feature = "alloc", feature = "serde"))]
#[test]
fn leaves_no_byte_in_a_vec_after_a_panic_in_serde() {
    use serde::ser::{Serialize, Serializer};
    use testkit::options::Options;

    struct Unwritable;

    impl Serialize for Unwritable {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            resume_unwind(Box::new(()))
        }
    }

    for options in [Options::DEFAULT, Options::DEFAULT.with_watched(0x10)] {
        let mut out = vec![0xee];
        let end = catch_unwind(AssertUnwindSafe(|| options.to_sink(&mut out, &("written before", Unwritable))));
        assert!(end.is_err());
        assert_eq!(out, [0xee]);
    }
}
