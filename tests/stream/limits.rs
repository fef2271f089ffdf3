//! The numbers in SECURITY.md that no other test shows: sizes of states, limits from both sides, memory, stack.

use y3::iter::Walk;
use y3::{Event, FirstOnly, Hit, Limits, Packet, PathSet, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);

/// A header with a length field of four bytes.
#[cfg(feature = "alloc")]
fn header(tag: u8, len: u32) -> [u8; 5] {
    let [_, a, b, c] = [0, len >> 14, len >> 7, len].map(|bits| u8::try_from(bits & 0x7f).unwrap());
    let first = u8::try_from(len >> 21).unwrap();
    assert!(first < 0x40, "the bit of the sign");
    [tag, 0x80 | first, 0x80 | a, 0x80 | b, c]
}

/// The maximum sizes of what is kept between two calls, for words of eight bytes.
#[test]
fn no_state_is_larger_than_its_bound() {
    for (name, size, most) in [
        ("Packet", size_of::<Packet<'_>>(), 64),
        ("Hit", size_of::<Hit<'_>>(), 64),
        ("Event", size_of::<Event<'_>>(), 72),
        ("watch", size_of_val(&WATCHED.watch(&[])), 192),
        ("watch", size_of_val(&PathSet::<64>::default().watch(&[])), 192),
        ("Walk", size_of::<Walk<'_>>(), 1024),
        ("Watcher", size_of::<Watcher<&PathSet<1>>>(), 272),
        ("Watcher", size_of::<Watcher<&PathSet<64>>>(), 272),
        ("Watcher of the first only", size_of::<Watcher<&PathSet<1, FirstOnly>>>(), 384),
    ] {
        assert!(size <= most, "{name}: {size} bytes, not {most} at the most");
    }
}

/// A buffer is at most twice as long as what has arrived, and so at most twice the longest value. Paths
/// that lead through one another share a buffer.
#[test]
#[cfg(feature = "alloc")]
fn a_joined_value_takes_twice_its_length_at_the_most() {
    const LEN: usize = if cfg!(miri) { 1 << 12 } else { 1 << 20 };
    // Eight nested nodes, each on a watched path, then zeros.
    let paths = PathSet::new([
        path!(0x01),
        path!(0x01, 0x01),
        path!(0x01, 0x01, 0x01),
        path!(0x01, 0x01, 0x01, 0x01),
        path!(0x01, 0x01, 0x01, 0x01, 0x01),
        path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01),
        path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01),
        path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01),
    ]);
    let lens = (0..8).map(|level| u32::try_from(LEN - level * 5).unwrap());
    let mut input: Vec<u8> = lens.flat_map(|len| header(0x81, len)).collect();
    input.resize(LEN + 5, 0);
    let mut collector = y3::Collector::new(&paths, Limits::DEFAULT.with_max_value_len(LEN));
    let (mut fed, mut hits) = (0, 0);
    for chunk in input.chunks(1000) {
        fed += chunk.len();
        let mut found = collector.feed(chunk);
        while let Some(hit) = found.next_hit() {
            assert!(hit.is_ok());
            hits += 1;
        }
        drop(found);
        assert!(collector.capacity() <= 2 * fed, "{} bytes kept of {fed}", collector.capacity());
    }
    assert_eq!((hits, fed), (8, LEN + 5));
}

/// The same limit for packets that are collected whole.
#[test]
#[cfg(feature = "codec")]
fn a_declared_packet_reserves_no_more_than_has_come() {
    use tokio_util::codec::Decoder;

    let mut codec = y3::PacketCodec::new(Limits::DEFAULT);
    let mut buffer = bytes::BytesMut::from(&header(0x02, 64 << 19)[..]);
    for _ in 0..100 {
        buffer.extend_from_slice(&[0; 100]);
        assert_eq!(codec.decode(&mut buffer).unwrap(), None);
        assert!(buffer.capacity() <= 4 * buffer.len(), "{} bytes kept of {}", buffer.capacity(), buffer.len());
    }
    let mut beyond = bytes::BytesMut::from(&header(0x02, (64 << 20) - 4)[..]);
    assert!(y3::PacketCodec::new(Limits::DEFAULT).decode(&mut beyond).is_err());
}

#[test]
fn limits_keep_what_was_set_within_their_bounds() {
    const MIB: usize = 1 << 20;
    let (default, none) = (Limits::default(), Limits::NONE);
    assert_eq!((default.max_packet_len(), default.max_value_len(), default.max_depth()), (64 * MIB, 16 * MIB, 64));
    assert_eq!((none.max_packet_len(), none.max_value_len(), none.max_depth()), (usize::MAX, usize::MAX, 64));
    let strict = none.with_max_packet_len(100).with_max_value_len(10).with_max_depth(3);
    assert_eq!((strict.max_packet_len(), strict.max_value_len(), strict.max_depth()), (100, 10, 3));
    // The limit of a packet is at least 6 bytes, the longest header. The limit of depth is at most 64.
    let edge = |bytes: usize, nodes: usize| {
        let limits = none.with_max_packet_len(bytes).with_max_depth(nodes);
        (limits.max_packet_len(), limits.max_depth())
    };
    assert_eq!([edge(0, 0), edge(5, 63), edge(6, 64), edge(7, 65)], [(6, 0), (6, 63), (6, 64), (7, 64)]);
}
