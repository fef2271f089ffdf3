//! Watched packets over real connections: TCP and QUIC on the loopback, several at once, in random segments, and cut.

mod kit;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use futures_util::SinkExt;
use kit::{RECORDING, send, watched, whole};
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;
use y3::{ErrorKind, Limits, PacketCodec, ReadError};

const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const CONNECTIONS: u64 = 4;

/// Inside a DataFrame, between its first hit and its second.
fn middle() -> usize {
    usize::try_from(y3::packets(RECORDING).nth(1000).unwrap().unwrap().offset()).unwrap() + 20
}

async fn connected() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(LOOPBACK).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
    let client = client.unwrap();
    client.set_nodelay(true).unwrap();
    (client, server.unwrap().0)
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_connections_in_random_segments() {
    let tasks = (1..=CONNECTIONS).map(|seed| async move {
        let (mut client, server) = connected().await;
        let sender = tokio::spawn(async move { send(&mut client, RECORDING, seed).await });
        let (rows, error) = watched(server).await;
        sender.await.unwrap();
        assert!(error.is_none(), "{error:?}");
        assert_eq!(rows, whole(RECORDING).0);
        assert_eq!(rows.len(), 4000);
    });
    for task in tasks.map(tokio::spawn).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_tcp_connection_closed_in_the_middle_of_a_packet() {
    let (mut client, server) = connected().await;
    let sender = tokio::spawn(async move { send(&mut client, &RECORDING[..middle()], 7).await });
    let (rows, error) = watched(server).await;
    sender.await.unwrap();
    let (expected, fault) = whole(&RECORDING[..middle()]);
    assert_eq!(rows, expected);
    assert!(matches!(error, Some(ReadError::Packet(error)) if Some(error) == fault), "{error:?}");
    assert_eq!(fault.unwrap().kind(), ErrorKind::UnexpectedEnd);
}

/// With a reset the source fails; what came before is out, and the error keeps its cause.
#[tokio::test]
async fn a_tcp_connection_reset_in_the_middle_of_a_packet() {
    let (mut client, server) = connected().await;
    let sender = tokio::spawn(async move {
        client.write_all(&RECORDING[..middle()]).await.unwrap();
        client.set_zero_linger().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    });
    let (rows, error) = watched(server).await;
    sender.await.unwrap();
    assert_eq!(rows, whole(&RECORDING[..middle()]).0);
    let Some(ReadError::Io(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}

/// Packets sent through the codec on one side, watched on the other.
#[tokio::test]
async fn framed_packets_over_tcp() {
    let (client, server) = connected().await;
    let sender = tokio::spawn(async move {
        let mut framed = Framed::new(client, PacketCodec::new(Limits::DEFAULT));
        for packet in y3::packets(RECORDING) {
            framed.send(packet.unwrap()).await.unwrap();
        }
        SinkExt::<y3::Packet<'_>>::close(&mut framed).await.unwrap();
    });
    let (rows, error) = watched(server).await;
    sender.await.unwrap();
    assert!(error.is_none() && rows == whole(RECORDING).0);
}

/// A client and a server that trust one certificate made for the test.
fn quic() -> (quinn::Endpoint, quinn::Endpoint) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
    let server = quinn::ServerConfig::with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let mut client = quinn::Endpoint::client(LOOPBACK).unwrap();
    client.set_default_client_config(quinn::ClientConfig::with_root_certificates(Arc::new(roots)).unwrap());
    (client, quinn::Endpoint::server(server, LOOPBACK).unwrap())
}

async fn quic_connected() -> (quinn::Connection, quinn::Connection, (quinn::Endpoint, quinn::Endpoint)) {
    let (client, server) = quic();
    let address = server.local_addr().unwrap();
    let connecting = async { client.connect(address, "localhost").unwrap().await.unwrap() };
    let accepting = async { server.accept().await.unwrap().await.unwrap() };
    let (to, from) = tokio::join!(connecting, accepting);
    (to, from, (client, server))
}

#[tokio::test(flavor = "multi_thread")]
async fn quic_streams_in_random_segments() {
    let (client, server, _endpoints) = quic_connected().await;
    let sender = tokio::spawn(async move {
        let streams = (1..=CONNECTIONS).map(|seed| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut stream = client.open_uni().await.unwrap();
                send(&mut stream, RECORDING, seed).await;
                stream.finish().unwrap();
                stream.stopped().await.unwrap();
            })
        });
        for stream in streams.collect::<Vec<_>>() {
            stream.await.unwrap();
        }
    });
    let mut readers = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = server.accept_uni().await.unwrap();
        readers.push(tokio::spawn(watched(stream)));
    }
    for reader in readers {
        let (rows, error) = reader.await.unwrap();
        assert!(error.is_none(), "{error:?}");
        assert_eq!(rows, whole(RECORDING).0);
    }
    sender.await.unwrap();
}

/// One stream is finished early, one is reset; a third goes on to its end.
#[tokio::test(flavor = "multi_thread")]
async fn quic_streams_cut_in_the_middle_of_a_packet() {
    let (client, server, _endpoints) = quic_connected().await;
    let sender = tokio::spawn(async move {
        for (how, end) in [middle(), middle(), RECORDING.len()].into_iter().enumerate() {
            let mut stream = client.open_uni().await.unwrap();
            send(&mut stream, &RECORDING[..end], 11).await;
            if how == 1 {
                stream.reset(42u32.into()).unwrap();
            } else {
                stream.finish().unwrap();
                stream.stopped().await.unwrap();
            }
        }
        client
    });
    // Streams are accepted in the order they were opened in.
    for how in 0..3 {
        let stream = server.accept_uni().await.unwrap();
        let (rows, error) = watched(stream).await;
        match how {
            0 => {
                let (expected, fault) = whole(&RECORDING[..middle()]);
                assert_eq!(rows, expected);
                assert!(matches!(error, Some(ReadError::Packet(error)) if Some(error) == fault), "{error:?}");
            }
            1 => {
                // A reset may overtake what was sent.
                assert!(whole(RECORDING).0.starts_with(&rows));
                let Some(ReadError::Io(error)) = error else { panic!("{error:?}") };
                assert!(error.to_string().contains("reset"), "{error}");
            }
            _ => assert!(error.is_none() && rows == whole(RECORDING).0),
        }
    }
    drop(sender.await.unwrap());
}
