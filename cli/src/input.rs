//! The input of a command: a file, standard input or a TCP connection.
//!
//! If the input is encoded, for example as hexadecimal, its bytes are decoded as they arrive.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use same_file::Handle;
use y3::show::escape;

use crate::decode::{Base64, Hex, Text};
use crate::failure::{Failure, tell};
use crate::look::{LOOK, Look, Written};
use crate::{output, progress};

/// The arguments of a command that reads exactly one input.
#[derive(Args, Debug)]
pub struct OneInput {
    /// A file, - for standard input, or tcp://HOST:PORT
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: OsString,
    #[command(flatten)]
    pub from: From,
}

impl OneInput {
    pub fn open(&self) -> Result<Input, Failure> {
        Input::open(&self.input, self.from.from)
    }
}

#[derive(Args, Debug)]
pub struct From {
    /// Read INPUT in this encoding; auto detects the encoding from the first lines, at most 4096 bytes
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = Told::Auto)]
    pub from: Told,
}

/// The encoding that the user selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Told {
    /// Hexadecimal or base64 if the first lines look like it, otherwise raw bytes
    Auto,
    /// Raw bytes, without an encoding
    Raw,
    /// Hexadecimal digits as tools print them: 8103, 81 03, 0x81, 0x03, "\x81\x03", or the output of xxd. The digits
    /// can be in brackets
    Hex,
    /// Base64 in the standard or the URL-safe alphabet, with or without padding
    Base64,
    /// The text form that `y3 dump --text` prints. The command reads the whole input before it begins
    Text,
}

/// How long to wait at the end of a followed file before the next read.
const PATIENCE: Duration = Duration::from_millis(200);

/// An open input.
pub struct Input {
    pub origin: Origin,
    source: Source,
}

enum Source {
    /// A regular file of raw bytes. Its length is known, and unwanted bytes can be skipped.
    File {
        file: File,
        path: PathBuf,
        position: u64,
    },
    Stream(Box<dyn Read>),
    /// Bytes that are decoded from text.
    Text(Box<dyn Read>),
}

/// The name and encoding of an input, for messages.
#[derive(Clone)]
pub struct Origin {
    pub name: String,
    how: &'static str,
}

impl Origin {
    /// Creates a failure for a fault in the input. If the input is text, the message also names the assumed encoding.
    pub fn fault(&self, text: impl fmt::Display) -> Failure {
        Failure::Fault(format!("{}: {text}{}", self.name, self.how))
    }

    /// Prints a message about a fault. The command continues.
    pub fn tell(&self, text: impl fmt::Display) -> Result<(), Failure> {
        output::flush()?;
        progress::while_writing(|| tell(format_args!("{}: {text}{}", self.name, self.how)));
        Ok(())
    }

    fn reading(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::InvalidData => self.fault(error),
            _ => Failure::Io(format!("{}: {error}", self.name)),
        }
    }
}

/// Formats a name for printing. Control characters and bytes that are not UTF-8 are escaped.
pub fn shown(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        let _ = write!(text, "{}{}", escape(chunk.valid()), chunk.invalid().escape_ascii());
    }
    text
}

/// What happened to a file that the command follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing, or more bytes were appended.
    None,
    /// The file has become shorter. It is read again from its first byte.
    Truncated,
    /// Another file has the name now. The new file is read from its first byte.
    Replaced,
}

