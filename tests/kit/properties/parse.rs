//! Parse: every packet lies at its offset, an error has an offset in the input and ends the iteration, and the work is
//! linear.
//!
//! The bytes are the input, which is accepted if they are valid at every depth.

use y3::iter::Packets;
use y3::{Error, ErrorKind, Packet, Patterns};

use crate::oracle::same::{drain, row, rows};

pub fn property(bytes: &[u8]) -> bool {
    let then = level(bytes, y3::packets(bytes)).1;
    one(bytes);

    // A packet has at least two bytes, so no reader takes more steps than half the number of bytes.
    let walked = rows(bytes, y3::walk(bytes));
    assert!(walked.0.len() <= bytes.len() / 2, "{} packets in {} bytes", walked.0.len(), bytes.len());
    assert!(walked.0.is_sorted_by(|row, next| row.offset < next.offset), "the offsets of a walk do not ascend");
    let everywhere = Patterns(["**".parse().expect("a pattern")]);
    // A watch enters a packet that is cut off; a walk does not.
    if then.is_none() {
        let watched = everywhere.watch(bytes).map(|hit| Ok(hit?.packet()));
        assert_eq!(rows(bytes, watched), walked, "a watch of every key at any depth");
    }
    assert_eq!(y3::check(bytes).err(), walked.1, "check");
    if let Some(error) = walked.1 {
        in_range(error, bytes);
        assert!(then.is_none_or(|then| then.offset() >= error.offset()), "{error}, but a jump finds {then:?} before");
    }

    let mut steps = walked.0.len();
    for packet in y3::walk(bytes).map_while(Result::ok) {
        let (inside, fault) = level(bytes, if packet.is_node() { packet.children() } else { packet.embedded() });
        let range = packet.offset()..packet.offset() + packet.as_bytes().len() as u64;
        assert!(fault.is_none_or(|fault| range.contains(&fault.offset())), "{fault:?} outside of {packet:x?}");
        steps += inside;
        values(&packet);
        if !packet.is_node() {
            let not_a_node = Error::new(ErrorKind::NotANode, packet.offset());
            assert_eq!(drain(packet.children()), (vec![], Some(not_a_node)));
        }
    }
    assert!(steps <= bytes.len(), "{steps} steps in {} bytes", bytes.len());
    walked.1.is_none()
}

/// Asserts that each packet begins where the packet before it ends. Returns their number and the error that ends them.
fn level(bytes: &[u8], mut packets: Packets<'_>) -> (usize, Option<Error>) {
    let mut count = 0;
    loop {
        let (start, rest, (least, most)) = (packets.offset(), packets.remainder(), packets.size_hint());
        let again = packets.clone().next();
        let next = packets.next();
        assert_eq!(again, next, "a clone yields another item");
        let left = usize::from(next.is_some());
        assert!(least <= left && most.is_some_and(|most| left <= most), "{least} to {most:?}, but {left}");
        match next {
            Some(Ok(packet)) => {
                let row = row(bytes, &packet);
                assert_eq!((packet.offset(), packet.as_bytes().as_ptr()), (start, rest.as_ptr()));
                assert_eq!(
                    (packets.offset(), packets.remainder().as_ptr_range().end),
                    (row.value.end as u64, rest.as_ptr_range().end)
                );
                assert_eq!(packets.remainder().len() + packet.as_bytes().len(), rest.len());
                count += 1;
            }
            Some(Err(error)) => {
                in_range(error, bytes);
                assert!((start..start + rest.len() as u64).contains(&error.offset()), "{error}");
                assert!(packets.remainder().is_empty() && packets.next().is_none() && packets.next().is_none());
                return (count, Some(error));
            }
            None => {
                assert!(rest.is_empty() && packets.next().is_none());
                return (count, None);
            }
        }
    }
}

fn in_range(error: Error, bytes: &[u8]) {
    assert!(error.offset() < bytes.len() as u64, "{error}, but the input has {} bytes", bytes.len());
    assert!(error.to_string().ends_with(&format!(" at byte {}", error.offset())), "{error}");
}

/// Parses the input as exactly one packet.
fn one(bytes: &[u8]) {
    let mut packets = y3::packets(bytes);
    let expected = match packets.next() {
        Some(Ok(packet)) if packet.as_bytes().len() == bytes.len() => Ok(packet),
        Some(Ok(_)) => Err(Error::new(ErrorKind::TrailingBytes, packets.offset())),
        Some(Err(error)) => Err(error),
        None => Err(Error::new(ErrorKind::UnexpectedEnd, 0)),
    };
    assert_eq!(Packet::from_slice(bytes), expected);
}

/// Asserts that an error about a value has an offset in that value, and that a node is read as none of the types.
fn values(packet: &Packet<'_>) {
    let end = packet.offset() + packet.as_bytes().len() as u64;
    let start = end - packet.value().len() as u64;
    let errors = [
        packet.decode::<&str>().err(),
        packet.decode::<i64>().err(),
        packet.decode::<f64>().err(),
        packet.decode::<bool>().err(),
    ];
    if packet.is_node() {
        assert_eq!(errors, [Some(Error::new(ErrorKind::NotAPrimitive, packet.offset())); 4]);
        return;
    }
    for error in errors.into_iter().flatten() {
        assert!((start..=end).contains(&error.offset()), "{error}, but the value is {start}..{end}");
    }
}
