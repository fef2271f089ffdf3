//! Workers: the workers' section of the page.
//!
//! In: rows of `workers rate`. Out: Markdown, and charts of what waited.

use charts::Curve;
use report::markdown::grouped;
use report::page::Page;

use super::findings::{folded, picture, times};
use crate::workers::rows::{Rate, Waiting, table};

/// The section; nothing without rows.
pub fn section(page: &mut Page, rates: &[Rate], waiting: &[Waiting]) {
    if rates.is_empty() {
        return;
    }
    page.say("\n## Workers on a broker\n");
    let mut works: Vec<f64> = rates.iter().map(|row| row.work_ms).collect();
    works.sort_by(f64::total_cmp);
    works.dedup();
    for &work in &works {
        let rows: Vec<&Rate> = rates.iter().filter(|row| row.work_ms == work).collect();
        page.say(&format!("{}\n", found(&rows)));
    }
    folded(page, "All rows of the workers, and what waited", |page| {
        page.say(
            "Broker, workers and display share two cores. All packets are stored before the first worker starts; each is delivered, its\n\
            result stored and confirmed, its acknowledgement confirmed. Cores are seconds of a core for each second.",
        );
        for work in works {
            let rows: Vec<&Rate> = rates.iter().filter(|row| row.work_ms == work).collect();
            page.say(&format!("\n{}:\n{}", said(rows[0]), table(&rows)));
            let curves: Vec<Curve> = rows.iter().map(|row| curve(row, waiting)).collect();
            let name = format!("network-lag-{work}ms");
            picture(page, &name, &title(&rows), ["packets", "tenths of a second"], &curves, false);
        }
    });
    page.say("\n[The workers' README](../../examples/workers/README.md) says what is promised, and how this carries to many machines.");
}

/// The work of a row.
fn said(row: &Rate) -> String {
    match row.work_ms {
        0.0 => "No work besides watching and projecting".to_owned(),
        work => {
            format!("Work that waits {work} ms for something else, {} packets at a time in each worker", row.in_flight)
        }
    }
}

/// The row with one worker and the one with the most.
fn ends<'a>(rows: &[&'a Rate]) -> Option<(&'a Rate, &'a Rate)> {
    let one = rows.iter().find(|row| row.workers == 1)?;
    let most = rows.iter().max_by_key(|row| row.workers)?;
    (most.workers > 1).then_some((one, most))
}

/// What more workers do, and what limits them.
fn found(rows: &[&Rate]) -> String {
    let Some((one, most)) = ends(rows) else { return String::new() };
    let limit = match most.broker_cores {
        // A core and what its threads take of the other.
        cores if cores >= 0.95 => format!("the broker, which takes {cores:.2} of the two cores"),
        _ if most.work_ms > 0.0 => "the wait itself: cores are left".to_owned(),
        cores => format!("neither the broker ({cores:.2} cores) nor the workers ({:.2})", most.workers_cores),
    };
    format!(
        "{}: {} workers do {} of the {} packets a second of one. What limits them is {limit}.",
        said(one),
        most.workers,
        times(most.rate / one.rate),
        grouped(one.rate)
    )
}

fn curve(row: &Rate, waiting: &[Waiting]) -> Curve {
    let of = waiting.iter().filter(|one| one.work_ms == row.work_ms && one.workers == row.workers);
    // The axis takes whole numbers.
    let points = of.map(|one| ((one.seconds * 10.0).round(), one.packets as f64)).collect();
    let name = if row.workers == 1 { "1 worker".to_owned() } else { format!("{} workers", row.workers) };
    Curve { label: name.clone(), name, points }
}

fn title(rows: &[&Rate]) -> String {
    match ends(rows) {
        Some((one, most)) => {
            format!("Packets that wait: {} workers do {} of one", most.workers, times(most.rate / one.rate))
        }
        None => "Packets that wait".to_owned(),
    }
}
