//! Several inputs of a command, and folders of them.
//!
//! In: names. Out: a run of the command for each file, lines with its name, and one result.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Found, Result, tell};
use crate::input::{From, Input, shown};
use crate::label;

/// The inputs of a command that may have several.
#[derive(Args, Debug)]
pub struct Inputs {
    /// Files, folders, - for standard input, or tcp://HOST:PORT
    #[arg(value_name = "INPUT", default_value = "-")]
    given: Vec<OsString>,
    #[command(flatten)]
    from: From,
    /// The one that is read now.
    #[arg(skip)]
    current: RefCell<OsString>,
}

impl Inputs {
    /// Runs a command for each input.
    pub fn each(&self, has_labels: bool, mut run: impl FnMut() -> Result) -> Result {
        each(&self.given, has_labels, |name| {
            self.current.replace(name.to_owned());
            run()
        })
    }

    pub fn open(&self) -> std::result::Result<Input, Failure> {
        Input::open(&self.current.borrow(), self.from.from)
    }
}

/// Whether there is more to read than one input.
pub fn are_several(names: &[OsString]) -> bool {
    names.len() > 1 || names.iter().any(|name| is_folder(name))
}

/// Runs something for each input, in the order of the names, those in folders by name. If there are several, one that fails does not stop the
/// others, and lines of output begin with their names where that is asked for.
pub fn each(names: &[OsString], has_labels: bool, mut run: impl FnMut(&OsStr) -> Result) -> Result {
    if let ([name], false) = (names, are_several(names)) {
        return run(name);
    }
    let (mut found, mut is_unread, mut is_faulty) = (Found::Nothing, false, false);
    let mut each_file = |name: &OsStr| {
        if has_labels {
            label::set(shown(name));
        }
        match run(name) {
            Ok(Found::Something) => found = Found::Something,
            Ok(Found::Nothing) => {}
            Err(Failure::Io(text)) => {
                tell(format_args!("{text}"));
                is_unread = true;
            }
            Err(Failure::Fault(text)) => {
                tell(format_args!("{text}"));
                is_faulty = true;
            }
            Err(Failure::Told) => is_faulty = true,
            // The others would end as it did.
            Err(failure) => return Err(failure),
        }
        Ok(())
    };
    for name in names {
        if is_folder(name) {
            for file in files(Path::new(name)) {
                each_file(file.as_os_str())?;
            }
        } else {
            each_file(name)?;
        }
    }
    match (is_unread, is_faulty) {
        (true, _) => Err(Failure::Unread),
        (_, true) => Err(Failure::Told),
        _ => Ok(found),
    }
}

fn is_folder(name: &OsStr) -> bool {
    name != "-" && Path::new(name).is_dir()
}

/// The files in a folder and in its folders, without hidden ones and without links to folders. A folder that cannot be read is one of them:
/// opening it says why.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![folder.into()] };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let inside = |entry: fs::DirEntry| match entry.file_type() {
        _ if entry.file_name().as_encoded_bytes().starts_with(b".") => Vec::new(),
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        // Neither pipes nor devices: reading them may have no end.
        _ => Some(entry.path()).filter(|path| path.is_file()).into_iter().collect(),
    };
    entries.into_iter().flat_map(inside).collect()
}

/// Runs `y3 watch` for each of its inputs: those after `--`, or else the last arguments if they are there. The last of the arguments that
/// `run` gets is one of them.
pub fn each_watched(
    mut watched: Vec<OsString>,
    mut inputs: Vec<OsString>,
    is_followed: bool,
    mut run: impl FnMut(Vec<OsString>) -> Result,
) -> Result {
    if inputs.is_empty() {
        let count = watched.iter().skip(1).rev().take_while(|name| is_input(name)).count();
        inputs = watched.split_off(watched.len() - count);
        if !are_several(&inputs) {
            return run([watched, inputs].concat());
        }
    }
    if is_followed && are_several(&inputs) {
        return Err(Failure::Usage("watch", "--follow: only one input can be followed".into()));
    }
    each(&inputs, true, |name| {
        // With its folder before it, a name is no path.
        let name = if may_be_path(name) { Path::new(".").join(name).into() } else { name.to_owned() };
        run([&watched[..], &[name]].concat())
    })
}

fn is_address(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"tcp://")
}

/// Whether an argument that may be a path is an input.
fn is_input(name: &OsStr) -> bool {
    let is_path = name.as_encoded_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'*');
    name == "-" || is_address(name) || !is_path && Path::new(name).exists()
}

/// Whether an input may be taken for a path, of keys or of names.
fn may_be_path(name: &OsStr) -> bool {
    let step = name.as_encoded_bytes().split(|byte| b"/:=".contains(byte)).next().unwrap_or_default();
    let is_key = step.first().is_some_and(|first| first.is_ascii_digit() || *first == b'*');
    name != "-" && !is_address(name) && (is_key || !step.is_empty() && !step.contains(&b'.'))
}
