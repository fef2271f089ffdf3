//! A second implementation: the crate beside the two published Go modules, which a Go program in `tests/go` runs.
//!
//! In: generated trees, damaged ones, and every shared vector. Out: nothing, or a panic that says where Go and the crate
//! disagree in a way that is not listed. `tests/go/README.md` says how to run it at length.
#![cfg(all(feature = "std", not(miri)))]

mod model;
mod pipe;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use y3::{Encoder, Error, ErrorKind, PVarInt};

use model::{Class, Classes, First, MODULES, Module, Node, Outcome, Packet, Packets, Primitive, Streamed, TYPES, Type};
use pipe::Pipe;
use testkit::chunks;
use testkit::hex::{hex, unhex};
use testkit::oracle::same::Watched;
use testkit::oracle::trees::{self, Damage, Tree, Value};
use testkit::oracle::{self, written};
use testkit::vectors;

/// A reader of Go's, run on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Decode(Module),
    /// With the most bytes that the stream gives at a time, 0 for all.
    ReadPackets(usize),
    StreamReadPacket(usize),
}

impl Call {
    fn request(self, input: &[u8]) -> Vec<u8> {
        match self {
            Call::Decode(module) => pipe::decode(module, input),
            Call::ReadPackets(chunk) => pipe::read_packets(chunk, input),
            Call::StreamReadPacket(chunk) => pipe::stream_read_packet(chunk, input),
        }
    }

    /// Whether it can be run at all: a length must not decide how much this machine allocates.
    fn is_harmless(self, input: &[u8]) -> bool {
        !matches!(self, Call::Decode(module) if model::decode(module, input).0.is_none())
    }

    fn module(self) -> Module {
        if let Call::Decode(module) = self { module } else { Module::Y3 }
    }
}

/// How often each class of disagreement was seen, and how many comparisons there were.
#[derive(Debug, Default)]
struct Tally {
    classes: BTreeMap<(Class, Module), u64>,
    calls: u64,
    agreed: u64,
    /// Trees that Go wrote.
    trees: usize,
}

impl Tally {
    fn count(&mut self, class: Class, module: Module) {
        *self.classes.entry((class, module)).or_default() += 1;
    }

    fn print(&self, what: &str) {
        eprintln!("{what}: {} inputs read by Go, {} alike", self.calls, self.agreed);
        for ((class, module), times) in &self.classes {
            eprintln!("  {times:>9} {class:?} ({module:?})");
        }
    }
}

/// All readers of Go's on inputs, each beside the crate.
fn compare(pipe: &mut Pipe, tally: &mut Tally, inputs: &[&[u8]]) {
    let calls = |input: &[u8]| {
        let part = input.len() / 3 + 1;
        let streams = [0, part].map(|chunk| [Call::ReadPackets(chunk), Call::StreamReadPacket(chunk)]);
        [MODULES.map(Call::Decode), streams[0], streams[1]].concat()
    };
    let calls: Vec<_> =
        inputs.iter().flat_map(|&input| calls(input).into_iter().map(move |call| (call, input))).collect();
    compare_calls(pipe, tally, &calls);
}

fn compare_calls(pipe: &mut Pipe, tally: &mut Tally, calls: &[(Call, &[u8])]) {
    let (harmless, harmful): (Vec<_>, Vec<_>) = calls.iter().partition(|(call, input)| call.is_harmless(input));
    let requests: Vec<_> = harmless.iter().map(|(call, input)| call.request(input)).collect();
    for ((call, input), report) in harmless.into_iter().zip(pipe.ask(&requests)) {
        tally.calls += 1;
        judge(call, input, &report, tally);
    }
    for (call, input) in harmful {
        let ours = first(call.module(), input).map(|_| ()).unwrap_err().kind();
        let (_, classes) = model::decode(call.module(), input);
        assert!(classes.iter().any(|class| class.explains(Some(ours))), "{ours:?} where {call:?} on {}", hex(input));
        tally.count(Class::AllocatesByLength, call.module());
    }
}

