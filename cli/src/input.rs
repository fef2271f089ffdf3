//! What a command reads: a file, standard input or a TCP connection; raw, hexadecimal or base64; perhaps followed.
//!
//! In: a name and an encoding. Out: bytes, as soon as they are there.

use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::net::TcpStream;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::encoding::{Decoder, Encoding};
use crate::failure::Failure;

/// The input of a command that has one.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// A file, - for standard input, or tcp://HOST:PORT
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: String,
    #[command(flatten)]
    pub from: From,
}

impl InputArguments {
    pub fn open(&self) -> Result<Input, Failure> {
        Input::open(&self.input, self.from.from)
    }
}

#[derive(Args, Debug)]
pub struct From {
    /// How the bytes of INPUT are written
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = Told::Auto)]
    pub from: Told,
}

/// What the user says about the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Told {
    /// Look at the first bytes
    Auto,
    /// The bytes themselves
    Raw,
    /// Hexadecimal digits, with or without spaces
    Hex,
    /// Base64 of either alphabet, with or without padding
    Base64,
}

/// The bytes that are looked at to tell an encoding.
const LOOK: usize = 4 << 10;
/// How long to wait at the end of a followed file before reading again.
const PATIENCE: Duration = Duration::from_millis(200);

/// An open input.
pub struct Input {
    pub name: String,
    source: Source,
}

enum Source {
    /// A regular file of raw bytes: it has a length, and what is not wanted can be skipped.
    File {
        file: File,
        position: u64,
    },
    Stream(Box<dyn Read>),
    /// A text for bytes.
    Text(Box<dyn Read>),
}

/// What happened to a followed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Perhaps it has grown.
    None,
    /// It is shorter than what was read of it, or another file has its name: it is read from its first byte.
    Truncated,
    Replaced,
}

impl Input {
    pub fn open(name: &str, told: Told) -> Result<Input, Failure> {
        let fail = |error: io::Error| Failure::reading(name, &error);
        let mut source = if name == "-" {
            Source::Stream(Box::new(io::stdin().lock()))
        } else if let Some(address) = name.strip_prefix("tcp://") {
            Source::Stream(Box::new(TcpStream::connect(address).map_err(fail)?))
        } else {
            let file = File::open(name).map_err(fail)?;
            let metadata = file.metadata().map_err(fail)?;
            if metadata.is_dir() {
                return Err(Failure::Io(format!("{name}: is a directory")));
            }
            // A named pipe has neither a length nor a position.
            if metadata.is_file() { Source::File { file, position: 0 } } else { Source::Stream(Box::new(file)) }
        };
        let encoding = match told {
            Told::Raw => Encoding::Raw,
            Told::Hex => Encoding::Hex,
            Told::Base64 => Encoding::Base64,
            Told::Auto => {
                let mut first = vec![0; LOOK];
                let read = read_some(&mut source, &mut first).map_err(fail)?;
                first.truncate(read);
                let encoding = Encoding::of(&first);
                source = match source {
                    Source::File { mut file, .. } => {
                        file.rewind().map_err(fail)?;
                        Source::File { file, position: 0 }
                    }
                    Source::Stream(stream) | Source::Text(stream) => {
                        Source::Stream(Box::new(Cursor::new(first).chain(stream)))
                    }
                };
                encoding
            }
        };
        let source = match source {
            source if encoding == Encoding::Raw => source,
            Source::File { file, .. } => Source::Text(Box::new(Decoder::new(file, encoding))),
            Source::Stream(stream) | Source::Text(stream) => Source::Text(Box::new(Decoder::new(stream, encoding))),
        };
        let name = if name == "-" { "standard input" } else { name };
        Ok(Input { name: name.into(), source })
    }

    /// The next bytes, as many as are there; none at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        read_some(&mut self.source, buffer).map_err(|error| Failure::reading(&self.name, &error))
    }

    /// All bytes to the end.
    pub fn read_all(mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = match &mut self.source {
            Source::File { file, .. } => file.read_to_end(&mut bytes),
            Source::Stream(stream) | Source::Text(stream) => stream.read_to_end(&mut bytes),
        };
        read.map_err(|error| Failure::reading(&self.name, &error))?;
        Ok(bytes)
    }

    /// How many bytes the whole input has, if that is known.
    pub fn len(&self) -> Option<u64> {
        match &self.source {
            Source::File { file, .. } => file.metadata().ok().map(|metadata| metadata.len()),
            Source::Stream(_) | Source::Text(_) => None,
        }
    }

    /// Skips up to so many bytes that are there, without reading them; returns how many.
    pub fn skip(&mut self, bytes: u64) -> Result<u64, Failure> {
        let left = self.len();
        let Source::File { file, position } = &mut self.source else { return Ok(0) };
        let bytes = bytes.min(left.unwrap_or(0).saturating_sub(*position));
        if let (1.., Some(target)) = (bytes, position.checked_add(bytes)) {
            file.seek(SeekFrom::Start(target)).map_err(|error| Failure::reading(&self.name, &error))?;
            *position = target;
        }
        Ok(bytes)
    }

    /// Whether more may come behind its end; a pipe or connection only ends where no more comes.
    pub fn can_be_followed(&self) -> bool {
        !matches!(self.source, Source::Text(_))
    }

    /// Whether it is a regular file of raw bytes.
    pub fn is_file(&self) -> bool {
        matches!(self.source, Source::File { .. })
    }

    /// Waits at the end of a file, and looks what has become of it. A file that is gone may come back.
    pub fn wait(&mut self) -> Result<Change, Failure> {
        let Source::File { file, position } = &mut self.source else { return Ok(Change::None) };
        std::thread::sleep(PATIENCE);
        let fail = |error: io::Error| Failure::reading(&self.name, &error);
        let metadata = file.metadata().map_err(fail)?;
        if metadata.len() < *position {
            file.rewind().map_err(fail)?;
            *position = 0;
            return Ok(Change::Truncated);
        }
        // What was appended before it was replaced comes first.
        let is_read = metadata.len() == *position;
        if is_read && fs::metadata(&self.name).is_ok_and(|named| !is_same(&named, &metadata)) {
            *file = File::open(&self.name).map_err(fail)?;
            *position = 0;
            return Ok(Change::Replaced);
        }
        Ok(Change::None)
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Files have no number here that can be compared: one that was created at another time is another.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

fn read_some(source: &mut Source, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let read = match source {
            Source::File { file, .. } => file.read(buffer),
            Source::Stream(stream) | Source::Text(stream) => stream.read(buffer),
        };
        match (read, &mut *source) {
            (Err(error), _) if error.kind() == io::ErrorKind::Interrupted => {}
            (Ok(read), Source::File { position, .. }) => {
                *position += read as u64;
                return Ok(read);
            }
            (read, _) => return read,
        }
    }
}
