//! `y3 stat`: prints a table of the paths in an input.

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
/// The command prints one line for each path: the number of packets, the total size of their values, the smallest and
/// the largest size of a value, and the kinds of packets. With --names, each line ends with the names of the keys in
/// the path.
///
/// If the input has a fault, the table covers the input before the fault, and the exit code is 3. If the fault is
/// inside a primitive that --open selects, the table also covers the packets after this primitive.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 stat session.y3\n  y3 stat session.y3 --open 3f/02")]
pub struct Arguments {
    #[command(flatten)]
    input: Inputs,
    #[command(flatten)]
    opened: Opened,
}

/// The maximum number of paths with their own row. All other packets share one row, so a sender cannot exhaust memory with many
/// paths.
const MAX_PATHS: u16 = 10_000;
/// The packets at one path.
struct Row {
    count: u64,
    /// The number of nodes, including slices.
    nodes: u64,
    slices: u64,
    bytes: u64,
    smallest: usize,
    largest: usize,
}

/// The rows of all paths. The row of a path refers to the rows of the paths that have one more key.
struct Table {
    rows: Vec<Place>,
    top_level: u64,
    /// The maximum depth of nested nodes.
    depth: usize,
    /// The first fault in the current top-level packet. `faults` is the number of faults in the whole input.
    fault: Option<Error>,
    faults: u64,
}

#[derive(Default)]
struct Place {
    row: Row,
    /// The index of the row for each key inside this packet, or 0 if there is no row. The first half is for packets in
    /// a node. The second half is for packets embedded in the value of a primitive.
    inside: Option<Box<[u16; 2 * KEYS]>>,
}

/// The step from a packet to a packet inside it.
#[derive(Clone, Copy)]
struct Step {
    key: Key,
    /// True if the inner packet is embedded in the value of a primitive.
    is_embedded: bool,
}

impl Step {
    /// The index of this step in `Place::inside`.
    fn index(self) -> usize {
        usize::from(self.key.get()) + if self.is_embedded { KEYS } else { 0 }
    }
}

const KEYS: usize = Key::MAX.get() as usize + 1;

/// The row that represents the top level, and has no path.
const TOP: u16 = 0;
/// The row for all packets whose path has no row.
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

    /// Adds sibling packets at depth `nodes`, and the packets inside them. The recursion needs half as many instructions as a
    /// walk with an explicit stack.
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

    /// Adds packets and opened primitives. After a fault in an opened primitive, the primitive's remaining bytes are skipped.
    /// Other faults are returned.
    fn rows(&mut self, rows: Rows<'_>) -> std::result::Result<(), Error> {
        // `around` has, for each packet around the current one, the packet's row, the kind of its content, and the
        // depth of its content. `faulty` is the depth of an opened primitive with a fault.
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

    /// Adds a packet at depth `nodes`, and returns the packet's row.
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

    /// Creates the row for the packets that `step` selects inside the packets of the row `around`.
    #[cold]
    fn new_row(&mut self, around: u16, nodes: usize, step: Step) -> u16 {
        // All packets of a row have the same depth.
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

    /// Prints the rows for all longer paths that begin with `path`. The recursion is as deep as the deepest packet.
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
