//! Page: the workers' section of docs/report/NETWORK.md.
//!
//! In: rows of `workers rate`. Out: Markdown, and charts of what waited.

use charts::Curve;
use report::page::Page;

use super::rows::{Rate, Waiting, table};
use crate::report::findings::picture;

/// The section; nothing without rows.
pub fn section(page: &mut Page, rates: &[Rate], waiting: &[Waiting]) {
    if rates.is_empty() {
        return;
    }
    page.say(
        "\n## Workers on a broker\n\n\
        Broker, workers and display share two cores. All packets are stored before the first worker starts; each is delivered, its result\n\
        stored and confirmed, its acknowledgement confirmed. Cores are seconds of a core for each second.\n\
        [The workers' README](../../examples/workers/README.md) says what is promised, and how this carries to many machines.",
    );
    let mut works: Vec<f64> = rates.iter().map(|row| row.work_ms).collect();
    works.sort_by(f64::total_cmp);
    works.dedup();
    for work in works {
        let rows: Vec<&Rate> = rates.iter().filter(|row| row.work_ms == work).collect();
        let what = if work == 0.0 {
            "No work besides watching and projecting".to_owned()
        } else {
            format!(
                "Work that waits {work} ms for something else, {} packets at a time in each worker",
                rows[0].in_flight
            )
        };
        page.say(&format!("\n{what}:\n{}", table(&rows)));
        let curves: Vec<Curve> = rows.iter().map(|row| curve(row, waiting)).collect();
        picture(
            page,
            &format!("network-lag-{work}ms"),
            &title(&rows),
            ["packets", "tenths of a second"],
            &curves,
            false,
        );
    }
}

fn curve(row: &Rate, waiting: &[Waiting]) -> Curve {
    let of = waiting.iter().filter(|one| one.work_ms == row.work_ms && one.workers == row.workers);
    // The axis takes whole numbers.
    let points = of.map(|one| ((one.seconds * 10.0).round(), one.packets as f64)).collect();
    let name = if row.workers == 1 { "1 worker".to_owned() } else { format!("{} workers", row.workers) };
    Curve { label: name.clone(), name, points }
}

fn title(rows: &[&Rate]) -> String {
    let of = |count| rows.iter().find(|row| row.workers == count).map(|row| row.rate);
    match rows.iter().map(|row| row.workers).max().and_then(|most| Some((most, of(most)? / of(1)?))) {
        Some((most, times)) => format!("Packets that wait: {most} workers do {times:.1} times the work of one"),
        None => "Packets that wait".to_owned(),
    }
}
