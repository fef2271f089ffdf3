//! Error: why a value could not be read from a packet, and where.
//!
//! In: a cause and the packet that was read. Out: that cause with the keys that lead to its byte.

use core::fmt;

use crate::error::ErrorKind as WireKind;
use crate::limits::MAX_DEPTH;
use crate::read::packet::Packet;

/// Why a value could not be read from a packet, and where.
///
/// It knows the keys from the outermost packet to the one at fault, and a byte offset in the input. 104 bytes or fewer,
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
/// Source: SPEC §8
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
    /// From the outermost packet inwards.
    keys: [u8; MAX_DEPTH + 1],
    len: u8,
}

const _: () = assert!(size_of::<Error>() <= 104);

/// What went wrong and about which packet: an [`Error`] before the keys that lead there are known.
///
/// Reading hands on this small value; packet and keys are looked for once, when reading has failed.
/// [`Source::error`](super::Source::error) makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    kind: ErrorKind,
    offset: u64,
    at: At,
}

/// What the offset of a cause names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A byte of a header that is no header.
    Header,
    /// The first byte of the value of the packet at fault; its error names the tag.
    Packet,
    /// A byte of the value of the packet at fault, or for an empty value its end.
    Value,
}

/// What went wrong, and which byte an [`Error`]'s offset names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A fault of the packets or of a value. Offset: as that kind says.
    Wire(WireKind),
    /// A number, a text, bytes or a unit was asked of a node. Offset: its tag.
    NotAPrimitive,
    /// A field of a struct is missing. Offset: the struct's packet.
    MissingField(&'static str),
    /// A field of a struct comes twice. Offset: the second packet.
    RepeatedField(&'static str),
    /// A key comes twice in a map. Offset: the second packet.
    RepeatedKey,
    /// The type of a map's keys does not have this key. Offset: the entry's packet.
    MapKey,
    /// An enum has no variant with this number or key. Offset: the enum's packet, or the packet with that key inside it.
    UnknownVariant,
    /// An enum's node is empty or holds more than one packet. Offset: the enum's packet.
    NotOneVariant,
    /// There are fewer items than the array takes. Offset: the slice's packet.
    MissingItems,
    /// There are more items than the array takes. Offset: the first of them.
    ExtraItems,
    /// Options, newtypes and variants lie in each other more than 128 times. Offset: the packet.
    RecursionLimit,
}

impl Cause {
    /// A cause about the packet whose value begins at `offset`: that has a header in front, so no other begins there.
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

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// The fault of a header.
impl From<crate::Error> for Cause {
    #[inline]
    fn from(error: crate::Error) -> Self {
        Self { kind: ErrorKind::Wire(error.kind()), offset: error.offset(), at: At::Header }
    }
}

impl Error {
    /// The cause, and the keys from the packet that was read to the one that it is about.
    ///
    /// The packets on the way are read once more: reading that succeeds keeps nothing for an error, not even the packet.
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

    /// The cause, about bytes that are no packet.
    #[cold]
    pub(super) const fn outside(cause: Cause) -> Self {
        Self { kind: cause.kind, offset: cause.offset, keys: [0; MAX_DEPTH + 1], len: 0 }
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where: bytes from the first byte of the input to the one that [`ErrorKind`] names.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The keys from the outermost packet to the one at fault, both included.
    pub fn path(&self) -> impl Iterator<Item = u8> + '_ {
        self.keys.iter().take(usize::from(self.len)).copied()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wire(kind) => return kind.fmt(f),
            Self::MissingField(name) => return write!(f, "field `{name}` is missing"),
            Self::RepeatedField(name) => return write!(f, "field `{name}` comes twice"),
            Self::NotAPrimitive => "node where a single value was asked for",
            Self::RepeatedKey => "key comes twice",
            Self::MapKey => "key that the map's key type does not have",
            Self::UnknownVariant => "variant that the type does not have",
            Self::NotOneVariant => "node of a variant does not hold one packet",
            Self::MissingItems => "fewer items than the type takes",
            Self::ExtraItems => "more items than the type takes",
            Self::RecursionLimit => "options, newtypes and variants nested deeper than the limit",
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
