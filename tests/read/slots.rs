//! Slots: what one packet's hits are together.

use proptest::prelude::*;
use testkit::oracle::same::same_slots;
use testkit::oracle::trees::{self, config, damage};
use y3::{Error, ErrorKind, Packet, PathSet, packets, path};

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn each_slot_has_the_first_hit_of_its_path_in_the_packet(
        embedded in trees::embedded(),
        damage in damage(),
    ) {
        let trees::Embedded { mut input, paths } = embedded;
        for damage in damage {
            damage.apply(&mut input);
        }
        same_slots(&input, &paths);
    }
}

const READING: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);

/// The offset of the packet in each slot, or the error.
fn filled(packet: Packet<'_>) -> Result<[Option<u64>; 2], Error> {
    // What an earlier packet left in a slot does not stay.
    let mut slots = [Some(packet); 2];
    READING.fill(packet, &mut slots)?;
    Ok(slots.map(|slot| slot.map(|packet| packet.offset())))
}

#[test]
fn a_faulty_packet_is_an_error_and_the_next_one_fills_its_slots() {
    let bytes = [0x81, 0x03, 0x11, 0x02, 0x07, 0x81, 0x02, 0x13, 0x00, 0x02, 0x00, 0x81, 0x05];
    let found: Vec<_> = packets(&bytes).map(|packet| packet.and_then(filled)).collect();
    assert_eq!(
        found,
        [
            Err(Error::new(ErrorKind::Overrun, 2)),
            Ok([None, Some(7)]),
            Ok([None, None]),
            Err(Error::new(ErrorKind::UnexpectedEnd, 11)),
        ]
    );
}

#[test]
fn embedded_packets_have_absolute_offsets_and_survive_their_neighbours() {
    // Two readings embedded in one primitive, the first with a fault inside; then packets cut by their end; then a third reading.
    let bytes = [
        0xbf, 0x16, 0x02, 0x0a, 0x81, 0x03, 0x11, 0x02, 0x07, 0x81, 0x03, 0x11, 0x01, 0x08, // in one primitive
        0x02, 0x03, 0x81, 0x05, 0x11, 0x02, 0x03, 0x81, 0x01, 0x00,
    ];
    let readings = PathSet::new([path!(0x3f, 0x02 => 0x01)]);
    let found: Vec<_> = readings.watch(&bytes).map(|reading| filled(reading?.packet())).collect();
    assert_eq!(
        found,
        [
            Err(Error::new(ErrorKind::Overrun, 6)),
            Ok([Some(11), None]),
            Err(Error::new(ErrorKind::UnexpectedEnd, 16)),
            Err(Error::new(ErrorKind::Overrun, 23)),
        ]
    );
}

#[test]
fn a_watch_of_one_packet_has_the_duplicates_that_slots_leave_out() {
    let bytes = [0x81, 0x08, 0x11, 0x00, 0x13, 0x00, 0x11, 0x00, 0x11, 0x00];
    let packet = Packet::from_slice(&bytes).unwrap();
    let hits: Vec<_> =
        READING.watch_packets(packet).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())).unwrap()).collect();
    assert_eq!(hits, [(0, 2), (1, 4), (0, 6), (0, 8)]);
    let mut slots = [None; 1];
    READING.fill(packet, &mut slots).unwrap();
    assert_eq!(slots[0].unwrap().offset(), 2, "a hit without a slot is left out");
}
