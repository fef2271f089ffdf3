//! Rows: reads the test rows in docs/spec/vectors, and converts them to questions with expected answers.
//!
//! This file also formats answers for messages.

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use y3_names::visible;

use super::answers;

/// A set of operations that an implementation can claim to support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Profile {
    /// Lengths, packets, structural checks, look-ups, writing packets
    Core,
    /// Reading and writing typed values
    Numbers,
    /// Watching paths in one buffer
    Watch,
    /// Watching, checking and searching input that arrives in pieces, and continuing after faults
    Stream,
    /// Limits of size and depth
    Limits,
    /// Editing packets
    Edit,
    /// The text form
    Text,
    /// Structs, lists, maps and variants
    Types,
}

const FILES: [(Profile, &str); 8] = [
    (Profile::Core, include_str!("../../vectors/core.json")),
    (Profile::Numbers, include_str!("../../vectors/numbers.json")),
    (Profile::Watch, include_str!("../../vectors/watch.json")),
    (Profile::Stream, include_str!("../../vectors/stream.json")),
    (Profile::Limits, include_str!("../../vectors/limits.json")),
    (Profile::Edit, include_str!("../../vectors/edit.json")),
    (Profile::Text, include_str!("../../vectors/text.json")),
    (Profile::Types, include_str!("../../vectors/types.json")),
];

/// The sizes of the pieces in which stream readers get their input. The last size is larger than any input.
const PIECES: [usize; 5] = [1, 2, 3, 5, 1 << 20];

/// A test row from a file.
pub struct Row {
    pub profile: Profile,
    pub rules: Vec<String>,
    /// The members of the row's JSON object.
    pub whole: Map<String, Value>,
    /// True if any error is accepted. If a struct has several faults, or several edits fail, an implementation can
    /// report any of the errors.
    pub takes_any_error: bool,
}

/// A question to the program.
pub struct Question {
    /// The profile that this question tests. Rows of the profile `Watch` have questions for two profiles: `Watch` if
    /// the input is in one buffer, and `Stream` if the input arrives in pieces.
    pub profile: Profile,
    /// The question as a line of JSON.
    pub text: String,
    /// True if the input arrives in pieces. The answer is then a list that contains one list of events for each piece.
    pub is_in_pieces: bool,
    /// The row's id, operation and input, for messages.
    pub words: String,
}

/// Returns all rows, in the order of the files.
pub fn all() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (profile, text) in FILES {
        let file: Vec<Map<String, Value>> =
            serde_json::from_str(text).map_err(|error| format!("the rows of {profile:?}: {error}"))?;
        rows.extend(file.into_iter().map(|whole| {
            let rules = whole.get("rules").and_then(Value::as_array).into_iter().flatten();
            Row {
                profile,
                rules: rules.filter_map(Value::as_str).map(str::to_owned).collect(),
                whole,
                takes_any_error: false,
            }
        }));
    }
    Ok(rows)
}

impl Row {
    /// Returns the questions for a row. If the input arrives in pieces, there is one question for each size in
    /// [`PIECES`].
    pub fn questions(&self) -> Vec<Question> {
        let pieces = || PIECES.into_iter().map(|piece| (Profile::Stream, Some(piece)));
        let asked: Vec<_> = match self.profile {
            Profile::Watch => std::iter::once((Profile::Watch, None)).chain(pieces()).collect(),
            Profile::Stream | Profile::Limits => pieces().map(|(_, piece)| (self.profile, piece)).collect(),
            profile => vec![(profile, None)],
        };
        asked.into_iter().map(|(profile, piece)| self.question(profile, piece)).collect()
    }

