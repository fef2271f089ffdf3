//! Replaces a file. The output goes to a temporary file in the same folder. When the temporary file is complete, it
//! gets the name of the file.
//!
//! At every moment, the file contains either all old bytes or all new bytes. After SIGKILL, the temporary file can
//! remain. Its name is random, so no later run uses it.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::input::shown;

/// The new content of a file.
pub struct Replacement {
    /// The path of the file. If the given name is a link, this is the target of the link.
    path: PathBuf,
    name: String,
    /// The metadata of the file before it was read.
    before: Metadata,
    new: BufWriter<NamedTempFile>,
}

impl Replacement {
    /// Creates the temporary file.
    pub fn of(name: &OsStr) -> Result<Replacement, Failure> {
        let shown = shown(name);
        let fail = |error: io::Error| Failure::Io(format!("{shown}: {error}"));
        let path = fs::canonicalize(name).map_err(fail)?;
        let before = fs::metadata(&path).map_err(fail)?;
        let only = |what: &str| Failure::Io(format!("{shown}: --in-place edits only {what}"));
        if !before.is_file() {
            return Err(only("regular files"));
        }
        if links(&before) > 1 {
            // The other hard links would keep the old bytes.
            return Err(only("files without other hard links"));
        }
        let folder = path.parent().ok_or_else(|| only("files in a folder"))?;
        let new = tempfile::Builder::new().prefix(".y3-").tempfile_in(folder).map_err(fail)?;
        Ok(Replacement { path, name: shown, before, new: BufWriter::new(new) })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.new.write_all(bytes).map_err(|error| self.fail(&error))
    }

    /// Replaces the file with the temporary file, which gets the old owner, attributes and permissions.
    pub fn finish(self) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::Io(format!("{}: {error}", self.name));
        let new = self.new.into_inner().map_err(|error| fail(error.into_error()))?;
        let file = new.as_file();
        keep_owner(file, &self.before);
        keep_attributes(file, &self.path)
            .map_err(|error| Failure::Io(format!("{}: {error}, so the file is not changed", self.name)))?;
        file.set_permissions(self.before.permissions()).and_then(|()| file.sync_all()).map_err(fail)?;
        let now = fs::metadata(&self.path).map_err(fail)?;
        if state(&now) != state(&self.before) {
            return Err(Failure::Io(format!(
                "{}: was changed by another program during the edit, so it is not replaced",
                self.name
            )));
        }
        new.persist(&self.path).map_err(|error| fail(error.error))?;
        // The new name is on the disk only after the folder is synchronized.
        let folder =
            self.path.parent().map_or(Ok(()), |folder| File::open(folder).and_then(|folder| folder.sync_all()));
        if cfg!(unix) { folder.map_err(fail) } else { Ok(()) }
    }

    fn fail(&self, error: &io::Error) -> Failure {
        Failure::Io(format!("{}: {error}", self.name))
    }
}

/// Metadata that changes when another program writes to the file. A program can reset the modification time (mtime),
/// but this changes ctime.
fn state(file: &Metadata) -> (u64, Option<SystemTime>, (i64, i64)) {
    #[cfg(unix)]
    let changed = (std::os::unix::fs::MetadataExt::ctime(file), std::os::unix::fs::MetadataExt::ctime_nsec(file));
    #[cfg(not(unix))]
    let changed = (0, 0);
    (file.len(), file.modified().ok(), changed)
}

#[cfg(unix)]
fn links(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(file)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}

/// Gives the new file the old owner, if the process has the privilege. Otherwise the current user is the owner, as with
/// `sed -i`.
#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Copies the extended attributes of the old file, including access lists. Equal attributes are not written again,
/// since writing them can require a privilege.
#[cfg(unix)]
fn keep_attributes(file: &File, old: &Path) -> io::Result<()> {
    use xattr::FileExt;
    let names = match xattr::list(old) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
        names => names?,
    };
    for name in names {
        let fail = |error: io::Error| {
            io::Error::new(error.kind(), format!("its attribute '{}' cannot be kept: {error}", shown(&name)))
        };
        let value = xattr::get(old, &name).map_err(fail)?;
        if let Some(value) = value.filter(|value| file.get_xattr(&name).ok().flatten().as_ref() != Some(value)) {
            file.set_xattr(&name, &value).map_err(fail)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}
