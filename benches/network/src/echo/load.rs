//! Runs callers and measures them. A caller sends a request, waits, compares the reply with the request, and sends
//! again.
//!
//! A slow server gets fewer requests from such callers than from real users, so its percentiles look too good. At a
//! fixed rate, each request has a planned time, from which its latency is measured.

use std::future::Future;
use std::ops::Range;
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

/// What callers send, and for how long.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Load {
    /// The number of callers. Each has at most one request without a reply.
    #[arg(long, default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=60_000))]
    pub callers: usize,
    /// The length of a body in bytes.
    #[arg(long, default_value_t = 1024)]
    pub body: usize,
    /// Seconds of warm-up. Requests that begin in this time are not counted.
    #[arg(long, default_value = "0.5", value_parser = crate::program::seconds)]
    pub warm: Duration,
    /// Seconds to measure.
    #[arg(long = "seconds", default_value = "3", value_parser = crate::program::seconds)]
    pub measure: Duration,
    /// Requests a second of all callers together. The latency of a request starts at its planned time. By default, each
    /// caller sends its next request when it has its reply.
    #[arg(long)]
    pub rate: Option<u32>,
}

/// A caller.
pub trait Echo: Send + 'static {
    /// Sends a body and compares the reply with it.
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

/// The results of all callers.
struct Seen {
    nanoseconds: Histogram<u64>,
    errors: u64,
    first_error: Option<CallError>,
}

/// Creates a body for each caller. Bodies are letters, so JSON needs no escapes. All bodies are parts of one text, so
/// that they do not fill the cache.
pub fn bodies(callers: usize, len: usize) -> impl Iterator<Item = Bytes> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'a' + (state >> 33) as u8 % 26
    };
    let text: Bytes = std::iter::repeat_with(letter).take(callers + len).collect();
    (0..callers).map(move |start| text.slice(start..start + len))
}

/// Runs all callers until the time is over or `stop` is ready. Callers without an error stay in the list.
///
/// # Errors
/// Returns the first error, if no request succeeded.
pub async fn run<E: Echo>(load: Load, callers: &mut Vec<E>, stop: impl Future<Output = ()>) -> anyhow::Result<Row> {
    let nanoseconds = Histogram::new_with_bounds(1, 600_000_000_000, 3).context("histogram")?;
    let seen = Arc::new(Mutex::new(Seen { nanoseconds, errors: 0, first_error: None }));
    let start = Instant::now() + load.warm;
    let end = start + load.measure;
    let mut tasks = tokio::task::JoinSet::new();
    for ((caller, body), number) in callers.drain(..).zip(bodies(load.callers, load.body)).zip(0..) {
        let due = load.rate.map(|rate| {
            let [first, every] = [number, load.callers as u32].map(|requests| f64::from(requests) / f64::from(rate));
            (start + Duration::from_secs_f64(first), Duration::from_secs_f64(every))
        });
        tasks.spawn(repeat(caller, body, due, start..end, Arc::clone(&seen)));
    }
    let all = async {
        tokio::time::sleep_until(start.into()).await;
        let before = Usage::own();
        while let Some(caller) = tasks.join_next().await {
            callers.extend(caller.ok().flatten());
        }
        before
    };
    let (before, is_stopped) = tokio::select! {
        before = all => (before, false),
        () = stop => (None, true),
    };
    let usage = Usage::own().unwrap_or_default().since(before.unwrap_or_default());
    // At a fixed rate, all planned requests are sent, so an overloaded server needs more time than planned.
    let now = Instant::now();
    let until = if load.rate.is_some() && !is_stopped { now.max(end) } else { now.min(end) };
    let seconds = until.saturating_duration_since(start).as_secs_f64();
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

/// The number of requests that are planned from `begin` until `end`, at least one.
fn planned(begin: Instant, end: Instant, every: Duration) -> u64 {
    let requests = end.saturating_duration_since(begin).as_secs_f64() / every.as_secs_f64().max(1e-9);
    (requests.ceil() as u64).max(1)
}

/// Sends requests until the measured time is over. `due` is the planned time of the first request, and the time between
/// two requests.
async fn repeat<E: Echo>(
    mut caller: E,
    body: Bytes,
    due: Option<(Instant, Duration)>,
    measured: Range<Instant>,
    seen: Arc<Mutex<Seen>>,
) -> Option<E> {
    let mut begin = due.map_or_else(Instant::now, |(first, _)| first);
    // If the machine is so busy that the measured time is already over, each caller still sends one request that
    // counts.
    let mut counted = due.is_some();
    while begin < measured.end || !counted {
        if due.is_some() {
            tokio::time::sleep_until(begin.into()).await;
        }
        let result = caller.echo(&body).await;
        let now = Instant::now();
        // Replies to requests of the measured time are waited for, as in the Go clients.
        counted = begin >= measured.start;
        if counted || result.is_err() {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(()) => {
                    let nanoseconds = u64::try_from((now - begin).as_nanos()).unwrap_or(u64::MAX);
                    seen.nanoseconds.saturating_record(nanoseconds);
                }
                // A caller stops at its first error, as in the Go clients. So the data that a server leaves unread does
                // not grow.
                Err(error) => {
                    // The other planned requests of the caller are not sent, so they count as errors too.
                    seen.errors += due.map_or(1, |(_, every)| planned(begin, measured.end, every));
                    seen.first_error.get_or_insert(error);
                    return None;
                }
            }
        }
        begin = due.map_or(now, |(_, every)| begin + every);
    }
    Some(caller)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Slow(Duration);

    impl Echo for Slow {
        async fn echo(&mut self, _: &Bytes) -> Result<(), CallError> {
            tokio::time::sleep(self.0).await;
            Ok(())
        }
    }

    /// Runs this many callers, which send 200 requests a second in total and get each reply after `delay`.
    async fn paced(number: usize, delay: Duration, measure: Duration) -> Row {
        let load = Load { callers: number, body: 10, warm: Duration::ZERO, measure, rate: Some(200) };
        let mut callers: Vec<Slow> = (0..number).map(|_| Slow(delay)).collect();
        let row = run(load, &mut callers, std::future::pending()).await.unwrap();
        assert_eq!((row.errors, callers.len()), (0, number));
        row
    }

    #[tokio::test]
    async fn a_request_leaves_when_it_is_due_while_others_wait_for_replies() {
        // One after the other, these requests would take 20 seconds.
        let begin = Instant::now();
        let row = paced(100, Duration::from_millis(200), Duration::from_millis(500)).await;
        assert!(row.requests == 100 && row.mean_us >= 199_000.0, "{row:?}");
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn a_time_counts_from_when_the_request_was_due() {
        // One caller has ten requests that are planned within 50 ms, so the last one waits for nine replies.
        let row = paced(1, Duration::from_millis(100), Duration::from_millis(50)).await;
        // The replies need a second, so the rate is 10 a second, not the planned 200.
        assert!(row.requests == 10 && row.p999_us >= 900_000.0 && row.tps <= 10.0, "{row:?}");
    }
}
