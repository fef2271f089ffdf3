//! `y3 stat`: summarizes an input: paths, counts, sizes, depths.

use std::fmt::Write as _;
use std::io;

use clap::Args;
use y3::iter::Packets;
use y3::show::{Inside, Rows};
use y3::{Error, ErrorKind, Key, MAX_DEPTH, Tag, packets};
use y3_names::Names;

use crate::failure::{Found, Result};
use crate::input::Input;
use crate::inputs::Inputs;
use crate::opened::{Open, Opened};
use crate::output::{counted, put};
use crate::paint::{self, Paint};
use crate::progress::Progress;
use crate::top_level::{TopLevel, describe};

/// Summarize an input: paths, counts, sizes, depths
///
/// Prints one line for each path: the number of packets, their kinds, the total size of their values, and the smallest and the largest
/// value. After a fault the table covers the input before it, and the exit code is 3. A fault in a primitive that --open names does not
/// end the table: packets after the primitive are counted too. With --names the names of a path stand at the end of its line.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 stat session.y3\n  y3 stat session.y3 --open 3f/02")]
pub struct Arguments {
    #[command(flatten)]
    input: Inputs,
    #[command(flatten)]
    opened: Opened,
}

/// The maximum number of paths with their own row, since a sender can invent any number. Packets on further paths share one row.
const MAX_PATHS: u16 = 10_000;
/// The packets on one path.
struct Row {
    count: u64,
    /// The number of nodes, and how many of them are slices.
    nodes: u64,
    slices: u64,
    bytes: u64,
    smallest: usize,
    largest: usize,
}

/// The packets on all paths. Each path has a row, which refers to the rows of the packets inside it.
struct Table {
    rows: Vec<Place>,
    top_level: u64,
    /// The maximum nesting depth, in nodes.
    depth: usize,
    /// The first fault in the opened primitives of a top-level packet, and the number of faults in the opened primitives of all packets.
    fault: Option<Error>,
    faults: u64,
}

#[derive(Default)]
struct Place {
    row: Row,
    /// The row of each key inside, first for nodes, then for embedded packets. 0 means no row.
    inside: Option<Box<[u16; 2 * KEYS]>>,
}

/// A packet inside another.
#[derive(Clone, Copy)]
struct Step {
    key: Key,
    /// Whether it is embedded in the value of a primitive.
    is_embedded: bool,
}

impl Step {
    /// Its index among the rows inside a row.
    fn index(self) -> usize {
        usize::from(self.key.get()) + if self.is_embedded { KEYS } else { 0 }
    }
}

const KEYS: usize = Key::MAX.get() as usize + 1;

/// The row above the top-level packets, which has no path.
const TOP: u16 = 0;
/// The row that all packets beyond the maximum number of paths share.
const OTHERS: u16 = 1;

impl Default for Row {
    fn default() -> Row {
        Row { count: 0, nodes: 0, slices: 0, bytes: 0, smallest: usize::MAX, largest: 0 }
    }
}

impl Row {
    fn add(&mut self, tag: Tag, len: usize) {
        self.count += 1;
        if tag.is_node() {
            self.nodes += 1;
            self.slices += u64::from(tag.is_slice());
        }
        self.bytes += len as u64;
        self.smallest = self.smallest.min(len);
        self.largest = self.largest.max(len);
    }

    fn print(&self, path: &str, name: Option<&str>, text: &mut String) {
        let kinds =
            [("primitive", self.count - self.nodes), ("node", self.nodes - self.slices), ("slice", self.slices)];
        let kinds: Vec<_> = kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, _)| *kind).collect();
        let Paint { key, name: called, .. } = paint::of(&io::stdout());
        let Row { count, bytes, smallest, largest, .. } = self;
        let _ = writeln!(
            text,
            "{key}{path:<24}{key:#}{count:>10}{bytes:>12}{smallest:>10}{largest:>10}  {}{}",
            kinds.join(" "),
            name.map_or(String::new(), |name| format!("  {called}{name}{called:#}"))
        );
    }
}

impl Table {
    fn new() -> Table {
        Table { rows: vec![Place::default(), Place::default()], top_level: 0, depth: 0, fault: None, faults: 0 }
    }

    /// Adds sibling packets at the depth `nodes`, and the packets inside them. This recursion takes half the instructions of a walk with
    /// its own stack.
    fn packets(&mut self, packets: Packets<'_>, around: u16, nodes: usize) -> std::result::Result<(), Error> {
        for packet in packets {
            let packet = packet?;
            let step = Step { key: packet.key(), is_embedded: false };
            let row = self.add(around, nodes, step, packet.tag(), packet.value().len());
            if packet.is_node() {
                if nodes == MAX_DEPTH {
                    return Err(Error::new(ErrorKind::DepthLimit, packet.offset()));
                }
                self.packets(packet.children(), row, nodes + 1)?;
            }
        }
        Ok(())
    }

