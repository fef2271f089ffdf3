//! Reading structs that borrow allocates nothing, nor does writing them into a slice or a reused vector.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use testkit::options::Options;
use y3::Packet;
use y3::serde::{from_slice, to_vec};

use crate::counting::allocations;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reading<'a> {
    #[serde(rename = "0x10")]
    noise: f32,
    #[serde(rename = "0x11")]
    from: &'a str,
    #[serde(rename = "0x12", borrow)]
    kept: Option<Packet<'a>>,
    #[serde(rename = "0x13")]
    pair: (u8, [i64; 2]),
}

#[test]
fn a_struct_that_borrows_allocates_nothing_in_either_direction() {
    let kept = [0x92, 0x03, 0x01, 0x01, 0x07];
    let kept = Some(Packet::from_slice(&kept).unwrap());
    let reading = Reading { noise: 45.5, from: "10.0.3.113", kept, pair: (1, [-1, i64::MAX]) };
    let bytes = to_vec(&reading).unwrap();
    let (mut buffer, mut out) = ([0; 128], Vec::with_capacity(1024));

    assert_eq!(allocations(|| Options::DEFAULT.to_slice(&mut buffer, &reading).unwrap().len()), 0);
    assert_eq!(allocations(|| Options::DEFAULT.to_sink(&mut out, &reading)), 0);
    assert_eq!(allocations(|| from_slice::<Reading>(&bytes).unwrap()), 0);
}

#[test]
fn an_owned_vector_is_made_once() {
    let items: Vec<u64> = (0..1000).collect();
    let bytes = to_vec(&items).unwrap();
    assert_eq!(allocations(|| from_slice::<Vec<u64>>(&bytes).unwrap()), 1);
    assert_eq!(allocations(|| y3::decode::<Vec<u64>>(&bytes).unwrap()), 1);
}

#[test]
fn unknown_packets_and_lengths_that_lie_allocate_nothing_but_the_error() {
    #[derive(Deserialize)]
    struct Nothing {}
    let bytes = to_vec(&BTreeMap::from([(1, "a"), (2, "b"), (63, "c")])).unwrap();
    assert_eq!(allocations(|| from_slice::<Nothing>(&bytes).map(|Nothing {}| ())), 0);
    let error = [0xc1, 0x08, 0xc0, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x00];
    assert_eq!(allocations(|| from_slice::<Vec<Vec<u64>>>(&error).unwrap_err()), 1);
}
