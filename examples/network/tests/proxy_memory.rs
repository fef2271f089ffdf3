//! Allocations of the proxy: none for a request in the steady state. A program of its own, for its allocator counts.

mod kit;
mod proxy_kit;

use std::thread;
use std::time::Duration;

use network::echo::direct::Direct;
use network::echo::event_loop;
use network::echo::load::bodies;
use network::proxy::hub::Limits;
use network::proxy::request::Tagged;
use network::proxy::serve::serve;
use proxy_kit::{Backend, POLICY};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// What the proxy's thread allocates while 20 clients make so many requests each, redacted.
fn allocations(requests: usize, reuse: bool) -> u64 {
    let (address, told) = std::sync::mpsc::channel();
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    let backend = thread::spawn(move || {
        event_loop().unwrap().block_on(async {
            let backend = Backend::start().await;
            address.send(backend.address).unwrap();
            while is_over.try_recv().is_err() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    });
    let policy = std::env::temp_dir().join(format!("proxy-memory-{}-{requests}-{reuse}.toml", std::process::id()));
    std::fs::write(&policy, POLICY.replace("ADDRESS", &told.recv().unwrap().to_string())).unwrap();
    let (ready, listening) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let file = policy.clone();
    let proxy = thread::spawn(move || {
        let runtime = event_loop().unwrap();
        let info = allocation_counter::measure(|| {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send(listener.local_addr().unwrap()).unwrap();
                let limits = Limits { reuse, ..Limits::default() };
                serve(listener, file, limits, None, false, async { drop(stopped.await) }).await.unwrap();
            });
        });
        info.count_total
    });
    let proxied = listening.recv().unwrap();
    event_loop().unwrap().block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for body in bodies(20, 1024) {
            let stream = TcpStream::connect(proxied).await.unwrap();
            let mut caller = Direct::<Tagged, _>::new(stream, Duration::from_secs(10));
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
    let (few, many) = (allocations(200, true), allocations(2200, true));
    println!("with reuse: {few} allocations for 4,000 requests, {many} for 44,000");
    // Buffers grow a few times more while a longer run meets its largest round.
    assert!(many.saturating_sub(few) < 40, "{few} allocations for 4,000 requests, {many} for 44,000");
    let (few, many) = (allocations(200, false), allocations(2200, false));
    println!("without reuse: {few} allocations for 4,000 requests, {many} for 44,000");
    assert!(many > few + 1000, "it counts: {few}, {many}");
}
