//! A consumer without `std` and without an allocator. It reads, watches, edits, shows
//! and writes packets. `answer` returns one packet with a checksum for each of these.
#![no_std]
#![forbid(unsafe_code)]

use core::fmt::{self, Write as _};

use y3::edit::{self, Edit, Piece, Rule};
use y3::show;
use y3::value::UnknownFields;
use y3::{
    Decode, Encode, Encoder, Error, Hit, Key, KeySet, Limits, PVarInt, Packet, PathSet, Patterns, Sink, SliceSink,
    WatchedPaths, Watcher, encoded_len, keys, packets, path, walk,
};

/// Keys of the recorded session in tests/data: a data frame, its payload, and the readings in the payload.
const DATA: u8 = 0x3f;
const READING: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01)]);
const PAYLOAD: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
const READINGS: PathSet<2> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]);
/// Paths that enter the payload to the same readings, and a path with the wildcard `*`.
const ENTERING: PathSet<3> = PathSet::new([
    path!(0x3f, 0x02 => 0x01, 0x10, 0x11),
    path!(0x3f, 0x02 => 0x01, 0x10, 0x13),
    path!(*, 0x02 => 0x01, 0x10, *),
]);
const FIELDS: KeySet = keys![0x01, 0x02];

/// The number of packets that were read, and a checksum of their offsets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    packets: u32,
    checksum: u32,
}

impl Sum {
    fn add(&mut self, number: u64) {
        // FNV-1a.
        for byte in number.to_be_bytes() {
            self.checksum = (self.checksum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.add(u64::from(byte));
        }
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        self.packets = self.packets.wrapping_add(1);
        self.add(packet.offset());
        self.add(u64::from(packet.tag().get()));
        self.bytes(packet.value());
    }

    /// Reads a value as every type.
    fn values(&mut self, packet: &Packet<'_>) {
        self.add(packet.decode::<i32>().map_or(1, |number| u64::from(number.cast_unsigned())));
        self.add(packet.decode::<u32>().map_or(2, u64::from));
        self.add(packet.decode::<i64>().map_or(3, i64::cast_unsigned));
        self.add(packet.decode::<u64>().unwrap_or(4));
        self.add(packet.decode::<PVarInt<i32>>().map_or(5, |number| u64::from(number.0.cast_unsigned())));
        self.add(packet.decode::<PVarInt<u32>>().map_or(6, |number| u64::from(number.0)));
        self.add(packet.decode::<PVarInt<i64>>().map_or(7, |number| number.0.cast_unsigned()));
        self.add(packet.decode::<PVarInt<u64>>().map_or(8, |number| number.0));
        self.add(packet.decode::<f32>().map_or(9, |number| u64::from(number.to_bits())));
        self.add(packet.decode::<f64>().map_or(10, f64::to_bits));
        self.add(packet.decode::<bool>().map_or(11, u64::from));
        self.add(packet.decode::<&str>().map_or_else(|error| error.offset(), |text| text.len() as u64));
        self.add(packet.decode::<&[u8]>().map_or(12, |bytes| bytes.len() as u64));
    }
}

/// A deliberate bounds check, which the crate itself must not have: the search for panic paths must find it.
fn deliberate(input: &[u8]) {
    #[cfg(feature = "panics")]
    core::hint::black_box(input[input.len() / 2]);
    #[cfg(not(feature = "panics"))]
    let _ = input;
}

/// Reads packet by packet and node by node: `packets`, `from_slice`, `children`, `find`, `payload`, and values as every
/// type.
///
/// # Errors
///
/// The first error in the input.
pub fn parse(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    for packet in packets(input) {
        let packet = packet?;
        sum.packet(&packet);
        sum.values(&packet);
        sum.add(u64::from(Packet::from_slice(packet.as_bytes()) == Ok(packet)));
        for child in packet.children() {
            sum.values(&child?);
        }
        if packet.key() != DATA {
            continue;
        }
        if let Some(payload) = packet.find(0x02)? {
            for inner in payload.embedded() {
                sum.packet(&inner?);
            }
        }
    }
    Ok(sum)
}

/// Watches by keys and by paths: `Packets::watch`, a `PathSet` inside the payloads that another set selects, a
/// `PathSet` that enters payloads, and the first hits of frames.
///
/// # Errors
///
/// The first error that a watch reports.
pub fn watch(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    for packet in packets(input) {
        for field in packet?.children().watch(FIELDS) {
            sum.packet(&field?);
        }
    }
    for field in packets(input).watch(FIELDS) {
        sum.packet(&field?);
    }
    let mut hint = y3::hint::Hint::new(&READINGS);
    for hit in PAYLOAD.watch(input) {
        let payload = hit?.packet();
        // A hint must give the hits of the watch.
        if !hint
            .watch(payload.value())
            .flatten()
            .map(|hit| hit.packet().value())
            .eq(READINGS.watch_packets(payload.embedded()).flatten().map(|hit| hit.value()))
        {
            sum.add(1);
        }
        for reading in READINGS.watch_packets(payload.embedded()) {
            let reading = reading?;
            sum.add(reading.path_index() as u64);
            sum.packet(&reading.packet());
            sum.values(&reading.packet());
        }
    }
    // A batch must give the hits that a watch of each input gives.
    for batch in [input.get(..1024).unwrap_or_default(), input, input.get(..64).unwrap_or_default()] {
        let offset = |hit: Result<Hit<'_>, Error>| hit.map_or_else(|error| error.offset(), |hit| hit.offset());
        let (mut together, mut alone) = (0u64, 0u64);
        y3::batch::first_each(&PAYLOAD, [batch; 6], |_, hit| together = together.wrapping_add(hit.map_or(1, offset)));
        alone = alone.wrapping_add(PAYLOAD.watch(batch).next().map_or(1, offset));
        if together != alone.wrapping_mul(6) {
            sum.add(1);
        }
    }
    // The wildcard also enters a field that is no payload. Both readers report the error and continue.
    for hit in ENTERING.watch(input) {
        match hit {
            Ok(found) => {
                sum.add(found.path_index() as u64);
                sum.packet(&found.packet());
            }
            Err(error) => sum.add(error.offset()),
        }
    }
    let mut slots = [None; 3];
    for packet in packets(input) {
        match ENTERING.fill(packet?, &mut slots) {
            Ok(()) => slots.iter().for_each(|slot| sum.add(slot.map_or(1, |packet| packet.offset()))),
            Err(error) => sum.add(error.offset()),
        }
    }
    for reading in READING.watch(input) {
        let reading = reading?.packet();
        sum.add(reading.offset());
        for hit in READINGS.watch_packets(reading) {
            sum.packet(&hit?.packet());
        }
    }
    Ok(sum)
}

/// Reads in chunks: one `Watcher` for the payloads, another for the packets in them.
///
/// # Errors
///
/// The error after which a watcher cannot continue, or the end of the input inside a packet.
pub fn stream(input: &[u8], chunk: usize) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    feed(input, chunk, PAYLOAD, &mut sum)?;
    feed(input, chunk, ENTERING, &mut sum)?;
    Ok(sum)
}

