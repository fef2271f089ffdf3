//! Reads the whole recorded session and compares it with its description in JSON.

use serde::Deserialize;
use y3::{PVarInt, Packet, PathSet, packets, path};

use testkit::oracle::trees::{Dialect, Tree, Value};
use testkit::typed::encode;

const RECORDING: &[u8] = include_bytes!("../data/noise.y3");

#[derive(Deserialize)]
struct Reading {
    i: usize,
    frame_bytes: usize,
    tag: u32,
    noise: f32,
    time: i64,
    from: String,
}

fn frames() -> Vec<Reading> {
    let frames: Vec<Reading> =
        include_str!("../data/noise.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(frames.len(), 2000);
    assert!(frames.iter().enumerate().all(|(place, frame)| frame.i == place));
    frames
}

/// True if the packet borrows from the recording at its own offset; a copy or equal bytes elsewhere do not count.
fn lies_where_it_says(packet: &Packet<'_>) -> bool {
    let start = usize::try_from(packet.offset()).unwrap();
    let bytes = &RECORDING[start..start + packet.as_bytes().len()];
    std::ptr::eq(bytes, packet.as_bytes()) && packet.as_bytes().ends_with(packet.value())
}

#[test]
fn the_recording_holds_the_packets_of_a_session() {
    assert_eq!(y3::check(RECORDING), Ok(()));
    let all: Vec<_> = packets(RECORDING).map(Result::unwrap).collect();
    assert_eq!(all.len(), 2003);
    assert!(all.iter().all(lies_where_it_says));
    let tags: Vec<u8> = all.iter().map(|packet| packet.tag().get()).collect();
    assert_eq!((tags[0], tags[1], tags[2002]), (0xb1, 0xa9, 0xae));
    assert!(tags[2..2002].iter().all(|&tag| tag == 0xbf));
    // Each packet begins where the packet before it ends.
    let ends = all.iter().map(|packet| packet.offset() + packet.as_bytes().len() as u64);
    assert!(ends.eq(all[1..].iter().map(Packet::offset).chain([RECORDING.len() as u64])));

    let handshake = all[0];
    let keys: Vec<u8> = handshake.children().map(|field| field.unwrap().key().get()).collect();
    assert_eq!(keys, [0x01, 0x03, 0x02, 0x06, 0x04, 0x05, 0x07, 0x09, 0x08]);
    assert_eq!(handshake.find(0x01).unwrap().unwrap().decode(), Ok("noise-source"));
    let observed = handshake.find(0x06).unwrap().unwrap().value();
    let observed: Vec<u32> = observed.chunks(4).map(|tag| u32::from_le_bytes(tag.try_into().unwrap())).collect();
    assert_eq!(observed, [51, 52]);
    assert_eq!(all[1].as_bytes(), [0xa9, 0x00]);
    assert_eq!(all[2002].find(0x01).unwrap().unwrap().decode(), Ok("server is going away"));
}

#[test]
fn every_frame_agrees_with_the_recorded_json() {
    let data = packets(RECORDING).map(Result::unwrap).filter(|packet| packet.tag().get() == 0xbf);
    let mut count = 0;
    for (packet, frame) in data.zip(frames()) {
        assert_eq!(packet.as_bytes().len(), frame.frame_bytes, "frame {}", frame.i);
        let fields: Vec<_> = packet.children().map(Result::unwrap).collect();
        assert!(fields.iter().all(|field| lies_where_it_says(field) && !field.is_node()));
        let [tag, metadata, payload] = fields[..] else { panic!("frame {} has {} fields", frame.i, fields.len()) };
        assert_eq!((tag.key().get(), metadata.key().get(), payload.key().get()), (0x01, 0x03, 0x02));
        assert_eq!(tag.decode(), Ok(frame.tag), "frame {}", frame.i);
        assert!(metadata.value().is_empty() || metadata.decode::<&str>().unwrap().starts_with("tid="));

        // Writes the contents of the frame again: the payload in one dialect, the frame in the other.
        let reading = Tree::node(
            0x10,
            vec![
                Tree::leaf(0x11, Value::F32(frame.noise.to_bits())),
                Tree::leaf(0x12, Value::I64(frame.time)),
                Tree::leaf(0x13, Value::Text(frame.from)),
            ],
        );
        let reading = encode(&[Tree::node(0x01, vec![reading])], Dialect::PVar).unwrap();
        let fields = vec![
            Tree::leaf(0x01, Value::U32(frame.tag)),
            Tree::bytes(0x03, metadata.value()),
            Tree::leaf(0x02, Value::Bytes(reading)),
        ];
        let again = encode(&[Tree::node(0x3f, fields)], Dialect::NVar);
        assert_eq!(again.as_deref(), Ok(packet.as_bytes()), "frame {}", frame.i);
        count += 1;
    }
    assert_eq!(count, 2000);
}

#[test]
fn watching_the_payloads_finds_every_reading() {
    const READING: PathSet<3> = PathSet::new([
        path!(0x3f, 0x02 => 0x01, 0x10, 0x11),
        path!(0x3f, 0x02 => 0x01, 0x10, 0x12),
        path!(0x3f, 0x02 => 0x01, 0x10, 0x13),
    ]);

    let hits: Vec<_> = READING.watch(RECORDING).filter_map(Result::ok).collect();
    assert_eq!(hits.len(), 6000);
    for (hits, frame) in hits.chunks(3).zip(frames()) {
        assert!(hits.iter().all(|hit| lies_where_it_says(&hit.packet())), "frame {}", frame.i);
        assert_eq!(hits[0].decode::<f32>().map(f32::to_bits), Ok(frame.noise.to_bits()), "frame {}", frame.i);
        assert_eq!(hits[1].decode(), Ok(PVarInt(frame.time)), "frame {}", frame.i);
        assert_eq!(hits[2].decode(), Ok(frame.from.as_str()), "frame {}", frame.i);
    }
}
