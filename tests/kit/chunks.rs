//! Compares an input in chunks with the same input in one piece, up to the first error or, through [`resume`], past
//! every error, and panics if they differ. It is one function, so that one fuzz target covers all readers.

use y3::{Error, Event, FirstOnly, Hit, Limits, PathSet, WatchedPaths, Watcher};

use super::oracle;

/// Index of the path, offset, bytes of the packet.
pub type Row = (usize, u64, Vec<u8>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Hit(Row),
    Fault(Error),
}

impl Item {
    pub fn new(item: Result<Row, Error>) -> Self {
        item.map_or_else(Item::Fault, Item::Hit)
    }
}

/// Hits and errors in embedded packets, then the final error if there is one.
pub type Read = (Vec<Row>, Option<Error>);

/// An error between hits becomes a row without a path; a final error becomes the error of the result.
fn as_read(mut items: Vec<Item>) -> Read {
    let end = items.last().and_then(|item| if let Item::Fault(error) = item { Some(*error) } else { None });
    items.truncate(items.len() - usize::from(end.is_some()));
    let row = |item| match item {
        Item::Hit(row) => row,
        Item::Fault(error) => (usize::MAX, error.offset(), format!("{:?}", error.kind()).into_bytes()),
    };
    (items.into_iter().map(row).collect(), end)
}

pub fn row(hit: &Hit<'_>) -> Row {
    assert_eq!(hit.offset(), hit.packet().offset());
    assert!(hit.packet().as_bytes().ends_with(hit.value()));
    (hit.path_index(), hit.offset(), hit.packet().as_bytes().to_vec())
}

pub fn set(paths: &[Vec<u8>]) -> PathSet<8> {
    PathSet::from_slice(&oracle::same::paths(paths)).unwrap()
}

/// The result of watching the slice.
pub fn whole(input: &[u8], set: &PathSet<8>) -> Read {
    read_whole(set.watch(input))
}

/// The result of watching the slice for the first packets.
pub fn first(input: &[u8], set: &PathSet<8, FirstOnly>) -> Read {
    read_whole(set.watch(input))
}

pub fn read_whole<'a>(hits: impl Iterator<Item = Result<Hit<'a>, Error>>) -> Read {
    as_read(hits.map(|hit| Item::new(hit.map(|hit| row(&hit)))).collect())
}

/// The result of the naive reader.
pub fn expected(input: &[u8], paths: &[Vec<u8>], limits: Limits) -> Read {
    as_read(items(input, oracle::watch_items(input, oracle::TOP, paths, limits)))
}

/// The result of the naive reader for the first packets.
pub fn expected_first(input: &[u8], paths: &[Vec<u8>], limits: Limits) -> Read {
    as_read(items(input, oracle::first_items(input, oracle::TOP, paths, limits)))
}

pub fn items(input: &[u8], (items, then): oracle::Read<oracle::Item>) -> Vec<Item> {
    let row =
        |(path, seen): (usize, oracle::Seen)| (path, seen.offset as u64, input[seen.offset..seen.value.end].to_vec());
    items.into_iter().chain(then.map(Err)).map(|item| Item::new(item.map(row))).collect()
}

/// The input in pieces of these sizes; the last size repeats. A size of 0 is an empty chunk.
pub fn cut<'a>(input: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let (mut rest, last) = (input, sizes.last().copied().unwrap_or_default().max(1));
    let mut sizes = sizes.iter().copied();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (chunk, after) = rest.split_at(sizes.next().unwrap_or(last).min(rest.len()));
        rest = after;
        Some(chunk)
    })
}

/// The items that a reader has returned, and the error that it could not pass.
#[derive(Debug, Default)]
pub struct Given {
    pub items: Vec<Item>,
    end: Option<Error>,
}

impl Given {
    /// Adds an item and returns true if the reader can continue. A reader that has ended repeats its error for each
    /// chunk.
    pub fn take(&mut self, item: Result<Row, Error>, goes_on: bool) -> bool {
        match (self.end, item) {
            (Some(end), item) => assert_eq!(item, Err(end), "an item follows an error that cannot be passed"),
            (None, item) => {
                self.end = item.as_ref().err().copied().filter(|_| !goes_on);
                self.items.push(Item::new(item));
            }
        }
        goes_on
    }
}

