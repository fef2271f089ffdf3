//! Parser: the nom parsers, which are also what the iterators of this crate run on.
//!
//! In: bytes that begin with a packet. Out: its header, or the packet itself, borrowed; or how many bytes are missing.

use core::num::NonZero;

use nom::error::{FromExternalError, ParseError};
use nom::{Err, IsStreaming, Mode, Needed, OutputMode, PResult};

pub use nom::{self, Parser};

use super::packet::Packet;
use crate::error::ErrorKind;
use crate::wire::header::Stop;

pub use crate::wire::header::Header;

/// The error of these parsers: the fault alone, one byte. Where it lies the caller knows: in the packet just asked for.
///
/// A grammar with an error type of its own can use the parsers too: they ask of it only what `nom::error::Error` offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault(pub ErrorKind);

impl<I> ParseError<I> for Fault {
    fn from_error_kind(_: I, kind: nom::error::ErrorKind) -> Self {
        Fault(if kind == nom::error::ErrorKind::Eof { ErrorKind::UnexpectedEnd } else { ErrorKind::InvalidValue })
    }

    fn append(_: I, _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

impl<I> FromExternalError<I, ErrorKind> for Fault {
    fn from_external_error(_: I, _: nom::error::ErrorKind, kind: ErrorKind) -> Self {
        Fault(kind)
    }
}

/// Parses a header; the input left begins with the value.
///
/// Cost: O(1); allocates never. In nom's streaming mode a header that is cut is `Incomplete` with the bytes missing at
/// the least; in complete mode it is an error.
///
/// # Errors
/// `Failure` for [`ErrorKind::NegativeLength`] and [`ErrorKind::LengthOverflow`]: behind a tag there is no other branch
/// to try. In complete mode `Error` for [`ErrorKind::UnexpectedEnd`].
///
/// # Examples
/// ```
/// use y3::parser::{header, nom, Fault, Parser};
///
/// assert!(header::<Fault>().parse(&[0x81]).unwrap_err().is_incomplete());
/// let fault = Fault(y3::ErrorKind::NegativeLength);
/// assert_eq!(header().parse(&[0x81, 0x7f]), Err(nom::Err::Failure(fault)));
/// ```
/// Source: SPEC §3
#[must_use]
pub fn header<'a, E>() -> impl Parser<&'a [u8], Output = Header, Error = E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    HeaderParser(core::marker::PhantomData)
}

/// Parses one packet and borrows it; its offset counts from the first byte of the input given here.
///
/// Cost: O(1), the value is not read; allocates never. In nom's streaming mode a packet that is cut is `Incomplete` with
/// the bytes missing: exactly, once its header is there, at the least before. A hostile length makes that number large
/// (up to 2^31-1): check it against a limit of your own before waiting for so many bytes.
///
/// Around it mind that some of nom's own combinators, `length_value` among them, stay in streaming mode even inside
/// `complete`; `length_data(…).and_then(complete(packet()))` does not.
///
/// # Errors
/// As [`header`].
///
/// # Examples
/// ```
/// use y3::parser::{nom, packet, Fault, Parser};
///
/// let (rest, packet) = packet::<Fault>().parse(&[0x01, 0x01, 0x05, 0x02]).unwrap();
/// assert_eq!((packet.value(), rest), (&[0x05][..], &[0x02][..]));
///
/// let missing = y3::parser::packet::<Fault>().parse(&[0x01, 0x05, 0xaa]).unwrap_err();
/// assert_eq!(missing, nom::Err::Incomplete(nom::Needed::new(4)));
/// ```
/// Source: SPEC §3
#[must_use]
pub fn packet<'a, E>() -> impl Parser<&'a [u8], Output = Packet<'a>, Error = E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    PacketParser(core::marker::PhantomData)
}

// Parsers of our own, generic over nom's output mode, run level with a loop written by hand; combinators take half as
// long again (DESIGN: facts measured).
struct HeaderParser<E>(core::marker::PhantomData<E>);
struct PacketParser<E>(core::marker::PhantomData<E>);

impl<'a, E> Parser<&'a [u8]> for HeaderParser<E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    type Output = Header;
    type Error = E;

    #[inline(always)]
    fn process<OM: OutputMode>(&mut self, input: &'a [u8]) -> PResult<OM, &'a [u8], Header, E> {
        if let Some((header, value)) = Header::short(input) {
            return Ok((value, OM::Output::bind(|| header)));
        }
        match Header::long(input) {
            Ok(header) => {
                let value = input.get(header.size()..).unwrap_or_default();
                Ok((value, OM::Output::bind(|| header)))
            }
            Err(Stop::Missing(bytes)) => Err(missing::<OM, E>(input, bytes)),
            Err(Stop::Fault(kind)) => {
                Err(Err::Failure(E::from_external_error(input, nom::error::ErrorKind::Verify, kind)))
            }
        }
    }
}

impl<'a, E> Parser<&'a [u8]> for PacketParser<E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    type Output = Packet<'a>;
    type Error = E;

    #[inline(always)]
    fn process<OM: OutputMode>(&mut self, input: &'a [u8]) -> PResult<OM, &'a [u8], Packet<'a>, E> {
        type Headers<OM> = nom::OutputM<nom::Emit, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

        // The value's end is the next packet's start: one addition behind the load of its length.
        let (value, header) = HeaderParser(self.0).process::<Headers<OM>>(input)?;
        match value.split_at_checked(header.value_len()) {
            Some((value, rest)) => Ok((rest, OM::Output::bind(|| Packet::new(header, input, value)))),
            None => Err(missing::<OM, E>(input, header.packet_len() - input.len())),
        }
    }
}

#[cold]
fn missing<'a, OM: OutputMode, E: ParseError<&'a [u8]>>(
    input: &'a [u8],
    bytes: usize,
) -> Err<E, <OM::Error as Mode>::Output<E>> {
    if OM::Incomplete::is_streaming() {
        Err::Incomplete(NonZero::new(bytes).map_or(Needed::Unknown, Needed::Size))
    } else {
        Err::Error(OM::Error::bind(|| E::from_error_kind(input, nom::error::ErrorKind::Eof)))
    }
}
