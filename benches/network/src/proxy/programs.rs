//! Programs: the processes of a sweep, each on its core.
//!
//! In: what to start. Out: a process that listens, and its address. Files that programs need are in a folder that is removed at
//! the end.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use workers::process::Folder;

use crate::process::{Usage, pinned};

/// A program of others.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub path: &'static str,
    /// Debian's package.
    package: &'static str,
}

pub const NGINX: Program = Program { path: "/usr/sbin/nginx", package: "nginx-light" };
pub const HAPROXY: Program = Program { path: "/usr/sbin/haproxy", package: "haproxy" };
pub const WRK: Program = Program { path: "/usr/bin/wrk", package: "wrk" };
pub const H2LOAD: Program = Program { path: "/usr/bin/h2load", package: "nghttp2-client" };

/// The packages of programs that are not there.
pub fn missing(programs: &[Program], is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    programs.iter().filter(|program| !is_there(program.path)).map(|program| program.package).collect()
}

/// Sends the body that the echo's clients send, and prints a line that [`crate::echo::load::Row`] can be made of.
const SCRIPT: &str = r#"
wrk.method = "POST"
wrk.body = string.rep("x", 1024)
done = function(summary, latency)
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  print(string.format("ROW %d %d %d %.1f %d %d %d", summary.requests, summary.duration, errors, latency.mean,
    latency:percentile(99), latency:percentile(99.9), latency.max))
end
"#;

/// Writes the script for `wrk`.
///
/// # Errors
/// It cannot be written.
pub fn script(folder: &Folder) -> anyhow::Result<PathBuf> {
    folder.write("post.lua", SCRIPT)
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Running {
    pub address: SocketAddr,
    pub child: Child,
}

/// Starts this program as a server on a core; it says where it listens.
///
/// # Errors
/// It does not start.
pub async fn own(core: usize, arguments: &[&str]) -> anyhow::Result<Running> {
    let mut command = Command::new(std::env::current_exe().context("the path of this program")?);
    command.args(["--log", "warn"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = pinned(core, || command.spawn())?;
    let mut line = String::new();
    let output = child.stdout.take().context("no output")?;
    tokio::time::timeout(Duration::from_secs(10), BufReader::new(output).read_line(&mut line))
        .await
        .context("silent")??;
    let address = line.trim().strip_prefix("listening ").context("it did not say where it listens")?.parse()?;
    Ok(Running { address, child })
}

/// An address that is free now, for programs that cannot choose one themselves.
fn free() -> anyhow::Result<SocketAddr> {
    Ok(std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// Starts a program on a core and waits until it accepts connections.
async fn other(core: usize, address: SocketAddr, mut command: Command, package: &str) -> anyhow::Result<Running> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = pinned(core, || command.spawn()).with_context(|| format!("cannot start {package}"))?;
    for _ in 0..500 {
        if let Some(status) = child.try_wait()? {
            anyhow::bail!("{package} ended: {status}");
        }
        if TcpStream::connect(address).await.is_ok() {
            return Ok(Running { address, child });
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("{package} does not listen on {address}")
}

/// nginx as one process: a backend that replies 1 KiB, or a proxy that keeps connections to one.
///
/// # Errors
/// It does not start.
pub async fn nginx(core: usize, folder: &Folder, backend: Option<SocketAddr>, http2: bool) -> anyhow::Result<Running> {
    let address = free()?;
    let name = if backend.is_some() { "proxy" } else { "backend" };
    let place = folder.path().display();
    let listen = if http2 { " http2" } else { "" };
    let (upstream, location) = match backend {
        Some(backend) => (
            format!("upstream up {{ server {backend}; keepalive 1024; }}"),
            "proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection \"\";".to_owned(),
        ),
        None => (String::new(), format!("return 200 \"{}\";", "x".repeat(1024))),
    };
    let configuration = format!(
        "daemon off; master_process off; worker_processes 1; pid {place}/{name}.pid; error_log {place}/{name}.log crit;\n\
         worker_rlimit_nofile 20000; events {{ worker_connections 8192; multi_accept on; }}\n\
         http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 600;\n\
         client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;\n\
         {upstream}\n server {{ listen {address}{listen}; location / {{ {location} }} }} }}\n"
    );
    let file = folder.write(&format!("nginx-{name}.conf"), &configuration)?;
    let mut command = Command::new(NGINX.path);
    command.arg("-p").arg(folder.path()).arg("-c").arg(file).arg("-e").arg(folder.path().join("start.log"));
    other(core, address, command, NGINX.package).await
}

/// haproxy with one thread.
///
/// # Errors
/// It does not start.
pub async fn haproxy(core: usize, folder: &Folder, backend: SocketAddr) -> anyhow::Result<Running> {
    let address = free()?;
    let configuration = format!(
        "global\n nbthread 1\n maxconn 8000\ndefaults\n mode http\n timeout connect 5s\n timeout client 60s\n timeout server 60s\n \
         option http-keep-alive\n http-reuse always\nfrontend in\n bind {address}\n default_backend out\n\
         backend out\n server one {backend}\n"
    );
    let file = folder.write("haproxy.cfg", &configuration)?;
    let mut command = Command::new(HAPROXY.path);
    command.arg("-db").arg("-f").arg(file);
    other(core, address, command, HAPROXY.package).await
}

/// Runs a client on a core to its end, and returns what it printed.
///
/// # Errors
/// It fails, or does not end.
pub async fn client(core: usize, mut command: Command, limit: Duration) -> anyhow::Result<(String, Option<Usage>)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = pinned(core, || command.spawn()).context("cannot start the client")?;
    let process = child.id();
    let mut stdout = child.stdout.take().context("no output")?;
    let mut text = String::new();
    // What it used is asked while it runs, since nobody can ask later.
    let mut usage = None;
    let read = async {
        let mut read = std::pin::pin!(stdout.read_to_string(&mut text));
        loop {
            tokio::select! {
                done = &mut read => return done,
                () = tokio::time::sleep(Duration::from_millis(100)) => {
                    usage = process.and_then(Usage::of).or(usage);
                }
            }
        }
    };
    tokio::time::timeout(limit, read).await.context("the client does not end")??;
    let status = child.wait().await?;
    anyhow::ensure!(status.success(), "the client failed: {status}\n{text}");
    Ok((text, usage))
}
