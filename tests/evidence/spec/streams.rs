//! Rows of stream readers: errors inside values, limits, continuing after an error.

use testkit::chunks::{Item, watched, watched_items};

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
            assert_eq!(reported(bytes, &[cut, bytes.len()], &set, limits, goes_on), expected, "cut at {cut}");
        }
        assert_eq!(reported(bytes, &[1], &set, limits, goes_on), expected);
    } else if let Some(key) = reader.strip_prefix("search ") {
        let pattern = y3::Patterns([format!("**/{key}").parse().unwrap()]);
        let found = |hit: y3::Hit<'_>| (0, hit.offset(), hit.value().to_vec());
        // A search watches whole packets, so it reports nothing from a packet that is cut off.
        let in_one = |bytes: &[u8]| {
            let mut reported = Vec::new();
            for packet in packets(bytes) {
                match packet {
                    Ok(packet) => {
                        reported.extend(pattern.watch_packets(packet).map(|hit| hit.map(found).map_err(fault)));
                    }
                    Err(error) => reported.push(Err(fault(error))),
                }
                if reported.last().is_some_and(Result::is_err) {
                    break;
                }
            }
            reported
        };
        if limits == Limits::NONE {
            return assert_eq!(in_one(bytes), expected);
        }
        // The search uses the packets that a packet reader gives under these limits.
        let (packets, fault) = watched(bytes, &path_set(&[vec![oracle::ANY]]), limits, &[1]);
        let whole: usize = packets.iter().map(|(_, _, packet)| packet.len()).sum();
        let fault = fault.map(|error| Err(oracle::fault(error)));
        assert_eq!([in_one(&bytes[..whole]), fault.into_iter().collect()].concat(), expected);
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

/// What a stream reader reports for chunks of these sizes, each hit at its start [STRM-10].
pub(super) fn reported(
    bytes: &[u8],
    sizes: &[usize],
    paths: &PathSet<8>,
    limits: Limits,
    goes_on: bool,
) -> Vec<Reported> {
    let event = |item| match item {
        Item::Hit((path, offset, packet)) => Ok((path, offset, Packet::from_slice(&packet).unwrap().value().to_vec())),
        Item::Fault(error) => Err(fault(error)),
    };
    watched_items(bytes, paths, limits, sizes, goes_on).items.into_iter().map(event).collect()
}

/// The first error that a structural check of a stream finds, or none.
#[cfg(feature = "codec")]
fn check_stream<'b>(pieces: impl Iterator<Item = &'b [u8]>, limits: Limits) -> Vec<oracle::Fault> {
    use tokio_util::codec::Decoder;

    let fault_of = |error| match error {
        y3::ReadError::Packet(error) => fault(error),
        other => panic!("{other}"),
    };
    let mut codec = y3::PacketCodec::new(limits);
    let mut buffer = bytes::BytesMut::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(packet)) => {
                    let start = codec.offset() - packet.len() as u64;
                    if let Some(error) = y3::walk(&packet).with_max_depth(limits.max_depth()).find_map(Result::err) {
                        return vec![(error.kind(), start + error.offset())];
                    }
                }
                Ok(None) => break,
                Err(error) => return vec![fault_of(error)],
            }
        }
    }
    codec.decode_eof(&mut buffer).err().map(fault_of).into_iter().collect()
}