/// Feeds a `Watcher` chunks of this length, skips what may be skipped, and continues after errors if possible.
fn feed<P: WatchedPaths>(input: &[u8], chunk: usize, paths: P, sum: &mut Sum) -> Result<(), Error> {
    let mut watcher = Watcher::new(paths, Limits::DEFAULT);
    let mut rest = input;
    while !rest.is_empty() {
        let skipped = watcher.skip(watcher.skip_hint().min(rest.len() as u64));
        rest = usize::try_from(skipped).ok().and_then(|skipped| rest.get(skipped..)).unwrap_or_default();
        let (piece, after) = rest.split_at_checked(chunk.max(1)).unwrap_or((rest, &[]));
        rest = after;
        let mut events = watcher.feed(piece);
        while let Some(event) = events.next() {
            match event {
                Ok(y3::Event::Hit(hit)) => sum.packet(&hit.packet()),
                Ok(y3::Event::Start { offset, header, .. }) => {
                    sum.packets = sum.packets.wrapping_add(1);
                    sum.add(offset);
                    sum.add(u64::from(header.tag().get()));
                    sum.bytes(header.encode(&mut [0; 6]));
                }
                Ok(y3::Event::Data { bytes, .. }) => sum.bytes(bytes),
                Ok(y3::Event::End { path_index }) => sum.add(path_index as u64),
                Ok(_) => sum.add(u64::MAX),
                Err(error) => {
                    sum.add(error.offset());
                    if !events.resume() {
                        return Err(error);
                    }
                }
            }
        }
    }
    watcher.finish()
}

/// Reads at any depth: `walk`, `Patterns::watch`, `check`.
///
/// # Errors
///
/// The first error at any depth.
pub fn check(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    y3::check(input)?;
    let mut sum = Sum::default();
    let mut walk = walk(input);
    while let Some(packet) = walk.next() {
        sum.packet(&packet?);
        sum.add(walk.depth() as u64);
    }
    let patterns = Patterns(["**/01".parse()?, "**/02".parse()?]);
    for hit in patterns.watch(input) {
        sum.add(hit?.offset());
    }
    Ok(sum)
}

