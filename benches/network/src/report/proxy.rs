//! Proxy: the proxy's section of the page.
//!
//! In: the rows of the sweep and of the idle connections. Out: what was found in sentences, the tables, the method.

use gateway::upstream::ROUND;
use report::markdown::grouped;
use report::page::Page;

use super::findings::{folded, times};
use crate::proxy::table::{self, Idle, Measured};

/// How it is measured.
const METHOD: &str = include_str!("proxy.md");

/// The section; nothing without rows.
pub fn section(page: &mut Page, rows: &[Measured], idle: &[Idle]) {
    if rows.is_empty() && idle.is_empty() {
        return;
    }
    page.say("\n## Proxy\n");
    page.say(&beside(rows));
    page.say(&memory(rows, idle));
    page.say(&processor(idle));
    if !rows.is_empty() {
        folded(page, "All rows of the proxies", |page| page.say(&table::table(rows)));
    }
    if !idle.is_empty() {
        folded(page, "All rows of mostly idle connections", |page| page.say(&table::idle_table(idle)));
    }
    folded(page, "How it is measured, and what is promised", |page| {
        page.say(METHOD);
        let readme = "../../examples/gateway/README.md";
        page.say(&format!(
            "\n[The gateway's README]({readme}) says what it promises when a peer fails, with the test of each."
        ));
    });
}

/// The proxy beside others, and what limits it: a sentence for each number of connections.
fn beside(rows: &[Measured]) -> String {
    let mut numbers: Vec<usize> = rows.iter().map(|row| row.connections).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let sentence = |connections: usize| {
        let find = |name: &str| rows.iter().find(|row| row.is_of(name, connections));
        let ours = find("y3-redact")?;
        let against = |name: &str, said: &str| Some(format!("{} of {said}", times(ours.qps / find(name)?.qps)));
        let all = [
            against("nginx", "nginx"),
            against("haproxy", "haproxy"),
            against("y3-route", "the same without redaction"),
            against("y3-backend", "its backend without a proxy"),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        let beside = if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) };
        let chained = find("y3-chained")
            .map_or_else(String::new, |row| format!(" A second proxy behind it leaves {}.", times(row.qps / ours.qps)));
        let limit = ours.proxy_cpu.map_or_else(String::new, |proxy| {
            format!(
                " What limits it: proxy and backend take {proxy:.0}% and {:.0}% of their core, the load {:.0}% of the other.",
                ours.backend_cpu, ours.client_cpu
            )
        });
        Some(format!(
            "Redacting 1 KiB for {} connections, the gateway passes on {} requests a second{beside}.{chained}{limit}\n",
            grouped(connections as f64),
            grouped(ours.qps)
        ))
    };
    numbers.into_iter().filter_map(sentence).collect::<Vec<_>>().join("\n")
}

/// The memory of the gateway, in bytes.
fn memory(rows: &[Measured], idle: &[Idle]) -> String {
    let quiet = |row: &&Idle| row.rate == 0;
    let (Some(least), Some(most)) = (idle.iter().find(quiet), idle.iter().rfind(quiet)) else { return String::new() };
    let alone = most.resident_kib as f64 / 1024.0 - most.bytes_each * most.connections as f64 / f64::from(1 << 20);
    let mut text = format!(
        "Memory: all connections share one read buffer, and a connection keeps what the last read cut and nothing else; for each\n\
         backend {} KiB wait before its clients do. So the gateway takes {alone:.1} MiB alone and {} bytes for an\n\
         idle connection among {}",
        ROUND >> 10,
        grouped(most.bytes_each),
        grouped(most.connections as f64),
    );
    if least.connections < most.connections {
        text += &format!(", {} among {}", grouped(least.bytes_each), grouped(least.connections as f64));
    }
    text += ".";
    let mut peaks: Vec<(usize, u64)> = rows
        .iter()
        .filter(|row| row.name == "y3-redact")
        .filter_map(|row| Some((row.connections, row.proxy_kib?)))
        .collect();
    peaks.sort_unstable();
    if let [(few, low), .., (many, high)] = peaks[..] {
        let each = high.saturating_sub(low) as f64 * 1024.0 / (many - few).max(1) as f64;
        text += &format!(" From {few} to {many} active ones its peak grows by {} bytes for each.", grouped(each));
    }
    text + "\n"
}

/// What idle connections cost, and what limits requests among them.
fn processor(idle: &[Idle]) -> String {
    let Some(busy) = idle.iter().rfind(|row| row.rate > 0) else { return String::new() };
    let Some(quiet) = idle.iter().find(|row| row.rate == 0 && row.connections == busy.connections) else {
        return String::new();
    };
    format!(
        "{} idle connections take {:.1}% of a core, and {:.1}% with {} requests a second among them. That is {:.0} µs for a request: where\n\
         few come together, each has reads, writes and wake-ups of its own, most of them the kernel's work.\n",
        grouped(busy.connections as f64),
        quiet.proxy_cpu,
        busy.proxy_cpu,
        grouped(busy.rate as f64),
        (busy.proxy_cpu - quiet.proxy_cpu).max(0.0) * 1e4 / busy.rate as f64,
    )
}
