//! Pair: times two builds of this program in turns, each with another commit of y3.
//!
//! Prints for each case the shortest turn of both builds, the ratio of these, and the middle half of the ratios of
//! neighbouring turns. The memory layout differs between starts of a program, so each build is started several times.

use std::error::Error;
use std::io::{BufRead, BufReader, Lines, Write, stdin};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use kit::turns::{Timed, alternated};

const STARTS: usize = 6;
/// The number of turns of each program after each start, and the length of a turn.
const TURNS: usize = 12;
const TURN: Duration = Duration::from_millis(2);

/// Prints the name of a case. Then reads numbers of calls, one per line, and prints the nanoseconds of each. An empty
/// line ends the case.
pub fn serve(name: &str, mut timed: impl FnMut(u64) -> Duration) {
    println!("{name}");
    for calls in stdin().lines().map_while(|line| line.ok()?.parse().ok()) {
        println!("{}", timed(calls).as_nanos());
    }
}

/// A process that runs `counts serve`.
struct Program(Child, Lines<BufReader<ChildStdout>>);

impl Program {
    fn start(path: &str) -> Result<Program, Box<dyn Error>> {
        let mut child = Command::new(path).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        Ok(Program(child, lines))
    }

    /// The next line of output, or `None` at its end.
    fn line(&mut self) -> Option<String> {
        self.1.next()?.ok()
    }

    fn say(&mut self, line: &str) {
        writeln!(self.0.stdin.as_ref().expect("it is piped"), "{line}").expect("a program that listens");
    }

    fn timed(&mut self) -> Timed<'_> {
        Box::new(|calls| {
            self.say(&calls.to_string());
            Duration::from_nanos(self.line().and_then(|line| line.parse().ok()).expect("the time of the calls"))
        })
    }
}

/// Prints the times of the cases whose names contain `part`.
pub fn compare(paths: [&str; 2], part: &str) -> Result<(), Box<dyn Error>> {
    // For each case, its name and the nanoseconds of both builds in each turn.
    let mut cases: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    for _ in 0..STARTS {
        let [mut old, mut new] = [Program::start(paths[0])?, Program::start(paths[1])?];
        while let Some(name) = old.line() {
            if new.line().as_ref() != Some(&name) {
                return Err(format!("only one program has the case {name}").into());
            }
            if name.contains(part) {
                let mut ways = [("old".to_owned(), old.timed()), ("new".to_owned(), new.timed())];
                let turns = alternated(&mut ways, TURNS, TURN).ways;
                let turns = turns["old"].iter().zip(&turns["new"]).map(|(old, new)| [*old, *new]);
                match cases.iter_mut().find(|case| case.0 == name) {
                    Some(case) => case.1.extend(turns),
                    None => cases.push((name, turns.collect())),
                }
            }
            old.say("");
            new.say("");
        }
    }
    println!("   old, ns    new, ns  new/old  middle half  case");
    for (name, turns) in cases {
        let [old, new] = [0, 1].map(|way| turns.iter().map(|pair| pair[way]).fold(f64::INFINITY, f64::min));
        let mut ratios: Vec<f64> = turns.iter().map(|[old, new]| new / old).collect();
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
        println!("{old:10.1} {new:10.1}  {:7.3}  {low:.3}–{high:.3}  {name}", new / old);
    }
    Ok(())
}