fn judge(call: Call, input: &[u8], report: &[u8], tally: &mut Tally) {
    match call {
        Call::Decode(module) => {
            let (model, classes) = model::decode(module, input);
            let go = same(call, input, &pipe::decoded(input, report), (model.unwrap(), &classes));
            let (ours, lost) = match first(module, input) {
                Ok((first, lost)) => (Ok(first), lost),
                Err(error) => (Err(error), Classes::new()),
            };
            for class in lost {
                tally.count(class, module);
            }
            if let (Outcome::Is(go), Ok(ours)) = (&go, &ours) {
                typed_alike(module, &go.packet, &ours.packet, tally);
                let (go, ours) = (mended(go.clone()), mended(ours.clone()));
                assert!(go == ours, "{call:?} on {}:\n{go:?}\nhere {ours:?}", hex(input));
            }
            explain(call, input, &untyped(go), &ours.map(forget_types), &classes, tally);
        }
        Call::ReadPackets(_) => {
            let (model, classes) = model::read_packets(input);
            let go = same(call, input, &pipe::packets_read(report), (model, &classes));
            let (packets, fault) = oracle::same::drain(y3::packets(input));
            let packets = packets.iter().map(|packet| packet.as_bytes().to_vec()).collect();
            // Packets before a fault are good, so that a fault is no failure here.
            let ours = Packets { packets, is_clean: fault.is_none() };
            let Outcome::Is(by_go) = &go else { panic!("reading ends, in one way or the other") };
            assert!(by_go.packets.starts_with(&ours.packets), "{call:?} on {}: {by_go:?}, here {ours:?}", hex(input));
            let ours = match fault {
                Some(fault) if *by_go != ours => Err(fault),
                _ => Ok(ours),
            };
            explain(call, input, &go, &ours, &classes, tally);
        }
        Call::StreamReadPacket(chunk) => {
            let (model, classes) = model::stream_read_packet(chunk, input);
            let go = same(call, input, &pipe::streamed(report), (model, &classes));
            let ours = y3::packets(input).next().unwrap_or(Err(Error::new(ErrorKind::UnexpectedEnd, 0)));
            let ours = ours.map(|packet| Streamed {
                tag: packet.tag().get(),
                len: packet.value().len(),
                value: packet.value().to_vec(),
            });
            if let (Outcome::Is(go), Ok(ours)) = (&go, &ours) {
                assert!(go.value.starts_with(&ours.value) && (go.tag, go.len) == (ours.tag, ours.len));
            }
            explain(call, input, &go, &ours, &classes, tally);
        }
    }
}

/// What Go did is what the model says it does, so that its faults are known as exactly as its virtues.
fn same<T: PartialEq + std::fmt::Debug>(
    call: Call,
    input: &[u8],
    go: &Outcome<T>,
    (model, classes): (Outcome<T>, &Classes),
) -> Outcome<T> {
    assert!(*go == model, "{call:?} on {}:\n{go:?}, and not by {classes:?}\n{model:?}", hex(input));
    model
}

/// Go and the crate agree, or they disagree in a way that is listed.
fn explain<T: PartialEq + std::fmt::Debug>(
    call: Call,
    input: &[u8],
    go: &Outcome<T>,
    ours: &Result<T, Error>,
    classes: &Classes,
    tally: &mut Tally,
) {
    match (go, ours) {
        (Outcome::Is(go), Ok(ours)) if go == ours => tally.agreed += 1,
        (Outcome::Failed, Err(_)) => tally.agreed += 1,
        _ => {
            let kind = ours.as_ref().err().map(Error::kind);
            let listed: Vec<_> = classes.iter().copied().filter(|class| class.explains(kind)).collect();
            assert!(
                !listed.is_empty(),
                "not listed: {call:?} on {}:\n{go:?}\nhere {ours:?}; Go took {classes:?}",
                hex(input)
            );
            for class in listed {
                tally.count(class, call.module());
            }
        }
    }
}

/// What the crate makes of the packet that an input begins with, kept as a module keeps it, and what is lost by that.
fn first(module: Module, input: &[u8]) -> Result<(First, Classes), Error> {
    let packet = y3::packets(input).next().unwrap_or(Err(Error::new(ErrorKind::UnexpectedEnd, 0)))?;
    packet.check()?;
    let mut lost = Classes::new();
    let seen = seen(module, &packet, &mut lost);
    Ok((First { consumed: packet.as_bytes().len(), packet: seen }, lost))
}

