//! Compares every stream reader that resumes after each error with a naive one. It panics if they differ. The
//! readers are those of `chunks`.

use y3::{Error, ErrorKind, Limits, Reader};

pub use super::chunks::Item;
use super::chunks::{Given, Slow, collected_items, items, read_async, read_items, set, watched_items};
use super::oracle::{self, TOP};

/// The items that a reader returns if it continues after each error. A top-level packet that is cut off is an error at
/// its start.
///
/// The naive reader reads the top-level packets one by one, so an error inside one does not change the next.
pub fn expected(input: &[u8], paths: &[Vec<u8>], limits: Limits) -> Vec<Item> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let rest = &input[at..];
        let len = declared_len(rest).unwrap_or(rest.len() as u64);
        let part = &rest[..usize::try_from(len).unwrap_or(usize::MAX).min(rest.len())];
        let found = items(part, oracle::watch_items(part, TOP, paths, limits));
        all.extend(found.into_iter().map(|item| match item {
            Item::Hit((path, offset, bytes)) => Item::Hit((path, at as u64 + offset, bytes)),
            Item::Fault(error) => Item::Fault(Error::new(error.kind(), error.offset() + at as u64)),
        }));
        if declared_len(rest).is_none() {
            break;
        }
        at += part.len();
    }
    all
}

/// The length of the first packet by its header, if the header is valid.
fn declared_len(bytes: &[u8]) -> Option<u64> {
    match oracle::read_length(bytes.get(1..)?) {
        oracle::Length::Is { length, size } => Some(1 + size as u64 + length),
        _ => None,
    }
}

/// The naive reader reports one error for a top-level packet that has an error inside and is cut off. A reader that
/// resumes in the packet reports two.
fn check(mut given: Given, expected: &[Item], how: &str) {
    if let [.., Item::Fault(inside), Item::Fault(end)] = &given.items[..] {
        let is_one = end.kind() == ErrorKind::UnexpectedEnd && end.offset() <= inside.offset();
        if is_one && expected.last() == Some(&Item::Fault(*inside)) {
            given.items.pop();
        }
    }
    assert_eq!(given.items, expected, "{how}");
}

/// Compares every reader that can resume with the naive one. Returns true if there were several errors.
pub fn same(input: &[u8], paths: &[Vec<u8>], limits: Limits, sizes: &[usize]) -> bool {
    let (set, expected) = (set(paths), expected(input, paths, limits));
    let how = |reader| format!("{reader}, {limits:?}, {sizes:?} at a time");
    check(watched_items(input, &set, limits, sizes, true), &expected, &how("watched"));
    check(collected_items(input, &set, limits, sizes, true), &expected, &how("collected"));
    check(read_items(Reader::new(Slow::new(input, sizes), &set, limits), true), &expected, &how("read"));
    check(read_items(Reader::seeking(Slow::new(input, sizes), &set, limits), true), &expected, &how("sought"));
    check(read_async(input, &set, limits, sizes, true), &expected, &how("read async"));
    expected.iter().filter(|item| matches!(item, Item::Fault(_))).count() > 1
}
