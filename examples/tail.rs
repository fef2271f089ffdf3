//! Watches a path in bytes that arrive in chunks, without a `Reader`. The program reads the source, and y3 keeps the
//! position in the tree.
//!
//! `cargo run --example tail -- 3f/01 < tests/data/noise.y3` prints each hit as soon as its last byte has arrived.

use std::io::{ErrorKind, Read, Write, stdin, stdout};

use y3::{Collector, Limits, Path, PathSet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: Path = std::env::args().nth(1).ok_or("usage: tail PATH < INPUT")?.parse()?;
    let set = PathSet::new([path]);
    // A value that is split over several chunks is joined. A longer value is an error.
    let mut collector = Collector::new(&set, Limits::DEFAULT.with_max_value_len(1 << 20));
    let mut piece = [0; 4096];
    loop {
        let read = stdin().read(&mut piece)?;
        let mut hits = if read > 0 { collector.feed(&piece[..read]) } else { collector.finish() };
        while let Some(hit) = hits.next_hit() {
            let hit = hit?;
            match writeln!(stdout(), "{:>8}  {:02x?}", hit.offset(), hit.value()) {
                // The reader of the output has closed it, as `head` does.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
        }
        if read == 0 {
            return Ok(());
        }
    }
}
