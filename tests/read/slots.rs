//! Slots: what one packet's hits are together.

use y3::{Error, ErrorKind, Packet, PathSet, path};

const READING: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);

/// The offset of the packet in each slot, or the error.
fn filled(packet: Packet<'_>) -> Result<[Option<u64>; 2], Error> {
    // What an earlier packet left in a slot does not stay.
    let mut slots = [Some(packet); 2];
    READING.fill(packet, &mut slots)?;
    Ok(slots.map(|slot| slot.map(|packet| packet.offset())))
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