    /// Returns the row without the expected answer.
    pub fn asked(&self) -> Map<String, Value> {
        let is_asked = |name: &str| !["rules", "result", "error", "or", "go"].contains(&name);
        let asked = self.whole.iter().filter(|(name, _)| is_asked(name));
        asked.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Adds the library's answer to the row. Returns `None` if the question is invalid, or if the library has no such
    /// operation.
    pub fn answered(mut self) -> Option<Row> {
        let question = self.questions().pop()?;
        let answer = question.flat(&answers::answer(&question.text).ok()?);
        let (name, outcome) = ["result", "error"].into_iter().find_map(|name| Some((name, answer.get(name)?)))?;
        self.whole.insert(name.into(), outcome.clone());
        Some(self)
    }

    /// True if the row allows only one answer.
    pub fn has_one_answer(&self) -> bool {
        !self.whole.contains_key("or")
    }

    fn question(&self, profile: Profile, piece: Option<usize>) -> Question {
        let mut asked = self.asked();
        if let Some(piece) = piece {
            asked.insert("piece".into(), piece.into());
        }
        let word = |name: &str| asked.get(name).map(|value| format!("{} ", shown_value(value))).unwrap_or_default();
        let is_named = |name: &str| !["id", "op", "hex"].contains(&name);
        let named = asked
            .iter()
            .filter(|(name, _)| is_named(name))
            .map(|(name, value)| format!("{name} {} ", shown_value(value)));
        let words = word("id") + &word("op") + &named.collect::<String>() + &word("hex");
        let words = words.trim_end().to_owned();
        Question { profile, text: Value::from(asked).to_string(), is_in_pieces: piece.is_some(), words }
    }

    /// Returns the row as a line of JSON.
    pub fn line(&self) -> String {
        Value::from(self.whole.clone()).to_string()
    }

    /// Returns the expected answers as objects with a member `result` or `error`. Some rows allow two answers.
    pub fn expected(&self) -> Vec<Value> {
        let named = ["result", "error"].into_iter().filter_map(|name| Some((name, self.whole.get(name)?)));
        let also = self.whole.get("or").map(|other| ("result", other));
        named.chain(also).map(|(name, value)| json!({ name: value })).collect()
    }
}

impl Question {
    /// Joins the lists of events of all pieces in an answer.
    pub fn flat(&self, given: &Value) -> Value {
        let pieces = given.get("result").and_then(Value::as_array).filter(|_| self.is_in_pieces);
        match pieces.and_then(|pieces| pieces.iter().map(Value::as_array).collect::<Option<Vec<_>>>()) {
            Some(pieces) => json!({ "result": pieces.into_iter().flatten().collect::<Vec<_>>() }),
            None => given.clone(),
        }
    }

    /// Returns both answers as text if the library's answer and `given` have the same events, but in different pieces.
    pub fn other_pieces(&self, given: &Value) -> Option<(String, String)> {
        let own =
            answers::answer(&self.text).ok().filter(|own| self.is_in_pieces && self.flat(own) == self.flat(given))?;
        let (own, given) = (own.get("result")?, given.get("result")?);
        (own != given).then(|| (shown_value(own), shown_value(given)))
    }
}

/// Messages show at most this many characters of a value.
const SHOWN: usize = 80;
const WORDS: usize = 400;

/// Shortens and escapes a text for printing. Quotation marks are not escaped.
pub fn shown(text: &str) -> String {
    shortened(text, SHOWN)
}

fn shortened(text: &str, most: usize) -> String {
    visible(text.chars().take(most)) + if text.chars().nth(most).is_some() { "..." } else { "" }
}

/// Formats a value in a question or an answer. Strings have no quotation marks, except the empty string.
fn shown_value(value: &Value) -> String {
    match value.as_str() {
        Some("") => "\"\"".into(),
        Some(text) => shown(text),
        None => shown(&value.to_string()),
    }
}

/// Formats an answer for a message.
pub fn words(answer: &Value) -> String {
    let words = match (answer.get("result"), answer.get("error")) {
        (_, Some(error)) => fault(error),
        (Some(Value::Array(events)), None) if events.iter().all(Value::is_array) => {
            let events: Vec<_> = events.iter().map(event).collect();
            if events.is_empty() { "nothing".into() } else { events.join(", then ") }
        }
        (Some(result), None) => shown_value(result),
        (None, None) => format!("neither result nor error in {}", shown_value(answer)),
    };
    shortened(&words, WORDS)
}

fn event(event: &Value) -> String {
    match (event.get(0), event.get(1), event.get(2)) {
        (Some(Value::Number(path)), Some(offset), Some(value)) => {
            format!("a hit of path {path} at byte {offset} with {}", shown_value(value))
        }
        _ => fault(event),
    }
}

fn fault(error: &Value) -> String {
    match (error.get(0).and_then(Value::as_str), error.get(1)) {
        (Some(kind), Some(offset)) => match error.get(2) {
            Some(needs) => format!("{} at byte {offset}, {needs} bytes needed", shown(kind)),
            None => format!("{} at byte {offset}", shown(kind)),
        },
        (Some(kind), None) => shown(kind),
        _ => shown_value(error),
    }
}
