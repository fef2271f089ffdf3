//! Chunked equals whole: every stream reader returns what a watch of the slice returns, for chunks of any size, and
//! stops at its limits. The codec returns all packets. Readers that continue after errors return what the naive reader
//! returns for each top-level packet. Paths may enter primitives and have wildcards.
//!
//! The first bytes choose limits, paths and chunk sizes; the others make packets. The input is accepted if there is a
//! hit.

use arbitrary::{Result, Unstructured};
use y3::{Limits, Reader};

use crate::chunks::{self, Slow, collected, read, same, same_read, set, watched};
use crate::input::{choices, packets, paths, sizes};
use crate::resume;

pub(super) struct Parts {
    pub(super) limits: Limits,
    pub(super) paths: Vec<Vec<u8>>,
    pub(super) sizes: Vec<usize>,
    pub(super) input: Vec<u8>,
}

pub fn property(bytes: &[u8]) -> bool {
    let Ok(Parts { limits, paths, sizes, input }) = parts(&mut Unstructured::new(bytes)) else { return false };
    let set = set(&paths);
    same(&input, &set, &sizes);
    same_read(&input, &set, &sizes);

    let expected = chunks::expected(&input, &paths, limits);
    assert_eq!(watched(&input, &set, limits, &sizes), expected, "{limits:?}, in chunks of {sizes:?}");
    assert_eq!(collected(&input, &set, limits, &sizes), expected, "{limits:?}, collected from chunks of {sizes:?}");
    let source = || Slow::new(&input, &sizes);
    assert_eq!(read(Reader::new(source(), &set, limits)), expected, "{limits:?}, read {sizes:?} at a time");
    assert_eq!(read(Reader::seeking(source(), &set, limits)), expected, "{limits:?}, sought {sizes:?} at a time");
    chunks::same_packets(&input, limits, &sizes);
    resume::same(&input, &paths, limits, &sizes);
    !expected.0.is_empty()
}

pub(super) fn parts(u: &mut Unstructured<'_>) -> Result<Parts> {
    let limits = u.arbitrary()?;
    let choices = choices(u)?;
    let sizes = sizes(u)?;
    let input = packets(u)?;
    Ok(Parts { limits, paths: paths(&choices, &input), sizes, input })
}