impl Input {
    pub fn open(name: &OsStr, told: Told) -> Result<Input, Failure> {
        output::flush()?;
        let is_stdin = name == "-";
        let mut origin = Origin { name: if is_stdin { "standard input".into() } else { shown(name) }, how: "" };
        let fail = |error: io::Error| origin.reading(&error);
        let mut source = if is_stdin {
            refuse_output(Handle::stdin(), &origin)?;
            Source::Stream(Box::new(io::stdin().lock()))
        } else if let Some(address) = name.to_str().and_then(|name| name.strip_prefix("tcp://")) {
            Source::Stream(Box::new(TcpStream::connect(address).map_err(fail)?))
        } else {
            let file = File::open(name).map_err(|error| not_opened(name, &origin, &error))?;
            let metadata = file.metadata().map_err(fail)?;
            if metadata.is_dir() {
                return Err(Failure::Io(format!("{}: is a directory", origin.name)));
            }
            refuse_output(file.try_clone().and_then(Handle::from_file), &origin)?;
            // A named pipe has neither a length nor a position.
            if metadata.is_file() {
                Source::File { file, path: name.into(), position: 0 }
            } else {
                Source::Stream(Box::new(file))
            }
        };
        let mut first = Vec::new();
        let written = match told {
            Told::Text => {
                source.into_stream().read_to_end(&mut first).map_err(fail)?;
                let bytes = packets_of(&first, &origin)?;
                return Ok(Input { origin, source: Source::Text(Box::new(Cursor::new(bytes))) });
            }
            Told::Raw => Written::Raw,
            Told::Base64 => Written::Text(Text::Base64(Base64::default())),
            Told::Auto => look(&mut source, &mut first).map_err(fail)?,
            Told::Hex => match look(&mut source, &mut first).map_err(fail)? {
                Written::Text(text @ (Text::Hex(_) | Text::Lines(_))) => Written::Text(text),
                _ => Written::Text(Text::Hex(Hex::new(0))),
            },
        };
        origin.how = match &written {
            Written::Raw => "",
            Written::Prose => " (read as raw bytes, but the input is text; try --from hex, base64 or text)",
            Written::Text(Text::Base64(_)) => " (read as base64; if the input is not base64, use --from raw or hex)",
            Written::Text(_) => " (read as hexadecimal; if the input is not hexadecimal, use --from raw or base64)",
            Written::Nearly(_) => "; the input is nearly hexadecimal: choose --from raw, base64 or text",
        };
        let source = match (written, source) {
            (Written::Nearly(text), _) => return Err(origin.fault(text)),
            (Written::Text(text), source) => {
                Source::Text(Box::new(Decoder::new(again(first, source.into_stream()), text)))
            }
            (_, Source::File { mut file, path, .. }) => {
                file.rewind().map_err(|error| origin.reading(&error))?;
                Source::File { file, path, position: 0 }
            }
            (_, source) => Source::Stream(again(first, source.into_stream())),
        };
        Ok(Input { origin, source })
    }

    /// Reads available bytes into `buffer`. Returns the number of bytes, or 0 at the end of the input.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        output::flush()?;
        read_some(&mut self.source, buffer).map_err(|error| self.origin.reading(&error))
    }

    /// Reads the whole input.
    pub fn read_all(&mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.source.reader().read_to_end(&mut bytes).map_err(|error| self.origin.reading(&error))?;
        Ok(bytes)
    }

    /// The length of the whole input in bytes, if known.
    pub fn len(&self) -> Option<u64> {
        match &self.source {
            Source::File { file, .. } => file.metadata().ok().map(|metadata| metadata.len()),
            Source::Stream(_) | Source::Text(_) => None,
        }
    }

    /// Skips up to `bytes` bytes without reading them. Returns the number of bytes skipped.
    pub fn skip(&mut self, bytes: u64) -> Result<u64, Failure> {
        let left = self.len();
        let Source::File { file, position, .. } = &mut self.source else { return Ok(0) };
        let bytes = bytes.min(left.unwrap_or(0).saturating_sub(*position));
        if let (1.., Some(target)) = (bytes, position.checked_add(bytes)) {
            file.seek(SeekFrom::Start(target)).map_err(|error| self.origin.reading(&error))?;
            *position = target;
        }
        Ok(bytes)
    }

    /// True unless the bytes are decoded from text. For a pipe or a connection, following changes nothing.
    pub fn can_be_followed(&self) -> bool {
        !matches!(self.source, Source::Text(_))
    }

    /// True if the input is a regular file of raw bytes.
    pub fn is_file(&self) -> bool {
        matches!(self.source, Source::File { .. })
    }

    /// Waits at the end of a file, then returns what happened to the file. A missing file is no change, since it can
    /// appear again.
    pub fn wait(&mut self) -> Result<Change, Failure> {
        let Source::File { file, path, position } = &mut self.source else { return Ok(Change::None) };
        std::thread::sleep(PATIENCE);
        let fail = |error: io::Error| self.origin.reading(&error);
        let metadata = file.metadata().map_err(fail)?;
        if metadata.len() < *position {
            file.rewind().map_err(fail)?;
            *position = 0;
            return Ok(Change::Truncated);
        }
        // Bytes that were appended before the file was replaced are read first.
        let is_read = metadata.len() == *position;
        if is_read && Handle::from_path(&path).is_ok_and(|named| !is_file(&named, file)) {
            *file = File::open(&path).map_err(fail)?;
            *position = 0;
            return Ok(Change::Replaced);
        }
        Ok(Change::None)
    }
}

