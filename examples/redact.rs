//! A gateway that forwards a stream without the packets at given paths.
//!
//! `cargo run --example redact -- 3f/02:01/10/13 < tests/data/noise.y3 > redacted.y3` filters standard input.
//! `cargo run --example redact -- 127.0.0.1:4000 127.0.0.1:4001 3f/02:01/10/13` listens on the first address and sends to the second.
//!
//! A packet is forwarded if it is complete and each path can be followed to its end. Otherwise, the connection ends
//! with an error, and no byte of the packet is sent.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use y3::Limits;
use y3::edit::{Edit, Rule};

/// A longer packet is refused as soon as its header has arrived.
const LIMITS: Limits = Limits::DEFAULT.with_max_packet_len(1 << 20);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let addresses: Vec<SocketAddr> = arguments.iter().map_while(|argument| argument.parse().ok()).collect();
    let paths = arguments.get(addresses.len()..).unwrap_or_default();
    let redact = paths.iter().map(|path| path.parse().map(Rule::remove)).collect::<Result<Edit<'static>, _>>()?;
    if paths.is_empty() {
        return Err("usage: redact [LISTEN SEND] PATH...".into());
    }
    let [listen, send] = addresses[..] else {
        return Ok(forward(io::stdin(), io::stdout(), redact)?);
    };
    for client in TcpListener::bind(listen)?.incoming() {
        let (client, redact) = (client?, redact.clone());
        thread::spawn(move || {
            let done = TcpStream::connect(send).and_then(|server| forward(client, server, redact));
            done.unwrap_or_else(|error| eprintln!("redact: {error}"));
        });
    }
    Ok(())
}

fn forward(mut from: impl Read, mut to: impl Write, redact: Edit<'static>) -> io::Result<()> {
    let mut stream = redact.stream(LIMITS);
    let (mut chunk, mut out) = (vec![0; 64 << 10], Vec::new());
    loop {
        let len = from.read(&mut chunk)?;
        let done = if len > 0 { stream.feed(&chunk[..len], &mut out) } else { stream.finish() };
        // Send the packets that were complete before the fault.
        to.write_all(&out)?;
        out.clear();
        done.map_err(io::Error::other)?;
        if len == 0 {
            return to.flush();
        }
    }
}
