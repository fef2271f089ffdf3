//! Load: callers in a closed loop, and what they saw.
//!
//! In: callers. Out: a row. Each caller sends, waits, compares the reply with its request, and sends again. A closed loop asks
//! less of a server that gets slow: requests that users would have sent meanwhile are missing from its percentiles.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use bytes::Bytes;
use clap::builder::RangedU64ValueParser;
use hdrhistogram::Histogram;

use super::direct::Direct;
use super::link::Caller;
use super::protocol::{CallError, Protocol};
use crate::measure::row::Row;
use crate::process::Usage;

/// What to send, and for how long.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Load {
    /// Callers that wait for one reply each.
    #[arg(long, default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=60_000))]
    pub callers: usize,
    /// Bytes of a body.
    #[arg(long, default_value_t = 1024)]
    pub body: usize,
    /// Seconds to run before; requests that begin in them are not counted.
    #[arg(long, default_value = "0.5", value_parser = crate::program::seconds)]
    pub warm: Duration,
    /// Seconds to measure.
    #[arg(long = "seconds", default_value = "3", value_parser = crate::program::seconds)]
    pub measure: Duration,
}

/// One that asks and gets its own bytes back.
pub trait Echo: Send + 'static {
    /// Sends a body and compares the reply.
    fn echo(&mut self, body: &Bytes) -> impl Future<Output = Result<(), CallError>> + Send;
}

fn same(reply: &[u8], body: &[u8]) -> Result<(), CallError> {
    if reply == body { Ok(()) } else { Err(CallError::Different) }
}

impl<P: Protocol> Echo for Caller<P> {
    async fn echo(&mut self, body: &Bytes) -> Result<(), CallError> {
        same(&self.call(body).await?, body)
    }
}

impl<P, S> Echo for Direct<P, S>
where
    P: Protocol,
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    async fn echo(&mut self, body: &Bytes) -> Result<(), CallError> {
        same(self.call(body).await?, body)
    }
}

/// What callers saw together.
struct Seen {
    nanoseconds: Histogram<u64>,
    errors: u64,
    first_error: Option<CallError>,
}

/// Bodies for callers: letters, so that JSON carries them as they are, and another window of one text for each caller, so that
/// the clients' bodies do not fill the cache.
pub fn bodies(callers: usize, len: usize) -> impl Iterator<Item = Bytes> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'a' + (state >> 33) as u8 % 26
    };
    let text: Bytes = std::iter::repeat_with(letter).take(callers + len).collect();
    (0..callers).map(move |start| text.slice(start..start + len))
}

/// Runs all callers until the time is over or `stop` is ready.
///
/// # Errors
/// The first failure, if no request succeeded.
pub async fn run<E: Echo>(load: Load, callers: Vec<E>, stop: impl Future<Output = ()>) -> anyhow::Result<Row> {
    let nanoseconds = Histogram::new_with_bounds(1, 600_000_000_000, 3).context("histogram")?;
    let seen = Arc::new(Mutex::new(Seen { nanoseconds, errors: 0, first_error: None }));
    let start = Instant::now() + load.warm;
    let end = start + load.measure;
    let mut tasks = tokio::task::JoinSet::new();
    for (caller, body) in callers.into_iter().zip(bodies(load.callers, load.body)) {
        tasks.spawn(repeat(caller, body, start, end, Arc::clone(&seen)));
    }
    let all = async {
        tokio::time::sleep_until(start.into()).await;
        let before = Usage::own();
        while tasks.join_next().await.is_some() {}
        before
    };
    let before = tokio::select! {
        before = all => before,
        () = stop => None,
    };
    let usage = Usage::own().unwrap_or_default().since(before.unwrap_or_default());
    let seconds = Instant::now().min(end).saturating_duration_since(start).as_secs_f64();
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if let (0, Some(error)) = (seen.nanoseconds.len(), &seen.first_error) {
        return Err(error.clone().into());
    }
    if let Some(error) = &seen.first_error {
        tracing::warn!(%error, errors = seen.errors, "some calls failed");
    }
    let microseconds = |quantile| seen.nanoseconds.value_at_quantile(quantile) as f64 / 1e3;
    Ok(Row {
        callers: load.callers,
        body: load.body,
        seconds,
        requests: seen.nanoseconds.len(),
        errors: seen.errors,
        tps: seen.nanoseconds.len() as f64 / seconds.max(1e-9),
        mean_us: seen.nanoseconds.mean() / 1e3,
        p99_us: microseconds(0.99),
        p999_us: microseconds(0.999),
        client_cpu: usage.percent(seconds),
        client_kib: usage.rss,
        ..Row::default()
    })
}

async fn repeat<E: Echo>(mut caller: E, body: Bytes, start: Instant, end: Instant, seen: Arc<Mutex<Seen>>) {
    let (mut begin, mut counted) = (Instant::now(), false);
    // On a machine that is too busy for the measured time, each caller has one request that counts.
    while begin < end || !counted {
        let result = caller.echo(&body).await;
        let now = Instant::now();
        // The replies to requests of the measured time are waited for, as the clients in Go do.
        counted = begin >= start;
        if counted || result.is_err() {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(()) => {
                    let nanoseconds = u64::try_from((now - begin).as_nanos()).unwrap_or(u64::MAX);
                    seen.nanoseconds.saturating_record(nanoseconds);
                }
                // A caller stops at its first error, as those in Go do. So what a peer leaves unread does not grow.
                Err(error) => {
                    seen.errors += 1;
                    seen.first_error.get_or_insert(error);
                    return;
                }
            }
        }
        begin = now;
    }
}
