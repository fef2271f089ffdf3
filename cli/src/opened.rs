//! Which primitives are read as packets, and a walk that enters them.

use clap::Args;
use y3::iter::Packets;
use y3::{Error, ErrorKind, MAX_DEPTH, Packet, Path};
use y3_names::Names;

use crate::failure::Failure;
use crate::names::{self, NamesArgument};

/// The primitives whose values a command reads as packets.
#[derive(Args, Debug, Default)]
pub struct Opened {
    /// Read the values of primitives at this path as packets, and say what is wrong with them; may be given more than once
    #[arg(long, value_name = "PATH")]
    open: Vec<String>,
    #[command(flatten)]
    names: NamesArgument,
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
    /// What the names file says, and the paths to open: those given, and those that hold packets by the file.
    pub fn load(&self, subcommand: &'static str) -> Result<(Names, Vec<Path>), Failure> {
        let names = self.names.load()?;
        let mut paths = names::paths(&names, &self.open, subcommand, "--open <PATH>")?;
        paths.extend(names.embedded());
        Ok((names, paths))
    }
}

impl Way {
    pub fn of(path: Path) -> Way {
        let key = |text: &str| u8::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        let text = path.to_string();
        let step = |step: &str| (key(step.trim_end_matches(['/', ':'])), step.ends_with(':'));
        Way(text.split_inclusive(['/', ':']).map(step).collect())
    }

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

impl Open {
    pub fn at(paths: &[Path]) -> Open {
        Open::At(paths.iter().copied().map(Way::of).collect())
    }
}

/// What is done on a walk.
pub trait Visit {
    /// What is known of the packets around a packet.
    type Around: Copy;

    /// Takes a packet; returns what the packets inside it are told.
    fn packet(&mut self, around: Self::Around, step: Step, packet: &Packet<'_>) -> Self::Around;

    /// Takes the first fault inside a primitive that is opened; an error ends the walk.
    fn fault(&mut self, error: Error) -> Result<(), Error> {
        Err(error)
    }
}

/// Only looks for faults.
pub struct Check;

impl Visit for Check {
    type Around = ();

    fn packet(&mut self, (): (), _: Step, _: &Packet<'_>) {}
}

/// Visits packets at any depth, in the order of the wire.
///
/// # Errors
/// Those of [`y3::check`], and those of the visitor.
pub fn walk<V: Visit>(packets: Packets<'_>, open: &Open, top: V::Around, visit: &mut V) -> Result<(), Error> {
    let is_closed = matches!(open, Open::At(ways) if ways.is_empty());
    Walk { open, is_closed, steps: Vec::new(), visit }.level(packets, top, false, 0)
}

struct Walk<'w, V> {
    open: &'w Open,
    is_closed: bool,
    /// The steps to the packets around, if something may be opened.
    steps: Vec<Step>,
    visit: &'w mut V,
}

impl<V: Visit> Walk<'_, V> {
    /// Visits sibling packets, which lie in so many nodes, and what is inside them.
    fn level(&mut self, packets: Packets<'_>, around: V::Around, is_embedded: bool, nodes: usize) -> Result<(), Error> {
        for packet in packets {
            let packet = packet?;
            let step = Step { key: packet.key().get(), is_embedded };
            let here = self.visit.packet(around, step, &packet);
            if packet.is_node() {
                if nodes == MAX_DEPTH {
                    return Err(Error::new(ErrorKind::DepthLimit, packet.offset()));
                }
                self.steps.push(step);
                self.level(packet.children(), here, false, nodes + 1)?;
                self.steps.pop();
            } else if !self.is_closed {
                self.steps.push(step);
                if self.opens(&packet) {
                    let depth = self.steps.len();
                    self.level(packet.embedded(), here, true, 0).or_else(|error| self.visit.fault(error))?;
                    self.steps.truncate(depth);
                }
                self.steps.pop();
            }
        }
        Ok(())
    }

    fn opens(&self, packet: &Packet<'_>) -> bool {
        let is_open = match self.open {
            _ if packet.value().is_empty() => false,
            Open::At(ways) => ways.iter().any(|way| way.opens(&self.steps)),
            Open::All => are_packets(packet.value()),
        };
        is_open && self.steps.iter().filter(|step| step.is_embedded).count() < MAX_EMBEDDED
    }
}

/// Whether a value is likely to be packets, as `y3 dump --open-all` decides: none is faulty, and one has a value.
fn are_packets(value: &[u8]) -> bool {
    let mut has_value = false;
    y3::walk(value).all(|packet| packet.map(|packet| has_value |= !packet.value().is_empty()).is_ok()) && has_value
}
