//! Stream: finds hits in chunks. A whole input is handled as a single chunk.
//!
//! For each chunk, the result has the hits that end in the chunk, as JSON, and the bytes of hits that span several
//! chunks.

use std::fmt::Write;

use y3::iter::Hits;
use y3::show::explain;
use y3::{Collector, Limits, Paths};

use crate::call::{Arguments, Message, Result, fault, hit};
use crate::output::{Text, push};

pub fn open(mut arguments: Arguments<'_>, limit: usize) -> Result<Collector<Paths>> {
    let names = arguments.names()?;
    let paths: Paths = arguments.paths(&names)?.into_iter().collect();
    let limits = Limits::DEFAULT;
    let packet = limits.max_packet_len().max(limit);
    Ok(Collector::new(paths, limits.with_max_packet_len(packet).with_max_value_len(limit)))
}

/// Writes the hits of a whole input. The input is handled as a stream of one chunk, which keeps the module small.
pub fn watch(bytes: &[u8], arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let mut stream = open(arguments, usize::MAX)?;
    let mut text = Text::new(output);
    text.write_str("[")?;
    write(&mut text, stream.feed(bytes), Some(bytes), &mut |_| Ok(()))?;
    // If a fault ended the watch, it has already been written.
    if stream.error().is_none() {
        write(&mut text, stream.finish(), Some(bytes), &mut |_| Ok(()))?;
    }
    Ok(text.write_str("]")?)
}

/// Writes the length of the JSON as four little-endian bytes, then the JSON, then packets joined from several chunks.
pub fn feed(stream: Option<&mut Collector<Paths>>, chunk: &[u8], is_end: bool, output: &mut Vec<u8>) -> Result {
    let Some(stream) = stream else { return Err(Message("no stream is open".to_owned())) };
    let (base, mut joined) = (stream.offset(), Vec::new());
    push(output, &[0; 4])?;
    let mut text = Text::new(output);
    text.write_str("[")?;
    let hits = if is_end { stream.finish() } else { stream.feed(chunk) };
    // A hit that begins in this chunk is a slice of the chunk. Other hits were joined, so their bytes are returned too.
    write(&mut text, hits, None, &mut |found| {
        if found.offset() < base { push(&mut joined, found.as_bytes()) } else { Ok(()) }
    })?;
    text.write_str("]")?;
    let len = u32::try_from(output.len().saturating_sub(4)).unwrap_or(u32::MAX).to_le_bytes();
    output.iter_mut().zip(len).for_each(|(to, byte)| *to = byte);
    Ok(push(output, &joined)?)
}

/// Writes hits and faults. If `whole` is the whole input, the messages about faults have more detail.
#[inline(never)]
fn write(
    text: &mut Text<'_>,
    mut hits: Hits<'_, '_, Paths>,
    whole: Option<&[u8]>,
    each: &mut dyn FnMut(&y3::Hit<'_>) -> std::fmt::Result,
) -> std::fmt::Result {
    loop {
        let error = match hits.next_hit() {
            None => return Ok(()),
            Some(Ok(found)) => {
                text.item()?;
                hit(text, &found)?;
                each(&found)?;
                continue;
            }
            Some(Err(error)) => error,
        };
        let explained = whole.map_or_else(|| hits.explain(error), |bytes| explain(bytes, error));
        text.item()?;
        fault(text, error, explained)?;
    }
}
