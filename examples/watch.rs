//! Watches the given paths in a file, and seeks over all other packets.
//!
//! `cargo run --example watch -- tests/data/noise.y3 3f/02:01/10/11 3f/01` prints offsets and bytes. The command `y3
//! watch` also shows types and JSON, and reads pipes, connections and growing files.

use std::fs::File;
use std::io::{ErrorKind, Write, stdout};

use y3::{Limits, Path, Paths, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: watch FILE PATH...")?;
    let paths = arguments.map(|path| path.parse()).collect::<Result<Vec<Path>, _>>()?;
    let paths: Paths = paths.into_iter().collect();

    let mut reader = Reader::seeking(File::open(file)?, &paths, Limits::DEFAULT);
    while let Some(hit) = reader.next_hit() {
        let hit = hit?;
        let path = paths.get(hit.path_index()).ok_or("not a path of this set")?;
        match writeln!(stdout(), "{:>8}  {path}  {:02x?}", hit.offset(), hit.value()) {
            // The reader of the output has closed it, as `head` does.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}
