//! A tokio server: reads two values from its clients' packets, and answers each loud reading with a packet.
//!
//! `cargo run --features codec,derive --example server -- 127.0.0.1:4000` serves until it is stopped. A client:
//! `printf '\x81\x08\x11\x02\x42\xb8\x13\x02Y3' | nc -N 127.0.0.1 4000 | y3 dump`.

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use y3::{AsyncReader, Encode, Limits, PathSet, path};

/// A reading is a node `01` with the noise `11` and the device `13`, in either order.
const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
/// A client that declares a longer value is refused before any of the value is stored.
const LIMITS: Limits = Limits::DEFAULT.with_max_value_len(256);

#[derive(Encode)]
struct Loud {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x13)]
    readings: u32,
}

/// Answers until the client ends its stream. Chunks may be cut anywhere: a value is read once its last byte has arrived.
async fn serve(client: TcpStream) -> Result<(), y3::ReadError> {
    let (from, mut to) = client.into_split();
    let mut hits = AsyncReader::new(from, &WATCHED, LIMITS);
    let mut readings = 0;
    while let Some(hit) = hits.next_hit().await {
        let hit = hit?;
        if hit.path_index() == 1 {
            println!("a reading from {}", y3::show::escape(hit.decode()?));
            continue;
        }
        readings += 1;
        let noise: f32 = hit.decode()?;
        if noise > 60.0 {
            to.write_all(&y3::to_vec(0x02, &Loud { noise, readings })?).await?;
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind(std::env::args().nth(1).ok_or("usage: server ADDRESS")?).await?;
    loop {
        let (client, from) = listener.accept().await?;
        tokio::spawn(async move {
            serve(client).await.unwrap_or_else(|error| eprintln!("{from}: {error}"));
        });
    }
}
