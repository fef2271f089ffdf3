//! A file that is replaced: what is written stands beside it until all of it is there, then it takes the name.
//!
//! Whatever ends the command, the file has all of its old bytes or all of its new ones.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::PathBuf;

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::input::shown;

/// The bytes that a file will have.
pub struct Replacement {
    /// The file itself, also where the name given is a link to it.
    path: PathBuf,
    name: String,
    /// What the file was when its bytes were read.
    before: Metadata,
    new: NamedTempFile,
}

impl Replacement {
    /// Begins the new bytes of a file.
    pub fn of(name: &OsStr) -> Result<Replacement, Failure> {
        let shown = shown(name);
        let fail = |error: io::Error| Failure::Io(format!("{shown}: {error}"));
        let path = fs::canonicalize(name).map_err(fail)?;
        let before = fs::metadata(&path).map_err(fail)?;
        let only = |what: &str| Failure::Io(format!("{shown}: --in-place is for {what}"));
        if !before.is_file() {
            return Err(only("regular files"));
        }
        if links(&before) > 1 {
            // The other names would keep the old bytes.
            return Err(only("files with one name, and this one has hard links"));
        }
        let folder = path.parent().ok_or_else(|| only("files in a folder"))?;
        let new = tempfile::Builder::new().prefix(".y3-").tempfile_in(folder).map_err(fail)?;
        Ok(Replacement { path, name: shown, before, new })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.new.write_all(bytes).map_err(|error| self.fail(&error))
    }

    /// Gives the file its new bytes, with its old owner and permissions.
    pub fn finish(self) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::Io(format!("{}: {error}", self.name));
        let file = self.new.as_file();
        keep_owner(file, &self.before);
        file.set_permissions(self.before.permissions()).and_then(|()| file.sync_all()).map_err(fail)?;
        let now = fs::metadata(&self.path).map_err(fail)?;
        if (now.len(), now.modified().ok()) != (self.before.len(), self.before.modified().ok()) {
            return Err(Failure::Io(format!("{}: was changed by another program, so it is left as it is", self.name)));
        }
        self.new.persist(&self.path).map_err(|error| fail(error.error))?;
        // The name is on the disk once the folder is.
        let folder =
            self.path.parent().map_or(Ok(()), |folder| File::open(folder).and_then(|folder| folder.sync_all()));
        if cfg!(unix) { folder.map_err(fail) } else { Ok(()) }
    }

    fn fail(&self, error: &io::Error) -> Failure {
        Failure::Io(format!("{}: {error}", self.name))
    }
}

#[cfg(unix)]
fn links(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(file)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}

/// Only a privileged process may give files away; for others the file is theirs, as it is with `sed -i`.
#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}
