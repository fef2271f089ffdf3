//! Allocations of the gateway, counted on its thread: none for a request in the steady state.

use std::thread;
use std::time::Duration;

use gateway::file::PolicyFile;
use gateway::hub::Limits;
use gateway::serve::serve;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::kit::{Backend, Caller, POLICY, bodies, event_loop};

/// What the proxy's thread allocates while 20 clients make so many requests each, redacted.
fn allocations(requests: usize) -> u64 {
    let (address, told) = std::sync::mpsc::channel();
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    let backend = thread::spawn(move || {
        event_loop().block_on(async {
            let backend = Backend::start().await;
            address.send(backend.address).unwrap();
            while is_over.try_recv().is_err() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    });
    let policy = std::env::temp_dir().join(format!("gateway-memory-{}-{requests}.toml", std::process::id()));
    std::fs::write(&policy, POLICY.replace("ADDRESS", &told.recv().unwrap().to_string())).unwrap();
    let (ready, listening) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let file = policy.clone();
    let proxy = thread::spawn(move || {
        let runtime = event_loop();
        let info = allocation_counter::measure(|| {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send(listener.local_addr().unwrap()).unwrap();
                let policy = PolicyFile::open(file).unwrap();
                serve(listener, policy, Limits::default(), None, async { drop(stopped.await) }).await.unwrap();
            });
        });
        info.count_total
    });
    let proxied = listening.recv().unwrap();
    event_loop().block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for body in bodies(20, 1024) {
            let stream = TcpStream::connect(proxied).await.unwrap();
            let mut caller = Caller::new(stream);
            tasks.spawn(async move {
                for _ in 0..requests {
                    assert_eq!(caller.call(&body).await.unwrap(), body);
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    });
    drop(stop);
    let count = proxy.join().unwrap();
    let _ = over.send(());
    backend.join().unwrap();
    let _ = std::fs::remove_file(policy);
    count
}

#[test]
fn a_request_allocates_nothing_in_the_steady_state() {
    let (few, many) = (allocations(200), allocations(2200));
    // Buffers grow a few times more while a longer run meets its largest round.
    assert!(few > 0 && many.saturating_sub(few) < 40, "{few} allocations for 4,000 requests, {many} for 44,000");
}
