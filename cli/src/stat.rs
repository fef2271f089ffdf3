//! `y3 stat`: what is in an input: paths, how many packets, how large, how deep.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;

use clap::Args;
use y3::{Path, Walk, packets};

use crate::failure::{Failure, Found, Result};
use crate::input::InputArguments;
use crate::outermost::{Outermost, describe};
use crate::output::write_all;
use crate::progress::Progress;

/// Show what is in an input: paths, counts, sizes, depths
///
/// A line for each path: how many packets, of which kinds, the bytes of their values in all, and the smallest and the largest
/// value. After a fault the table has what was read before it, and the exit code is 3.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 stat session.y3\n  y3 stat session.y3 --open 3f/02")]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Read the values of primitives at this path as packets; may be given more than once
    #[arg(long, value_name = "PATH")]
    open: Vec<Path>,
    /// Read the values of all primitives as packets that are packets without a fault
    #[arg(long, conflicts_with = "open")]
    open_all: bool,
}

/// A sender can make up any number of paths; packets on more of them are counted together.
const MAX_PATHS: usize = 10_000;
/// Payloads inside payloads that are opened.
const MAX_PAYLOADS: usize = 8;

/// The packets on one path.
#[derive(Default)]
struct Row {
    primitives: u64,
    nodes: u64,
    slices: u64,
    bytes: u64,
    smallest: usize,
    largest: usize,
}

#[derive(Default)]
struct Table {
    rows: BTreeMap<String, Row>,
    others: Row,
    outermost: u64,
    /// Nodes around the packet that has the most.
    depth: usize,
}

impl Row {
    fn add(&mut self, packet: &y3::Packet<'_>) {
        let count = self.primitives + self.nodes + self.slices;
        let (tag, len) = (packet.tag(), packet.value().len());
        *(if tag.is_slice() {
            &mut self.slices
        } else if tag.is_node() {
            &mut self.nodes
        } else {
            &mut self.primitives
        }) += 1;
        self.bytes += len as u64;
        self.smallest = if count == 0 { len } else { self.smallest.min(len) };
        self.largest = self.largest.max(len);
    }

    fn kinds(&self) -> String {
        let kinds = [(self.primitives, "primitive"), (self.nodes, "node"), (self.slices, "slice")];
        let kinds: Vec<_> = kinds.iter().filter(|(count, _)| *count > 0).map(|(_, kind)| *kind).collect();
        kinds.join(" ")
    }
}

impl Table {
    fn add(&mut self, mut walk: Walk<'_>, prefix: &str, payloads: usize, opened: Option<&[String]>) {
        let mut keys = Vec::new();
        // The walk ends at a fault: of an outermost packet it was reported before, of a payload it is not counted.
        while let Some(Ok(packet)) = walk.next() {
            keys.truncate(walk.depth());
            keys.push(packet.key());
            self.depth = self.depth.max(walk.depth());
            let mut path = String::from(prefix);
            for (at, key) in keys.iter().enumerate() {
                let _ = write!(path, "{}{:02x}", if at == 0 { "" } else { "/" }, key.get());
            }
            let is_open = !packet.is_node()
                && payloads < MAX_PAYLOADS
                && match opened {
                    None => are_packets(packet.value()),
                    Some(opened) => opened.iter().any(|open| is_on(open, &path)),
                };
            let inside = if is_open { Some(format!("{path}:")) } else { None };
            let is_full = self.rows.len() >= MAX_PATHS;
            match self.rows.entry(path) {
                Entry::Occupied(row) => row.into_mut().add(&packet),
                Entry::Vacant(_) if is_full => self.others.add(&packet),
                Entry::Vacant(row) => row.insert(Row::default()).add(&packet),
            }
            if let Some(inside) = inside {
                self.add(Walk::new(packet.embedded()), &inside, payloads + 1, opened);
            }
        }
    }

    fn print(&self, bytes: u64) -> String {
        let mut text = format!(
            "{bytes} bytes, {} outermost packets, at most {} nodes around a packet\n\n{:<24}{:>10}{:>12}{:>10}{:>10}  kind\n",
            self.outermost, self.depth, "path", "packets", "bytes", "smallest", "largest"
        );
        let others = (!self.others.kinds().is_empty()).then_some(("others", &self.others));
        for (path, row) in self.rows.iter().map(|(path, row)| (path.as_str(), row)).chain(others) {
            let count = row.primitives + row.nodes + row.slices;
            let (bytes, smallest, largest) = (row.bytes, row.smallest, row.largest);
            let kinds = row.kinds();
            let _ = writeln!(text, "{path:<24}{count:>10}{bytes:>12}{smallest:>10}{largest:>10}  {kinds}");
        }
        text
    }
}

/// Whether a value is likely to be packets, as `y3 dump --open-all` decides: none is faulty, and one has a value.
fn are_packets(value: &[u8]) -> bool {
    let mut has_value = false;
    y3::walk(value).all(|packet| packet.map(|packet| has_value |= !packet.value().is_empty()).is_ok()) && has_value
}

/// Whether a path to open ends at this path, or goes on in its payload.
fn is_on(open: &str, path: &str) -> bool {
    let mut steps = open.split_inclusive(['/', ':']);
    let mut is_open = false;
    let is_same = path.split_inclusive(['/', ':']).all(|here| {
        let step = steps.next().unwrap_or_default();
        let key = step.trim_end_matches(['/', ':']);
        let is_last = !here.ends_with(['/', ':']);
        is_open = is_last && !step.ends_with('/');
        (key == "*" || key == here.trim_end_matches(['/', ':']))
            && (is_last || step.ends_with(here.chars().last().unwrap_or('/')))
    });
    is_same && is_open
}

pub fn run(arguments: &Arguments) -> Result {
    let mut input = arguments.input.open()?;
    let (name, len) = (input.name.clone(), input.len());
    // As the table writes keys.
    let opened: Vec<_> = arguments.open.iter().map(|path| path.to_string().replace("0x", "")).collect();
    let progress = Progress::start(len, "packets");
    let mut outermost = Outermost::new(&mut input);
    let (mut table, mut offset, mut fault) = (Table::default(), 0, None);
    while let Some((bytes, packet)) = outermost.next()? {
        if let Err(error) = packet.and_then(|_| y3::check(bytes)) {
            fault = Some(format!("{name}: {}", describe(bytes, offset, error)));
            break;
        }
        table.add(Walk::new(packets(bytes)), "", 0, (!arguments.open_all).then_some(&*opened));
        table.outermost += 1;
        progress.found();
        offset = outermost.offset();
        progress.read(offset)?;
    }
    progress.read(offset)?;
    progress.end();
    let text = table.print(offset);
    progress.while_writing(|| write_all(text.as_bytes()))?;
    match fault {
        Some(fault) => Err(Failure::Fault(fault)),
        None if table.outermost == 0 => Ok(Found::Nothing),
        None => Ok(Found::Something),
    }
}
