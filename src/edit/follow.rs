//! Follow: how packets relate to a set of paths, and the first packet at a path.
//!
//! In: a set of paths, or one path, and packets. Out: whether a packet is watched or a path continues inside it; the packet at
//! the end of the path and the packets around it.

use super::error::EditError;
use crate::error::Error;
use crate::read::keys::KeySet;
use crate::read::lookup::{Prefix, WatchedPaths};
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::path::Path;
use crate::read::path_set::PathSet;
use crate::wire::tag::Tag;

/// A level that paths lead through: the outermost packets, or those in a node or payload. Holds the keys by which paths continue
/// there.
#[derive(Clone, Copy)]
pub(super) struct Level {
    prefix: Prefix,
    pub(super) keys: KeySet,
}

impl Level {
    /// The outermost packets.
    pub(super) fn outermost(paths: &impl WatchedPaths) -> Self {
        Level { prefix: Prefix::ROOT, keys: paths.keys_at(Prefix::ROOT) }
    }

    /// How a packet of this level relates to the paths. Every edit asks here; nothing else asks the set of paths.
    pub(super) fn select(self, paths: &impl WatchedPaths, tag: Tag) -> Step {
        let selection = paths.select(self.prefix, self.keys, tag);
        if selection.path_index.is_some() {
            Step::Watched
        } else if selection.enters(paths) {
            Step::Inside(Level { prefix: selection.prefix, keys: selection.keys })
        } else {
            Step::Elsewhere
        }
    }
}

/// How a packet with a key of the level relates to the paths.
pub(super) enum Step {
    /// A path ends at it.
    Watched,
    /// A path continues inside it.
    Inside(Level),
    /// A path continues, but in a packet of the other kind: a node where this is a primitive, or the value of a primitive where
    /// this is a node.
    Elsewhere,
}

/// The packets inside a node, or in the value of a primitive that a path crosses.
pub(super) fn content<'a>(packet: &Packet<'a>) -> Packets<'a> {
    if packet.is_node() { packet.children() } else { packet.embedded() }
}

/// The packets around a packet, outermost first, and room for the packet itself.
pub(super) type Parents<'a> = [Option<Packet<'a>>; Path::MAX_LEN];

/// The first packet at a path, and the nodes and crossed primitives around it.
pub(super) fn find(bytes: &[u8], path: Path) -> Result<(Packet<'_>, Parents<'_>), EditError> {
    let (paths, mut parents) = (PathSet::<1>::single(path), [None; Path::MAX_LEN]);
    let found = find_in(&paths, packets(bytes), Level::outermost(&paths), &mut parents)?;
    Ok((found.ok_or(EditError::NotFound)?, parents))
}

/// Recurses into packets that the path leads through, so at most as deep as the path.
fn find_in<'a>(
    paths: &PathSet<1>,
    mut packets: Packets<'a>,
    level: Level,
    parents: &mut [Option<Packet<'a>>],
) -> Result<Option<Packet<'a>>, Error> {
    while let Some(packet) = packets.next_with(|tag| level.keys.contains(tag.key())).transpose()? {
        let inside = match level.select(paths, packet.tag()) {
            Step::Watched => return Ok(Some(packet)),
            Step::Inside(inside) => inside,
            Step::Elsewhere => continue,
        };
        let Some((parent, others)) = parents.split_first_mut() else { continue };
        *parent = Some(packet);
        if let Some(found) = find_in(paths, content(&packet), inside, others)? {
            return Ok(Some(found));
        }
        *parent = None;
    }
    Ok(None)
}

/// An offset in a slice as a `usize`, which it always fits.
pub(super) fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