/// A packet that has begun and not ended.
struct Part {
    /// The index that the packet gets among the items if it is completed.
    place: usize,
    left: usize,
    /// True if this chunk had data of the packet.
    told: bool,
}

/// Joins the events of a watcher over chunks into packets, and asserts the rules for events.
#[derive(Default)]
pub struct Joined {
    given: Given,
    open: Vec<Part>,
    goes_on: bool,
    fed: u64,
}

impl Joined {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn feed(&mut self, watcher: &mut Watcher<impl WatchedPaths>, chunk: &[u8]) {
        let (first, range) = (self.fed, chunk.as_ptr_range());
        self.fed += chunk.len() as u64;
        self.open.iter_mut().for_each(|part| part.told = false);
        let mut events = watcher.feed(chunk);
        while let Some(event) = events.next() {
            match event {
                Err(error) => {
                    let is_embedded = events.error().is_none();
                    assert!(is_embedded || self.open.is_empty(), "an error precedes the end of an open packet");
                    self.given.take(Err(error), if self.goes_on { events.resume() } else { is_embedded });
                }
                Ok(Event::Hit(hit)) => {
                    let bytes = hit.packet().as_bytes();
                    assert_eq!(
                        bytes.as_ptr() as usize - range.start as usize,
                        usize::try_from(hit.offset() - first).unwrap()
                    );
                    assert!(bytes.as_ptr_range().end <= range.end, "borrowed from elsewhere");
                    self.given.take(Ok(row(&hit)), true);
                }
                Ok(Event::Start { path_index, offset, header }) => {
                    assert!(offset + header.packet_len() as u64 > self.fed || offset < first);
                    self.open.push(Part { place: self.given.items.len(), left: header.value_len(), told: false });
                    self.given.take(Ok((path_index, offset, header.encode(&mut [0; 6]).to_vec())), true);
                }
                Ok(Event::Data { path_index, bytes }) => {
                    assert!(
                        !bytes.is_empty() && range.start <= bytes.as_ptr() && bytes.as_ptr_range().end <= range.end
                    );
                    // Open packets of one pattern can be nested: their data arrive from the outside in, one piece each.
                    let is_next = |part: &Part| self.path(part) == path_index && !part.told;
                    let place = self.open.iter().position(is_next).expect("one piece of a packet in a chunk");
                    self.open[place].told = true;
                    self.open[place].left -= bytes.len();
                    let Item::Hit(hit) = &mut self.given.items[self.open[place].place] else { unreachable!() };
                    hit.2.extend_from_slice(bytes);
                }
                Ok(Event::End { path_index }) => {
                    let is_whole = |part: &Part| self.path(part) == path_index && part.left == 0;
                    let place = self.open.iter().position(is_whole).expect("a packet ends before its last byte");
                    self.open.remove(place);
                }
                Ok(other) => panic!("{other:?}"),
            }
        }
        drop(events);
        assert_eq!(watcher.error(), watcher.error().and(watcher.finish().err()));
        assert_eq!(watcher.offset(), self.fed, "the chunk is not consumed");
    }

    fn path(&self, part: &Part) -> usize {
        if let Item::Hit(row) = &self.given.items[part.place] { row.0 } else { unreachable!() }
    }

    /// The completed packets, and the error at the end.
    pub fn finish(self, watcher: &Watcher<impl WatchedPaths>) -> Read {
        as_read(self.given(watcher).items)
    }

    fn given(mut self, watcher: &Watcher<impl WatchedPaths>) -> Given {
        for part in self.open.iter().rev() {
            self.given.items.remove(part.place);
        }
        let end = watcher.finish().err();
        assert!(self.given.end.is_none() || self.given.end == end, "the fault stays");
        if let Some(error) = end {
            self.given.take(Err(error), false);
        }
        self.given
    }
}

/// The result of the watcher over chunks of these sizes.
pub fn watched(input: &[u8], set: &impl WatchedPaths, limits: Limits, sizes: &[usize]) -> Read {
    as_read(watched_items(input, set, limits, sizes, false).items)
}

pub fn watched_items(input: &[u8], set: &impl WatchedPaths, limits: Limits, sizes: &[usize], goes_on: bool) -> Given {
    let mut watcher = Watcher::new(set, limits);
    let mut joined = Joined { goes_on, ..Joined::new() };
    for chunk in cut(input, sizes) {
        if goes_on && joined.given.end.is_none() {
            assert_eq!(watcher.resume(), watcher.error().is_none(), "resumed before the error is reported");
        }
        joined.feed(&mut watcher, chunk);
    }
    joined.given(&watcher)
}

