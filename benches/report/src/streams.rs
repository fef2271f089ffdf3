//! Streams: packets per second, by size of values and of chunks.
//!
//! In: the measurements. Out: `STREAMS.md`.

use crate::markdown::{inside, number, ratio, rounded, table};
use crate::measured::{Measured, in_order};
use crate::page::Page;
use crate::time::Time;
use charts::{Curve, lines};

pub const NAME: &str = "STREAMS.md";

/// A reader of a stream, and its heading.
const READERS: [(&str, &str); 3] =
    [("y3", "y3"), ("frames, decoded whole", "frames decoded whole"), ("json lines, lazy", "JSON lines")];

/// One bench, whose id is `stream/<kind>/<size> B, <rate>% hits, <count> packets/<reader>`.
struct Stream<'a> {
    group: &'a str,
    size: f64,
    rate: &'a str,
    packets: f64,
    reader: &'a str,
    time: Time,
}

impl Stream<'_> {
    fn millions(&self) -> f64 {
        self.packets / self.time.ns * 1e3
    }

    fn packets(&self) -> String {
        rounded(self.millions(), self.time.spread())
    }
}

fn streams<'a>(measured: &'a Measured, kind: &'a str) -> Vec<Stream<'a>> {
    let mut streams: Vec<Stream> = measured
        .own
        .below(kind)
        .filter_map(|(name, time)| {
            let (group, reader) = name.split_once('/')?;
            let mut parts = group.split(", ");
            Some(Stream {
                group,
                size: parts.next()?.strip_suffix(" B")?.parse().ok()?,
                rate: parts.next()?.strip_suffix(" hits")?,
                packets: parts.next()?.strip_suffix(" packets")?.parse().ok()?,
                reader,
                time,
            })
        })
        .collect();
    streams.sort_by(|one, other| one.size.total_cmp(&other.size).then(one.rate.len().cmp(&other.rate.len())));
    streams
}

pub fn page(measured: &Measured) -> Page {
    let mut page = Page::new(NAME, "Streams", measured);
    page.say(
        "Messages of a number, a value and a text, read in chunks of 16 KiB from memory; in so many of a hundred the value is watched. \
         y3's `Watcher` jumps over the others, also where a chunk ends inside one. *Frames decoded whole* waits for a frame of known \
         length and decodes all of its fields. *JSON lines* waits for a line and takes one field with serde_json, which has to read \
         the others. Rates are millions of packets a second: bytes a second would count what nobody reads.\n",
    );
    let values = streams(measured, "stream/values");
    if let Some(title) = finding(&values) {
        page.picture("streams", &title, chart(&values, &title));
    }
    page.section("## By size of the values", &by_size(&values));
    page.section("## By size of the chunks", &by_chunk(measured));
    page.section("## One GiB, of which 64 KiB in each packet are not watched", &endless(measured));
    page.finish()
}

/// What the first page says of streams.
pub fn in_words(measured: &Measured) -> Option<String> {
    let found = finding(&streams(measured, "stream/values"))?;
    Some(format!("{found}. A `Watcher` reads them in chunks that are cut anywhere: [streams]({NAME}).\n"))
}

/// Packets per second where values have 64 bytes; all of its numbers are points of the picture.
fn finding(values: &[Stream]) -> Option<String> {
    let of = |reader: &str| values.iter().find(|stream| stream.size >= 64.0 && stream.reader == reader);
    let (y3, json) = (of("y3")?, of("json lines, lazy")?);
    let rest = if y3.time.ns < json.time.ns { "JSON lines follow with" } else { "JSON lines are ahead with" };
    let (size, y3, json) = (y3.size, y3.packets(), json.packets());
    Some(format!("Values of {size} bytes: y3 reads {y3} million packets a second, {rest} {json}"))
}

fn chart(values: &[Stream], title: &str) -> String {
    let rate = values.first().map_or("", |stream| stream.rate);
    let curve = |(reader, name): &(&str, &str)| {
        let points = values.iter().filter(|stream| stream.reader == *reader && stream.rate == rate);
        let points = points.map(|stream| (stream.size, stream.millions())).collect();
        Curve { name: (*name).to_owned(), label: (*name).to_owned(), points }
    };
    let curves: Vec<Curve> = READERS.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    lines(title, "million packets/s", "bytes of a value", &curves.iter().collect::<Vec<_>>(), true)
}

fn by_size(values: &[Stream]) -> String {
    let mut rows = Vec::new();
    for y3 in values.iter().filter(|stream| stream.reader == "y3") {
        let beside = |reader: &str| {
            let other = values.iter().find(|stream| stream.reader == reader && stream.group == y3.group);
            other.map_or_else(
                || "–".to_owned(),
                |other| format!("{} ({})", other.packets(), ratio(Some(other.time), Some(y3.time))),
            )
        };
        let size = format!("{} B", number(y3.size));
        rows.push(vec![size, y3.rate.to_owned(), y3.packets(), beside(READERS[1].0), beside(READERS[2].0)]);
    }
    if rows.is_empty() {
        return String::new();
    }
    let table = table(&["value", ">watched", ">y3", ">frames decoded whole", ">JSON lines"], &rows);
    format!("Million packets a second; in brackets how many times as long as y3.\n{table}")
}

fn by_chunk(measured: &Measured) -> String {
    let mut chunks = streams(measured, "stream/chunks");
    let size = |stream: &Stream| stream.reader.rsplit('/').next().and_then(|size| size.parse::<u32>().ok());
    // The slice, which has no chunks, comes first.
    chunks.sort_by_key(size);
    let rates = in_order(chunks.iter().map(|stream| stream.rate));
    let sizes: Vec<Option<u32>> = chunks.iter().map(size).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (place, size_of) in sizes.iter().enumerate().filter(|(place, size)| !sizes[..*place].contains(size)) {
        let chunk = size_of.map_or_else(|| "one slice".to_owned(), |size| format!("{} B", number(f64::from(size))));
        let of = |rate: &&str| {
            let found = chunks[place..].iter().find(|stream| size(stream) == *size_of && stream.rate == *rate);
            found.map_or_else(|| "–".to_owned(), Stream::packets)
        };
        rows.push(std::iter::once(chunk).chain(rates.iter().map(of)).collect());
    }
    if rows.is_empty() {
        return String::new();
    }
    let rates: Vec<String> = rates.iter().map(|rate| format!(">{rate} watched")).collect();
    let headings: Vec<&str> = std::iter::once("chunk").chain(rates.iter().map(String::as_str)).collect();
    format!(
        "Million packets a second. Values of four bytes: the smallest messages, so that a chunk ends in a packet as often as it can.\n{}",
        table(&headings, &rows)
    )
}

/// The bytes of a packet of the long stream.
const LONG: f64 = 65_536.0;

fn endless(measured: &Measured) -> String {
    let prefix = "stream/1 GiB, 64 KiB unwatched";
    let line = |(name, time): (&str, Time)| {
        let bytes = measured.own.size(&format!("{prefix}/{name}"))?;
        let name =
            name.strip_prefix("y3/").map_or_else(|| inside(name), |chunk| format!("**y3**, chunks of {chunk} B"));
        Some(vec![name, rounded(bytes / LONG / time.ns * 1e3, time.spread())])
    };
    let rows: Vec<Vec<String>> = measured.own.below(prefix).filter_map(line).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "y3 reads the headers and the eight watched bytes of each packet, and leaves its 64 KiB alone.\n{}",
        table(&["reader", ">million packets/s"], &rows)
    )
}
