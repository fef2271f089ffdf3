//! `y3 conform`: checks that a program reads and writes Y3 as SPEC.md requires.
//!
//! The questions come from the rows in docs/spec/vectors. The protocol between this command and the program is defined
//! in docs/spec/conformance.md.

mod answers;
mod program;
mod random;
mod rows;
mod types;

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use self::program::{Answer, Program};
use self::rows::{Profile, Question, Row};
use crate::failure::{Failure, Found, Result};
use crate::output::put;
use crate::quantity;

/// Check another implementation of Y3 against the test rows of the specification
///
/// You provide a program. It reads each test row as one line of JSON, and answers with one line of JSON. The protocol
/// and an example program are in docs/spec/conformance.md. For each rule of the specification, the command prints how
/// many rows passed, failed and were skipped, and the first failure.
///
/// After the test rows, the command sends random cases. It compares the answers with the results of the y3 library.
///
/// A profile is a set of operations. Use --profile to select the profiles that your program claims. Without --profile,
/// your program claims each profile in which it answers at least one row. The exit code is 0 if all rows of all claimed
/// profiles pass, and 1 otherwise.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 conform --exec 'python3 mine.py' --profile core
  y3 conform --exec 'node mine.mjs' --failed
  y3 conform --exec 'y3 conform --serve'")]
pub struct Arguments {
    /// Run this shell command as the program to test
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["serve", "print"])]
    exec: Option<String>,
    /// Test only this profile, and require that all of its rows pass; can be repeated
    #[arg(long, value_enum)]
    profile: Vec<Profile>,
    /// Wait at most this long for an answer, and 60 times as long for all answers together. After three missing
    /// answers, all remaining rows fail
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantity::duration)]
    timeout: Duration,
    /// Add this many random cases to the rows of each profile
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    cases: usize,
    /// Repeat the random cases of the run that printed this seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Print only the rules that have failures
    #[arg(long)]
    failed: bool,
    /// Accept the known differences of the implementation NAME. If the implementation returns the error kind "Error",
    /// it matches any expected error, and skipped rows are not failures
    #[arg(long = "as", value_name = "NAME")]
    known: Option<String>,
    /// Act as the program under test: read rows from standard input and print the library's answers
    #[arg(long, conflicts_with_all = ["exec", "print"])]
    serve: bool,
    /// Print the rows and their expected results, one line of JSON for each row
    #[arg(long, conflicts_with = "exec")]
    print: bool,
}

pub fn run(arguments: &Arguments) -> Result {
    if arguments.serve {
        return serve();
    }
    let mut rows = rows::all().map_err(Failure::Fault)?;
    let is_asked = |profile: Profile| arguments.profile.is_empty() || arguments.profile.contains(&profile);
    let Some(command) = &arguments.exec else {
        let text =
            rows.iter().filter(|row| is_asked(row.profile)).fold(String::new(), |text, row| text + &row.line() + "\n");
        return put(text).map(|()| Found::Something);
    };
    let mut program = Program::new(command.clone(), arguments.timeout);
    let mut report = Report::default();
    // The known differences cover only the rows in the files, so there are no random cases.
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    let cases = if arguments.known.is_some() { 0 } else { arguments.cases };
    rows.extend(random::rows(&rows, seed, cases));
    for row in &rows {
        for question in row.questions().into_iter().filter(|question| is_asked(question.profile)) {
            let outcome = outcome(&mut program, row, &question, arguments.known.as_deref())?;
            report.add(row, &question, &outcome);
        }
    }
    let (text, is_whole) = report.show(arguments);
    let random =
        if cases > 0 { format!("{cases} random cases of each profile, of --seed {seed}\n\n") } else { String::new() };
    put(random + &text)?;
    Ok(if is_whole { Found::Something } else { Found::Nothing })
}

enum Outcome {
    Passed,
    Skipped,
    /// The text describes the failure.
    Failed(String),
}