/// Edits packets: keeps, removes, patches, applies rules, makes canonical.
///
/// # Errors
///
/// The first error that an edit finds.
pub fn edit(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    let (mut copy, mut buffer) = ([0; 256], [0; 512]);
    for packet in packets(input) {
        let packet = packet?;
        let (payload, noise) = (path!(0x3f, 0x02), path!(0x3f, 0x02 => 0x01, 0x10, 0x11));
        let filters = [Rule::keep(payload), Rule::remove(payload), Rule::keep(noise), Rule::remove(noise)];
        for filter in &filters {
            let edit = Edit::from_rules(core::slice::from_ref(filter));
            let mut sink = SliceSink::new(&mut buffer);
            sum.add(edit.apply(packet.as_bytes(), &mut sink)? as u64);
            sum.bytes(sink.written());
            let mut storage = [Piece::EMPTY; 8];
            for piece in edit.pieces_in(packet.as_bytes(), &mut storage)? {
                sum.bytes(piece.as_bytes());
            }
        }
        sum.packets = sum.packets.wrapping_add(1);
        for key in 0..=64 {
            sum.add(packet.find(key).map_or(1, |found| found.map_or(2, |found| found.offset())));
        }
        if let Some(copy) = copy.get_mut(..packet.as_bytes().len()) {
            for (to, from) in copy.iter_mut().zip(packet.as_bytes()) {
                *to = *from;
            }
            sum.add(u64::from(edit::patch(copy, path!(0x3f, 0x01), -1i32).is_ok()));
            sum.add(u64::from(edit::patch_padded(copy, path!(0x3f, 0x01), PVarInt(1u64)).is_ok()));
            sum.add(u64::from(edit::patch(copy, path!(0x3f, 0x02 => 0x01, 0x10, 0x11), 1.5f32).is_ok()));
            sum.bytes(copy);
        }
        let (text, number) = (Packet::from_slice(b"\x10\x03new")?, Packet::from_slice(&[0x11, 0x02, 0x01, 0x2c])?);
        for rules in [
            [Rule::replace(payload, text), Rule::insert(payload, number)],
            [Rule::set(noise, number), Rule::rename(payload, 0)],
        ] {
            let mut sink = SliceSink::new(&mut buffer);
            sum.add(Edit::from_rules(&rules).apply(packet.as_bytes(), &mut sink).unwrap_or(1) as u64);
            sum.bytes(sink.written());
        }
        let mut sink = SliceSink::new(&mut buffer);
        let append = [Rule::append(path!(0x3f), packet)];
        sum.add(Edit::from_rules(&append).apply(packet.as_bytes(), &mut sink).unwrap_or(1) as u64);
        let appended = sink.into_written();
        sum.add(edit::first_deviation(appended)?.map_or(0, |deviation| deviation.offset()));
        sum.add(edit::canonicalize(appended, &mut SliceSink::new(&mut copy)).unwrap_or(1) as u64);
    }
    Ok(sum)
}

/// A frame of the recorded session.
#[derive(Decode)]
struct Frame<'a> {
    #[y3(0x01)]
    tag: u32,
    #[y3(0x02)]
    payload: &'a [u8],
    #[y3(rest)]
    rest: UnknownFields<'a>,
}

/// The payload of a frame.
#[derive(Decode, Encode)]
struct Payload<'a> {
    #[y3(0x10)]
    reading: Reading<'a>,
}

#[derive(Decode, Encode)]
struct Reading<'a> {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x12, pvar)]
    time: i64,
    #[y3(0x13)]
    from: &'a str,
    #[y3(0x14)]
    items: Option<Packet<'a>>,
    #[y3(0x15, default)]
    pair: [u16; 2],
    #[y3(0x16)]
    event: Option<Event<'a>>,
}

#[derive(Decode, Encode)]
enum Event<'a> {
    #[y3(1)]
    Started,
    #[y3(2)]
    Moved {
        #[y3(0x01)]
        x: i32,
        #[y3(0x02)]
        y: i32,
    },
    #[y3(other)]
    Other(Packet<'a>),
}

