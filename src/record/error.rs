//! Error: why a value could not be read from a packet, and where.
//!
//! In: a cause and the packet that was read. Out: that cause with the keys of the packets that lead to it.

use core::fmt;

use crate::error::ErrorKind as WireKind;
use crate::limits::MAX_DEPTH;
use crate::read::packet::Packet;

/// Why a value could not be read from a packet, and where.
///
/// It holds the keys from the outermost packet to the one with the error, and a byte offset in the input. At most 104 bytes,
/// `Copy`, the same under every feature.
///
/// # Examples
/// ```
/// use y3::FromPacket;
/// use y3::record::ErrorKind;
///
/// let items = [0x81, 0x06, 0x00, 0x01, 0x07, 0x00, 0x01, 0xff];
/// let error = <[i16; 1]>::from_slice(&items).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::ExtraItems, 5));
/// assert_eq!(error.path().collect::<Vec<_>>(), [0x01, 0x00]);
/// assert_eq!(error.to_string(), "more items than the type takes in 0x01/0x00 at byte 5");
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
    /// The outermost packet first.
    keys: [u8; MAX_DEPTH + 1],
    len: u8,
}

const _: () = assert!(size_of::<Error>() <= 104);

/// The kind of an error and its position: an [`Error`] without keys.
///
/// Reading returns this small value; the keys are found once, after reading has failed.
/// [`Source::error`](super::Source::error) makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    kind: ErrorKind,
    offset: u64,
    at: At,
}

/// The meaning of a cause's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A byte of an invalid header.
    Header,
    /// The first byte of the value of the packet with the error. The error names the tag.
    Packet,
    /// A byte of the value of the packet with the error, or the end of an empty value.
    Value,
}

/// The kinds of error, and the byte that the offset of an [`Error`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error in a packet or a value. Offset: as that kind says.
    Wire(WireKind),
    /// The packet is a node, and the type is a number, a text, bytes or a unit. Offset: its tag.
    NotAPrimitive,
    /// A field of a struct is missing. Offset: the struct's packet.
    MissingField(&'static str),
    /// Duplicate field of a struct. Offset: the second packet.
    RepeatedField(&'static str),
    /// Duplicate key in a map. Offset: the second packet.
    RepeatedKey,
    /// The key is not a value of the map's key type. Offset: the entry's packet.
    MapKey,
    /// An enum has no variant with this number or key. Offset: the enum's packet, or the packet with that key inside it.
    UnknownVariant,
    /// An enum's node is empty or holds more than one packet. Offset: the enum's packet.
    NotOneVariant,
    /// There are fewer items than the array takes. Offset: the slice's packet.
    MissingItems,
    /// There are more items than the array takes. Offset: the first item too many.
    ExtraItems,
    /// More than 128 nested options, newtypes and variants. Offset: the packet.
    RecursionLimit,
}

impl Cause {
    /// A cause about the packet whose value begins at `offset`. Only one value begins there, as each has a header before it.
    #[cold]
    pub(super) const fn of_packet(kind: ErrorKind, offset: u64) -> Self {
        let at = match kind {
            ErrorKind::Wire(WireKind::InvalidValue) => At::Value,
            _ => At::Packet,
        };
        Self { kind, offset, at }
    }

    /// A cause at a byte of a value.
    #[cold]
    pub(super) const fn in_value(error: crate::Error) -> Self {
        Self { kind: ErrorKind::Wire(error.kind()), offset: error.offset(), at: At::Value }
    }

    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// An error in a header.
impl From<crate::Error> for Cause {
    #[inline]
    fn from(error: crate::Error) -> Self {
        Self { kind: ErrorKind::Wire(error.kind()), offset: error.offset(), at: At::Header }
    }
}

impl Error {
    /// The cause, with the keys from the packet that was read to the one that the cause is about.
    ///
    /// Parses the packets again to find the keys, so that a successful read keeps no state for errors.
    #[cold]
    pub(super) fn inside(packet: Packet<'_>, cause: Cause) -> Self {
        let mut error = Self::outside(cause);
        let mut next = Some(packet);
        while let Some(packet) = next {
            let Some(place) = error.keys.get_mut(usize::from(error.len)) else { break };
            *place = packet.key().get();
            error.len += 1;
            if cause.at == At::Packet && packet.value_offset() == cause.offset {
                error.offset = packet.offset();
                break;
            }
            if !packet.is_node() {
                break;
            }
            next = packet.children().map_while(Result::ok).find(|child| {
                let behind_tag = child.offset() < cause.offset;
                behind_tag && cause.offset <= child.value_offset().saturating_add(child.value().len() as u64)
            });
        }
        error
    }

    /// The cause, for bytes that are not a packet.
    #[cold]
    pub(super) const fn outside(cause: Cause) -> Self {
        Self { kind: cause.kind, offset: cause.offset, keys: [0; MAX_DEPTH + 1], len: 0 }
    }

    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The offset of the byte that [`ErrorKind`] names, from the first byte of the input.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The keys from the outermost packet to the one with the error, both included.
    pub fn path(&self) -> impl Iterator<Item = u8> + '_ {
        self.keys.iter().take(usize::from(self.len)).copied()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wire(kind) => return kind.fmt(f),
            Self::MissingField(name) => return write!(f, "field `{name}` is missing"),
            Self::RepeatedField(name) => return write!(f, "duplicate field `{name}`"),
            Self::NotAPrimitive => "packet is a node, not a primitive",
            Self::RepeatedKey => "duplicate key",
            Self::MapKey => "key is not a value of the map's key type",
            Self::UnknownVariant => "unknown variant",
            Self::NotOneVariant => "enum node does not hold exactly one packet",
            Self::MissingItems => "fewer items than the type takes",
            Self::ExtraItems => "more items than the type takes",
            Self::RecursionLimit => "more than 128 nested options, newtypes and variants",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)?;
        for (place, key) in self.path().enumerate() {
            write!(f, "{}{key:#04x}", if place == 0 { " in " } else { "/" })?;
        }
        write!(f, " at byte {}", self.offset())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}
