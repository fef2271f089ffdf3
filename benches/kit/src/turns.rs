//! Turns: times several functions ("ways") in many short, alternating turns, together with the speed of the machine.
//!
//! The output is a table or a JSON file with the nanoseconds of each turn. If the speed of the machine changes, it
//! changes for all ways of a round.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde::{Deserialize, Serialize};

use crate::readers::y3_watch;
use crate::watched::{C63K32, Watched};

/// Returns the time of a number of operations.
pub type Timed<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// A named way. It is prepared when its group is measured.
pub struct Way<'a> {
    name: String,
    prepare: Box<dyn FnOnce() -> Timed<'a> + 'a>,
}

impl<'a> Way<'a> {
    pub fn new(name: impl Into<String>, prepare: impl FnOnce() -> Timed<'a> + 'a) -> Way<'a> {
        Way { name: name.into(), prepare: Box::new(prepare) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn prepared(self) -> Timed<'a> {
        (self.prepare)()
    }
}

/// Times a loop over one operation.
pub fn looped<'a, T>(mut once: impl FnMut() -> T + 'a) -> Timed<'a> {
    Box::new(move |iterations| {
        let begin = Instant::now();
        for _ in 0..iterations {
            black_box(once());
        }
        begin.elapsed()
    })
}

/// One pass through the groups of a bench.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pass {
    pub groups: BTreeMap<String, Turns>,
}

/// The turns of a group, in nanoseconds per operation.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Turns {
    /// The speed of the machine: the time of a watch of the report's 63 values, before each round and after the last.
    pub clock: Vec<f64>,
    /// The turns of each way.
    pub ways: BTreeMap<String, Vec<f64>>,
}

/// A bench whose groups are measured in turns, with its arguments.
pub struct Bench {
    task: Task,
    /// The number of rounds. A round has one turn of each way.
    rounds: usize,
    /// The time of a turn, without the warm-up, which takes a third of it.
    turn: Duration,
    out: Option<PathBuf>,
    /// The exact names of groups to measure; empty for all groups.
    only: Vec<String>,
    /// A part of a group's name, as in criterion's benches.
    part: Option<String>,
    pass: Pass,
}

#[derive(Clone, Copy, PartialEq)]
enum Task {
    Measure,
    List,
    Test,
    Clock,
}

const USAGE: &str = "--bench [PART OF A GROUP'S NAME] [--list | --test | --clock] [--rounds N] [--turn MILLISECONDS] [--out FILE] [--only GROUP]…";

/// Runs a bench with the arguments of the program. `groups` adds the groups one after the other.
pub fn main(groups: impl FnOnce(&mut Bench)) {
    let Some(mut bench) = Bench::from(env::args().skip(1)) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    if bench.task == Task::Clock {
        let mut clock = clock();
        let calls = calibrated(&mut clock, bench.turn);
        let turns: Vec<f64> = (0..8 * bench.rounds).map(|_| a_turn(&mut clock, calls)).collect();
        println!("{}", serde_json::to_string(&turns).expect("numbers"));
        return;
    }
    groups(&mut bench);
    if let Some(file) = &bench.out {
        fs::write(file, serde_json::to_vec(&bench.pass).expect("numbers and names")).expect("the file can be written");
    }
}

