//! A server that follows a script for each peer that connects.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, RecvStream, SendStream};
use tokio::task::JoinSet;
use tokio::time::sleep;
use y3_yomo::Options;

use crate::kit::{SECOND, options};

pub const ACK: &[u8] = &[0xa9, 0x00];

/// What the server does on the stream of a peer. At the end of the script, it keeps the stream open and sends nothing.
pub enum Step {
    Say(Vec<u8>),
    Repeat(Vec<u8>, usize),
    Pause(Duration),
    /// Redirects the peer to this server.
    SendBack,
    /// Ends the sending side of the stream.
    Finish,
    /// Stops reading from the peer.
    Stop,
    /// Reads everything from the peer.
    Read,
}

/// The server ends when this value is dropped.
pub struct Fake {
    pub address: String,
    _tasks: JoinSet<()>,
    connections: Arc<AtomicUsize>,
}

impl Fake {
    /// Runs the first script for the first connection, and so on. All later connections get the last script. A script
    /// starts when the first bytes of the handshake have arrived.
    pub fn start(protocol: &[u8], scripts: Vec<Vec<Step>>) -> Fake {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let mut tls = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], made.signing_key.into())
            .unwrap();
        tls.alpn_protocols = vec![protocol.to_vec()];
        let config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap()));
        let endpoint = Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let (address, connections) = (endpoint.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let (counted, scripts, mut tasks) = (connections.clone(), Arc::new(scripts), JoinSet::new());
        tasks.spawn(async move {
            let mut peers = JoinSet::new();
            while let Some(incoming) = endpoint.accept().await {
                let number = counted.fetch_add(1, Ordering::Relaxed);
                let scripts = scripts.clone();
                peers.spawn(async move {
                    let Ok(connection) = incoming.await else { return };
                    let Ok((send, mut receive)) = connection.accept_bi().await else { return };
                    let _ = receive.read(&mut [0; 4096]).await;
                    let script = scripts.get(number).or(scripts.last()).unwrap();
                    let _ = play(script, address, send, receive).await;
                    connection.closed().await;
                });
            }
        });
        Fake { address: address.to_string(), _tasks: tasks, connections }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

async fn play(script: &[Step], here: SocketAddr, mut send: SendStream, mut receive: RecvStream) -> std::io::Result<()> {
    for step in script {
        match step {
            Step::Say(piece) => {
                send.write_all(piece).await?;
                sleep(SECOND / 100).await;
            }
            Step::Repeat(piece, times) => {
                for _ in 0..*times {
                    send.write_all(piece).await?;
                }
            }
            Step::Pause(time) => sleep(*time).await,
            Step::SendBack => {
                let mut packet = Vec::new();
                y3::Encoder::new(&mut packet).node(0x3e, |fields| fields.put(0x01, &*here.to_string())).unwrap();
                send.write_all(&packet).await?;
            }
            Step::Finish => drop(send.finish()),
            Step::Stop => drop(receive.stop(7u32.into())),
            Step::Read => drop(receive.read_to_end(1 << 20).await),
        }
    }
    drop(send.stopped().await);
    Ok(())
}

/// A server that writes these pieces one after the other, and then sends nothing.
pub fn saying(pieces: &[&[u8]]) -> Fake {
    Fake::start(b"yomo", vec![pieces.iter().map(|piece| Step::Say(piece.to_vec())).collect()])
}

/// Options of a peer with a time limit of one second.
pub fn quick(fake: &Fake) -> Options {
    Options { timeout: SECOND, silence: SECOND / 2, ..options(&fake.address, "peer") }
}
