//! nom equals packets: the parsers, fed just the bytes they ask for, give the packets that the iterator gives, and a prefix
//! is `Incomplete` while more may come, an error when none will.
//!
//! In: bytes. Taken: they are sound siblings.

use y3::parser::nom::combinator::recognize;
use y3::parser::nom::error::Error as NomError;
use y3::parser::nom::{Err, Needed};
use y3::parser::{Fault, Parser, header, packet};
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
                let whole = packet::<Fault>().parse_complete(rest).map(drop);
                let is_cut = fault == ErrorKind::UnexpectedEnd;
                assert_eq!(whole, Err(if is_cut { Err::Error(Fault(fault)) } else { Err::Failure(Fault(fault)) }));
                return false;
            }
        }
    }
    assert!(rest.is_empty());
    true
}

/// The packet at the front, of which no byte is shown that was not asked for; its end must be met exactly.
fn feed(rest: &[u8]) -> Result<Packet<'_>, ErrorKind> {
    let mut have = 0;
    // The tag and the first byte of the length, four more of these, the value.
    for _ in 0..=6 {
        let shown = rest.get(..have).ok_or(ErrorKind::UnexpectedEnd)?;
        match packet::<Fault>().parse(shown) {
            Ok((after, packet)) => {
                assert!(after.is_empty(), "asked for {} bytes too many", after.len());
                return Ok(packet);
            }
            Err(Err::Incomplete(Needed::Size(missing))) => have += missing.get(),
            Err(Err::Failure(Fault(kind))) => return Err(kind),
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("asked seven times");
}

/// The packet of `len` bytes at the front in every mode of the parsers, with nom's own error too; and its header alone.
fn same_modes(rest: &[u8], len: usize) {
    let expected = Ok((&rest[len..], &rest[..len]));
    assert_eq!(recognize(packet::<Fault>()).parse(rest), expected, "not emitted");
    assert_eq!(recognize(packet::<NomError<&[u8]>>()).parse_complete(rest), Ok((&rest[len..], &rest[..len])));
    let (after, head) = header::<Fault>().parse(rest).unwrap();
    assert_eq!((head.size(), head.packet_len()), (rest.len() - after.len(), len));
    // Every prefix is short of something: about the header each, in the value some.
    for cut in (0..len).filter(|cut| *cut <= head.size() || cut + 1 == len) {
        let shown = &rest[..cut];
        let Err(Err::Incomplete(Needed::Size(missing))) = packet::<Fault>().parse(shown) else {
            panic!("{cut} of {len} bytes are a packet");
        };
        let is_exact = cut >= head.size();
        assert!(missing.get() == len - cut || !is_exact && missing.get() < len - cut, "{missing} of {}", len - cut);
        let cut = packet::<Fault>().parse_complete(shown).map(drop);
        assert_eq!(cut, Err(Err::Error(Fault(ErrorKind::UnexpectedEnd))));
    }
}