impl Bench {
    fn from(mut arguments: impl Iterator<Item = String>) -> Option<Bench> {
        let turn = Duration::from_millis(3);
        // `cargo bench` passes `--bench`. Without it, each way runs once, as with criterion.
        let (mut task, mut asked) = (Task::Test, None);
        let (pass, only) = (Pass::default(), Vec::new());
        let mut bench = Bench { task, rounds: 7, turn, out: None, only, part: None, pass };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => task = Task::Measure,
                "--list" => asked = Some(Task::List),
                "--test" => asked = Some(Task::Test),
                "--clock" => asked = Some(Task::Clock),
                "--quick" => (bench.rounds, bench.turn) = (3, Duration::from_millis(1)),
                "--rounds" => bench.rounds = arguments.next()?.parse().ok().filter(|rounds| *rounds > 0)?,
                "--turn" => bench.turn = Duration::from_secs_f64(arguments.next()?.parse::<f64>().ok()? / 1e3),
                "--out" => bench.out = Some(arguments.next()?.into()),
                "--only" => bench.only.push(arguments.next()?),
                part if !part.starts_with('-') => bench.part = Some(argument),
                _ => return None,
            }
        }
        bench.task = asked.unwrap_or(task);
        Some(bench)
    }

    /// Measures, lists or tests a group.
    pub fn group<'a>(&mut self, name: &str, ways: Vec<Way<'a>>) {
        let is_named = self.only.is_empty() || self.only.iter().any(|only| only == name);
        if !is_named || self.part.as_ref().is_some_and(|part| !name.contains(part)) {
            return;
        }
        if self.task == Task::List {
            for way in ways {
                println!("{name}/{}: benchmark", way.name);
            }
            return;
        }
        eprintln!("group {name}: {} ways", ways.len());
        let mut ways: Vec<(String, Timed<'a>)> =
            ways.into_iter().map(|way| (way.name.clone(), way.prepared())).collect();
        if self.task == Task::Test {
            for (_, timed) in &mut ways {
                timed(1);
            }
            return;
        }
        let turns = alternated(&mut ways, self.rounds, self.turn);
        if self.out.is_none() {
            print(name, &turns);
        }
        self.pass.groups.insert(name.to_owned(), turns);
    }
}

fn clock() -> Timed<'static> {
    let message = C63K32::model().to_y3();
    looped(move || y3_watch::<C63K32>(black_box(&message)).map(<[u8]>::len))
}

/// Runs one turn of each way in each round. Rounds begin with different ways, so the way before a way is not always the
/// same.
pub fn alternated(ways: &mut [(String, Timed<'_>)], rounds: usize, turn: Duration) -> Turns {
    let mut turns = Turns::default();
    let mut clock = clock();
    let clock_each = calibrated(&mut clock, turn / 2);
    let each: Vec<u64> = ways.iter_mut().map(|(_, timed)| calibrated(timed, turn)).collect();
    for round in 0..rounds {
        turns.clock.push(a_turn(&mut clock, clock_each));
        for step in 0..ways.len() {
            let at = (step + round * ways.len() / rounds) % ways.len();
            let (name, timed) = &mut ways[at];
            let ns = a_turn(timed, each[at]);
            turns.ways.entry(name.clone()).or_default().push(ns);
        }
    }
    turns.clock.push(a_turn(&mut clock, clock_each));
    turns
}

/// The number of operations that take about the time of a turn.
fn calibrated(timed: &mut Timed<'_>, turn: Duration) -> u64 {
    let mut iterations = 1;
    loop {
        // Takes the shorter of two times, because a disturbed turn would make a way look slow.
        let took = timed(iterations).min(timed(iterations));
        if took >= turn / 4 || iterations > 1 << 40 {
            let scale = turn.as_secs_f64() / took.as_secs_f64().max(1e-9);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of operations")]
            return ((iterations as f64 * scale) as u64).max(1);
        }
        iterations *= 2;
    }
}

/// The nanoseconds per operation. A warm-up of a third of a turn fills the caches again after the other ways.
fn a_turn(timed: &mut Timed<'_>, iterations: u64) -> f64 {
    timed((iterations / 3).max(1));
    timed(iterations).as_secs_f64() * 1e9 / iterations as f64
}

fn print(group: &str, turns: &Turns) {
    let sorted = |turns: &Vec<f64>| {
        let mut turns = turns.clone();
        turns.sort_by(f64::total_cmp);
        turns
    };
    let at = |turns: &[f64], quarter: usize| turns[(turns.len() - 1) * quarter / 4];
    let mut rows: Vec<(Vec<f64>, &str)> =
        turns.ways.iter().map(|(name, turns)| (sorted(turns), name.as_str())).collect();
    rows.sort_by(|(one, _), (other, _)| at(one, 1).total_cmp(&at(other, 1)));
    println!("{group}\n{:>12} {:>12} {:>12}", "ns", "lowest", "highest");
    for (turns, name) in rows {
        println!("{:12.1} {:12.1} {:12.1}  {name}", at(&turns, 1), at(&turns, 0), at(&turns, 4));
    }
}
