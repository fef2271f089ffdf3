//! All servers and clients of this program, by name.

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
use super::load::{self, Load};
use super::protocol::{Protocol, Tagged, Y3};
use super::{grpc, json, server};
use crate::measure::row::Row;

/// The protocol of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Server {
    Y3,
    Json,
    Tonic,
}

/// A client. In a pooled client, each caller has a connection; otherwise all callers share one. A proxied client is
/// pooled, and its requests contain the fields that a proxy's policy watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    Y3Pooled,
    Y3Mux,
    Y3Proxied,
    JsonPooled,
    JsonMux,
    Tonic,
}

impl Server {
    /// Listens, sends the address to `ready`, serves until `stop` is ready, and returns a summary.
    pub async fn serve(
        self,
        address: SocketAddr,
        limits: Limits,
        ready: oneshot::Sender<SocketAddr>,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<String> {
        let taken = "cannot listen on this address; if another program uses the port, choose another one with --addr";
        let listener = TcpListener::bind(address).await.with_context(|| format!("{address}: {taken}"))?;
        // The receiver of the address may be gone.
        let _ = ready.send(listener.local_addr()?);
        match self {
            Server::Y3 => {
                let counts = Arc::new(Counts::default());
                server::serve(listener, limits, Arc::clone(&counts), stop).await;
                return Ok(counts.to_string());
            }
            Server::Json => json::serve(listener, stop).await,
            Server::Tonic => grpc::serve(listener, stop).await?,
        }
        Ok("stopped".to_owned())
    }
}

impl Client {
    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The server that this client calls.
    pub fn server(self) -> Server {
        match self {
            Client::Y3Pooled | Client::Y3Mux | Client::Y3Proxied => Server::Y3,
            Client::JsonPooled | Client::JsonMux => Server::Json,
            Client::Tonic => Server::Tonic,
        }
    }

    /// Connects, and runs all callers until the time is over or `stop` is ready.
    pub async fn measure(
        self,
        address: SocketAddr,
        load: Load,
        timeout: Duration,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<Row> {
        let row = match self {
            Client::Y3Pooled => load::run(load, &mut pool::<Y3>(address, load, timeout).await?, stop).await,
            Client::Y3Proxied => load::run(load, &mut pool::<Tagged>(address, load, timeout).await?, stop).await,
            Client::JsonPooled => load::run(load, &mut pool::<Json>(address, load, timeout).await?, stop).await,
            Client::Y3Mux => shared::<Y3>(address, load, timeout, stop).await,
            Client::JsonMux => shared::<Json>(address, load, timeout, stop).await,
            Client::Tonic => load::run(load, &mut grpc::callers(address, load.callers).await?, stop).await,
        };
        Ok(Row { name: self.name(), ..row? })
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
    load: Load,
    timeout: Duration,
) -> anyhow::Result<Vec<Direct<P, TcpStream>>> {
    let mut pool = Vec::with_capacity(load.callers);
    for _ in 0..load.callers {
        pool.push(Direct::new(connect(address).await?, timeout));
    }
    Ok(pool)
}

/// Runs all callers on one connection.
async fn shared<P: Protocol>(
    address: SocketAddr,
    load: Load,
    timeout: Duration,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<Row> {
    let (reader, writer) = connect(address).await?.into_split();
    let link = Link::<P>::new(reader, writer, timeout);
    let callers: Option<Vec<_>> = (0..load.callers).map(|_| link.caller()).collect();
    load::run(load, &mut callers.context("too many callers for one connection")?, stop).await
}
