//! nom equals packets: parsers that get only the bytes that they ask for return the packets that the iterator returns.
//! A prefix of a packet is `Incomplete` for streaming parsers and an error for complete ones.
//!
//! The bytes are the input, which is accepted if they are valid siblings.

use y3::parser::nom::combinator::recognize;
use y3::parser::nom::error::Error as NomError;
use y3::parser::nom::{Err, Needed};
use y3::parser::{Parser, header, packet};
use y3::{ErrorKind, Packet};

pub fn property(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    for next in y3::packets(bytes) {
        let start = bytes.len() - rest.len();
        let fed = feed(rest);
        match next {
            Ok(packet) => {
                let (len, parsed) = (packet.as_bytes().len(), fed.unwrap());
                assert_eq!((parsed.as_bytes(), parsed.value()), (packet.as_bytes(), packet.value()));
                assert_eq!((parsed.tag(), parsed.offset()), (packet.tag(), 0));
                same_modes(rest, len);
                rest = &rest[len..];
            }
            Err(error) => {
                let fault = fed.unwrap_err();
                let at = if fault == ErrorKind::UnexpectedEnd { start } else { start + 1 };
                assert_eq!((error.kind(), error.offset()), (fault, at as u64));
                let whole = packet::<ErrorKind>().parse_complete(rest).map(drop);
                let is_cut = fault == ErrorKind::UnexpectedEnd;
                assert_eq!(whole, Err(if is_cut { Err::Error(fault) } else { Err::Failure(fault) }));
                return false;
            }
        }
    }
    assert!(rest.is_empty());
    true
}

/// Parses the first packet from only the bytes that the parser asked for. Asserts that it asked for no byte too many.
fn feed(rest: &[u8]) -> Result<Packet<'_>, ErrorKind> {
    let mut have = 0;
    // The tag and the first length byte, up to four more length bytes, the value.
    for _ in 0..=6 {
        let shown = rest.get(..have).ok_or(ErrorKind::UnexpectedEnd)?;
        match packet::<ErrorKind>().parse(shown) {
            Ok((after, packet)) => {
                assert!(after.is_empty(), "asked for {} bytes too many", after.len());
                return Ok(packet);
            }
            Err(Err::Incomplete(Needed::Size(missing))) => have += missing.get(),
            Err(Err::Failure(kind)) => return Err(kind),
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("the parser asked for bytes seven times");
}

/// Parses the first packet, of `len` bytes, and its header alone, in every mode and with nom's own error type.
fn same_modes(rest: &[u8], len: usize) {
    let expected = Ok((&rest[len..], &rest[..len]));
    assert_eq!(recognize(packet::<ErrorKind>()).parse(rest), expected, "not emitted");
    assert_eq!(recognize(packet::<NomError<&[u8]>>()).parse_complete(rest), Ok((&rest[len..], &rest[..len])));
    let (after, head) = header::<ErrorKind>().parse(rest).unwrap();
    assert_eq!((head.size(), head.packet_len()), (rest.len() - after.len(), len));
    // Every prefix is incomplete: all that end near the header, and one that ends in the value.
    for cut in (0..len).filter(|cut| *cut <= head.size() || cut + 1 == len) {
        let shown = &rest[..cut];
        let Err(Err::Incomplete(Needed::Size(missing))) = packet::<ErrorKind>().parse(shown) else {
            panic!("{cut} of {len} bytes are a packet");
        };
        let is_exact = cut >= head.size();
        assert!(missing.get() == len - cut || !is_exact && missing.get() < len - cut, "{missing} of {}", len - cut);
        let cut = packet::<ErrorKind>().parse_complete(shown).map(drop);
        assert_eq!(cut, Err(Err::Error(ErrorKind::UnexpectedEnd)));
    }
}
