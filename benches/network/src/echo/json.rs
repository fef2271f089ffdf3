//! The echo over newline-delimited JSON: each request and each reply is a line `{"id":1,"body":"…"}`. The transport is
//! that of the Y3 echo.

use std::ops::Range;

use bytes::BytesMut;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::protocol::{Protocol, Reply};
use super::server::accept;

const READ: usize = 256 << 10;
/// The maximum length of a line.
const LINE: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    id: u64,
    body: &'a str,
}

/// Requests and replies as lines.
#[derive(Debug)]
pub struct Json;

impl Protocol for Json {
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]) {
        put(out, &Line { id, body: std::str::from_utf8(body).unwrap_or_default() });
    }

    fn replies(buffer: &[u8], base: u64, mut each: impl FnMut(Reply)) -> Result<usize, String> {
        let mut used = 0;
        for line in lines(buffer) {
            let parsed: Line = serde_json::from_slice(line)
                .map_err(|error| format!("{error}, line at byte {}", base + used as u64))?;
            each((parsed.id, Ok(place(buffer, parsed.body))));
            used += line.len();
        }
        Ok(used)
    }
}

/// Iterates over the complete lines at the front of a buffer.
fn lines(buffer: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', buffer).map(move |end| &buffer[std::mem::replace(&mut start, end + 1)..=end])
}

fn put(out: &mut Vec<u8>, line: &Line<'_>) {
    let written = serde_json::to_writer(&mut *out, line);
    debug_assert!(written.is_ok(), "a vector takes all");
    out.push(b'\n');
}

/// Returns the range of a text without escapes in the buffer that it borrows from.
fn place(buffer: &[u8], text: &str) -> Range<usize> {
    let start = text.as_ptr().addr().saturating_sub(buffer.as_ptr().addr());
    start..start + text.len()
}

/// Serves until `stop` is ready.
pub async fn serve(listener: TcpListener, stop: impl Future<Output = ()>) {
    let connected = |stream, peer| {
        drop(tokio::spawn(async move {
            if let Err(error) = connection(stream).await {
                tracing::warn!(%peer, %error, "refused");
            }
        }));
    };
    accept(listener, stop, connected).await;
}

async fn connection(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = stream.into_split();
    let (mut buffer, mut out) = (BytesMut::with_capacity(READ), Vec::new());
    loop {
        if buffer.capacity() - buffer.len() < READ / 4 {
            buffer.reserve(READ);
        }
        if reader.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        let mut used = 0;
        for line in lines(&buffer) {
            put(&mut out, &serde_json::from_slice(line)?);
            used += line.len();
        }
        drop(buffer.split_to(used));
        anyhow::ensure!(buffer.len() <= LINE, "a line of more than {LINE} bytes");
        writer.write_all(&out).await?;
        out.clear();
    }
}
