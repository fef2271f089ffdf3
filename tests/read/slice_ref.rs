//! A part of a `Bytes` value becomes a `Bytes` value that shares the memory.

use bytes::{Bytes, BytesMut};
use y3::bytes::slice_ref;
use y3::{packets, walk};

#[test]
fn a_part_shares_the_memory_of_its_source() {
    let input = vec![0x81, 0x05, 0x02, 0x01, 0xff, 0x03, 0x00, 0x04, 0x02, 0xaa, 0xbb];
    let mut grown = BytesMut::with_capacity(64);
    grown.extend_from_slice(&input);
    for source in
        [Bytes::from(input.clone()), grown.freeze(), Bytes::from(input.clone()).slice(0..), Bytes::from_owner(input)]
    {
        for packet in walk(&source).map(Result::unwrap) {
            for part in [packet.as_bytes(), packet.value()] {
                let shared = slice_ref(&source, part).unwrap();
                assert_eq!(shared, part);
                if !part.is_empty() {
                    assert_eq!(shared.as_ptr_range(), part.as_ptr_range());
                }
            }
        }
    }
}

#[test]
fn a_part_outlives_its_source() {
    let source = Bytes::from(vec![0x01, 0x02, 0xaa, 0xbb]);
    let shared = slice_ref(&source, packets(&source).next().unwrap().unwrap().value()).unwrap();
    drop(source);
    assert_eq!(shared[..], [0xaa, 0xbb]);
}

#[test]
fn a_part_of_other_memory_is_none() {
    let all = Bytes::from(vec![0x01, 0x02, 0xaa, 0xbb, 0x02, 0x00]);
    let source = all.slice(1..5);
    assert_eq!(slice_ref(&source, &[0xaa, 0xbb]), None);
    assert_eq!(slice_ref(&source, all.clone().as_ref()), None);
    // One byte past the edge on each side, and next to the edge.
    assert_eq!(slice_ref(&source, &all[0..3]), None);
    assert_eq!(slice_ref(&source, &all[0..1]), None);
    assert_eq!(slice_ref(&source, &all[4..6]), None);
    assert_eq!(slice_ref(&source, &all[5..6]), None);
    // The edges themselves are inside.
    assert_eq!(slice_ref(&source, &all[1..5]).as_deref(), Some(&all[1..5]));
    assert_eq!(slice_ref(&source, &all[1..2]).as_deref(), Some(&all[1..2]));
    assert_eq!(slice_ref(&source, &all[4..5]).as_deref(), Some(&all[4..5]));
    assert_eq!(slice_ref(&Bytes::new(), &all), None);
}

#[test]
fn an_empty_part_is_empty() {
    let source = Bytes::from(vec![0x01, 0x00]);
    let value = packets(&source).next().unwrap().unwrap().value();
    for empty in [value, &[], &source[1..1]] {
        assert_eq!(slice_ref(&source, empty), Some(Bytes::new()));
    }
    assert_eq!(slice_ref(&Bytes::new(), &[]), Some(Bytes::new()));
}
