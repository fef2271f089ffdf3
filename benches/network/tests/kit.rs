//! Helpers of the tests: servers on the loopback, and replies of other servers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gateway::message::{put_reply_front, put_request, requests};
use network::echo::direct::Direct;
use network::echo::limits::{Counts, Limits};
use network::echo::link::Link;
use network::echo::protocol::Y3;
use network::echo::server::serve;
use tokio::net::{TcpListener, TcpStream};

/// A server in a task of this thread.
pub struct Server {
    pub address: SocketAddr,
    pub counts: Arc<Counts>,
}

pub async fn server(limits: Limits) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Arc::new(Counts::default());
    tokio::spawn(serve(listener, limits, Arc::clone(&counts), std::future::pending()));
    Server { address, counts }
}

impl Server {
    pub async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub async fn link(&self, timeout: Duration) -> Link<Y3> {
        let (reader, writer) = self.connect().await.into_split();
        Link::new(reader, writer, timeout)
    }

    pub async fn direct(&self, timeout: Duration) -> Direct<Y3, TcpStream> {
        Direct::new(self.connect().await, timeout)
    }
}

/// Returns a request with a body of this length.
pub fn request(id: u64, len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    put_request(&mut out, id, &vec![7; len]);
    out
}

/// Removes the requests at the front of a buffer, and returns their replies.
pub fn answers(buffer: &mut Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut messages = requests(buffer, 0, 1 << 20);
    while let Some(request) = messages.next_message().unwrap() {
        let body = request.body.unwrap();
        put_reply_front(&mut out, &request.id, &body);
        out.extend_from_slice(body.as_bytes());
    }
    let used = messages.used();
    buffer.drain(..used);
    out
}
