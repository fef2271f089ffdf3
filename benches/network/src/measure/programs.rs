//! Starts the processes of a row, each on its core. Their files are in a temporary folder.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use super::hosts::Host;
use super::row::Row;
use super::setups::{HAPROXY, NGINX, Process, WRK};
use crate::process::Usage;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Running {
    pub address: SocketAddr,
    pub child: Child,
}

/// Starts a server on a host. A proxy forwards to the server `before`. `go` is the program of go/rpc.
pub async fn start(
    process: Process,
    host: &Host,
    folder: &TempDir,
    go: Option<&Path>,
    before: Option<&Running>,
) -> anyhow::Result<Running> {
    let any = ["--addr", &format!("{}:0", host.address)];
    match process {
        Process::Echo(kind) => said(host, own(&["echo", "server", "--kind", kind])?.args(any)).await,
        Process::GoServer(kind) => {
            let mut command = Command::new(go.context("go/rpc is not built")?);
            said(host, command.env("GOMAXPROCS", "1").args(["server", "--kind", kind]).args(any)).await
        }
        Process::Gateway(rules) => gateway(host, folder, before.context("the proxy has no backend")?, rules, &[]).await,
        Process::Nginx => nginx(host, folder, before.map(|before| before.address)).await,
        Process::Haproxy => haproxy(host, folder, before.context("the proxy has no backend")?.address).await,
    }
}

/// Starts the gateway for a backend, with additional arguments.
pub async fn gateway(
    host: &Host,
    folder: &TempDir,
    before: &Running,
    rules: &str,
    more: &[&str],
) -> anyhow::Result<Running> {
    let policy = format!("default = 'one'\n[backends]\none = '{}'\n\n{rules}", before.address);
    let policy = file(folder, &format!("before-{}.toml", before.address.port()), &policy)?;
    let any = format!("{}:0", host.address);
    said(host, own(&["proxy", "serve", "--addr", &any, "--policy"])?.arg(policy).args(more)).await
}

/// Writes a file in a folder, and returns its path.
fn file(folder: &TempDir, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let path = folder.path().join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Creates a command that runs this program.
pub fn own(arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("the path of this program")?);
    command.args(["--log", "warn"]).args(arguments);
    Ok(command)
}

/// Starts a server that prints its address.
pub async fn said(host: &Host, command: &mut Command) -> anyhow::Result<Running> {
    let mut child = host.spawn(command.stdout(Stdio::piped())).context("cannot start the server")?;
    let mut line = String::new();
    let output = child.stdout.take().context("no output")?;
    tokio::time::timeout(Duration::from_secs(10), BufReader::new(output).read_line(&mut line))
        .await
        .context("the server did not print its address within 10 s")??;
    let address = line.trim().strip_prefix("listening ").context("the server did not print its address")?;
    Ok(Running { address: address.parse().with_context(|| format!("not an address: {address}"))?, child })
}

/// Finds a free address, for programs that cannot choose one themselves.
fn free(host: &Host) -> anyhow::Result<SocketAddr> {
    Ok(host.within(|| TcpListener::bind((host.address, 0))?.local_addr())?)
}

