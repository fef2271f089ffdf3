//! File: the policy's file, and the decision when a new text takes effect.
//!
//! A file that is written in several steps may be a valid policy before its last rules arrive, and then forwards packets
//! that these rules remove. So a text takes effect if two reads find the same text, or after SIGHUP. A text without the end
//! mark is refused if the text before it had the mark.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rustix::fs::{Mode, OFlags};

use crate::policy::Policy;

/// The last line of a complete file. Once a policy has it, later texts need it too.
const END: &str = "# end";

/// The longest text of a policy in bytes.
const LONGEST: u64 = 1 << 20;

/// The file of a policy.
#[derive(Debug)]
pub struct PolicyFile {
    pub path: PathBuf,
    /// The last text that took effect or was refused, or the file's fault.
    known: Result<String, String>,
    /// The result of the last read.
    last: Option<Result<String, String>>,
    /// Whether the policy in force has the end mark.
    ends: bool,
}

impl PolicyFile {
    /// Reads the policy.
    pub fn open(path: PathBuf) -> anyhow::Result<(PolicyFile, Policy)> {
        let text = read(&path)?;
        let policy = Policy::parse(&text).with_context(|| path.display().to_string())?;
        Ok((PolicyFile { path, ends: ends(&text), known: Ok(text), last: None }, policy))
    }

    /// Reads the file. Returns a new policy, or the reason to refuse the text. With `asked`, does so at once, for an unchanged text too.
    pub fn look(&mut self, asked: bool) -> Option<anyhow::Result<Policy>> {
        let found = read(&self.path);
        // Editors replace a file by another: a later look finds it.
        if let (Err(error), false) = (&found, asked)
            && error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) == Some(ErrorKind::NotFound)
        {
            return None;
        }
        let found = found.map_err(|error| format!("{error:#}"));
        let is_again = self.last.replace(found.clone()).as_ref() == Some(&found);
        if !asked && (!is_again || found == self.known) {
            return None;
        }
        self.known = found.clone();
        Some(found.map_err(anyhow::Error::msg).and_then(|text| self.taken(&text)))
    }

    fn taken(&mut self, text: &str) -> anyhow::Result<Policy> {
        let ends = ends(text);
        ensure!(ends || !self.ends, "its last line is not {END:?}, as that of the policy in force is");
        let policy = Policy::parse(text)?;
        self.ends = ends;
        Ok(policy)
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    read_short(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads only a regular file: a pipe may have no writer, and a device no end.
fn read_short(path: &Path) -> anyhow::Result<String> {
    // Opening a pipe waits for a writer without `NONBLOCK`.
    let opened = rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let file = File::from(opened.map_err(std::io::Error::from)?);
    ensure!(file.metadata()?.is_file(), "not a regular file");
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    ensure!(text.len() as u64 <= LONGEST, "longer than {LONGEST} bytes");
    Ok(text)
}

fn ends(text: &str) -> bool {
    text.trim_end().lines().next_back() == Some(END)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "default = 'a'\n[backends]\na = '127.0.0.1:1'\n";
    const RULE: &str = "[[rule]]\nremove = ['01/13/02']\n";

    #[test]
    fn a_text_is_taken_after_two_looks_or_when_asked_for_and_only_with_the_end_mark_if_the_one_before_has_it() {
        let (whole, marked) = (format!("{HEAD}# another\n{RULE}"), format!("{HEAD}{RULE}{END}\n"));
        let (broken, bare) = (format!("{HEAD}# {RULE}{END}"), format!("{HEAD}{END}"));
        // What is written before a look, whether somebody asks, and what comes of it: whether the policy redacts, or a fault.
        type Step<'a> = (Option<&'a str>, bool, Option<Result<bool, &'a str>>);
        let steps: [Step<'_>; 23] = [
            (None, false, None),
            // Written in two steps: the first one alone is a policy that removes nothing.
            (Some(HEAD), false, None),
            (Some(&whole), false, None),
            (None, false, Some(Ok(true))),
            (None, false, None),
            // The same text again is nothing new, also if the file is away in between.
            (Some(""), false, None),
            (Some(&whole), false, None),
            (None, false, None),
            (None, false, None),
            (Some(HEAD), true, Some(Ok(false))),
            (None, false, None),
            (Some(""), true, Some(Err("cannot read"))),
            (Some(&marked), true, Some(Ok(true))),
            (Some(HEAD), false, None),
            (None, false, Some(Err("# end"))),
            (None, false, None),
            (None, true, Some(Err("# end"))),
            (Some(&broken), true, Some(Err("TOML parse error"))),
            (Some(HEAD), true, Some(Err("# end"))),
            (Some(&bare), true, Some(Ok(false))),
            (Some(HEAD), false, None),
            (None, false, Some(Err("# end"))),
            (None, true, Some(Err("# end"))),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, format!("{HEAD}{RULE}")).unwrap();
        let (mut file, _) = PolicyFile::open(path.clone()).unwrap();
        for (number, (text, asked, expected)) in steps.into_iter().enumerate() {
            match text {
                Some("") => std::fs::remove_file(&path).unwrap(),
                Some(text) => std::fs::write(&path, text).unwrap(),
                None => {}
            }
            match (file.look(asked), expected) {
                (None, None) => {}
                (Some(Ok(policy)), Some(Ok(redacts))) => {
                    assert_eq!(policy.rule(&[0x11, 0x00]).unwrap().redacts, redacts, "{number}");
                }
                (Some(Err(error)), Some(Err(says))) => assert!(error.to_string().contains(says), "{number}: {error}"),
                (found, _) => panic!("{number}: {found:?}"),
            }
        }
    }
}
