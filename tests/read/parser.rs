//! The parsers inside a user's nom grammar, with nom's own error type. The frames of a made-up protocol carry packets.
//! Input that comes whole or in pieces must give the same packets, or an error at its offset.

use y3::parser::nom::branch::alt;
use y3::parser::nom::bytes::tag;
use y3::parser::nom::combinator::{all_consuming, complete, opt, recognize, verify};
use y3::parser::nom::error::{Error, ErrorKind, ParseError};
use y3::parser::nom::multi::{fold_many_m_n, length_data, many0_count};
use y3::parser::nom::number::be_u8;
use y3::parser::nom::sequence::{delimited, pair, preceded};
use y3::parser::nom::{Err, Needed};
use y3::parser::{Parser, header, packet};
use y3::{Header, Packet};

type Failed<'a> = Error<&'a [u8]>;

/// A message of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Message<'a> {
    /// `h`, then one packet between brackets.
    Hello(Packet<'a>),
    /// `p`, then two packets; the first must be a node.
    Pair(Packet<'a>, Packet<'a>),
    /// `s`, then two packets, whose keys are added.
    Sum(u32),
    /// `l`, a length byte, then packets of this total length.
    Framed(usize),
    /// `r`, then a packet, of which only the bytes are kept, then an optional mark.
    Raw(&'a [u8], Option<char>),
    /// `?`, then only a header.
    Peek(Header),
}

fn message<'a>() -> impl Parser<&'a [u8], Output = Message<'a>, Error = Failed<'a>> {
    let node = verify(packet(), |packet: &Packet<'_>| packet.is_node());
    let sum = fold_many_m_n(2, 2, packet(), || 0, |sum, packet: Packet<'_>| sum + u32::from(packet.key().get()));
    alt((
        preceded(tag(&b"h"[..]), delimited(tag(&b"["[..]), packet(), tag(&b"]"[..]))).map(Message::Hello),
        preceded(tag(&b"p"[..]), pair(node, packet())).map(|(node, other)| Message::Pair(node, other)),
        preceded(tag(&b"s"[..]), sum).map(Message::Sum),
        preceded(tag(&b"l"[..]), length_data(be_u8()).and_then(complete(all_consuming(many0_count(packet())))))
            .map(Message::Framed),
        preceded(tag(&b"r"[..]), pair(recognize(packet()), opt(tag(&b"!"[..]).map(|_| '!'))))
            .map(|(bytes, mark)| Message::Raw(bytes, mark)),
        preceded(tag(&b"?"[..]), header()).map(Message::Peek),
    ))
}

fn only(bytes: &[u8]) -> Packet<'_> {
    Packet::from_slice(bytes).unwrap()
}

/// Frames, each with its message.
fn frames() -> Vec<(&'static [u8], Message<'static>)> {
    vec![
        (b"h[\x01\x01\x05]", Message::Hello(only(b"\x01\x01\x05"))),
        (b"h[\x81\x80\x02\x02\x00]", Message::Hello(only(b"\x81\x80\x02\x02\x00"))),
        (b"p\x81\x00\x02\x01\xff", Message::Pair(only(b"\x81\x00"), only(b"\x02\x01\xff"))),
        (b"s\x10\x00\x91\x02\x01\x00", Message::Sum(0x21)),
        (b"l\x05\x01\x00\x02\x01\x07", Message::Framed(2)),
        (b"l\x00", Message::Framed(0)),
        (b"r\x01\x01\x05!", Message::Raw(b"\x01\x01\x05", Some('!'))),
        (b"?\x81\x80\x40", Message::Peek(header::<y3::ErrorKind>().parse(b"\x81\x80\x40").unwrap().1)),
    ]
}

#[test]
fn a_grammar_reads_its_frames_in_both_modes() {
    for (frame, expected) in frames() {
        let input = [frame, b"more"].concat();
        assert_eq!(message().parse(&input), Ok((&b"more"[..], expected)), "streaming");
        assert_eq!(message().parse_complete(&input), Ok((&b"more"[..], expected)), "complete, with more after");
        assert_eq!(message().parse_complete(frame), Ok((&b""[..], expected)), "complete");
    }
}

#[test]
fn a_frame_that_is_cut_is_incomplete_while_more_may_come_and_an_error_when_none_will() {
    for (frame, _) in frames() {
        for cut in 0..frame.len() {
            match message().parse(&frame[..cut]) {
                // Never more than the rest of the frame.
                Err(Err::Incomplete(Needed::Size(missing))) => {
                    assert!(missing.get() <= frame.len() - cut, "{frame:x?} {cut}");
                }
                other => panic!("{frame:x?} cut at {cut}: {other:?}"),
            }
            // The mark at the end of this frame is optional at the end of the input.
            let whole_without = frame.starts_with(b"r") && cut == frame.len() - 1;
            assert_eq!(message().parse_complete(&frame[..cut]).is_ok(), whole_without, "{frame:x?} cut at {cut}");
            assert!(!matches!(message().parse_complete(&frame[..cut]), Err(Err::Incomplete(_))), "{frame:x?} {cut}");
        }
    }
}

/// An invalid length ends the whole grammar: no other branch of an `alt` may parse the bytes as something else.
#[test]
fn a_bad_length_is_a_failure_at_the_packet_in_both_modes() {
    for (bad, kind) in [
        (&b"\x01\x7f"[..], y3::ErrorKind::NegativeLength),
        (b"\x01\xc0", y3::ErrorKind::NegativeLength),
        (b"\x01\x80\x80\x80\x80\x80", y3::ErrorKind::LengthOverflow),
        (b"\x01\x88\x80\x80\x80\x00", y3::ErrorKind::LengthOverflow),
    ] {
        let input = [b"h[", bad, b"]"].concat();
        let failure = Err(Err::Failure(Error::new(&input[2..], ErrorKind::Verify)));
        assert_eq!(message().parse(&input), failure);
        assert_eq!(message().parse_complete(&input), failure);
        let mut either = alt((packet::<y3::ErrorKind>().map(|_| 1), tag(&b"\x01"[..]).map(|_| 2)));
        assert_eq!(either.parse(bad), Err(Err::Failure(kind)));
        assert_eq!(either.parse_complete(bad), Err(Err::Failure(kind)));
        // With another packet in front, the error of the second packet is an error of the whole.
        let second = [b"s\x01\x00", bad].concat();
        assert_eq!(message().parse(&second), Err(Err::Failure(Error::new(&second[3..], ErrorKind::Verify))));
    }
}

/// A user's error type with only the traits that nom requires.
#[derive(Debug, PartialEq)]
struct Own(usize, Option<y3::ErrorKind>);

impl ParseError<&[u8]> for Own {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Own(input.len(), None)
    }

    fn append(_: &[u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl y3::parser::nom::error::FromExternalError<&[u8], y3::ErrorKind> for Own {
    fn from_external_error(input: &[u8], _: ErrorKind, kind: y3::ErrorKind) -> Self {
        Own(input.len(), Some(kind))
    }
}

#[test]
fn a_users_own_error_type_gets_the_input_and_the_kind() {
    let input = [0x01, 0x00, 0x02, 0x7f, 0x00];
    let mut two = pair(packet::<Own>(), packet());
    assert_eq!(two.parse(&input), Err(Err::Failure(Own(3, Some(y3::ErrorKind::NegativeLength)))));
    assert_eq!(two.parse_complete(&input[..3]), Err(Err::Error(Own(1, None))));
}

#[test]
fn a_fault_keeps_the_kind_and_tells_a_mismatch_from_a_cut() {
    let mismatch = tag::<_, _, y3::ErrorKind>(&b"h"[..]).parse(&b"x"[..]).unwrap_err();
    assert_eq!(mismatch, Err::Error(y3::ErrorKind::InvalidValue));
    let cut = complete(packet::<y3::ErrorKind>()).parse(&b"\x01\x05"[..]).unwrap_err();
    assert_eq!(cut, Err::Error(y3::ErrorKind::UnexpectedEnd));
    // `alt` appends its own kind and keeps the error of the last branch.
    let neither = alt((tag(&b"h"[..]), tag(&b"p"[..]))).parse(&b"x"[..]).unwrap_err();
    assert_eq!(neither, Err::Error(y3::ErrorKind::InvalidValue));
    let negative = alt((packet::<y3::ErrorKind>(), packet())).parse(&b"\x01\x7f"[..]).unwrap_err();
    assert_eq!(negative, Err::Failure(y3::ErrorKind::NegativeLength));
}