/// Creates a failure for a file that cannot be opened. If the name looks like an address, the message suggests tcp://.
fn not_opened(name: &OsStr, origin: &Origin, error: &io::Error) -> Failure {
    match name.to_str().and_then(|name| name.split_once("://")) {
        Some((scheme, _)) if error.kind() == io::ErrorKind::NotFound => Failure::Io(format!(
            "{}: y3 cannot read {} addresses, only files, - for standard input, and tcp://HOST:PORT; try `curl -s URL | y3 ...`",
            origin.name,
            escape(scheme)
        )),
        _ => origin.reading(error),
    }
}

/// True if `file` is still the file `named`, or if this cannot be determined.
fn is_file(named: &Handle, file: &File) -> bool {
    file.try_clone().and_then(Handle::from_file).map_or(true, |file| *named == file)
}

/// Rejects a file that is both input and output. The file would grow while it is read, and the command would never end.
fn refuse_output(input: io::Result<Handle>, origin: &Origin) -> Result<(), Failure> {
    match (input, Handle::stdout()) {
        (Ok(input), Ok(output)) if input == output && input.as_file().metadata().is_ok_and(|file| file.is_file()) => {
            Err(Failure::Io(format!("{}: the input is also the output", origin.name)))
        }
        _ => Ok(()),
    }
}

/// Reads bytes until the encoding of the input is known.
fn look(source: &mut Source, first: &mut Vec<u8>) -> io::Result<Written> {
    let (mut look, mut piece) = (Look::default(), [0; LOOK]);
    loop {
        let read = read_some(source, &mut piece)?;
        first.extend_from_slice(piece.get(..read).unwrap_or_default());
        if let Some(written) = look.at(first, read == 0) {
            return Ok(written);
        }
    }
}

/// Converts the text form to packets. An error shows its position in the text.
pub fn packets_of(text: &[u8], origin: &Origin) -> Result<Vec<u8>, Failure> {
    let text = std::str::from_utf8(text)
        .map_err(|error| origin.fault(format_args!("not UTF-8 at byte {}", error.valid_up_to())))?;
    y3::show::parse_text(text).map_err(|error| {
        let at = usize::try_from(error.offset()).unwrap_or(text.len());
        origin.fault(format_args!("{error}\n --> {}:{}", origin.name, y3_names::in_text(text, at..at)))
    })
}

/// Returns a stream that begins with the bytes that were already read.
fn again(first: Vec<u8>, rest: Box<dyn Read>) -> Box<dyn Read> {
    Box::new(Cursor::new(first).chain(rest))
}

impl Source {
    fn reader(&mut self) -> &mut dyn Read {
        match self {
            Source::File { file, .. } => file,
            Source::Stream(stream) | Source::Text(stream) => stream,
        }
    }

    fn into_stream(self) -> Box<dyn Read> {
        match self {
            Source::File { file, .. } => Box::new(file),
            Source::Stream(stream) | Source::Text(stream) => stream,
        }
    }
}

/// Decodes text to bytes, piece by piece.
struct Decoder {
    source: Box<dyn Read>,
    text: Text,
    /// Decoded bytes. The bytes before `given` were returned already.
    bytes: Vec<u8>,
    given: usize,
    /// A fault in the text after the decoded bytes. It is returned after these bytes.
    fault: Option<String>,
    is_end: bool,
}

impl Decoder {
    fn new(source: Box<dyn Read>, text: Text) -> Decoder {
        Decoder { source, text, bytes: Vec::new(), given: 0, fault: None, is_end: false }
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.bytes.len() && !buffer.is_empty() {
            if let Some(fault) = self.fault.take() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
            }
            if self.is_end {
                return Ok(0);
            }
            let mut piece = [0; 8 << 10];
            let read = self.source.read(&mut piece)?;
            self.bytes.clear();
            (self.given, self.is_end) = (0, read == 0);
            let decoded = match piece.get(..read).filter(|piece| !piece.is_empty()) {
                Some(piece) => self.text.feed(piece, &mut self.bytes),
                None => self.text.end(&mut self.bytes),
            };
            self.fault = decoded.err();
        }
        let mut rest = self.bytes.get(self.given..).unwrap_or_default();
        let read = rest.read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

fn read_some(source: &mut Source, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match (source.reader().read(buffer), &mut *source) {
            (Err(error), _) if error.kind() == io::ErrorKind::Interrupted => {}
            (Ok(read), Source::File { position, .. }) => {
                *position += read as u64;
                return Ok(read);
            }
            (read, _) => return read,
        }
    }
}