/// The same, if the source skips all that the watcher lets it skip.
pub fn skipped(input: &[u8], set: &impl WatchedPaths, sizes: &[usize]) -> Read {
    let mut watcher = Watcher::new(set, Limits::NONE);
    let mut joined = Joined::new();
    let mut rest = input;
    for size in sizes.iter().copied().chain(std::iter::repeat(sizes.last().copied().unwrap_or_default().max(1))) {
        let over = usize::try_from(watcher.skip_hint()).unwrap().min(rest.len());
        assert_eq!(watcher.skip(over as u64), over as u64);
        joined.fed += over as u64;
        rest = &rest[over..];
        if rest.is_empty() {
            return joined.finish(&watcher);
        }
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        joined.feed(&mut watcher, chunk);
        rest = after;
    }
    unreachable!("the sizes never end")
}

/// The result of the collector over chunks of these sizes.
#[cfg(feature = "alloc")]
pub fn collected(input: &[u8], set: &impl WatchedPaths, limits: Limits, sizes: &[usize]) -> Read {
    as_read(collected_items(input, set, limits, sizes, false).items)
}

#[cfg(feature = "alloc")]
pub fn collected_items(input: &[u8], set: &impl WatchedPaths, limits: Limits, sizes: &[usize], goes_on: bool) -> Given {
    let mut collector = y3::Collector::new(set, limits);
    let (mut given, mut fed) = (Given::default(), 0);
    for chunk in cut(input, sizes).map(Some).chain([None]) {
        let mut hits = if let Some(chunk) = chunk { collector.feed(chunk) } else { collector.finish() };
        while let Some(hit) = hits.next_hit() {
            let hit = hit.map(|hit| row(&hit));
            let goes_on = hit.is_ok() || if goes_on { hits.resume() } else { hits.error().is_none() };
            given.take(hit, goes_on);
        }
        drop(hits);
        fed += chunk.map_or(0, <[u8]>::len) as u64;
        assert_eq!(collector.offset(), fed);
        assert!(collector.error().is_none() || collector.error() == given.end);
    }
    given
}

/// The result of the collector over chunks of type `Bytes`. A hit that lies in one chunk shares its memory.
#[cfg(feature = "bytes")]
pub fn collected_bytes(input: &[u8], set: &impl WatchedPaths, sizes: &[usize]) -> Read {
    let mut collector = y3::Collector::new(set, Limits::NONE);
    let mut given = Given::default();
    let mut start = 0;
    for chunk in cut(input, sizes).map(Some).chain([None]) {
        let bytes = bytes::Bytes::copy_from_slice(chunk.unwrap_or_default());
        let mut hits = if chunk.is_some() { collector.feed(&bytes) } else { collector.finish() };
        while let Some(hit) = hits.next_hit() {
            let hit = hit.and_then(|hit| hit.to_bytes(&bytes));
            if let Ok(hit) = &hit {
                let packet = hit.packet();
                assert_eq!((packet.offset(), packet.value()), (hit.offset(), &hit.value()[..]));
                assert_eq!(hit.decode::<&[u8]>(), packet.decode());
                let place =
                    hit.offset().checked_sub(start).and_then(|place| bytes.get(usize::try_from(place).unwrap()..));
                // A hit inside an outer hit that was split is a copy too.
                let is_inside = given.items.iter().any(
                    |item| matches!(item, Item::Hit((_, start, bytes)) if hit.offset() < start + bytes.len() as u64),
                );
                if let Some(rest) = place.filter(|rest| !is_inside && rest.len() >= packet.as_bytes().len()) {
                    assert_eq!(packet.as_bytes().as_ptr(), rest.as_ptr(), "a copy");
                }
                assert_eq!(hit.clone().into_bytes(), packet.as_bytes());
            }
            let goes_on = hit.is_ok() || hits.error().is_none();
            given.take(hit.map(|hit| (hit.path_index(), hit.offset(), hit.into_bytes().to_vec())), goes_on);
        }
        start += bytes.len() as u64;
    }
    as_read(given.items)
}

/// A source that returns this many bytes at a time, is sometimes interrupted, and sometimes fails, also at seeking.
#[cfg(feature = "std")]
pub struct Slow<'a> {
    rest: &'a [u8],
    sizes: Vec<usize>,
    turn: usize,
    #[cfg(feature = "codec")]
    is_ready: bool,
    pub read: usize,
}

