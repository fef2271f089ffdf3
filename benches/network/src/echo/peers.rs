//! Peers: every server and client of this program behind one name each.
//!
//! In: a name, an address. Out: a server that listens; a row.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::direct::Direct;
use super::json::Json;
use super::limits::{Counts, Limits};
use super::link::Link;
use super::load::{self, Load, Row};
use super::protocol::{Protocol, Y3};
use super::{grpc, json, quic, server};
use crate::program::taken;

/// A server's protocol and transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Server {
    Y3,
    Y3Quic,
    Json,
    Tonic,
}

/// A client: a protocol, and a connection for each caller (pooled) or one for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    Y3Pooled,
    Y3Mux,
    Y3Quic,
    JsonPooled,
    JsonMux,
    Tonic,
}

/// What clients have to know of a server that listens.
#[derive(Debug)]
pub struct Ready {
    pub address: SocketAddr,
    pub certificate: Option<Vec<u8>>,
    /// What the server counts while it runs (y3).
    pub counts: Option<Arc<Counts>>,
}

impl Server {
    /// Listens, tells where, serves until `stop` is ready, and returns a summary.
    ///
    /// # Errors
    /// The address is taken.
    pub async fn serve(
        self,
        address: SocketAddr,
        limits: Limits,
        ready: oneshot::Sender<Ready>,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<String> {
        let counts = Arc::new(Counts::default());
        // Nobody may wait for the address.
        let is_counting = matches!(self, Server::Y3 | Server::Y3Quic);
        let counted = is_counting.then(|| Arc::clone(&counts));
        let tell = |address, certificate| drop(ready.send(Ready { address, certificate, counts: counted }));
        if self == Server::Y3Quic {
            let (endpoint, certificate) = quic::server(address)?;
            tell(endpoint.local_addr()?, Some(certificate.to_vec()));
            server::serve_quic(endpoint, limits, Arc::clone(&counts), stop).await;
            return Ok(counts.summary());
        }
        let listener = TcpListener::bind(address).await.with_context(|| taken(address))?;
        tell(listener.local_addr()?, None);
        match self {
            Server::Y3 | Server::Y3Quic => server::serve(listener, limits, Arc::clone(&counts), stop).await,
            Server::Json => json::serve(listener, limits.delay, stop).await,
            Server::Tonic => grpc::serve(listener, limits.delay, stop).await?,
        }
        Ok(match self {
            Server::Y3 | Server::Y3Quic => counts.summary(),
            Server::Json | Server::Tonic => "stopped".to_owned(),
        })
    }
}

impl Client {
    /// The name as on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The server that it calls.
    pub fn server(self) -> Server {
        match self {
            Client::Y3Pooled | Client::Y3Mux => Server::Y3,
            Client::Y3Quic => Server::Y3Quic,
            Client::JsonPooled | Client::JsonMux => Server::Json,
            Client::Tonic => Server::Tonic,
        }
    }

    /// Connects, and runs all callers until the time is over or `stop` is ready.
    ///
    /// # Errors
    /// No connection, or no call that succeeds.
    pub async fn measure(
        self,
        address: SocketAddr,
        certificate: Option<Vec<u8>>,
        load: Load,
        timeout: Duration,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<Row> {
        let name = self.name();
        match self {
            Client::Y3Pooled => load::run(&name, load, pool::<Y3>(address, load.callers, timeout).await?, stop).await,
            Client::JsonPooled => {
                load::run(&name, load, pool::<Json>(address, load.callers, timeout).await?, stop).await
            }
            Client::Y3Mux => {
                let link = link::<Y3>(address, timeout).await?;
                load::run(&name, load, callers(&link, load.callers)?, stop).await
            }
            Client::JsonMux => {
                let link = link::<Json>(address, timeout).await?;
                load::run(&name, load, callers(&link, load.callers)?, stop).await
            }
            Client::Y3Quic => {
                let certificate = certificate.context("no certificate")?;
                let (endpoint, connection) = quic::connect(address, certificate.into()).await?;
                let (send, receive) = connection.open_bi().await?;
                let link = Link::<Y3>::new(receive, send, timeout);
                let row = load::run(&name, load, callers(&link, load.callers)?, stop).await;
                connection.close(0u32.into(), b"done");
                // The server learns of it before this endpoint is gone.
                let _ = tokio::time::timeout(Duration::from_secs(1), endpoint.wait_idle()).await;
                row
            }
            Client::Tonic => load::run(&name, load, grpc::callers(address, load.callers).await?, stop).await,
        }
    }
}

async fn connect(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let connecting = tokio::time::timeout(Duration::from_secs(5), TcpStream::connect(address));
    let stream = connecting
        .await
        .with_context(|| format!("{address} does not answer"))?
        .with_context(|| format!("no connection to {address}; is the server running?"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn pool<P: Protocol>(
    address: SocketAddr,
    number: usize,
    timeout: Duration,
) -> anyhow::Result<Vec<Direct<P, TcpStream>>> {
    let mut pool = Vec::with_capacity(number);
    for _ in 0..number {
        pool.push(Direct::new(connect(address).await?, timeout));
    }
    Ok(pool)
}

async fn link<P: Protocol>(address: SocketAddr, timeout: Duration) -> anyhow::Result<Link<P>> {
    let (reader, writer) = connect(address).await?.into_split();
    Ok(Link::new(reader, writer, timeout))
}

fn callers<P: Protocol>(link: &Link<P>, number: usize) -> anyhow::Result<Vec<super::link::Caller<P>>> {
    (0..number).map(|_| link.caller().context("too many callers for one connection")).collect()
}
