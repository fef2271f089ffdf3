//! Rows of readers of streams: faults inside values, limits, going on after a fault.

use y3::{Event, Watcher};

use super::*;

/// Runs a row of A.8.
pub(super) fn run(reader: &str, limits: &str, bytes: &[u8], events: &str) {
    let goes_on = limits.ends_with("goes on");
    let limits = limits_of(limits.trim_end_matches("goes on"));
    let expected = events_of(events);
    let faults = || expected.iter().map(|event| event.clone().unwrap_err()).collect::<Vec<_>>();
    if let Some(paths) = reader.strip_prefix("watch ") {
        let set = path_set(&paths_of(paths));
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(reported([first, second].into_iter(), &set, limits, goes_on), expected, "cut at {cut}");
        }
        assert_eq!(reported(bytes.chunks(1), &set, limits, goes_on), expected);
    } else if let Some(key) = reader.strip_prefix("search ") {
        let pattern = y3::Patterns([format!("**/{key}").parse().unwrap()]);
        let found = |hit: y3::Hit<'_>| (0, hit.offset(), hit.value().to_vec());
        let in_one = |bytes: &[u8]| pattern.search(bytes).map(|hit| hit.map(found).map_err(fault)).collect::<Vec<_>>();
        if limits == Limits::NONE {
            return assert_eq!(in_one(bytes), expected);
        }
        // Searched is what a reader of packets with these limits gives.
        let (packets, faults) =
            watch_stream(bytes.chunks(1), &PathSet::<8>::from_slice(&[Path::ANY]).unwrap(), limits, false);
        let whole: usize = packets.iter().map(|(_, _, value)| oracle::packed(0, value).len()).sum();
        assert_eq!([in_one(&bytes[..whole]), faults.into_iter().map(Err).collect()].concat(), expected);
    } else {
        assert_eq!(reader, "check");
        if limits == Limits::NONE {
            assert_eq!(check(bytes).map_err(fault), faults().first().map_or(Ok(()), |fault| Err(*fault)));
        }
        #[cfg(feature = "codec")]
        {
            for cut in 0..=bytes.len() {
                let (first, second) = bytes.split_at(cut);
                assert_eq!(check_stream([first, second].into_iter(), limits), faults(), "cut at {cut}");
            }
            assert_eq!(check_stream(bytes.chunks(1), limits), faults());
        }
    }
}

fn limits_of(text: &str) -> Limits {
    let words: Vec<_> = text.split_whitespace().filter(|word| *word != "none").collect();
    words.chunks(2).fold(Limits::NONE, |limits, words| {
        let number = words[1].parse().unwrap();
        match words[0] {
            "packet" => limits.with_max_packet_len(number),
            "value" => limits.with_max_value_len(number),
            "depth" => limits.with_max_depth(number),
            other => panic!("no limit {other}"),
        }
    })
}

/// What a reader of a stream reports, each hit where it begins [STRM-10].
pub(super) fn reported<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    paths: &PathSet<8>,
    limits: Limits,
    goes_on: bool,
) -> Vec<Reported> {
    let mut watcher = Watcher::new(paths, limits);
    // Hits that begin and are not yet whole have a place already; `open` has the places.
    let (mut events, mut open): (Vec<Option<Reported>>, Vec<(usize, oracle::Found)>) = Default::default();
    let mut ended = false;
    'stream: for piece in pieces {
        let mut feed = watcher.feed(piece);
        while let Some(event) = feed.next() {
            match event {
                Ok(Event::Hit(hit)) => events.push(Some(Ok((hit.path_index(), hit.offset(), hit.value().to_vec())))),
                Ok(Event::Start { path_index, offset, .. }) => {
                    open.push((events.len(), (path_index, offset, Vec::new())));
                    events.push(None);
                }
                // Which one of those that are open, the number of its path says.
                Ok(Event::Data { path_index, bytes }) => {
                    let (_, hit) = open.iter_mut().rfind(|(_, hit)| hit.0 == path_index).unwrap();
                    hit.2.extend_from_slice(bytes);
                }
                Ok(Event::End { path_index }) => {
                    let which = open.iter().rposition(|(_, hit)| hit.0 == path_index).unwrap();
                    let (place, hit) = open.remove(which);
                    events[place] = Some(Ok(hit));
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    events.push(Some(Err(fault(error))));
                    if feed.error().is_some() && !(goes_on && feed.resume()) {
                        ended = true;
                        break 'stream;
                    }
                }
            }
        }
    }
    if !ended {
        events.extend(watcher.finish().err().map(|error| Some(Err(fault(error)))));
    }
    events.into_iter().flatten().collect()
}

/// The hits of a stream, and its faults.
fn watch_stream<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    paths: &PathSet<8>,
    limits: Limits,
    goes_on: bool,
) -> (Vec<oracle::Found>, Vec<oracle::Fault>) {
    let (mut hits, mut faults) = (Vec::new(), Vec::new());
    for event in reported(pieces, paths, limits, goes_on) {
        match event {
            Ok(hit) => hits.push(hit),
            Err(fault) => faults.push(fault),
        }
    }
    (hits, faults)
}

/// The faults that a structural check of a stream finds, up to the first.
#[cfg(feature = "codec")]
fn check_stream<'b>(pieces: impl Iterator<Item = &'b [u8]>, limits: Limits) -> Vec<oracle::Fault> {
    use tokio_util::codec::Decoder;

    let fault_of = |error| match error {
        y3::ReadError::Packet(error) => fault(error),
        other => panic!("{other}"),
    };
    let mut codec = y3::PacketCodec::new(limits).checked();
    let mut buffer = bytes::BytesMut::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(error))) => return vec![fault(error)],
                Ok(None) => break,
                Err(error) => return vec![fault_of(error)],
            }
        }
    }
    codec.decode_eof(&mut buffer).err().map(fault_of).into_iter().collect()
}
