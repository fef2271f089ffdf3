//! A stream function that answers loud readings (tag 0x33) with an alarm (0x34), until Ctrl-C or SIGTERM.
//!
//! Run `cargo run -p y3-yomo --example function -- [SERVER] [AUTHORITY.pem]`. Without an authority, it trusts any server.

use tokio::signal::unix::{SignalKind, signal};
use y3::{Decode, Encode};
use y3_yomo::{Message, Options, StreamFunction, Tls};

#[derive(Debug, Decode)]
struct Reading<'a> {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x13)]
    place: &'a str,
}

#[derive(Encode)]
struct Alarm {
    #[y3(0x11)]
    above: f32,
}

async fn handle(message: Message) -> Option<Message> {
    let reading = message.decode().inspect_err(|error| println!("no reading: {error}"));
    let Reading { noise, place } = reading.ok()?;
    println!("{noise:.2} dB from {place}");
    if noise <= 60.0 { None } else { Message::encode(0x34, &Alarm { above: noise - 60.0 }).ok() }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let server = arguments.next().unwrap_or_else(|| "127.0.0.1:9000".into());
    let tls = arguments.next().map_or_else(Tls::dangerously_trust_any, Tls::authority);
    let options = Options { retry_first: true, ..Options::new(server, "loud", tls) };
    let options = options.on_event(|event| eprintln!("{event}"));

    let mut terminate = signal(SignalKind::terminate())?;
    let function = StreamFunction::new(options, [0x33]).concurrency(4);
    let mut running = tokio::select! {
        running = function.connect(handle) => running?,
        _ = tokio::signal::ctrl_c() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    let counters = tokio::select! {
        ended = running.ended() => ended?,
        _ = tokio::signal::ctrl_c() => running.close().await?,
        _ = terminate.recv() => running.close().await?,
    };
    println!("received: {}, alarms: {}, confirmed: {}", counters.received, counters.written, counters.confirmed);
    Ok(())
}
