//! Packets and hits over tokio: framed reads and writes, the async reader, and calls that are dropped half way.
#![cfg(feature = "codec")]

mod chunks;

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use chunks::Slow;
use futures_core::Stream;
use tokio_util::codec::{Decoder, Encoder, FramedRead};
use y3::{Error, ErrorKind, Limits, Packet, PacketCodec, PathSet, ReadError, path};

const RECORDING: &[u8] = include_bytes!("data/noise.y3");

/// What a codec gives for an input that comes in pieces of that size.
fn decode(codec: &mut PacketCodec, input: &[u8], size: usize) -> (Vec<Bytes>, Option<Error>) {
    let (mut buffer, mut packets) = (BytesMut::new(), Vec::new());
    for chunk in input.chunks(size) {
        buffer.extend_from_slice(chunk);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(packet)) => packets.push(packet),
                Ok(None) => break,
                Err(ReadError::Packet(error)) => return (packets, Some(error)),
                Err(ReadError::Io(error)) => panic!("{error}"),
            }
        }
        assert!(buffer.capacity() < 64 * size + 4096, "{} bytes for pieces of {size}", buffer.capacity());
    }
    match codec.decode_eof(&mut buffer) {
        Ok(None) => (packets, None),
        Err(ReadError::Packet(error)) => (packets, Some(error)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_recording_packet_by_packet() {
    let expected: Vec<_> = y3::packets(RECORDING).map(|packet| packet.unwrap().as_bytes()).collect();
    for size in [1, 7, 100, 4096, RECORDING.len()] {
        for mut codec in [PacketCodec::new(Limits::DEFAULT), PacketCodec::new(Limits::DEFAULT).checked()] {
            assert_eq!(decode(&mut codec, RECORDING, size), (expected.iter().map(|&p| Bytes::from(p)).collect(), None));
        }
    }
}

#[test]
fn a_packet_is_split_off_not_copied() {
    let mut buffer = BytesMut::from(RECORDING);
    let start = buffer.as_ptr().addr();
    let mut codec = PacketCodec::new(Limits::DEFAULT);
    let mut offset = 0;
    while let Some(packet) = codec.decode(&mut buffer).unwrap() {
        assert_eq!(packet.as_ptr().addr(), start + offset);
        offset += packet.len();
    }
    assert_eq!(offset, RECORDING.len());
}

#[test]
fn faults_and_limits_of_the_codec() {
    let input = [0x01, 0x01, 0x05, 0x02, 0x87, 0xff, 0xff, 0xff, 0x7f];
    let decode = |limits, input: &[u8]| decode(&mut PacketCodec::new(limits), input, 1);
    let one = vec![Bytes::from_static(&[0x01, 0x01, 0x05])];
    assert_eq!(decode(Limits::DEFAULT, &input), (one.clone(), Some(Error::new(ErrorKind::SizeLimit, 3))));
    assert_eq!(decode(Limits::NONE, &input), (one.clone(), Some(Error::new(ErrorKind::UnexpectedEnd, 3))));
    let negative = [0x01, 0x01, 0x05, 0x02, 0x7f];
    assert_eq!(decode(Limits::DEFAULT, &negative), (one, Some(Error::new(ErrorKind::NegativeLength, 4))));
    let endless = [0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
    assert_eq!(decode(Limits::NONE, &endless), (vec![], Some(Error::new(ErrorKind::LengthOverflow, 1))));
}

#[test]
fn a_checked_codec_has_a_depth_limit() {
    let input = [0x81, 0x04, 0x81, 0x02, 0x81, 0x00, 0x01, 0x00];
    let codec = |nodes| PacketCodec::new(Limits::DEFAULT.with_max_depth(nodes)).checked();
    assert_eq!(decode(&mut codec(3), &input, 3).1, None);
    assert_eq!(decode(&mut codec(2), &input, 3).1, Some(Error::new(ErrorKind::DepthLimit, 4)));
    let mut buffer = BytesMut::from(&input[..]);
    let mut codec = codec(0);
    assert!(codec.decode(&mut buffer).is_err());
    assert_eq!(codec.decode(&mut buffer).unwrap().unwrap()[..], [0x01, 0x00], "behind it the stream goes on");
}

#[test]
fn what_is_sent_is_received() {
    let (mut codec, mut wire) = (PacketCodec::new(Limits::DEFAULT.with_max_packet_len(20)), BytesMut::new());
    let packets: [&[u8]; 3] = [&[0x01, 0x00], &[0x81, 0x03, 0x02, 0x01, 0xff], &[0x01, 0x80, 0x01, 0xff]];
    for packet in packets {
        codec.encode(Bytes::from_static(packet), &mut wire).unwrap();
        codec.encode(Packet::from_slice(packet).unwrap(), &mut wire).unwrap();
    }
    assert_eq!(wire, packets.iter().flat_map(|packet| [*packet, *packet]).collect::<Vec<_>>().concat());
    let len = wire.len();
    for (wrong, kind) in [
        (&[0x01, 0x01][..], ErrorKind::UnexpectedEnd),
        (&[0x01, 0x00, 0x00], ErrorKind::TrailingBytes),
        (&[], ErrorKind::UnexpectedEnd),
        (&[&[0x01, 0x13][..], &[0; 19]].concat(), ErrorKind::SizeLimit),
    ] {
        let error = codec.encode(Bytes::copy_from_slice(wrong), &mut wire).unwrap_err();
        assert!(matches!(error, ReadError::Packet(error) if error.kind() == kind));
        assert_eq!(wire.len(), len, "nothing of it is sent");
    }
}

fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(item) = Pin::new(&mut *stream).poll_next(&mut context) {
            return item;
        }
    }
}

#[test]
fn framed_reads_from_a_source_that_fails_now_and_then() {
    let mut expected = y3::packets(RECORDING);
    let mut framed = FramedRead::new(Slow::new(RECORDING, &[3, 100, 1, 5000]), PacketCodec::new(Limits::DEFAULT));
    loop {
        match next(&mut framed) {
            Some(Ok(packet)) => assert_eq!(packet, expected.next().unwrap().unwrap().as_bytes()),
            None if expected.remainder().is_empty() => break,
            // After an error `FramedRead` says once that it ends.
            Some(Err(ReadError::Io(_))) | None => {}
            Some(Err(error)) => panic!("{error}"),
        }
    }
    assert!(expected.next().is_none());
}

const WATCHED: PathSet<2> = PathSet::new([path!(0x3f, 0x01), path!(0x3f, 0x02)]);

/// Each call is polled once and dropped; the next one goes on.
#[test]
fn a_call_dropped_half_way_loses_nothing() {
    let mut expected = WATCHED.watch(RECORDING);
    let mut reader = y3::AsyncReader::new(Slow::new(RECORDING, &[1, 3, 100, 700]), &WATCHED, Limits::DEFAULT);
    let mut context = Context::from_waker(Waker::noop());
    let mut dropped = 0;
    loop {
        let call = std::pin::pin!(reader.next_hit());
        match call.poll(&mut context) {
            Poll::Pending => dropped += 1,
            Poll::Ready(Some(Ok(hit))) => {
                let expected = expected.next().unwrap().unwrap();
                assert_eq!(
                    (hit.path_index(), hit.offset(), &hit.value()[..]),
                    (expected.path_index(), expected.offset(), expected.value())
                );
            }
            Poll::Ready(Some(Err(ReadError::Io(_)))) => {}
            Poll::Ready(Some(Err(error))) => panic!("{error}"),
            Poll::Ready(None) => break,
        }
    }
    assert!(expected.next().is_none() && dropped > 300);
}

/// A source of packets that nobody watches: what is read into is used again and again.
#[test]
fn unwatched_packets_are_not_accumulated() {
    struct Endless {
        given: usize,
        seen: std::collections::BTreeSet<usize>,
    }
    impl tokio::io::AsyncRead for Endless {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut tokio::io::ReadBuf<'_>,
        ) -> Poll<std::io::Result<()>> {
            let place = buffer.initialize_unfilled().as_ptr().addr();
            self.seen.insert(place >> 17);
            if self.given < 64 << 20 {
                let packet = [[0x02, 0x80, 0xbf, 0x7d].as_slice(), &[0xaa; 8189]].concat();
                let start = self.given % packet.len();
                let bytes = &packet[start..packet.len().min(start + buffer.remaining())];
                buffer.put_slice(bytes);
                self.given += bytes.len();
            }
            Poll::Ready(Ok(()))
        }
    }
    let source = Endless { given: 0, seen: std::collections::BTreeSet::new() };
    let mut reader = y3::AsyncReader::new(source, &WATCHED, Limits::DEFAULT);
    let end = next(&mut reader);
    assert!(matches!(end, None | Some(Err(ReadError::Packet(_)))));
    assert!(reader.get_ref().seen.len() <= 3, "{} places", reader.get_ref().seen.len());
}
