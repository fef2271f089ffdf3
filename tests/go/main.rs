//! Compares the crate with the two published Go modules, which a Go program in `tests/go` runs. The inputs are
//! generated trees, damaged trees and every shared vector. Go must read what the crate accepts as the same packets, and
//! both must write the same bytes. The rows of `docs/spec/vectors` list what Go accepts and the crate refuses.
#![cfg(all(feature = "std", not(miri)))]

mod model;
mod pipe;

use std::cell::RefCell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use y3::Encoder;

use model::{MODULES, Module};
use pipe::Pipe;
use testkit::chunks;
use testkit::corpus::{Numbers, mutated};
use testkit::hex::hex;
use testkit::oracle::same::Watched;
use testkit::oracle::trees::{self, Tree};
use testkit::oracle::{self, written};
use testkit::vectors;

/// The number of inputs, and how many of them Go read.
#[derive(Debug, Default)]
struct Tally {
    read: usize,
    inputs: usize,
}

/// Runs all of Go's readers on the inputs that the crate accepts.
fn compare(pipe: &mut Pipe, tally: &mut Tally, inputs: &[&[u8]]) {
    let mut requests = Vec::new();
    let mut judges = Vec::<Box<Judge>>::new();
    for &input in inputs {
        tally.inputs += 1;
        // The whole input at once, and a third of it at a time.
        let chunks = [0, input.len() / 3 + 1];
        for module in MODULES {
            let Some(ours) = model::first(module, input) else { continue };
            tally.read += 1;
            requests.push(pipe::decode(module, input));
            judges.push(Box::new(move |report| {
                let mut go = pipe::decoded(input, report);
                go.packet.forget_where_absent(&ours.packet);
                assert!(go == ours, "{module:?} on {}:\n{go:?}\nhere {ours:?}", hex(input));
            }));
        }
        if let Some(Ok(packet)) = y3::packets(input).next() {
            for chunk in chunks {
                requests.push(pipe::stream_read_packet(chunk, input));
                judges.push(Box::new(move |report| {
                    let (tag, len, value) = pipe::streamed(report);
                    assert_eq!((tag, len), (packet.tag().get(), packet.value().len()), "{}", hex(input));
                    // Go may read past the packet into the next ones.
                    assert!(value.starts_with(packet.value()), "{}", hex(input));
                }));
            }
        }
        if let (packets, None) = oracle::same::drain(y3::packets(input)) {
            let ours: Vec<_> = packets.iter().map(|packet| packet.as_bytes().to_vec()).collect();
            for chunk in chunks {
                let ours = ours.clone();
                requests.push(pipe::read_packets(chunk, input));
                judges.push(Box::new(move |report| {
                    assert_eq!(pipe::packets_read(report), (true, ours.clone()), "{}", hex(input));
                }));
            }
        }
    }
    pipe.ask(&requests).iter().zip(judges).for_each(|(report, judge)| judge(report));
}

/// Changes the trees to what a module can write: y3 v1 writes no slices.
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

/// The crate writes and Go reads; Go writes and the crate reads; both read the trees in any form.
fn run(mut trees: Vec<Tree>, watched: &[Index], chunks: &[usize], pipe: &mut Pipe, tally: &mut Tally) {
    let any_form = trees::encode(&trees);
    assert_eq!(y3::packets(&any_form).filter(Result::is_err).count(), 0);
    trees::canonical(&mut trees, false);
    for module in MODULES {
        let mut trees = written::before_too_deep(&trees).to_vec();
        for_module(module, &mut trees);
        let packets: Vec<_> = trees.iter().map(|tree| written(std::slice::from_ref(tree))).collect();
        let all = packets.concat();
        let inputs: Vec<_> = packets.iter().map(Vec::as_slice).chain([&any_form[..], &all]).collect();
        compare(pipe, tally, &inputs);
        written_by_go(module, &trees, &self::watched(&trees, watched), chunks, pipe);
    }
}

/// Asserts that Go writes the bytes that the crate writes, and that the crate reads from them what was given to Go.
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
    pipe::encoded(&pipe.ask(&[pipe::encode(module, trees)])[0])
}

/// Paths and keys of packets in the trees, as deep as a path can lead.
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

type Judge = dyn Fn(&[u8]);

#[test]
fn generated_trees_are_read_and_written_alike() {
    let Some(pipe) = Pipe::open() else { return };
    let (count, seed) = (from_env("Y3_GO_TREES", 2000), from_env("Y3_GO_SEED", 1));
    let config = ProptestConfig { max_shrink_iters: 4000, ..trees::config(count) };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (pipe, tally) = (RefCell::new(pipe), RefCell::new(Tally::default()));
    let case = (trees::trees(24), any::<u64>(), vec(any::<Index>(), 1..4), vec(0..40usize, 1..4));
    let done = runner.run(&case, |(trees, damage, watched, chunks)| {
        let whole = trees::encode(&trees);
        let damaged = mutated(&whole, &whole, &mut Numbers(damage));
        compare(&mut pipe.borrow_mut(), &mut tally.borrow_mut(), &[&damaged]);
        run(trees, &watched, &chunks, &mut pipe.borrow_mut(), &mut tally.borrow_mut());
        Ok(())
    });
    if let Err(error) = done {
        panic!("Y3_GO_SEED={seed} Y3_GO_TREES={count}: {error}");
    }
    let tally = tally.borrow();
    eprintln!("{count} cases, seed {seed}: {tally:?}, all alike");
}

#[test]
fn shared_vectors_are_read_alike() {
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
    let mut inputs: Vec<_> = vectors::bytes_in(&FILES).into_iter().collect();
    // Bare values and length fields are also read as packets.
    let values = vectors::malformed().values;
    let packed = |value: &[u8]| oracle::packed(0x01, value);
    inputs.extend(values.iter().map(|value| packed(&value.hex.0)));
    for tag in [0x01, 0x81] {
        let lengths = vectors::lengths().decode;
        inputs
            .extend(lengths.iter().map(|length| [&[tag], &length.hex.0[..], &[0x02, 0x03, 0x01, 0x05, 0x06]].concat()));
    }
    assert!(inputs.len() > 4500, "{}", inputs.len());
    for inputs in inputs.chunks(64) {
        compare(&mut pipe, &mut tally, &inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
    eprintln!("inputs of the shared vectors: {tally:?}, all alike");
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
