//! A tokio server: reads two values from its clients' packets, and answers each loud reading with a packet.
//!
//! `cargo run --features codec,derive --example server -- 127.0.0.1:4000` serves until it is stopped. Without an address,
//! it starts a client, serves it, and prints the answer.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
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

async fn run(listener: TcpListener) -> io::Result<()> {
    loop {
        let (client, from) = listener.accept().await?;
        tokio::spawn(async move {
            serve(client).await.unwrap_or_else(|error| eprintln!("{from}: {error}"));
        });
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let address = std::env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let bound = listener.local_addr()?;
    println!("listening {bound}");
    if address.is_some() {
        return run(listener).await;
    }
    tokio::spawn(run(listener));
    let mut client = TcpStream::connect(bound).await?;
    client.write_all(&[0x81, 0x08, 0x11, 0x02, 0x42, 0xb8, 0x13, 0x02, b'Y', b'3']).await?;
    client.shutdown().await?;
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await?;
    println!("{}", y3::dump(&answer));
    Ok(())
}
