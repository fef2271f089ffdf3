//! Packet: the packets of sources, and the results that workers make from them.
//!
//! In: the bytes of a message. Out: the result and where it goes, or the fault as text.
//!
//! ```text
//! packet  node 01 { id 10, node 11 { noise 11, time 12, from 13 }, ballast 14 }
//! result  node 01 { id 10, node 11 { noise 11,          from 13 } }
//! ```

use y3::edit::{Edit, Rule};
use y3::{Encoder, Error, Packet, PathSet, path};

const ROOT: u8 = 0x01;
const ID: u8 = 0x10;
const READING: u8 = 0x11;
const NOISE: u8 = 0x11;
const TIME: u8 = 0x12;
const FROM: u8 = 0x13;
const BALLAST: u8 = 0x14;

const WATCHED: PathSet<2> = PathSet::new([path!(ROOT, ID), path!(ROOT, READING, NOISE)]);
const KEPT: Edit<'static> = Edit::from_rules(&[
    Rule::keep(path!(ROOT, ID)),
    Rule::keep(path!(ROOT, READING, NOISE)),
    Rule::keep(path!(ROOT, READING, FROM)),
]);

/// From this level on a reading is loud.
pub const LOUD: f32 = 70.0;

/// The reason why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// Not one packet, or a value of another width.
    #[error("faulty packet: {0}")]
    Packet(#[from] Error),
    /// A watched value that the packet lacks.
    #[error("a packet without {0}")]
    Missing(&'static str),
    /// A watched value that the packet has more than once, so it is unclear which one counts.
    #[error("a packet with more than one {0}")]
    Twice(&'static str),
}

/// The message that a worker publishes for one packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The last word of the result's subject: `loud` or `quiet`.
    pub class: &'static str,
    /// The packet, projected.
    pub result: Vec<u8>,
}

/// Watches id and noise, and projects the packet.
///
/// Cost: jumps over time, sender and ballast; copies the packets of the result once.
///
/// # Errors
/// See [`Fault`]. Bytes inside unwatched values are not read, so a fault there is not an error.
pub fn work(bytes: &[u8]) -> Result<Outcome, Fault> {
    Packet::from_slice(bytes)?;
    let (id, noise) = watched(bytes)?;
    id.ok_or(Fault::Missing("id"))?;
    let noise = noise.ok_or(Fault::Missing("noise"))?;
    let mut result = Vec::new();
    KEPT.apply(bytes, &mut result)?;
    Ok(Outcome { class: if noise >= LOUD { "loud" } else { "quiet" }, result })
}

fn watched(bytes: &[u8]) -> Result<(Option<u64>, Option<f32>), Fault> {
    let (mut id, mut noise) = (None, None);
    for hit in WATCHED.watch(bytes) {
        let hit = hit?;
        if hit.path_index() == 0 {
            if id.replace(hit.decode::<u64>()?).is_some() {
                return Err(Fault::Twice("id"));
            }
        } else if noise.replace(hit.decode::<f32>()?).is_some() {
            return Err(Fault::Twice("noise"));
        }
    }
    Ok((id, noise))
}

/// The id of a packet or of a result.
pub fn id(bytes: &[u8]) -> Result<u64, Fault> {
    watched(bytes)?.0.ok_or(Fault::Missing("id"))
}

/// The packet with this id. Its content depends only on the id, so that a checker knows each result.
pub fn make(id: u64, ballast: usize) -> Vec<u8> {
    put(id, Some(ballast))
}

/// The result that [`work`] has to make of [`make`]`(id, …)`, written without it.
pub fn expected(id: u64) -> Outcome {
    Outcome { class: if noise(id) >= LOUD { "loud" } else { "quiet" }, result: put(id, None) }
}

/// A packet with a fault; the kind of fault changes with the id.
pub fn poison(id: u64, ballast: usize) -> Vec<u8> {
    let mut bytes = make(id, ballast);
    match id / 7 % 3 {
        // Its last byte is missing.
        0 => drop(bytes.pop()),
        // Noise of five bytes, and no id.
        1 => bytes = vec![0x81, 0x09, 0x91, 0x07, 0x11, 0x05, 1, 2, 3, 4, 5],
        // Another protocol.
        _ => bytes = b"{\"noise\":45.12}".to_vec(),
    }
    bytes
}

fn noise(id: u64) -> f32 {
    // Steps of a quarter, so that the number is exact.
    30.0 + (id.wrapping_mul(2_654_435_761) >> 7 & 0xff) as u8 as f32 / 4.0
}

fn put(id: u64, whole: Option<usize>) -> Vec<u8> {
    let from = format!("10.0.{}.{}", id >> 8 & 0xff, id & 0xff);
    let mut bytes = Vec::new();
    let put = Encoder::new(&mut bytes).node(ROOT, |node| {
        node.put(ID, id)?;
        node.node(READING, |reading| {
            reading.put(NOISE, noise(id))?;
            if whole.is_some() {
                reading.put(TIME, 1_700_000_000_000 + id)?;
            }
            reading.put(FROM, from.as_str())
        })?;
        match whole {
            Some(ballast) => node.put(BALLAST, &vec![id as u8; ballast][..]),
            None => Ok(()),
        }
    });
    debug_assert!(put.is_ok(), "{put:?}");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_id_or_noise_is_a_fault_rather_than_a_guess() {
        let two_ids = [0x81, 0x06, 0x10, 0x01, 0x01, 0x10, 0x01, 0x02];
        assert_eq!(work(&two_ids), Err(Fault::Twice("id")));
        let no_noise = [0x81, 0x03, 0x10, 0x01, 0x01];
        assert_eq!(work(&no_noise), Err(Fault::Missing("noise")));
        let two_packets = [make(1, 0), make(2, 0)].concat();
        assert!(matches!(work(&two_packets), Err(Fault::Packet(_))));
    }
}