/// Starts another project's program on a host, and waits until it accepts connections.
async fn other(host: &Host, address: SocketAddr, mut command: Command, name: &str) -> anyhow::Result<Running> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = host.spawn(&mut command).with_context(|| format!("cannot start {name}"))?;
    for _ in 0..500 {
        if let Some(status) = child.try_wait()? {
            anyhow::bail!("{name} ended: {status}");
        }
        if host.within(|| TcpStream::connect(address)).is_ok() {
            return Ok(Running { address, child });
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("{name} does not listen on {address}")
}

/// Starts nginx as one process: a backend that replies with 1 KiB, or a proxy with persistent connections to a backend.
async fn nginx(host: &Host, folder: &TempDir, backend: Option<SocketAddr>) -> anyhow::Result<Running> {
    let (address, place) = (free(host)?, folder.path().display());
    let (name, upstream, location) = match backend {
        Some(backend) => (
            "proxy",
            format!("upstream up {{ server {backend}; keepalive 1024; }}"),
            "proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection \"\";".to_owned(),
        ),
        None => ("backend", String::new(), format!("return 200 \"{}\";", "x".repeat(1024))),
    };
    let configuration = format!(
        "daemon off; master_process off; worker_processes 1; pid {place}/{name}.pid; error_log {place}/{name}.log crit;\n\
         worker_rlimit_nofile 20000; events {{ worker_connections 8192; multi_accept on; }}\n\
         http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 600;\n\
         client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;\n\
         {upstream}\n server {{ listen {address}; location / {{ {location} }} }} }}\n"
    );
    let file = file(folder, &format!("nginx-{name}.conf"), &configuration)?;
    let mut command = Command::new(NGINX.0);
    command.arg("-p").arg(folder.path()).arg("-c").arg(file).arg("-e").arg(folder.path().join("start.log"));
    other(host, address, command, "nginx").await
}

/// Starts haproxy with one thread.
async fn haproxy(host: &Host, folder: &TempDir, backend: SocketAddr) -> anyhow::Result<Running> {
    let address = free(host)?;
    let configuration = format!(
        "global\n nbthread 1\n maxconn 8000\ndefaults\n mode http\n timeout connect 5s\n timeout client 60s\n timeout server 60s\n \
         option http-keep-alive\n http-reuse always\nfrontend in\n bind {address}\n default_backend out\n\
         backend out\n server one {backend}\n"
    );
    let mut command = Command::new(HAPROXY.0);
    command.arg("-db").arg("-f").arg(file(folder, "haproxy.cfg", &configuration)?);
    other(host, address, command, "haproxy").await
}

/// Runs a client on a host until it ends. Returns its output and the resources that it used.
async fn client(host: &Host, mut command: Command, limit: Duration) -> anyhow::Result<(String, Option<Usage>)> {
    let mut child = host.spawn(command.stdout(Stdio::piped())).context("cannot start the client")?;
    let process = child.id();
    let mut stdout = child.stdout.take().context("no output")?;
    let (mut text, mut usage) = (String::new(), None);
    // The resources are read while the client runs, because the system forgets them when it ends.
    let read = async {
        let mut read = std::pin::pin!(stdout.read_to_string(&mut text));
        loop {
            tokio::select! {
                done = &mut read => return done,
                () = tokio::time::sleep(Duration::from_millis(100)) => usage = process.and_then(Usage::of).or(usage),
            }
        }
    };
    tokio::time::timeout(limit, read).await.context("the client did not end in time")??;
    let status = child.wait().await?;
    anyhow::ensure!(status.success(), "the client failed: {status}\n{text}");
    Ok((text, usage))
}

/// Runs a client for this many seconds, and reads the row that it prints as JSON.
pub async fn row(host: &Host, command: Command, seconds: f64) -> anyhow::Result<Row> {
    let (text, usage) = client(host, command, Duration::from_secs_f64(seconds + 30.0)).await?;
    let line = text.lines().last().context("the client printed nothing")?;
    let row: Row = serde_json::from_str(line).with_context(|| format!("not a row: {text}"))?;
    anyhow::ensure!(row.errors == 0, "{} of {} calls failed", row.errors, row.requests + row.errors);
    // The project's own clients report the resources of the measured time. wrk does not.
    let usage = usage.filter(|_| row.client_kib == 0);
    Ok(usage.map_or(row.clone(), |used| Row { client_cpu: used.percent(row.seconds), client_kib: used.rss, ..row }))
}

/// A script that sends a body as long as those of the echo, and prints a [`Row`].
const SCRIPT: &str = r#"
wrk.method = "POST"
wrk.body = string.rep("x", 1024)
done = function(summary, latency)
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  print(string.format('{"body":1024,"seconds":%f,"requests":%d,"tps":%f,"errors":%d,"mean_us":%.1f,"p99_us":%d,"p999_us":%d}',
    summary.duration / 1e6, summary.requests, summary.requests * 1e6 / summary.duration, errors, latency.mean,
    latency:percentile(99), latency:percentile(99.9)))
end
"#;

/// Runs wrk with this many connections, for whole seconds.
pub async fn wrk(
    host: &Host,
    folder: &TempDir,
    target: SocketAddr,
    callers: usize,
    seconds: f64,
) -> anyhow::Result<Row> {
    let mut command = Command::new(WRK.0);
    command.args(["-t1", "-c", &callers.to_string(), "-d", &format!("{:.0}s", seconds.ceil()), "--latency", "-s"]);
    command.arg(file(folder, "post.lua", SCRIPT)?).arg(format!("http://{target}/"));
    Ok(Row { callers, ..row(host, command, seconds).await? })
}

/// Builds a Go program of this package.
///
/// # Errors
/// Returns an error if Go is not installed, or if a module cannot be downloaded.
pub async fn built_go(folder: &str) -> anyhow::Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = package.join("target").join(folder.rsplit('/').next().unwrap_or_default());
    for arguments in [&["generate"][..], &["build", "-o", &program.to_string_lossy(), "."]] {
        let run = Command::new("go").args(arguments).current_dir(package.join(folder)).output().await;
        let run = run.context("Go is not installed (https://go.dev/dl)")?;
        let said = String::from_utf8_lossy(&run.stderr);
        anyhow::ensure!(run.status.success(), "go {}: {said}", arguments.join(" "));
    }
    Ok(program)
}