    /// Adds packets and opened primitives. A fault in an opened primitive ends that primitive. Any other fault is returned.
    fn rows(&mut self, rows: Rows<'_>) -> std::result::Result<(), Error> {
        // The row of each packet around, what is inside it, and in how many nodes that is; and the depth of a primitive with a fault.
        let (mut around, mut faulty): (Vec<(u16, Inside, usize)>, Option<usize>) = (Vec::new(), None);
        for row in rows {
            if faulty.is_some_and(|primitive| row.depth() > primitive) {
                continue;
            }
            around.truncate(row.depth());
            faulty = None;
            if let Some(error) = row.fault() {
                faulty = around.iter().rposition(|(_, inside, _)| *inside == Inside::Embedded);
                if faulty.is_none() {
                    return Err(error);
                }
                self.fault.get_or_insert(error);
                self.faults += 1;
                continue;
            }
            let (place, inside, nodes) = around.last().copied().unwrap_or((TOP, Inside::Node, 0));
            let step = Step { key: row.tag().key(), is_embedded: inside == Inside::Embedded };
            let place = self.add(place, nodes, step, row.tag(), row.len());
            around.push((place, row.inside(), if row.tag().is_node() { nodes + 1 } else { 0 }));
        }
        Ok(())
    }

    /// Adds a packet at the depth `nodes`, and returns its row.
    #[inline]
    fn add(&mut self, around: u16, nodes: usize, step: Step, tag: Tag, len: usize) -> u16 {
        let inside = self.rows.get(usize::from(around)).and_then(|place| place.inside.as_ref());
        let row = match inside.and_then(|inside| inside.get(step.index())) {
            Some(&row) if row != TOP => row,
            _ => self.new_row(around, nodes, step),
        };
        if let Some(place) = self.rows.get_mut(usize::from(row)) {
            place.row.add(tag, len);
        }
        row
    }

    /// Makes a row for the packets that one step leads to from another row.
    #[cold]
    fn new_row(&mut self, around: u16, nodes: usize, step: Step) -> u16 {
        // All packets of a row are in as many nodes.
        self.depth = self.depth.max(nodes);
        let next = u16::try_from(self.rows.len()).ok().filter(|row| around != OTHERS && row - OTHERS <= MAX_PATHS);
        let (Some(next), Some(place)) = (next, self.rows.get_mut(usize::from(around))) else { return OTHERS };
        let inside = place.inside.get_or_insert_with(|| Box::new([TOP; 2 * KEYS]));
        if let Some(row) = inside.get_mut(step.index()) {
            *row = next;
        }
        self.rows.push(Place::default());
        next
    }

    fn print(&self, bytes: u64, names: &Names) -> String {
        let mut text = format!(
            "{}, {}, at most {} around a packet\n\n{:<24}{:>10}{:>12}{:>10}{:>10}  kind\n",
            counted(bytes, "byte"),
            counted(self.top_level, "top-level packet"),
            counted(self.depth as u64, "node"),
            "path",
            "packets",
            "bytes",
            "smallest",
            "largest"
        );
        self.print_inside(TOP, "", names, &mut text);
        if let Some(others) = self.rows.get(usize::from(OTHERS)).filter(|others| others.row.count > 0) {
            others.row.print("others", None, &mut text);
        }
        text
    }

    /// Prints the rows inside a row, at most as deep as the deepest packet.
    fn print_inside(&self, around: u16, path: &str, names: &Names, text: &mut String) {
        let inside = self.rows.get(usize::from(around)).and_then(|place| place.inside.as_deref());
        for (at, &row) in inside.into_iter().flatten().enumerate().filter(|(_, row)| **row != TOP) {
            let separator = if around == TOP {
                ""
            } else if at < KEYS {
                "/"
            } else {
                ":"
            };
            let path = format!("{path}{separator}{:02x}", at % KEYS);
            if let Some(place) = self.rows.get(usize::from(row)) {
                place.row.print(&path, names.label(&path).as_deref(), text);
            }
            self.print_inside(row, &path, names, text);
        }
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let (names, open) = arguments.opened.load("stat")?;
    arguments.input.each(true, |input| stat(&names, &open, input))
}

fn stat(names: &Names, open: &Open, mut input: Input) -> Result {
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut top_level = TopLevel::new(&mut input, &progress);
    let (mut table, mut fault, mut read) = (Table::new(), None, 0);
    while let Some((offset, bytes, header)) = top_level.next()? {
        let walked = header.and_then(|()| {
            if open.is_none() { table.packets(packets(bytes), TOP, 0) } else { table.rows(open.dump(bytes).rows()) }
        });
        let is_over = walked.is_err();
        if let Err(error) = walked {
            table.fault = Some(table.fault.unwrap_or(error));
            table.faults += 1;
        }
        if let Some(error) = table.fault.take() {
            fault.get_or_insert_with(|| describe(bytes, offset, error));
        }
        if is_over {
            break;
        }
        table.top_level += 1;
        read = offset + bytes.len() as u64;
    }
    progress.end();
    let text = table.print(read, names);
    put(text)?;
    match fault {
        Some(fault) if table.faults > 1 => Err(origin.fault(format!("{} faults, the first: {fault}", table.faults))),
        Some(fault) => Err(origin.fault(fault)),
        None if table.top_level == 0 => Ok(Found::Nothing),
        None => Ok(Found::Something),
    }
}
