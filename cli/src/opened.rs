//! Which primitives are read as packets, and a walk that enters them.

use clap::Args;
use y3::{Error, Packet, Packets, Path, Walk};

use crate::path;

/// The primitives whose values a command reads as packets.
#[derive(Args, Debug, Default)]
pub struct Opened {
    /// Read the values of primitives at this path as packets, and say what is wrong with them; may be given more than once
    #[arg(long, value_name = "PATH", value_parser = path::parse)]
    pub open: Vec<Path>,
}

/// A packet on the way to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub key: u8,
    /// Whether it lies in the value of a primitive, not in a node.
    pub is_embedded: bool,
}

/// Packets in primitives in primitives that are entered.
const MAX_EMBEDDED: usize = 8;

/// The steps of the paths to open: a key or any, and whether the path enters a primitive there.
pub struct Way(Vec<(Option<u8>, bool)>);

impl Opened {
    pub fn ways(&self) -> Vec<Way> {
        let key = |text: &str| u8::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        let way = |path: &Path| {
            let text = path.to_string();
            let step = |step: &str| (key(step.trim_end_matches(['/', ':'])), step.ends_with(':'));
            Way(text.split_inclusive(['/', ':']).map(step).collect())
        };
        self.open.iter().map(way).collect()
    }
}

impl Way {
    /// Whether a path ends at these steps, or goes on inside the primitive there.
    fn opens(&self, steps: &[Step]) -> bool {
        let Some((last, enters)) = steps.len().checked_sub(1).and_then(|last| Some((last, self.0.get(last)?.1))) else {
            return false;
        };
        let mut is_entered = false;
        let is_same = self.0.iter().zip(steps).all(|((key, enters), step)| {
            let was_entered = std::mem::replace(&mut is_entered, *enters);
            key.is_none_or(|key| key == step.key) && was_entered == step.is_embedded
        });
        is_same && (enters || self.0.len() == last + 1)
    }
}

/// What is opened on a walk.
pub enum Open {
    /// The primitives on these paths, whatever is in them.
    At(Vec<Way>),
    /// Those that are packets without a fault.
    All,
}

/// Visits packets at any depth, in the order of the wire: the number of packets around each, the step to it, and the packet; and the first
/// fault in each primitive that is opened, as if it were a packet in it. Ends with the first error that the visitor returns.
///
/// # Errors
/// The first fault outside of primitives, and those of the visitor.
pub fn walk<'a>(
    packets: Packets<'a>,
    open: &Open,
    visit: &mut impl FnMut(usize, Step, Result<&Packet<'a>, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    if !matches!(open, Open::At(ways) if ways.is_empty()) {
        return walk_inside(packets, open, &mut Vec::new(), visit);
    }
    let mut walk = Walk::new(packets);
    while let Some(packet) = walk.next() {
        let packet = packet?;
        visit(walk.depth(), Step { key: packet.key().get(), is_embedded: false }, Ok(&packet))?;
    }
    Ok(())
}

/// The same inside these steps.
fn walk_inside<'a>(
    packets: Packets<'a>,
    open: &Open,
    steps: &mut Vec<Step>,
    visit: &mut impl FnMut(usize, Step, Result<&Packet<'a>, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    let around = steps.len();
    let mut walk = Walk::new(packets);
    while let Some(packet) = walk.next() {
        let packet = packet?;
        let depth = around + walk.depth();
        let step = Step { key: packet.key().get(), is_embedded: around > 0 && walk.depth() == 0 };
        visit(depth, step, Ok(&packet))?;
        steps.truncate(depth);
        steps.push(step);
        let is_open = match open {
            _ if packet.is_node() || packet.value().is_empty() => false,
            Open::At(ways) => ways.iter().any(|way| way.opens(steps)),
            Open::All => are_packets(packet.value()),
        };
        if is_open && steps.iter().filter(|step| step.is_embedded).count() < MAX_EMBEDDED {
            let embedded = walk_inside(packet.embedded(), open, steps, visit);
            embedded.or_else(|error| visit(depth + 1, step, Err(error)))?;
        }
    }
    steps.truncate(around);
    Ok(())
}

/// Whether a value is likely to be packets, as `y3 dump --open-all` decides: none is faulty, and one has a value.
fn are_packets(value: &[u8]) -> bool {
    let mut has_value = false;
    y3::walk(value).all(|packet| packet.map(|packet| has_value |= !packet.value().is_empty()).is_ok()) && has_value
}
