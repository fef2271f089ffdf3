//! Calls a function for each path with the values that arrive in a stream: `cargo run --example dispatch`.

use y3::{Collector, Error, Hit, Limits, PathSet, path};

const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
/// The function to call for each path.
const HANDLERS: [fn(Hit<'_>) -> Result<(), Error>; 2] = [noise, from];

fn noise(hit: Hit<'_>) -> Result<(), Error> {
    println!("noise {}", hit.decode::<f32>()?);
    Ok(())
}

fn from(hit: Hit<'_>) -> Result<(), Error> {
    println!("from {}", y3::show::escape(hit.decode()?));
    Ok(())
}

fn main() -> Result<(), Error> {
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    for chunk in [&[0x81, 0x08, 0x11, 0x02, 0x41][..], &[0xb8, 0x13, 0x02, b'Y', b'3']] {
        let mut hits = collector.feed(chunk);
        while let Some(hit) = hits.next_hit() {
            let hit = hit?;
            HANDLERS[hit.path_index()](hit)?;
        }
    }
    collector.finish().next_hit().map_or(Ok(()), |end| end.map(drop))
}
