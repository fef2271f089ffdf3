//! Records: what one packet's hits are together.

use proptest::prelude::*;
use testkit::oracle::same::same_records;
use testkit::oracle::trees::{self, config, damage};
use y3::{Error, ErrorKind, PathSet, path};

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_record_has_the_first_hit_of_each_path_in_its_packet(
        payloads in trees::payloads(),
        damage in damage(),
    ) {
        let trees::Payloads { mut input, paths } = payloads;
        for damage in damage {
            damage.apply(&mut input);
        }
        same_records(&input, &paths);
    }
}

const READING: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);

#[test]
fn a_faulty_packet_is_an_error_and_the_next_one_a_record() {
    let bytes = [0x81, 0x03, 0x11, 0x02, 0x07, 0x81, 0x02, 0x13, 0x00, 0x02, 0x00, 0x81, 0x05];
    let mut records = READING.records(&bytes);
    assert_eq!(records.next().unwrap().unwrap_err(), Error::new(ErrorKind::Overrun, 2));
    let record = records.next().unwrap().unwrap();
    assert_eq!((record.packet().offset(), record.get(0), record.is_empty()), (5, None, false));
    assert_eq!(record.get(1).unwrap().offset(), 7);
    assert!(records.next().unwrap().unwrap().is_empty(), "a packet without hits is a record too");
    assert_eq!(records.next().unwrap().unwrap_err(), Error::new(ErrorKind::UnexpectedEnd, 11));
    assert!(records.next().is_none());
}

#[test]
fn records_in_a_payload_have_absolute_offsets_and_survive_their_neighbours() {
    // Two readings in one payload, the first with a fault inside; then a payload that ends inside a packet; then a third reading.
    let bytes = [
        0xbf, 0x16, 0x02, 0x0a, 0x81, 0x03, 0x11, 0x02, 0x07, 0x81, 0x03, 0x11, 0x01, 0x08, // in one payload
        0x02, 0x03, 0x81, 0x05, 0x11, 0x02, 0x03, 0x81, 0x01, 0x00,
    ];
    let found: Vec<_> = READING
        .records_at(path!(0x3f, 0x02 => 0x01), &bytes)
        .map(|record| record.map(|record| (record.packet().offset(), record.get(0).map(|noise| noise.offset()))))
        .collect();
    assert_eq!(
        found,
        [
            Err(Error::new(ErrorKind::Overrun, 6)),
            Ok((9, Some(11))),
            Err(Error::new(ErrorKind::UnexpectedEnd, 16)),
            Err(Error::new(ErrorKind::Overrun, 23)),
        ]
    );
}

#[test]
fn hits_have_the_duplicates_that_slots_leave_out() {
    let bytes = [0x81, 0x08, 0x11, 0x00, 0x13, 0x00, 0x11, 0x00, 0x11, 0x00];
    let record = READING.records(&bytes).next().unwrap().unwrap();
    let hits: Vec<_> = record.hits().map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())).unwrap()).collect();
    assert_eq!(hits, [(0, 2), (1, 4), (0, 6), (0, 8)]);
    assert_eq!(record.get(2), None, "no path has that index");
}
