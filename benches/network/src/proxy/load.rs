//! Load: the proxy's own clients, a connection each, in a closed loop.
//!
//! In: an address. Out: a row.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpStream;

use super::request::Tagged;
use crate::echo::direct::Direct;
use crate::echo::load::{Load, Row, run};

/// A connection.
///
/// # Errors
/// Nobody listens there.
pub async fn connect(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream =
        TcpStream::connect(address).await.with_context(|| format!("no connection to {address}; is it running?"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Connects all callers and measures.
///
/// # Errors
/// No connection, or no call that succeeds.
pub async fn measure(
    name: &str,
    address: SocketAddr,
    load: Load,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<Row> {
    let mut callers = Vec::with_capacity(load.callers);
    for _ in 0..load.callers {
        callers.push(Direct::<Tagged, _>::new(connect(address).await?, Duration::from_secs(10)));
    }
    run(name, load, callers, stop).await
}
