//! Readings: noise as it was recorded, and as it is printed.
//!
//! In: the recorded session of the crate. Out: its payloads, one after the other; and a line of text for a payload.

use bytes::Bytes;
use y3::{PathSet, path, slice_ref};

/// 2,000 data frames among others.
static RECORDING: Bytes = Bytes::from_static(include_bytes!("../../../../../tests/data/noise.y3"));

const PAYLOADS: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
const READINGS: PathSet<2> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]);

/// The recorded payloads, over and over. None is copied.
pub(super) fn payloads() -> impl Iterator<Item = Bytes> {
    let once = || {
        let payloads = PAYLOADS.watch(&RECORDING).map_while(Result::ok);
        payloads.filter_map(|payload| slice_ref(&RECORDING, payload.value())).collect::<Vec<_>>()
    };
    once().into_iter().cycle()
}

/// The reading in a payload, or `None` if there is none.
pub(super) fn line(payload: &[u8]) -> Option<String> {
    let (mut noise, mut from) = (None, None);
    for hit in READINGS.watch(payload) {
        let hit = hit.ok()?;
        match hit.path_index() {
            0 => noise = hit.decode::<f32>().ok(),
            _ => from = hit.decode::<&str>().ok(),
        }
    }
    Some(format!("{:.2} dB from {}", noise?, from?))
}
