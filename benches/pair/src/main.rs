//! Pair: two builds of this program, over two commits of y3, timed in turns.
//!
//! In: the two programs, or `serve`. Out: for each case the shortest turn of both, their ratio, and the middle half of the ratios of
//! neighbouring turns. Each start of a program has its own layout of memory, so each is started several times.
#![forbid(unsafe_code)]

mod api;
mod cases;

use std::error::Error;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::{env, io};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const STARTS: usize = 6;
/// Turns of each program after each start, and their nanoseconds.
const TURNS: usize = 12;
const TURN: f64 = 2e6;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => serve(),
        [old, new] => compare([old, new], ""),
        [old, new, part] => compare([old, new], part),
        _ => Err("pair OLD NEW [PART OF A CASE'S NAME]: two builds of this program".into()),
    }
}

/// Prints the answers, then the nanoseconds of an operation for each line `case times`.
fn serve() -> Result<()> {
    let mut cases = cases::all();
    println!("{:?}", cases.iter().map(|case| &case.answer).collect::<Vec<_>>());
    for line in io::stdin().lines() {
        let line = line?;
        let (case, times) = line.split_once(' ').ok_or("a case and a number")?;
        let (case, times): (usize, u32) = (case.parse()?, times.parse()?);
        let run = &mut cases.get_mut(case).ok_or("no such case")?.timed;
        // The other program has had the caches.
        run(times / 3);
        println!("{}", run(times).as_secs_f64() * 1e9 / f64::from(times));
    }
    Ok(())
}

/// A program that serves. It ends with its input.
struct Program(Child, Lines<BufReader<ChildStdout>>);

impl Program {
    fn start(path: &str) -> Result<Program> {
        let mut child = Command::new(path).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        Ok(Program(child, lines))
    }

    fn line(&mut self) -> Result<String> {
        Ok(self.1.next().ok_or("a program has ended")??)
    }

    fn turn(&mut self, case: usize, times: u32) -> Result<f64> {
        writeln!(self.0.stdin.as_ref().ok_or("no input")?, "{case} {times}")?;
        Ok(self.line()?.parse()?)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of operations")]
fn compare(paths: [&str; 2], part: &str) -> Result<()> {
    let cases: Vec<_> = cases::all().into_iter().enumerate().filter(|(_, case)| case.name.contains(part)).collect();
    // By case: the nanoseconds of both, turn by turn.
    let mut turns: Vec<Vec<[f64; 2]>> = vec![Vec::new(); cases.len()];
    for _ in 0..STARTS {
        let [mut old, mut new] = [Program::start(paths[0])?, Program::start(paths[1])?];
        if old.line()? != new.line()? {
            return Err("the answers differ".into());
        }
        for ((case, _), turns) in cases.iter().zip(&mut turns) {
            let mut times = 1;
            while old.turn(*case, times)? * f64::from(times) < TURN / 8.0 {
                times *= 2;
            }
            let times = (TURN / old.turn(*case, times)?).max(1.0) as u32;
            for _ in 0..TURNS / 2 {
                // The first of a pair is another one each time.
                turns.push([old.turn(*case, times)?, new.turn(*case, times)?]);
                let new = new.turn(*case, times)?;
                turns.push([old.turn(*case, times)?, new]);
            }
        }
    }
    println!("   old, ns    new, ns  new/old  middle half  case");
    for ((_, case), turns) in cases.iter().zip(turns) {
        let [old, new] = [0, 1].map(|way| turns.iter().map(|pair| pair[way]).fold(f64::INFINITY, f64::min));
        let mut ratios: Vec<f64> = turns.iter().map(|[old, new]| new / old).collect();
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
        println!("{old:10.1} {new:10.1}  {:7.3}  {low:.3}–{high:.3}  {}", new / old, case.name);
    }
    Ok(())
}