fn seen(module: Module, packet: &y3::Packet<'_>, lost: &mut Classes) -> Packet {
    let (key, value) = (packet.key().get(), packet.value());
    if !packet.is_node() {
        let typed = TYPES.map(|kind| typed(module, kind, packet));
        return Packet::Primitive(Primitive { key, is_slice: packet.is_slice(), value: value.to_vec(), typed });
    }
    let children = packet.children().map(|child| seen(module, &child.unwrap(), lost)).collect();
    let (nodes, primitives, also) = model::kept(module, children);
    lost.extend(also);
    Packet::Node(Node { key, is_slice: packet.is_slice(), len: value.len(), value_len: value.len(), nodes, primitives })
}

/// A value read by the crate, integers in the module's dialect.
fn typed(module: Module, kind: Type, packet: &y3::Packet<'_>) -> Option<u64> {
    let read = match (module, kind) {
        (Module::Y3, Type::I32) => packet.decode::<i32>().map(|v| model::bits(v.into())),
        (Module::Y3, Type::U32) => packet.decode::<u32>().map(u64::from),
        (Module::Y3, Type::I64) => packet.decode::<i64>().map(model::bits),
        (Module::Y3, Type::U64) => packet.decode::<u64>(),
        (Module::Codec, Type::I32) => packet.decode::<PVarInt<i32>>().map(|v| model::bits(v.0.into())),
        (Module::Codec, Type::U32) => packet.decode::<PVarInt<u32>>().map(|v| v.0.into()),
        (Module::Codec, Type::I64) => packet.decode::<PVarInt<i64>>().map(|v| model::bits(v.0)),
        (Module::Codec, Type::U64) => packet.decode::<PVarInt<u64>>().map(|v| v.0),
        (_, Type::F32) => packet.decode::<f32>().map(|v| v.to_bits().into()),
        (_, Type::F64) => packet.decode::<f64>().map(f64::to_bits),
        (_, Type::Bool) => packet.decode::<bool>().map(u64::from),
        (_, Type::Text) => packet.decode::<&str>().map(|text| text.len() as u64),
    };
    read.ok()
}

/// The values that both have, read as each type: alike, or a fault that is listed.
fn typed_alike(module: Module, go: &Packet, ours: &Packet, tally: &mut Tally) {
    match (go, ours) {
        (Packet::Primitive(go), Packet::Primitive(ours)) => values_alike(module, go, ours, tally),
        (Packet::Node(go), Packet::Node(ours)) => nodes_alike(module, go, ours, tally),
        _ => {}
    }
}

fn nodes_alike(module: Module, go: &Node, ours: &Node, tally: &mut Tally) {
    go.nodes.iter().zip(&ours.nodes).for_each(|(go, ours)| nodes_alike(module, go, ours, tally));
    go.primitives.iter().zip(&ours.primitives).for_each(|(go, ours)| values_alike(module, go, ours, tally));
}

fn values_alike(module: Module, go: &Primitive, ours: &Primitive, tally: &mut Tally) {
    for (place, kind) in TYPES.into_iter().enumerate() {
        let (by_go, by_us) = (go.typed[place], ours.typed[place]);
        if by_go != by_us {
            let class = model::value_class(module, kind, &go.value, by_go, by_us);
            let class = class.unwrap_or_else(|| {
                panic!("not listed: {} as {kind:?} is {by_go:?} for {module:?}, here {by_us:?}", hex(&go.value))
            });
            tally.count(class, module);
        }
    }
}

/// A packet whose values have been compared as types.
fn forget_types(mut first: First) -> First {
    first.packet.each_primitive(&mut |primitive| primitive.typed = [None; 8]);
    first
}

fn untyped(go: Outcome<First>) -> Outcome<First> {
    if let Outcome::Is(first) = go { Outcome::Is(forget_types(first)) } else { go }
}

/// The same without what the two faults change that leave a packet a packet. Nothing else may differ.
fn mended(mut first: First) -> First {
    first.packet.each_primitive(&mut |primitive| primitive.is_slice = false);
    first.packet.each_node(&mut |node| node.value_len = node.len);
    forget_types(first)
}

