//! What the tests of the echo share: servers on the loopback, and their logs.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use network::echo::direct::Direct;
use network::echo::limits::{Counts, Limits};
use network::echo::link::Link;
use network::echo::protocol::Y3;
use network::echo::server::serve;
use tokio::net::{TcpListener, TcpStream};
use tracing::subscriber::DefaultGuard;

/// A server in a task of this test's thread.
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

/// What this thread logs from now on.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    pub fn start() -> (Log, DefaultGuard) {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .with_max_level(tracing::Level::INFO);
        (log, tracing::subscriber::set_default(subscriber.finish()))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Waits until the log says something, for at most ten seconds.
    pub async fn says(&self, what: &str) {
        for _ in 0..1000 {
            if self.text().contains(what) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what:?} is not in the log:\n{}", self.text());
    }
}
