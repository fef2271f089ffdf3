//! A guard is a test that compares a Rust type with the type's names file.
//!
//! If the type and the file differ, the test panics with a list of the changes.

use std::fmt::Write as _;
use std::path::Path;

use crate::lint::changes;
use crate::model::Names;

/// If this environment variable is set, to any value, the tests write the names files.
pub const WRITE: &str = "Y3_WRITE_NAMES";

/// Panics if a Rust type no longer matches the names file in the package. The arguments are the file's path relative to
/// the package, the key of the top-level packet, and the type. The packet's name is the name of the file without the
/// extension.
///
/// The panic message describes how each change affects programs that use the old type. If the environment variable
/// `Y3_WRITE_NAMES` is set, the test writes the file instead. The comparison ignores comments and layout.
///
/// # Examples
/// In a test:
/// ```no_run
/// #[derive(y3::Encode)]
/// struct Reading {
///     #[y3(0x11)]
///     noise: f32,
/// }
///
/// y3_names::assert_names_file!("reading.y3n", 0x01, Reading);
/// ```
#[macro_export]
macro_rules! assert_names_file {
    ($file:expr, $key:expr, $type:ty) => {
        $crate::guard::check(env!("CARGO_MANIFEST_DIR"), $file, $key, |key, name| {
            $crate::guard::names_file::<$type>(key, name)
        })
    };
}

#[doc(hidden)]
pub use y3::value::names_file;

/// Implements [`assert_names_file`](crate::assert_names_file).
///
/// # Panics
/// Panics if the file does not match the type, or cannot be read or written.
#[doc(hidden)]
#[track_caller]
pub fn check(folder: &str, file: &str, key: u8, of_type: impl FnOnce(u8, &str) -> Result<String, y3::Error>) {
    let path = Path::new(folder).join(file);
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is = match of_type(key, &name) {
        Ok(is) => is,
        Err(error) => panic!("{error}"),
    };
    if std::env::var_os(WRITE).is_some() {
        if let Err(error) = std::fs::write(&path, is) {
            panic!("{}: {error}", path.display());
        }
    } else if let Err(message) = compare(&std::fs::read_to_string(&path).map_err(|error| error.to_string()), &is) {
        panic!("{}: {message}\nTo accept the type as it is: {WRITE}=1 cargo test", path.display());
    }
}

fn compare(was: &Result<String, String>, is: &str) -> Result<(), String> {
    let was: Names = was.as_ref().map_err(String::clone)?.parse().map_err(|error| format!("{error}"))?;
    let is: Names = is.parse().map_err(|error| format!("{error}"))?;
    let changes = changes(&was, &is);
    if changes.is_empty() {
        return Ok(());
    }
    let mut message = "the type differs from the names file".to_owned();
    for change in changes {
        let rule = change.rule;
        let _ = write!(
            message,
            "\n{change}\n  {}\n  old reader, new packet: {}\n  new reader, old packet: {}",
            rule.change, rule.old_reader, rule.new_reader
        );
    }
    Err(message)
}
