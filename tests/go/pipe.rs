//! One long-running Go process, built once from `main.go`. It receives batches of requests and answers with the reports
//! of the Go modules. `README.md` describes the protocol.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use super::model::{First, Module, Node, Packet, Primitive, own};
use testkit::oracle::trees::{Tree, Value};

pub struct Pipe {
    child: Child,
    requests: Option<ChildStdin>,
    answers: ChildStdout,
}

impl Pipe {
    /// Starts the Go program. Returns `None` if Go is not installed; with `Y3_GO=required` that is a failure.
    pub fn open() -> Option<Pipe> {
        static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let program = match PROGRAM.get_or_init(build) {
            Ok(program) => program,
            Err(reason) => {
                assert!(std::env::var("Y3_GO").as_deref() != Ok("required"), "no go, and Y3_GO=required: {reason}");
                eprintln!("skipped: no go: {reason}");
                return None;
            }
        };
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (requests, answers) = (child.stdin.take(), child.stdout.take().unwrap());
        Some(Pipe { child, requests, answers })
    }

    /// The answers to a batch of requests, in their order.
    pub fn ask(&mut self, requests: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let batch: Vec<u8> = requests.iter().flat_map(|request| block(request)).collect();
        self.requests.as_mut().unwrap().write_all(&block(&batch)).expect("the Go program has ended");
        let mut size = [0; 4];
        self.answers.read_exact(&mut size).expect("the Go program has ended");
        let mut batch = vec![0; usize::try_from(u32::from_be_bytes(size)).unwrap()];
        self.answers.read_exact(&mut batch).expect("the Go program has ended");
        let mut rest = Report(&batch);
        let answers: Vec<_> = requests.iter().map(|_| rest.block().to_vec()).collect();
        assert!(rest.0.is_empty());
        answers
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // The program stops at the end of its input.
        drop(self.requests.take());
        let ended = self.child.wait();
        assert!(std::thread::panicking() || ended.is_ok_and(|status| status.success()), "the Go program failed");
    }
}

fn build() -> Result<PathBuf, String> {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("y3_go_peer");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/go"))
        .output()
        .map_err(|error| error.to_string())?;
    if built.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&built.stderr).into_owned()) }
}

fn number(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_be_bytes()
}

fn block(bytes: &[u8]) -> Vec<u8> {
    [&number(bytes.len()), bytes].concat()
}

pub fn decode(module: Module, input: &[u8]) -> Vec<u8> {
    [b"d", &[module.letter()][..], input].concat()
}

pub fn read_packets(chunk: usize, input: &[u8]) -> Vec<u8> {
    [b"r", &number(chunk)[..], input].concat()
}

pub fn stream_read_packet(chunk: usize, input: &[u8]) -> Vec<u8> {
    [b"s", &number(chunk)[..], input].concat()
}

pub fn encode(module: Module, trees: &[Tree]) -> Vec<u8> {
    let mut request = vec![b'e', module.letter()];
    for tree in trees {
        describe(tree, &mut request);
    }
    request
}

/// A tree in the form that the Go program reads. A value names its type; the module determines the dialect.
fn describe(tree: &Tree, out: &mut Vec<u8>) {
    match tree {
        Tree::Node { key, is_slice, inside, .. } => {
            out.extend([if *is_slice { b'S' } else { b'N' }, *key]);
            out.extend(number(inside.len()));
            for tree in inside {
                describe(tree, out);
            }
        }
        Tree::Leaf { key, value, .. } => {
            let kind = match value {
                Value::I32(_) | Value::PVarI32(_) => b'i',
                Value::U32(_) | Value::PVarU32(_) => b'u',
                Value::I64(_) | Value::PVarI64(_) => b'I',
                Value::U64(_) | Value::PVarU64(_) => b'U',
                Value::F32(_) => b'f',
                Value::F64(_) => b'F',
                Value::Bool(_) => b'b',
                Value::Text(_) => b't',
                Value::Bytes(_) => b'x',
            };
            out.extend([kind, *key]);
            match value {
                Value::Text(text) => out.extend(block(text.as_bytes())),
                Value::Bytes(bytes) => out.extend(block(bytes)),
                _ => out.extend(own(value).unwrap().to_be_bytes()),
            }
        }
    }
}

/// The part of a report that is not read yet.
pub struct Report<'a>(&'a [u8]);

impl<'a> Report<'a> {
    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(size);
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn is(&mut self) -> bool {
        self.byte() == 1
    }

    fn number(&mut self) -> usize {
        usize::try_from(u32::from_be_bytes(self.take(4).try_into().unwrap())).unwrap()
    }

    fn block(&mut self) -> &'a [u8] {
        let size = self.number();
        self.take(size)
    }

    fn many<T>(&mut self, one: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.number()).map(|_| one(self)).collect()
    }

    fn node(&mut self) -> Node {
        let (key, is_slice, len) = (self.byte(), self.is(), self.number());
        // y3 returns the whole input as the value of an empty node.
        self.number();
        Node { key, is_slice, len, nodes: self.many(Self::node), primitives: self.many(Self::primitive) }
    }

    fn primitive(&mut self) -> Primitive {
        // y3 treats the reserved bit as the slice bit.
        let (key, _, value) = (self.byte(), self.is(), self.block().to_vec());
        let typed = std::array::from_fn(|_| {
            let (is, bits) = (self.is(), u64::from_be_bytes(self.take(8).try_into().unwrap()));
            is.then_some(bits)
        });
        Primitive { key, value, typed }
    }
}

fn done<T>(report: &[u8], read: impl FnOnce(&mut Report<'_>) -> T) -> T {
    let mut rest = Report(report);
    assert_eq!(rest.byte(), 0, "Go fails, panics or hangs");
    let what = read(&mut rest);
    assert!(rest.0.is_empty(), "bytes are left after a report");
    what
}

pub fn decoded(input: &[u8], report: &[u8]) -> First {
    done(report, |report| {
        let consumed = report.number();
        let is_node = input[0] & 0x80 != 0;
        let packet = if is_node { Packet::Node(report.node()) } else { Packet::Primitive(report.primitive()) };
        First { consumed, packet }
    })
}

/// The packets of a stream; the flag is true if the stream ended after a whole packet.
pub fn packets_read(report: &[u8]) -> (bool, Vec<Vec<u8>>) {
    done(report, |report| (report.is(), report.many(|report| report.block().to_vec())))
}

/// The tag and length of a packet, and its value read as a stream.
pub fn streamed(report: &[u8]) -> (u8, usize, Vec<u8>) {
    done(report, |report| (report.byte(), report.number(), report.block().to_vec()))
}

pub fn encoded(report: &[u8]) -> Vec<u8> {
    done(report, |report| report.take(report.0.len()).to_vec())
}
