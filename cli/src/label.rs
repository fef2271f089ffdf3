//! The label of output lines: the name of the current input, if there are several inputs.

use std::borrow::Cow;
use std::sync::Mutex;

use y3::show::escape_json;

static LABEL: Mutex<String> = Mutex::new(String::new());

/// Sets the label for all following lines.
pub fn set(name: String) {
    if let Ok(mut label) = LABEL.lock() {
        *label = name;
    }
}

pub fn has_label() -> bool {
    LABEL.lock().is_ok_and(|label| !label.is_empty())
}

/// Adds the label to lines. In plain text, the label begins the line. In JSON, the label is the first member of the
/// object.
pub fn labelled(lines: &[u8]) -> Cow<'_, [u8]> {
    let label = LABEL.lock().map(|label| label.clone()).unwrap_or_default();
    if label.is_empty() {
        return lines.into();
    }
    let (before, member) = (format!("{label}: "), format!("{{\"file\":\"{}\",", escape_json(&label)));
    let mut text = Vec::new();
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let (before, line) = match line.strip_prefix(b"{") {
            Some(members) => (&*member, members),
            None if line == b"\n" => ("", line),
            None => (&*before, line),
        };
        text.extend(before.bytes());
        text.extend(line);
    }
    text.into()
}
