//! Paths as arguments, and what is wrong with those that are none.

use y3::Path;

/// Reads a path; what is wrong with it says which step is.
pub fn parse(text: &str) -> Result<Path, String> {
    text.parse().map_err(|error: y3::Error| reason(text).unwrap_or_else(|| error.to_string()))
}

fn reason(text: &str) -> Option<String> {
    let steps = text.split(['/', ':']);
    if steps.clone().count() > Path::MAX_LEN {
        return Some(format!("a path has at most {} steps", Path::MAX_LEN));
    }
    steps.into_iter().find_map(|step| {
        let digits = step.strip_prefix("0x").or_else(|| step.strip_prefix("0X")).unwrap_or(step);
        match (step, u64::from_str_radix(digits, 16)) {
            ("", _) => Some("a key has to follow each '/' and ':'".into()),
            ("*", _) => None,
            ("**", _) => Some("`**` works in the library's `search` only; `*` is any one key".into()),
            (_, Ok(key)) if key > 0x3f => {
                Some(format!("0x{digits} is above 0x3f, the highest key (paths are hexadecimal)"))
            }
            (_, Ok(_)) if digits.len() <= 2 => None,
            (step, _) => Some(format!("'{}' is not a hexadecimal key", y3::show::escape(step))),
        }
    })
}
