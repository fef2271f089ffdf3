//! File: the policy's file, and which text of it is taken.
//!
//! A file that is written in several steps is a policy before it is whole, and one without its last rules forwards what they
//! remove. So a text is taken when two looks at the file found the same one, or when somebody asks for it (SIGHUP), and one
//! without the end mark is refused where the text before had it.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};
use rustix::fs::{Mode, OFlags};

use crate::policy::Policy;

/// The last line of a file that is whole. A policy that has it keeps it.
const END: &str = "# end";

/// The longest text of a policy in bytes.
const LONGEST: u64 = 1 << 20;

/// What changes with a file: time, length, number.
type Mark = Option<(SystemTime, u64, u64)>;

/// The file of a policy.
#[derive(Debug)]
pub struct PolicyFile {
    pub path: PathBuf,
    /// The policy, until it is taken out.
    pub first: Option<Policy>,
    /// The text that was taken last, or refused.
    text: String,
    /// Whether the policy in force has the end mark.
    ends: bool,
    mark: Mark,
    /// Another text, which the last look found.
    other: Option<String>,
}

impl PolicyFile {
    /// Reads the policy.
    pub fn open(path: PathBuf) -> anyhow::Result<PolicyFile> {
        let mark = mark(&path);
        let text = read(&path)?;
        let first = Policy::parse(&text).with_context(|| path.display().to_string())?;
        let ends = ends(&text);
        Ok(PolicyFile { path, first: Some(first), text, ends, mark, other: None })
    }

    /// Looks at the file: another policy, or why its text is refused. `asked`: whatever the text is, and at once.
    pub fn look(&mut self, asked: bool) -> Option<anyhow::Result<Policy>> {
        let mark = mark(&self.path);
        if mark == self.mark && self.other.is_none() && !asked {
            return None;
        }
        self.mark = mark;
        let text = match read(&self.path) {
            Ok(text) => text,
            Err(error) => {
                self.other = None;
                // Editors replace a file by another: a later look finds it.
                let missing =
                    error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) == Some(ErrorKind::NotFound);
                return (asked || !missing).then_some(Err(error));
            }
        };
        if !asked {
            let before = self.other.take();
            if text == self.text {
                return None;
            }
            if before.as_ref() != Some(&text) {
                self.other = Some(text);
                return None;
            }
        }
        self.other = None;
        self.text = text;
        Some(self.taken())
    }

    fn taken(&mut self) -> anyhow::Result<Policy> {
        let ends = ends(&self.text);
        ensure!(ends || !self.ends, "its last line is not {END:?}, as that of the policy in force is");
        let policy = Policy::parse(&self.text)?;
        self.ends = ends;
        Ok(policy)
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    read_short(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Only of a regular file: a pipe may have no writer, and a device no end.
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

fn mark(path: &Path) -> Mark {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "default = 'a'\n[backends]\na = '127.0.0.1:1'\n";
    const RULE: &str = "[[rule]]\nremove = ['01/13/02']\n";

    /// A file that is removed with the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str, text: &str) -> (Temporary, PolicyFile) {
            let path = std::env::temp_dir().join(format!("gateway-file-{name}-{}.toml", std::process::id()));
            std::fs::write(&path, text).unwrap();
            let file = PolicyFile::open(path.clone()).unwrap();
            (Temporary(path), file)
        }

        fn write(&self, text: &str) {
            std::fs::write(&self.0, text).unwrap();
            // Another time, however coarse the file system's clock is.
            let time = SystemTime::now() + std::time::Duration::from_secs(text.len() as u64);
            std::fs::File::options().write(true).open(&self.0).unwrap().set_modified(time).unwrap();
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_text_is_taken_when_two_looks_found_the_same() {
        let (disk, mut file) = Temporary::new("twice", &format!("{HEAD}{RULE}"));
        assert!(file.look(false).is_none());
        // Written in two steps: the first one alone is a policy that removes nothing.
        disk.write(HEAD);
        assert!(file.look(false).is_none());
        let whole = format!("{HEAD}# another\n{RULE}");
        disk.write(&whole);
        assert!(file.look(false).is_none());
        assert!(file.look(false).unwrap().unwrap().rule(&[0x11, 0x00]).unwrap().redacts);
        assert!(file.look(false).is_none(), "taken once");
        // The same text again is nothing new.
        std::fs::remove_file(&disk.0).unwrap();
        assert!(file.look(false).is_none());
        disk.write(&whole);
        assert!(file.look(false).is_none() && file.look(false).is_none() && file.look(false).is_none());
    }

    #[test]
    fn somebody_who_asks_gets_it_at_once() {
        let (disk, mut file) = Temporary::new("asked", &format!("{HEAD}{RULE}"));
        disk.write(HEAD);
        assert!(!file.look(true).unwrap().unwrap().rule(&[0x11, 0x00]).unwrap().redacts);
        assert!(file.look(false).is_none());
        std::fs::remove_file(&disk.0).unwrap();
        assert!(file.look(true).unwrap().unwrap_err().to_string().contains("cannot read"));
    }

    #[test]
    fn a_text_without_the_end_mark_is_refused_if_the_policy_in_force_has_it() {
        let (disk, mut file) = Temporary::new("mark", &format!("{HEAD}{RULE}{END}\n"));
        disk.write(HEAD);
        assert!(file.look(false).is_none());
        let error = file.look(false).unwrap().unwrap_err().to_string();
        assert!(error.contains("# end"), "{error}");
        assert!(file.look(false).is_none(), "said once");
        assert!(file.look(true).unwrap().is_err(), "also for somebody who asks");
        disk.write(&format!("{HEAD}# {RULE}{END}"));
        assert!(file.look(true).unwrap().is_err(), "not toml");
        disk.write(&format!("{HEAD}{END}"));
        assert!(file.look(true).unwrap().is_ok());
        disk.write(HEAD);
        assert!(file.look(true).unwrap().is_err());
    }
}