fn outcome(
    program: &mut Program,
    row: &Row,
    question: &Question,
    known: Option<&str>,
) -> std::result::Result<Outcome, Failure> {
    let answer = program.ask(&question.text).map_err(|error| Failure::Io(format!("the program: {error}")))?;
    let given = match answer {
        Answer::Given(given) => given,
        Answer::Failed(text) => return Ok(Outcome::Failed(text)),
    };
    if given.get("skip").is_some_and(|skip| *skip != false) {
        return Ok(Outcome::Skipped);
    }
    let is_own = known.and_then(|name| row.whole.get("go")?.get(name));
    let whole = question.flat(&given);
    let passes = match is_own {
        Some(own) => alike(own, &whole, true),
        None if row.takes_any_error && row.whole.contains_key("error") => whole.get("error").is_some(),
        None => row.expected().iter().any(|expected| alike(expected, &whole, known.is_some())),
    };
    Ok(match question.other_pieces(&given).filter(|_| passes) {
        Some((own, given)) => Outcome::Failed(format!("expected for the pieces {own}, got {given}")),
        None if passes => Outcome::Passed,
        None => {
            let expected = is_own.map_or_else(|| row.expected(), |own| vec![own.clone()]);
            let expected: Vec<_> = expected.iter().map(rows::words).collect();
            Outcome::Failed(format!("expected {}, got {}", expected.join(" or "), rows::words(&whole)))
        }
    })
}

/// True if an answer is the expected one. If `loosely` is set, the error kind `Error` matches every expected error.
fn alike(expected: &Value, given: &Value, loosely: bool) -> bool {
    match (expected.get("error"), given.get("error")) {
        (Some(_), Some(other)) if loosely && other.get(0).is_some_and(|kind| kind == "Error") => true,
        (expected_error, given_error) => expected_error == given_error && expected.get("result") == given.get("result"),
    }
}

/// The number of rows that passed, failed or were skipped, for a rule or a profile.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    first: Option<String>,
}

#[derive(Default)]
struct Report {
    rules: Tallies<String>,
    profiles: Tallies<Profile>,
}

/// The tallies of rules or profiles, in the order of the rows.
type Tallies<T> = Vec<(T, Tally)>;

fn add<T: PartialEq + Clone>(tallies: &mut Tallies<T>, what: &T, question: &Question, outcome: &Outcome) {
    if !tallies.iter().any(|(other, _)| other == what) {
        tallies.push((what.clone(), Tally::default()));
    }
    for (_, tally) in tallies.iter_mut().filter(|(other, _)| other == what) {
        match outcome {
            Outcome::Passed => tally.passed += 1,
            Outcome::Skipped => tally.skipped += 1,
            Outcome::Failed(text) => {
                tally.failed += 1;
                tally.first.get_or_insert_with(|| format!("{}: {text}", question.words));
            }
        }
    }
}

impl Report {
    fn add(&mut self, row: &Row, question: &Question, outcome: &Outcome) {
        row.rules.iter().for_each(|rule| add(&mut self.rules, rule, question, outcome));
        add(&mut self.profiles, &question.profile, question, outcome);
    }

    /// Formats the tables. The `bool` is true if all rows of all claimed profiles passed.
    fn show(&self, arguments: &Arguments) -> (String, bool) {
        let mut text = format!("{:10} {:>7} {:>7} {:>7}\n", "rule", "passed", "failed", "skipped");
        for (rule, tally) in &self.rules {
            if arguments.failed && tally.failed == 0 {
                continue;
            }
            let _ = writeln!(text, "{rule:10} {:7} {:7} {:7}", tally.passed, tally.failed, tally.skipped);
            if let Some(first) = &tally.first {
                let _ = writeln!(text, "           {first}");
            }
        }
        text.push('\n');
        let (mut claimed, mut whole) = (0, 0);
        for (profile, tally) in &self.profiles {
            let name = format!("{profile:?}").to_lowercase();
            let all = tally.passed + tally.failed + tally.skipped;
            // In an implementation with known differences, a skipped row is a known difference.
            let missing = if arguments.known.is_some() { 0 } else { tally.skipped };
            let said = if tally.passed > 0 && tally.failed + missing == 0 {
                "whole"
            } else if arguments.profile.is_empty() && tally.skipped == all {
                "not claimed"
            } else {
                "not whole"
            };
            claimed += usize::from(said != "not claimed");
            whole += usize::from(said == "whole");
            let _ = writeln!(text, "{name:10} {:7} {:7} {:7}  {said}", tally.passed, tally.failed, tally.skipped);
        }
        (text, claimed > 0 && claimed == whole)
    }
}

/// Answers rows from standard input until the input ends.
fn serve() -> Result {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::Io(format!("standard input: {error}")))?;
        let answer = answers::answer(&line).map_err(Failure::Fault)?;
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| Failure::writing(&error))?;
    }
    Ok(Found::Something)
}