#[cfg(feature = "std")]
impl<'a> Slow<'a> {
    pub fn new(rest: &'a [u8], sizes: &[usize]) -> Self {
        Self {
            rest,
            sizes: sizes.iter().copied().filter(|&size| size > 0).chain([1]).collect(),
            turn: 0,
            #[cfg(feature = "codec")]
            is_ready: true,
            read: 0,
        }
    }

    /// The bytes of the next read.
    fn step(&mut self, room: usize) -> std::io::Result<&'a [u8]> {
        self.turn += 1;
        match self.turn % 5 {
            1 => Err(std::io::ErrorKind::Interrupted.into()),
            3 => Err(std::io::ErrorKind::TimedOut.into()),
            _ => {
                let size = self.sizes[self.turn % self.sizes.len()].min(room).min(self.rest.len());
                let (now, rest) = self.rest.split_at(size);
                self.rest = rest;
                self.read += size;
                Ok(now)
            }
        }
    }
}

#[cfg(feature = "std")]
impl std::io::Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let now = self.step(buffer.len())?;
        buffer[..now.len()].copy_from_slice(now);
        Ok(now.len())
    }
}

#[cfg(feature = "std")]
impl std::io::Seek for Slow<'_> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        let std::io::SeekFrom::Current(by) = to else { panic!("{to:?}") };
        self.turn += 1;
        if self.turn % 3 == 0 {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        self.rest = self.rest.get(usize::try_from(by).unwrap()..).unwrap_or_default();
        Ok(0)
    }
}

#[cfg(feature = "codec")]
impl tokio::io::AsyncRead for Slow<'_> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        // Returns pending once after each read.
        self.is_ready = !self.is_ready;
        if !self.is_ready {
            context.waker().wake_by_ref();
            return std::task::Poll::Pending;
        }
        let now = self.step(buffer.remaining());
        std::task::Poll::Ready(now.map(|now| buffer.put_slice(now)))
    }
}

/// The result of a reader whose source is slow, interrupted and failing. The reader is called again after each error.
#[cfg(feature = "std")]
pub fn read<R: std::io::Read>(reader: y3::Reader<R, impl WatchedPaths>) -> Read {
    as_read(read_items(reader, false).items)
}

#[cfg(feature = "std")]
pub fn read_items<R: std::io::Read>(mut reader: y3::Reader<R, impl WatchedPaths>, goes_on: bool) -> Given {
    let mut given = Given::default();
    while let Some(hit) = reader.next_hit() {
        match hit.map(|hit| row(&hit)) {
            Ok(row) => _ = given.take(Ok(row), true),
            // A second call before `resume` returns nothing and loses nothing.
            Err(error) => fault(&mut given, error, || {
                let is_over = reader.error().is_some();
                assert!(!is_over || reader.next_hit().is_none(), "an item follows an error");
                if goes_on { reader.resume() } else { !is_over }
            }),
        }
    }
    assert!(reader.next_hit().is_none() && reader.next_hit().is_none(), "an item follows the end");
    given
}

#[cfg(feature = "std")]
fn fault(given: &mut Given, error: y3::ReadError, goes_on: impl FnOnce() -> bool) {
    match error {
        y3::ReadError::Io(error) => assert_eq!(error.kind(), std::io::ErrorKind::TimedOut),
        y3::ReadError::Packet(error) => _ = given.take(Err(error), goes_on()),
        error => panic!("{error}"),
    }
}

/// The result of the async reader over such a source. Each call is dropped as soon as it waits; every second call uses
/// the `Stream` trait.
#[cfg(feature = "codec")]
pub fn read_async(input: &[u8], set: &impl WatchedPaths, limits: Limits, sizes: &[usize], goes_on: bool) -> Given {
    use futures_core::Stream;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    let mut reader = y3::AsyncReader::new(Slow::new(input, sizes), set, limits);
    let mut context = Context::from_waker(Waker::noop());
    let (mut given, mut turn) = (Given::default(), 0);
    let mut is_over = false;
    loop {
        turn += 1;
        let polled = if turn % 2 == 0 {
            pin!(reader.next_hit()).poll(&mut context)
        } else {
            Pin::new(&mut reader).poll_next(&mut context)
        };
        match polled {
            Poll::Pending => assert!(!is_over),
            Poll::Ready(Some(Ok(hit))) => {
                given.take(Ok((hit.path_index(), hit.offset(), hit.into_bytes().to_vec())), true);
            }
            Poll::Ready(Some(Err(error))) => {
                fault(&mut given, error, || {
                    let is_over = reader.error().is_some();
                    assert!(!is_over || matches!(Pin::new(&mut reader).poll_next(&mut context), Poll::Ready(None)));
                    if goes_on { reader.resume() } else { !is_over }
                });
            }
            Poll::Ready(None) if is_over => return given,
            // After the end every call returns nothing.
            Poll::Ready(None) => is_over = true,
        }
    }
}

