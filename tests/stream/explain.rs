//! The context of an error in a stream equals the context that `explain` gives for the whole bytes.

use proptest::prelude::*;
use testkit::input::embedding;
use testkit::oracle::trees;
use y3::parser::{Parser, header};
use y3::{Error, ErrorContext, ErrorKind, Limits, PathSet, Paths, Watcher, path};

/// Feeds chunks of this size, and explains each error when it is returned.
fn explained(paths: &Paths, bytes: &[u8], size: usize) -> Vec<ErrorContext> {
    let mut watcher = Watcher::new(paths, Limits::NONE);
    let mut found = Vec::new();
    'stream: for chunk in bytes.chunks(size) {
        let mut events = watcher.feed(chunk);
        while let Some(event) = events.next() {
            if let Err(error) = event {
                found.push(events.explain(error));
                if events.error().is_some() {
                    break 'stream;
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(trees::config(300))]

    #[test]
    fn errors_of_streams_have_the_place_that_they_have_in_the_whole_bytes(case in trees::case(240, embedding), size in 1..9usize) {
        let paths: Paths = testkit::oracle::same::paths(&case.paths).into_iter().collect();
        // A single path keeps no keys, so the context cannot name the keys for a wildcard.
        prop_assume!(paths.iter().len() > 1);
        let outermost = y3::packets(&case.input).find_map(Result::err);
        // A stream knows the announced length of a node that is cut off, so the missing bytes are appended here.
        let mut whole = case.input.clone();
        if let Some(error) = outermost {
            let start = usize::try_from(error.offset()).unwrap();
            if let Ok((_, header)) = header::<y3::ErrorKind>().parse(&case.input[start..]) {
                prop_assume!(header.packet_len() < 1 << 20);
                whole.resize(whole.len().max(start + header.packet_len()), 0);
            }
        }
        let expected: Vec<ErrorContext> = paths
            .watch(&case.input)
            .filter_map(Result::err)
            // A packet that the end of the bytes cuts is not an error of a stream yet.
            .filter(|error| Some(*error) != outermost)
            .map(|error| y3::show::explain(&whole, error))
            .collect();
        let found = explained(&paths, &case.input, size);
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found.error(), expected.error());
            if found.error().kind() == ErrorKind::UnexpectedEnd {
                // The stream refuses the packet that the end of the node cuts, and does not read the packets inside it.
                prop_assert!(!found.keys().is_empty() && expected.keys().starts_with(found.keys()));
            } else {
                prop_assert_eq!(found.to_string(), expected.to_string());
            }
        }
    }
}

/// The bytes end in a node. A packet in the node is longer than the node, whose end the stream knows.
#[test]
fn bytes_of_a_cut_node_that_are_to_come_count_as_there() {
    let bytes = [0x81, 0x09, 0x82, 0x07, 0x11, 0x0c];
    let paths: Paths = [path!(0x01, 0x02, 0x11), path!(0x02)].into_iter().collect();
    let [fault] = explained(&paths, &bytes, 1).try_into().unwrap();
    assert_eq!((fault.declared(), fault.available()), (Some(12), Some(5)));
    let error = paths.watch(&bytes).find_map(Result::err).unwrap();
    assert_eq!(error, fault.error());
    assert_eq!(y3::show::explain(&bytes, error).available(), Some(0));
}

const NOISE: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x11)]);

#[test]
fn an_error_in_embedded_packets_is_explained_while_the_stream_goes_on() {
    let bytes = [
        0xbf, 0x06, 0x02, 0x04, 0x81, 0x02, 0x11, 0x07, // the value of 11 is missing
        0xbf, 0x06, 0x02, 0x04, 0x81, 0x02, 0x11, 0x00,
    ];
    let mut watcher = Watcher::new(&NOISE, Limits::DEFAULT);
    let mut events = watcher.feed(&bytes);
    let error = events.next().unwrap().unwrap_err();
    let fault = events.explain(error);
    assert!(fault.keys().iter().map(|key| key.get()).eq([0x3f, 0x02, 0x01, 0x11]));
    assert_eq!((fault.offset(), fault.declared(), fault.available()), (Some(6), Some(7), Some(0)));
    assert!(matches!(events.next(), Some(Ok(y3::Event::Hit(hit))) if hit.offset() == 14));
}

#[test]
fn the_end_of_a_stream_is_explained_with_the_nodes_that_are_open() {
    let mut watcher = Watcher::new(&NOISE, Limits::DEFAULT);
    watcher.feed(&[0xbf, 0x06, 0x02, 0x04, 0x81, 0x02, 0x11]);
    let error = watcher.finish().unwrap_err();
    assert_eq!(watcher.explain(error).to_string(), "input ends inside the packet at byte 0: in 0x3f/0x02/0x01");
    let other = Error::new(ErrorKind::Overrun, 4);
    assert_eq!(watcher.explain(other).to_string(), other.to_string(), "an error of another stream is only repeated");
}

#[test]
fn a_single_path_with_any_key_names_no_keys() {
    let paths = PathSet::new([path!(*, 0x11)]);
    let mut watcher = Watcher::new(&paths, Limits::DEFAULT);
    let error = watcher.feed(&[0x81, 0x02, 0x11, 0x07]).next().unwrap().unwrap_err();
    assert!(watcher.explain(error).keys().is_empty());
}

#[test]
fn a_value_above_the_limit_is_explained_with_its_length() {
    let mut watcher = Watcher::new(&NOISE, Limits::DEFAULT.with_max_packet_len(64));
    let error = watcher.feed(&[0xbf, 0x80, 0x40]).next().unwrap().unwrap_err();
    assert_eq!(
        watcher.explain(error).to_string(),
        "packet longer than the limit of 64 bytes (`max_packet_len`) at byte 0: packet 0x3f at byte 0 has 64 bytes"
    );
}