/// What one run is made of.
#[derive(Clone, Debug)]
struct Case {
    /// In any form that a reader accepts; what is written is the canonical form of them.
    trees: Vec<Tree>,
    damage: Vec<Damage>,
    bends: Vec<(Index, Bend)>,
    /// How many nodes are put around the bent trees.
    around: usize,
    noise: Vec<u8>,
    watched: Vec<Index>,
    chunks: Vec<usize>,
}

/// Damage to the length field of a packet, which random bytes seldom hit.
#[derive(Clone, Copy, Debug)]
enum Bend {
    /// Added to its last byte.
    Stretch(u8),
    /// That byte in front, and so many times `80` after it.
    Pad(u8, usize),
}

impl Bend {
    fn apply(self, which: Index, bytes: &mut Vec<u8>) {
        let (packets, _) = oracle::walk(bytes, oracle::TOP, usize::MAX, &|_| true);
        if packets.is_empty() {
            return;
        }
        let packet = which.get(&packets);
        match self {
            Bend::Stretch(by) => {
                let last = &mut bytes[packet.value.start - 1];
                *last = (*last + by) & 0x7f;
            }
            Bend::Pad(first, more) => {
                let field = packet.offset + 1;
                bytes.splice(field..field, std::iter::once(first).chain(std::iter::repeat_n(0x80, more)));
            }
        }
    }
}

fn bend() -> impl Strategy<Value = Bend> {
    let first = prop_oneof![3 => Just(0x80u8), 1 => Just(0x81), 1 => Just(0x90), 1 => Just(0xc0), 1 => Just(0xff)];
    prop_oneof![3 => (1..24u8).prop_map(Bend::Stretch), 1 => (first, 0..12usize).prop_map(|(first, n)| Bend::Pad(first, n))]
}

fn case() -> impl Strategy<Value = Case> {
    let damaged = (trees::damage(), vec((any::<Index>(), bend()), 1..3), vec(trees::byte(), 0..24));
    let around = prop_oneof![12 => Just(0), 1 => 60..66usize];
    let read = (vec(any::<Index>(), 1..4), vec(0..40usize, 1..4));
    (trees::trees(24), damaged, around, read).prop_map(|(trees, (damage, bends, noise), around, (watched, chunks))| {
        Case { trees, damage, bends, around, noise, watched, chunks }
    })
}

/// Trees as a module can write them: y3 v1 writes no slices.
fn for_module(module: Module, trees: &mut [Tree]) {
    for tree in trees {
        match tree {
            Tree::Leaf { value, .. } => *value = value.in_dialect(module.dialect()),
            Tree::Node { is_slice, inside, .. } => {
                *is_slice &= module == Module::Codec;
                for_module(module, inside);
            }
        }
    }
}

fn written(trees: &[Tree]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).packets(|encoder| written::write(encoder, trees)).unwrap();
    bytes
}

/// The crate writes and Go reads; Go writes and the crate reads; both read what is damaged.
fn run(case: &Case, pipe: &mut Pipe, tally: &mut Tally) {
    let mut canonical = case.trees.clone();
    trees::canonical(&mut canonical, false);
    for module in MODULES {
        let mut trees = canonical.clone();
        for_module(module, &mut trees);
        read_by_go(module, &trees, pipe, tally);
        written_by_go(module, &trees, &watched(&trees, &case.watched), &case.chunks, pipe);
        tally.trees += trees.len();
    }
    let mut damaged = trees::encode(&case.trees);
    case.damage.iter().for_each(|damage| damage.apply(&mut damaged));
    let mut bent = trees::encode(&case.trees);
    case.bends.iter().for_each(|(which, bend)| bend.apply(*which, &mut bent));
    for _ in 0..case.around {
        bent = oracle::packed(0x81, &bent);
    }
    compare(pipe, tally, &[&damaged, &bent, &case.noise]);
}

