//! SPEC §7: canonical form.

use super::*;

#[test]
fn can_1() {
    rows("CAN-1");
    // Whatever was accepted, and is canonical, is what comes out when it is written again; if not, something canonical does.
    let mut canonical = 0;
    every_small_input(|bytes| {
        let Ok(trees) = walked(bytes) else { return };
        let again = encode(&trees, Dialect::NVar).unwrap();
        assert!(is_canonical(&again));
        assert_eq!(again == bytes, is_canonical(bytes), "{}", hex(bytes));
        canonical += usize::from(again == bytes);
    });
    assert!(canonical > 500, "only {canonical} canonical inputs");
}

#[test]
fn can_2() {
    rows("CAN-2");
    let mut trees = shape("05=,04=01,04=01,03{},04=,3f=,00[],04=01");
    for _ in 0..trees.len() {
        let bytes = encode(&[Tree::node(0x01, trees.clone())], Dialect::NVar).unwrap();
        assert_eq!(walked(&bytes), Ok(vec![Tree::node(0x01, trees.clone())]));
        trees.rotate_left(1);
    }
}

#[test]
fn can_3() {
    rows("CAN-3");
    // One row at least for each rule that allows a form which is not canonical.
    for rule in ["LEN-2", "TAG-2", "NVAR-2", "PVAR-2", "FLT-2", "BOOL-2", "SLICE-2"] {
        assert!(ROWS.iter().any(|row| row.shows(rule) && row.shows("CAN-3")), "{rule}");
    }
    // Such values are not what is written for them.
    for row in ROWS.iter().filter(|row| row.table == "A.4" && row.shows("CAN-3")) {
        let [kind, dialect, value, expected] = &row.cells[..] else { panic!("{}", row.id) };
        for &dialect in dialects_of(dialect) {
            assert_ne!(written_value(leaf_of(kind, expected), dialect), unhex(value), "{}", row.id);
        }
    }
}

#[test]
fn can_4() {
    rows("CAN-4");
    // A packet that fails halfway: for want of room at every byte, for a key deep inside, for an error of the caller.
    let before = Tree::bytes(0x01, &[0xaa]);
    let long = Tree::node(0x02, vec![Tree::bytes(0x03, &[0x55; 70]), Tree::slice(0x04, shape("00=01,00{05=}"))]);
    let whole = encode(&[before.clone(), long.clone()], Dialect::NVar).unwrap();
    for room in 3..whole.len() {
        let mut room = vec![0; room];
        let mut sink = SliceSink::new(&mut room);
        let mut encoder = Encoder::new(&mut sink);
        write(&mut encoder, std::slice::from_ref(&before)).unwrap();
        let error = write(&mut encoder, std::slice::from_ref(&long)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
        assert_eq!(sink.written(), &whole[..3]);
    }
    // And the sink goes on where it was.
    let deep = Tree::node(0x02, vec![Tree::bytes(0x03, &[0x55; 70]), Tree::node(0x04, vec![Tree::bytes(64, &[])])]);
    let mut room = [0; 200];
    let mut sink = SliceSink::new(&mut room);
    let mut encoder = Encoder::new(&mut sink);
    write(&mut encoder, std::slice::from_ref(&before)).unwrap();
    let refused = write(&mut encoder, &[deep]).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::InvalidKey));
    let own = Error::new(ErrorKind::InvalidValue, 7);
    let failed = encoder.node(0x02, |node| node.put(0x03, "lost").and(Err(own)));
    assert_eq!(failed, Err(own));
    encoder.put(0x06, "").unwrap();
    assert_eq!(sink.written(), [0x01, 0x01, 0xaa, 0x06, 0x00]);
}
