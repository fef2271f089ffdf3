//! Packets with tokio: framed reads and writes.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use tokio_util::codec::{Decoder, Encoder, FramedRead};
use y3::{Error, ErrorKind, Limits, PacketCodec, ReadError};

use testkit::chunks::Slow;

const RECORDING: &[u8] = include_bytes!("../data/noise.y3");

/// The items of a codec for an input that arrives in pieces of this size.
fn decode<T: std::fmt::Debug>(
    codec: &mut impl Decoder<Item = T, Error = ReadError>,
    input: &[u8],
    size: usize,
) -> (Vec<T>, Option<Error>) {
    let (mut buffer, mut packets) = (BytesMut::new(), Vec::new());
    for chunk in input.chunks(size) {
        buffer.extend_from_slice(chunk);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(packet)) => packets.push(packet),
                Ok(None) => break,
                Err(ReadError::Packet(error)) => return (packets, Some(error)),
                Err(error) => panic!("{error}"),
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
fn a_codec_gives_the_packets_of_the_recording_however_they_come() {
    let expected: Vec<_> = y3::packets(RECORDING).map(|packet| Bytes::from(packet.unwrap().as_bytes())).collect();
    for size in [1, 7, 100, 4096, RECORDING.len()] {
        let codec = || PacketCodec::new(Limits::DEFAULT);
        assert_eq!(decode(&mut codec(), RECORDING, size), (expected.clone(), None));
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

/// A packet is refused at its header if its buffer would have to double beyond the largest allocation.
#[test]
fn a_packet_longer_than_a_buffer_can_be_is_refused_at_its_header() {
    let mut codec = PacketCodec::new(Limits::NONE);
    // 512 MiB including the header, which every machine accepts, and one byte more.
    let most = [0x01, 0x81, 0xff, 0xff, 0xff, 0x7a];
    assert_eq!(codec.decode(&mut BytesMut::from(&most[..])).unwrap(), None);
    let more = codec.decode(&mut BytesMut::from(&[0x01, 0x81, 0xff, 0xff, 0xff, 0x7b][..]));
    if usize::BITS == 32 {
        assert!(matches!(more, Err(ReadError::Packet(error)) if error == Error::new(ErrorKind::SizeLimit, 0)));
    } else {
        assert_eq!(more.unwrap(), None);
    }
}

/// The end of a stream inside a packet is an error, which stays even if the rest of the packet arrives later.
#[test]
fn the_error_at_the_end_of_a_stream_stays() {
    fn check<T: std::fmt::Debug>(mut codec: impl Decoder<Item = T, Error = ReadError>) {
        let mut buffer = BytesMut::from(&[0x01, 0x00, 0x01, 0x02, 0x05][..]);
        let end = Error::new(ErrorKind::UnexpectedEnd, 2);
        let is_end = |result| matches!(result, Err(ReadError::Packet(error)) if error == end);
        assert!(codec.decode_eof(&mut buffer).unwrap().is_some());
        assert!(is_end(codec.decode_eof(&mut buffer)));
        buffer.extend_from_slice(&[0x06, 0x02, 0x00]);
        assert!(is_end(codec.decode(&mut buffer)));
        assert!(is_end(codec.decode_eof(&mut buffer)));
        assert!(is_end(codec.decode_eof(&mut BytesMut::new())));
    }
    check(PacketCodec::new(Limits::DEFAULT));
}

/// A packet beyond the limit is skipped, wherever its bytes are cut. The packet after it is complete.
#[test]
fn a_codec_goes_on_after_a_packet_that_is_too_long() {
    let input = [&[0x01, 0x01, 0x05, 0x02, 0x0a][..], &[0; 10], &[0x03, 0x01, 0x07]].concat();
    for size in 1..=input.len() {
        let (mut codec, mut buffer) = (PacketCodec::new(Limits::DEFAULT.with_max_packet_len(8)), BytesMut::new());
        let (mut packets, mut errors) = (Vec::new(), Vec::new());
        for part in input.chunks(size) {
            buffer.extend_from_slice(part);
            loop {
                match codec.decode(&mut buffer) {
                    Ok(Some(packet)) => packets.push(packet.to_vec()),
                    Ok(None) => break,
                    Err(ReadError::Packet(error)) => {
                        assert_eq!(codec.error(), Some(error));
                        assert!(codec.explain(error).to_string().contains("packet 0x02 at byte 3"));
                        assert!(codec.resume());
                        errors.push(error);
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        assert!(codec.decode_eof(&mut buffer).unwrap().is_none());
        assert_eq!(errors, [Error::new(ErrorKind::SizeLimit, 3)], "{size} bytes at a time");
        assert_eq!(packets, [[0x01, 0x01, 0x05], [0x03, 0x01, 0x07]]);
        assert_eq!((codec.offset(), codec.error()), (input.len() as u64, None));
    }
}

/// The codec sends the value as the encoder writes it, or nothing.
#[test]
fn a_codec_sends_values_or_nothing() {
    let (mut codec, mut wire) = (PacketCodec::new(Limits::DEFAULT.with_max_packet_len(8)), BytesMut::new());
    codec.encode((0x11, 300i32), &mut wire).unwrap();
    codec.encode((0x12, &["a", "b"]), &mut wire).unwrap();
    let sent = [y3::to_vec(0x11, &300i32).unwrap(), y3::to_vec(0x12, &["a", "b"]).unwrap()].concat();
    assert_eq!(wire, sent);
    let kind = |error| if let ReadError::Packet(error) = error { error.kind() } else { panic!("{error}") };
    assert_eq!(kind(codec.encode((0x13, "too long"), &mut wire).unwrap_err()), ErrorKind::SizeLimit);
    assert_eq!(kind(codec.encode((0x40, 7i32), &mut wire).unwrap_err()), ErrorKind::InvalidKey);
    assert_eq!(wire, sent, "nothing of it is sent");
}

#[test]
fn a_codec_sends_exactly_one_packet_or_nothing() {
    let (mut codec, mut wire) = (PacketCodec::new(Limits::DEFAULT.with_max_packet_len(20)), BytesMut::new());
    let packets: [&[u8]; 3] = [&[0x01, 0x00], &[0x81, 0x03, 0x02, 0x01, 0xff], &[0x01, 0x80, 0x01, 0xff]];
    for packet in packets {
        codec.encode(Bytes::from_static(packet), &mut wire).unwrap();
    }
    assert_eq!(wire, packets.concat());
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
fn a_framed_stream_loses_nothing_when_its_source_fails() {
    let mut expected = y3::packets(RECORDING);
    let mut framed = FramedRead::new(Slow::new(RECORDING, &[3, 100, 1, 5000]), PacketCodec::new(Limits::DEFAULT));
    loop {
        match next(&mut framed) {
            Some(Ok(packet)) => assert_eq!(packet, expected.next().unwrap().unwrap().as_bytes()),
            None if expected.remainder().is_empty() => break,
            // After an error `FramedRead` reports the end once.
            Some(Err(ReadError::Io(_))) | None => {}
            Some(Err(error)) => panic!("{error}"),
        }
    }
    assert!(expected.next().is_none());
}