/// Canonical trees: every packet, and every value as the type it was written as, and no fault but what Go cannot hold.
fn read_by_go(module: Module, trees: &[Tree], pipe: &mut Pipe, tally: &mut Tally) {
    const ALLOWED: [Class; 4] =
        [Class::EmptyNodeIsAll, Class::LastDuplicateWins, Class::MutualOrderLost, Class::ValueRunsOn];
    let bytes = written(trees);
    let packets: Vec<_> = trees.iter().map(|tree| written(std::slice::from_ref(tree))).collect();
    let mut calls: Vec<_> = packets.iter().map(|packet| (Call::Decode(module), &packet[..])).collect();
    for chunk in [0, bytes.len() / 3 + 1] {
        calls.extend([(Call::ReadPackets(chunk), &bytes[..]), (Call::StreamReadPacket(chunk), &bytes[..])]);
    }
    let mut seen = Tally::default();
    compare_calls(pipe, &mut seen, &calls);
    let is_allowed = |class: &Class| ALLOWED.contains(class) || VALUES.contains(class);
    assert!(seen.classes.keys().all(|(class, _)| is_allowed(class)), "canonical, and yet {seen:?} on {}", hex(&bytes));
    leaves(trees, &mut |value| {
        let Some((kind, bits)) = model::own(value) else { return };
        // What Go reads has been compared with this.
        assert_eq!(model::typed(module, kind, &value.encode()), Some(bits), "{value:?} as {kind:?} by {module:?}");
    });
    tally.calls += seen.calls;
    tally.agreed += seen.agreed;
    for (class, times) in seen.classes {
        *tally.classes.entry(class).or_default() += times;
    }
}

/// Faults that come of reading a value as a type that it was not written as.
const VALUES: [Class; 6] = [
    Class::IntegerCut,
    Class::BytesAfterInteger,
    Class::LooseBool,
    Class::EmptyBool,
    Class::LongFloat,
    Class::UntestedText,
];

fn leaves(trees: &[Tree], each: &mut impl FnMut(&Value)) {
    for tree in trees {
        match tree {
            Tree::Leaf { value, .. } => each(value),
            Tree::Node { inside, .. } => leaves(inside, each),
        }
    }
}

/// What Go writes: the bytes that the crate writes, and everything the crate reads in them is what went into Go.
fn written_by_go(module: Module, trees: &[Tree], watched: &Watched, chunks: &[usize], pipe: &mut Pipe) {
    let bytes = encoded(module, trees, pipe);
    assert_eq!(hex(&bytes), hex(&written(trees)), "written by {module:?} and here");
    assert_eq!(y3::check(&bytes), Ok(()));
    written::assert_same(y3::packets(&bytes), trees);
    let mut again = Vec::new();
    Encoder::new(&mut again).packets(|encoder| written::rewrite(encoder, y3::packets(&bytes))).unwrap();
    assert_eq!(hex(&again), hex(&bytes), "read and written again");

    oracle::same::same(&bytes, watched);
    chunks::same(&bytes, &chunks::set(&watched.paths), chunks);
}

fn encoded(module: Module, trees: &[Tree], pipe: &mut Pipe) -> Vec<u8> {
    let reports = pipe.ask(&[pipe::encode(module, trees)]);
    let Outcome::Is(bytes) = pipe::encoded(&reports[0]) else { panic!("{module:?} does not write {trees:?}") };
    bytes
}

