//! A source that writes readings (tag 0x33) until Ctrl-C or SIGTERM. It prints which readings may be lost.
//!
//! Run `cargo run -p y3-yomo --example source -- [SERVER] [AUTHORITY.pem]`. Without an authority, it trusts any server.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use y3::Encode;
use y3_yomo::{Error, Options, Source, Tls};

#[derive(Encode)]
struct Reading<'a> {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x13)]
    place: &'a str,
}

async fn readings(source: &Source) -> Result<(), Error> {
    let mut pause = tokio::time::interval(Duration::from_millis(100));
    for noise in [45.12, 42.54, 61.5, 38.0].into_iter().cycle() {
        pause.tick().await;
        let number = source.write(0x33, &Reading { noise, place: "10.0.3.113" }).await?;
        if number % 10 == 9 {
            match source.confirm(Duration::from_secs(1)).await {
                // Unconfirmed readings are confirmed later, or reported when the connection is lost.
                Ok(()) | Err(Error::Unconfirmed { .. }) => println!("{:?}", source.counters()),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let server = arguments.next().unwrap_or_else(|| "127.0.0.1:9000".into());
    let tls = arguments.next().map_or_else(Tls::dangerously_trust_any, Tls::authority);
    let options = Options { retry_first: true, ..Options::new(server, "noise", tls) };

    let mut terminate = signal(SignalKind::terminate())?;
    let source = tokio::select! {
        source = Source::connect(options.on_event(|event| eprintln!("{event}"))) => source?,
        _ = tokio::signal::ctrl_c() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    tokio::select! {
        ended = readings(&source) => ended?,
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    println!("{:?}", source.close().await?);
    Ok(())
}
