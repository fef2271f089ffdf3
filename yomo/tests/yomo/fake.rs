//! A server that does what a script says to each peer that connects.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, RecvStream, SendStream};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use y3_yomo::Options;

use crate::kit::{SECOND, options};

pub const ACK: &[u8] = &[0xa9, 0x00];

/// Ends when it is dropped.
pub struct Fake {
    pub address: String,
    endpoint: Endpoint,
    connections: Arc<AtomicUsize>,
}

impl Fake {
    /// Runs the script for the stream of each connection, after its first bytes have arrived: the handshake. The streams stay
    /// open until the script returns, the connections until the fake is dropped.
    pub fn start<F>(script: impl Fn(usize, SendStream, RecvStream) -> F + Send + Sync + 'static) -> Fake
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::speaking(b"yomo", script)
    }

    pub fn speaking<F>(
        protocol: &[u8],
        script: impl Fn(usize, SendStream, RecvStream) -> F + Send + Sync + 'static,
    ) -> Fake
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let mut tls = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        tls.alpn_protocols = vec![protocol.to_vec()];
        let config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap()));
        let endpoint = Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (accepting, counted, script) = (endpoint.clone(), connections.clone(), Arc::new(script));
        tokio::spawn(async move {
            while let Some(incoming) = accepting.accept().await {
                let number = counted.fetch_add(1, Ordering::Relaxed);
                let script = script.clone();
                tokio::spawn(async move {
                    let Ok(connection) = incoming.await else { return };
                    let Ok((send, mut receive)) = connection.accept_bi().await else { return };
                    let mut hello = [0; 4096];
                    let _ = receive.read(&mut hello).await;
                    script(number, send, receive).await;
                    connection.closed().await;
                });
            }
        });
        Fake { address: endpoint.local_addr().unwrap().to_string(), endpoint, connections }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.endpoint.close(0u32.into(), b"");
    }
}

/// A server that writes these pieces, one after the other, and then says nothing.
pub fn saying(pieces: &[&[u8]]) -> Fake {
    let pieces: Vec<_> = pieces.iter().map(|piece| piece.to_vec()).collect();
    Fake::start(move |_, mut send, receive| {
        let pieces = pieces.clone();
        async move {
            for piece in pieces {
                let _ = send.write_all(&piece).await;
                tokio::time::sleep(SECOND / 100).await;
            }
            send.stopped().await.ok();
            drop(receive);
        }
    })
}

/// Options of a peer that waits for a second.
pub fn quick(fake: &Fake) -> Options {
    Options { timeout: SECOND, silence: SECOND / 2, ..options(&fake.address, "peer") }
}
