//! The inputs of a command: files, folders, pipes and connections, processed in order.
//!
//! The command runs once for each input. With several inputs, output lines begin with the input's name, and the results
//! are combined.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Found, Result, tell};
use crate::input::{From, Input, Told, shown};
use crate::{label, output};

/// The arguments of a command that accepts several inputs.
#[derive(Args, Debug)]
pub struct Inputs {
    /// Files, folders, - for standard input, or tcp://HOST:PORT
    #[arg(value_name = "INPUT", default_value = "-")]
    given: Vec<OsString>,
    #[command(flatten)]
    from: From,
}

impl Inputs {
    /// Calls `run` with each input.
    pub fn each(&self, has_labels: bool, run: impl FnMut(Input) -> Result) -> Result {
        each(&self.given, self.from.from, has_labels, run)
    }
}

/// True if there is more than one name, or a folder.
pub fn are_several(names: &[OsString]) -> bool {
    names.len() > 1 || names.iter().any(|name| is_folder(name))
}

/// Calls `run` with each input, in the order of the names. Files in a folder are sorted by name. With several inputs, a
/// failure does not stop the command. Output lines then begin with the input's name, if `has_labels` is true.
pub fn each(names: &[OsString], told: Told, has_labels: bool, mut run: impl FnMut(Input) -> Result) -> Result {
    let mut run = |name: &OsStr| run(Input::open(name, told)?);
    if let ([name], false) = (names, are_several(names)) {
        return run(name);
    }
    let (mut found, mut is_unread, mut is_faulty) = (Found::Nothing, false, false);
    for name in names.iter().flat_map(|name| if is_folder(name) { files(Path::new(name)) } else { vec![name.into()] }) {
        if has_labels {
            label::set(shown(name.as_os_str()));
        }
        let ended = run(name.as_os_str());
        output::finish()?;
        match ended {
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
            // All further inputs would end in the same way.
            Err(failure) => return Err(failure),
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

/// Returns the files in a folder and its subfolders, except hidden files and links to folders. If a folder cannot be
/// read, its own path is returned. Opening this path then reports the error.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![folder.into()] };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let inside = |entry: fs::DirEntry| match entry.file_type() {
        _ if entry.file_name().as_encoded_bytes().starts_with(b".") => Vec::new(),
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        // Pipes and devices are left out, since they can be endless.
        _ => Some(entry.path()).filter(|path| path.is_file()).into_iter().collect(),
    };
    entries.into_iter().flat_map(inside).collect()
}
