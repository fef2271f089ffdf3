//! Parsers of packets for grammars written with nom. The iterators of this crate use these parsers too.
//!
//! A parser returns the header of a packet, or the whole packet, borrowed from the input. If the input is incomplete,
//! the parser returns the number of missing bytes.
//!
//! This module re-exports [`nom`] and [`Parser`], so the major version of nom (now 8) is part of the public API of this
//! crate. A new major version of nom is a breaking change of this crate. Outside this module, nom appears in the public
//! API only once: [`ErrorKind`] implements nom's error traits.

use core::num::NonZero;

use nom::error::{FromExternalError, ParseError};
use nom::{Emit, Err, IsStreaming, Mode, Needed, OutputM, OutputMode, PResult, Streaming};

pub use nom::{self, Parser};

use super::packet::Packet;
use crate::error::ErrorKind;
use crate::wire::header::{Header, Stop};
use crate::wire::tag::Tag;

/// [`ErrorKind`] is the error type of these parsers: one byte, without an offset. The caller knows the offset of the
/// packet.
///
/// The parsers also work with any other error type that implements `ParseError` and `FromExternalError`, such as
/// `nom::error::Error`.
impl<I> ParseError<I> for ErrorKind {
    fn from_error_kind(_: I, kind: nom::error::ErrorKind) -> Self {
        if kind == nom::error::ErrorKind::Eof { ErrorKind::UnexpectedEnd } else { ErrorKind::InvalidValue }
    }

    fn append(_: I, _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

impl<I> FromExternalError<I, ErrorKind> for ErrorKind {
    fn from_external_error(_: I, _: nom::error::ErrorKind, kind: ErrorKind) -> Self {
        kind
    }
}

/// Parses a header. The remaining input begins with the value of the packet.
///
/// Cost: O(1). Never allocates. If the header is incomplete, nom's streaming mode returns `Incomplete` with the minimum
/// number of missing bytes. In complete mode, an incomplete header is an error.
///
/// # Errors
/// Returns `Failure` for [`ErrorKind::NegativeLength`] and [`ErrorKind::LengthOverflow`]. After a `Failure`, nom's
/// `alt` tries no other parser. In complete mode, returns `Error` for [`ErrorKind::UnexpectedEnd`].
///
/// # Examples
/// ```
/// use y3::parser::{header, nom, Parser};
///
/// assert!(header::<y3::ErrorKind>().parse(&[0x81]).unwrap_err().is_incomplete());
/// assert_eq!(header().parse(&[0x81, 0x7f]), Err(nom::Err::Failure(y3::ErrorKind::NegativeLength)));
/// ```
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value)
#[must_use]
pub fn header<'a, E>() -> impl Parser<&'a [u8], Output = Header, Error = E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    HeaderParser(core::marker::PhantomData)
}

/// Parses one packet and borrows it. The offset of the packet counts from the start of the input that was passed to the
/// parser.
///
/// Cost: O(1), because the value is not read. Never allocates. If the packet is incomplete, nom's streaming mode
/// returns `Incomplete` with the number of missing bytes. This number is exact if the whole header is present, and a
/// minimum otherwise. A hostile sender can raise the number to 2^31-1. Compare it with a limit of your own before you
/// wait for the bytes.
///
/// Some of nom's combinators, such as `length_value`, stay in streaming mode even inside `complete`. Use
/// `length_data(…).and_then(complete(packet()))` instead.
///
/// # Errors
/// Returns the errors of [`header`].
///
/// # Examples
/// ```
/// use y3::ErrorKind;
/// use y3::parser::{nom, packet, Parser};
///
/// let (rest, first) = packet::<ErrorKind>().parse(&[0x01, 0x01, 0x05, 0x02]).unwrap();
/// assert_eq!((first.value(), rest), (&[0x05][..], &[0x02][..]));
///
/// let missing = packet::<ErrorKind>().parse(&[0x01, 0x05, 0xaa]).unwrap_err();
/// assert_eq!(missing, nom::Err::Incomplete(nom::Needed::new(4)));
/// ```
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value)
#[must_use]
pub fn packet<'a, E>() -> impl Parser<&'a [u8], Output = Packet<'a>, Error = E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], ErrorKind>,
{
    PacketParser(core::marker::PhantomData)
}

/// The streaming mode of nom.
type Streamed = OutputM<Emit, Emit, Streaming>;

/// Returns the header at the front. The first part of the pair is the input after the header.
#[inline(always)]
pub(crate) fn next_header(bytes: &[u8]) -> Result<(&[u8], Header), Err<ErrorKind>> {
    header().process::<Streamed>(bytes)
}

/// Returns the packet at the front. The first part of the pair is the input after the packet.
#[inline(always)]
pub(crate) fn next_packet(bytes: &[u8]) -> Result<(&[u8], Packet<'_>), Err<ErrorKind>> {
    packet().process::<Streamed>(bytes)
}

/// Skips packets up to the first packet that is wanted, incomplete or invalid. Returns the input from that packet on.
/// If the packet is wanted, also returns the packet and the input after it.
///
/// Watches, streams and [`Packets`](super::packets::Packets) use this loop.
#[inline(always)]
#[allow(clippy::type_complexity, reason = "a struct of these parts would be taken apart at once")]
pub(crate) fn jump(
    mut rest: &[u8],
    mut wanted: impl FnMut(Tag) -> bool,
) -> (&[u8], Result<(Packet<'_>, &[u8]), Err<ErrorKind>>) {
    loop {
        match next_packet(rest) {
            Ok((after, packet)) if wanted(packet.tag()) => return (rest, Ok((packet, after))),
            Ok((after, _)) => rest = after,
            Err(stop) => return (rest, Err(stop)),
        }
    }
}

// These two types implement `Parser` for every output mode of nom. They are as fast as a hand-written loop. Parsers
// built from nom's combinators took one and a half times as long.
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
        // Repeats the code of `Header::split`. A call of `Header::split` would cost two more instructions per header.
        // If `Header::split` called this function, a walk would be 4 % slower (measured).
        if let Some((header, value)) = Header::short(input) {
            return Ok((value, OM::Output::bind(|| header)));
        }
        // The end of a node or of the input. Most readers come here once per node, so this case avoids the call below.
        if input.is_empty() {
            return Err(missing::<OM, E>(input, 2));
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

        // The next packet begins where the value ends, so only one addition follows after the length is loaded.
        let (value, header) = HeaderParser(self.0).process::<Headers<OM>>(input)?;
        match value.split_at_checked(header.value_len()) {
            Some((value, rest)) => Ok((rest, OM::Output::bind(|| Packet::new(header.tag(), input, value, rest)))),
            None => Err(missing::<OM, E>(input, header.value_len() - value.len())),
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