/// Reads frames and payloads as derived types and writes the payloads again.
///
/// # Errors
///
/// The first error in a frame or a payload.
pub fn record(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    for packet in packets(input) {
        let packet = packet?;
        if packet.key() != DATA {
            continue;
        }
        let frame: Frame<'_> = packet.decode()?;
        let Payload { reading } = y3::decode(frame.payload)?;
        sum.packets = sum.packets.wrapping_add(1);
        sum.add(u64::from(frame.tag));
        sum.add(u64::from(reading.noise.to_bits()));
        sum.add(reading.time.cast_unsigned());
        sum.bytes(reading.from.as_bytes());
        for other in frame.rest.packets() {
            sum.packet(&other?);
        }
        for item in reading.items.iter().flat_map(Packet::children).map(|item| item?.decode::<u32>()) {
            sum.add(item.map_or(1, u64::from));
        }
        match &reading.event {
            None | Some(Event::Started) => {}
            Some(Event::Moved { x, y }) => sum.add(u64::from(x.wrapping_add(*y).cast_unsigned())),
            Some(Event::Other(packet)) => sum.packet(packet),
        }
        let mut buffer = [0; 64];
        let mut sink = SliceSink::new(&mut buffer);
        Encoder::new(&mut sink).put(Key::ROOT.get(), Payload { reading })?;
        sum.bytes(sink.written());
    }
    Ok(sum)
}

/// Text that is written is added to the checksum.
impl fmt::Write for Sum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// Shows each packet as text with its payload opened, and explains the error after its last byte is removed.
///
/// # Errors
///
/// The first error in the input.
pub fn show(input: &[u8]) -> Result<Sum, Error> {
    deliberate(input);
    let mut sum = Sum::default();
    for packet in packets(input) {
        let packet = packet?;
        sum.packets = sum.packets.wrapping_add(1);
        let bytes = packet.as_bytes();
        let mut is_written = write!(sum, "{:#}", y3::dump(bytes).open(&[path!(0x3f, 0x02)]).as_text()).is_ok();
        for child in packet.children() {
            let text = child?.decode().unwrap_or("not a text");
            is_written &= write!(sum, "{} {}", show::escape(text), show::escape_json(text)).is_ok();
        }
        let cut = bytes.split_last().map_or(bytes, |(_, cut)| cut);
        if let Err(error) = y3::check(cut) {
            is_written &= write!(sum, "{}", show::explain(cut, error)).is_ok();
        }
        sum.add(u64::from(is_written));
    }
    Ok(sum)
}

/// Writes every kind of packet into a slice, with values that are unknown at compile time.
///
/// # Errors
///
/// `BufferTooSmall`.
pub fn encode(number: i64, bytes: &[u8], out: &mut [u8]) -> Result<usize, Error> {
    deliberate(bytes);
    let mut sink = SliceSink::new(out);
    Encoder::new(&mut sink).node(0x01, |node| everything(node, number, bytes))?;
    let len = encoded_len(|encoder| encoder.node(0x01, |node| everything(node, number, bytes)))?;
    Encoder::new(&mut sink).put(0x02, len as u64)?;
    Ok(sink.written().len())
}

fn everything<S: Sink>(node: &mut Encoder<'_, S>, number: i64, bytes: &[u8]) -> Result<(), Error> {
    let [.., a, b, c, d] = number.to_be_bytes();
    let narrow = i32::from_be_bytes([a, b, c, d]);
    node.put(0x10, number)?;
    node.put(0x11, PVarInt(number))?;
    node.put(0x12, narrow)?;
    node.put(0x13, PVarInt(narrow))?;
    node.put(0x14, number.cast_unsigned())?;
    node.put(0x15, PVarInt(narrow.cast_unsigned()))?;
    node.put(0x16, f32::from_bits(narrow.cast_unsigned()))?;
    node.put(0x17, f64::from_bits(number.cast_unsigned()))?;
    node.put(0x18, number > 0)?;
    node.put(0x19, bytes)?;
    node.put(0x1a, core::str::from_utf8(bytes).unwrap_or("not a text"))?;
    node.slice(0x1b, |items| {
        items.put(0, number)?;
        items.node(0, |item| item.put(0x01, bytes))?;
        items.slice(0, |items| items.put(0, narrow))
    })
}

/// Writes one packet with the result of each function above and a packet of each kind.
///
/// # Errors
///
/// The first error in the input; `BufferTooSmall`.
pub fn answer(input: &[u8], chunk: usize, out: &mut [u8]) -> Result<usize, Error> {
    let mut encoded = [0; 256];
    let encoded = {
        let len = encode(-65, b"Y3", &mut encoded)?;
        encoded.get(..len).unwrap_or_default()
    };
    let mut sink = SliceSink::new(out);
    Encoder::new(&mut sink).node(Key::ROOT.get(), |node| {
        for (key, sum) in (0x10..).zip([
            parse(input)?,
            watch(input)?,
            stream(input, chunk)?,
            check(input)?,
            edit(input)?,
            record(input)?,
            show(input)?,
        ]) {
            node.slice(key, |items| {
                items.put(0, sum.packets)?;
                items.put(0, sum.checksum)
            })?;
        }
        node.put(0x17, encoded)
    })?;
    Ok(sink.written().len())
}
