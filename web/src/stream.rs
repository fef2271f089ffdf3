//! Streams: hits in chunks.
//!
//! In: chunks of a stream. Out: the hits that end in each, as JSON, and the bytes of those that do not lie in it.

use std::fmt::Write;

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

/// Answers with the length of the JSON, four bytes with the lowest first, the JSON, and the packets that were joined.
pub fn feed(stream: Option<&mut Collector<Paths>>, chunk: &[u8], is_end: bool, output: &mut Vec<u8>) -> Result {
    let Some(stream) = stream else { return Err(Message("no stream is open".to_owned())) };
    let (base, mut joined) = (stream.offset(), Vec::new());
    push(output, &[0; 4])?;
    let mut text = Text::new(output);
    text.write_str("[")?;
    let mut hits = if is_end { stream.finish() } else { stream.feed(chunk) };
    loop {
        let error = match hits.next_hit() {
            None => break,
            Some(Ok(found)) => {
                text.item()?;
                hit(&mut text, &found)?;
                // One that begins in this chunk lies in it.
                if found.offset() < base {
                    push(&mut joined, found.as_bytes())?;
                }
                continue;
            }
            Some(Err(error)) => error,
        };
        let explained = hits.explain(error);
        text.item()?;
        fault(&mut text, error, explained)?;
    }
    text.write_str("]")?;
    let len = u32::try_from(output.len().saturating_sub(4)).unwrap_or(u32::MAX).to_le_bytes();
    output.iter_mut().zip(len).for_each(|(to, byte)| *to = byte);
    Ok(push(output, &joined)?)
}