/// Paths and keys of packets that the trees hold, as far down as a path can lead.
fn watched(trees: &[Tree], which: &[Index]) -> Watched {
    fn below(trees: &[Tree], parents: &[u8], paths: &mut Vec<Vec<u8>>) {
        for tree in trees {
            let (Tree::Leaf { key, .. } | Tree::Node { key, .. }) = tree;
            let path = [parents, &[*key]].concat();
            if path.len() < 8 {
                if let Tree::Node { inside, .. } = tree {
                    below(inside, &path, paths);
                }
            }
            paths.push(path);
        }
    }
    let mut all = vec![vec![1]];
    below(trees, &[], &mut all);
    let mut paths: Vec<_> = which.iter().map(|index| index.get(&all).clone()).collect();
    paths.sort();
    paths.dedup();
    let mut keys: Vec<_> = paths.iter().filter_map(|path| path.last().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    Watched { paths, keys }
}

fn from_env(name: &str, or: u32) -> u32 {
    std::env::var(name).map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

#[test]
fn generated_trees_are_read_and_written_alike() {
    let Some(pipe) = Pipe::open() else { return };
    let (count, seed) = (from_env("Y3_GO_TREES", 2000), from_env("Y3_GO_SEED", 1));
    let config = ProptestConfig { max_shrink_iters: 4000, ..trees::config(count) };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (pipe, tally) = (RefCell::new(pipe), RefCell::new(Tally::default()));
    let done = runner.run(&case(), |case| {
        run(&case, &mut pipe.borrow_mut(), &mut tally.borrow_mut());
        Ok(())
    });
    if let Err(error) = done {
        panic!("Y3_GO_SEED={seed} Y3_GO_TREES={count}: {error}");
    }
    let tally = tally.borrow();
    tally.print(&format!("{count} cases, seed {seed}: {} trees written by Go, all alike", tally.trees));
}

/// The naive reader recurses, as the Go modules do, and the vectors hold a thousand nodes one in another.
fn with_room_to_recurse(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// All bytes in a file of vectors, whatever they are evidence of.
fn all_bytes(value: &serde_json::Value, name: &str, all: &mut Vec<Vec<u8>>) {
    match value {
        serde_json::Value::String(text) if name.contains("hex") || name.contains("header") => all.push(unhex(text)),
        serde_json::Value::Array(items) => items.iter().for_each(|item| all_bytes(item, name, all)),
        serde_json::Value::Object(fields) => fields.iter().for_each(|(name, field)| all_bytes(field, name, all)),
        _ => {}
    }
}

#[test]
fn shared_vectors_are_read_alike() {
    with_room_to_recurse(read_all_vectors);
}

fn read_all_vectors() {
    const FILES: [&str; 7] = [
        include_str!("../vectors/lengths.json"),
        include_str!("../vectors/malformed.json"),
        include_str!("../vectors/nodes.json"),
        include_str!("../vectors/primitives.json"),
        include_str!("../vectors/scenarios.json"),
        include_str!("../vectors/slices.json"),
        include_str!("../vectors/streams.json"),
    ];
    let Some(mut pipe) = Pipe::open() else { return };
    let mut tally = Tally::default();
    let mut inputs = Vec::new();
    for file in FILES {
        all_bytes(&serde_json::from_str(file).unwrap(), "", &mut inputs);
    }
    // Bare values and length fields as packets, too.
    let values = vectors::malformed().values;
    let packed = |value: &[u8]| oracle::packed(0x01, value);
    inputs.extend(values.iter().map(|value| packed(&value.hex.0)));
    for tag in [0x01, 0x81] {
        let lengths = vectors::lengths().decode;
        inputs
            .extend(lengths.iter().map(|length| [&[tag], &length.hex.0[..], &[0x02, 0x03, 0x01, 0x05, 0x06]].concat()));
    }
    assert!(inputs.len() > 5000, "{}", inputs.len());
    for inputs in inputs.chunks(64) {
        compare(&mut pipe, &mut tally, &inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
    tally.print(&format!("{} inputs of the shared vectors", inputs.len()));
}

/// The recorded outcomes are what the Go modules do today.
#[test]
fn shared_vectors_hold_what_go_does() {
    with_room_to_recurse(compare_recorded_outcomes);
}

fn compare_recorded_outcomes() {
    #[derive(serde::Deserialize)]
    struct File {
        packets: Vec<Recorded>,
    }
    #[derive(serde::Deserialize)]
    struct Recorded {
        id: String,
        hex: vectors::Hex,
        y3: Ended,
        codec: Ended,
    }
    #[derive(serde::Deserialize)]
    struct Ended {
        kind: String,
    }
    let Some(mut pipe) = Pipe::open() else { return };
    let file: File = serde_json::from_str(include_str!("../vectors/malformed.json")).unwrap();
    for Recorded { id, hex, y3, codec } in &file.packets {
        for (module, recorded) in MODULES.into_iter().zip([y3, codec]) {
            let call = Call::Decode(module);
            if call.is_harmless(&hex.0) {
                let reports = pipe.ask(&[call.request(&hex.0)]);
                let kind = match pipe::decoded(&hex.0, &reports[0]) {
                    Outcome::Is(_) => "ok",
                    Outcome::Failed => "err",
                    Outcome::Panicked => "panic",
                    Outcome::Hung => "hang",
                };
                assert_eq!(kind, recorded.kind, "{id} by {module:?}");
            } else {
                assert_eq!(recorded.kind, "panic", "{id}, not run");
            }
        }
    }
}

#[test]
fn shared_vectors_are_written_alike() {
    let Some(mut pipe) = Pipe::open() else { return };
    let mut trees: Vec<_> = vectors::nodes().into_iter().map(|case| case.tree).collect();
    trees.extend(vectors::slices().node_slices.into_iter().map(|case| case.tree));
    trees.extend(vectors::primitives().iter().map(vectors::Primitive::tree));
    trees.extend(vectors::scenarios().into_iter().flat_map(|case| [case.tree, case.want]));
    for tree in &trees {
        for module in MODULES {
            let mut tree = [tree.clone()];
            for_module(module, &mut tree);
            let watched = Watched { paths: vec![vec![1], vec![1, 2], vec![4, 1]], keys: vec![1, 2] };
            written_by_go(module, &tree, &watched, &[1], &mut pipe);
        }
    }
}

/// The README shows every class by an example, and that is what the example does.
#[test]
fn listed_classes_are_real() {
    use Class::*;
    use Module::{Codec, Y3};
    const DECODE: [(Class, Module, &str); 27] = [
        (ChildOverruns, Y3, "84038303010105"),
        (ChildOverruns, Codec, "84038303010105"),
        (CutNodePanics, Y3, "8405010105"),
        (CutNodePanics, Codec, "8405010105"),
        (NegativeNodePanics, Codec, "847f"),
        (AllocatesByLength, Codec, "8487ffffff7f"),
        (LengthWraps, Y3, "01908080800105"),
        (LengthWraps, Codec, "01908080800105"),
        (LongLengthField, Y3, "0180808080800105"),
        (LongLengthField, Codec, "0180808080800105"),
        (FlaggedPrimitive, Y3, "410105"),
        (EmptyNodeIsAll, Y3, "8400"),
        (LastDuplicateWins, Y3, "8406010105010106"),
        (MutualOrderLost, Y3, "84050101058300"),
        (MutualOrderLost, Codec, "84050101058300"),
        (IntegerCut, Y3, "01050100000000"),
        (IntegerCut, Codec, "01059080808001"),
        (BytesAfterInteger, Codec, "01020105"),
        (LooseBool, Y3, "010102"),
        (LooseBool, Codec, "010102"),
        (LooseBool, Y3, "010a82808080808080808001"),
        (LooseBool, Codec, "010a82808080808080808001"),
        (EmptyBool, Codec, "0100"),
        (LongFloat, Y3, "01053e80000000"),
        (LongFloat, Codec, "01053e80000000"),
        (UntestedText, Y3, "0102ffc0"),
        (UntestedText, Codec, "0102ffc0"),
    ];
    let Some(mut pipe) = Pipe::open() else { return };
    let mut examples: Vec<_> = DECODE.map(|(class, module, hex)| (class, Call::Decode(module), hex)).to_vec();
    examples.extend([
        (CutHeaderIsEnd, Call::ReadPackets(0), "01"),
        (CutValueIsNoError, Call::StreamReadPacket(0), "010205"),
        (ValueRunsOn, Call::StreamReadPacket(1), "01020506020107"),
    ]);
    let packets = vectors::malformed().packets;
    let deep = hex(&packets.iter().find(|packet| packet.id == "mal-0105").unwrap().hex.0);
    examples.extend(MODULES.map(|module| (NoDepthLimit, Call::Decode(module), &deep[..])));
    for (class, call, hex) in examples {
        let mut tally = Tally::default();
        compare_calls(&mut pipe, &mut tally, &[(call, &unhex(hex))]);
        assert!(tally.classes.contains_key(&(class, call.module())), "{class:?} on {hex}: {tally:?}");
        let shown = if hex == deep { "mal-0105" } else { hex };
        let is_shown = |line: &str| line.starts_with(&format!("| {class:?} |")) && line.contains(shown);
        assert!(include_str!("../go/README.md").lines().any(is_shown), "{class:?} {hex} is not in the README");
    }
}