/// All items of a codec whose buffer receives chunks of these sizes, and the error that ends them.
#[cfg(feature = "codec")]
fn decoded<D: tokio_util::codec::Decoder<Error = y3::ReadError>>(
    mut codec: D,
    input: &[u8],
    sizes: &[usize],
) -> (Vec<D::Item>, Option<Error>) {
    let (mut items, mut buffer) = (Vec::new(), bytes::BytesMut::new());
    // The last turn signals the end of the stream.
    for chunk in cut(input, sizes).map(Some).chain([None]) {
        buffer.extend_from_slice(chunk.unwrap_or_default());
        loop {
            match if chunk.is_some() { codec.decode(&mut buffer) } else { codec.decode_eof(&mut buffer) } {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(y3::ReadError::Packet(error)) => return (items, Some(error)),
                Err(error) => panic!("{error}"),
            }
        }
    }
    (items, None)
}

/// Compares the codec with the naive reader: all top-level packets.
#[cfg(feature = "codec")]
pub fn same_packets(input: &[u8], limits: Limits, sizes: &[usize]) {
    let (rows, then) = expected(input, &[vec![oracle::ANY]], limits.with_max_value_len(usize::MAX));
    let packets: Vec<_> = rows.iter().map(|(_, _, bytes)| bytes.clone()).collect();
    let codec = y3::PacketCodec::new(limits);
    assert_eq!(decoded(codec, input, sizes), (packets.iter().map(|bytes| bytes.clone().into()).collect(), then));
}

/// Compares every stream reader with the slice watcher, for one way of cutting.
pub fn same(input: &[u8], set: &PathSet<8>, sizes: &[usize]) {
    same_as(&whole(input, set), input, set, sizes);
}

/// Compares every stream reader with this result, for one way of cutting.
pub fn same_as(expected: &Read, input: &[u8], set: &impl WatchedPaths, sizes: &[usize]) {
    assert_eq!(watched(input, set, Limits::NONE, sizes), *expected, "in chunks of {sizes:?}");
    assert_eq!(skipped(input, set, sizes), *expected, "skipping, in chunks of {sizes:?}");
    #[cfg(feature = "alloc")]
    assert_eq!(collected(input, set, Limits::NONE, sizes), *expected, "collected from chunks of {sizes:?}");
    #[cfg(feature = "bytes")]
    assert_eq!(collected_bytes(input, set, sizes), *expected, "collected from Bytes of {sizes:?}");
}

/// Compares the readers that own a buffer.
#[cfg(feature = "std")]
pub fn same_read(input: &[u8], set: &PathSet<8>, sizes: &[usize]) {
    same_read_as(&whole(input, set), input, set, sizes);
}

#[cfg(feature = "std")]
pub fn same_read_as(expected: &Read, input: &[u8], set: &impl WatchedPaths, sizes: &[usize]) {
    let source = || Slow::new(input, sizes);
    assert_eq!(read(y3::Reader::new(source(), set, Limits::NONE)), *expected, "read, {sizes:?} at a time");
    assert_eq!(read(y3::Reader::seeking(source(), set, Limits::NONE)), *expected, "sought, {sizes:?} at a time");
    #[cfg(feature = "codec")]
    assert_eq!(
        as_read(read_async(input, set, Limits::NONE, sizes, false).items),
        *expected,
        "read async, {sizes:?} at a time"
    );
}

/// Cuts the input at every byte, not at all, and into single bytes.
pub fn same_at_every_cut(input: &[u8], paths: &[Vec<u8>]) {
    let set = set(paths);
    (0..=input.len()).for_each(|first| same(input, &set, &[first, input.len()]));
    for size in [1, 2, 3, 7] {
        same(input, &set, &[size]);
    }
}
