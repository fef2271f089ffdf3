//! By hand: makes packets without the crate, so that tests compare the crate with independent code.

/// Repeats bytes up to a size, and returns the number of repetitions too.
pub fn repeat(part: &[u8], size: usize) -> (Vec<u8>, usize) {
    let times = size / part.len();
    (part.repeat(times), times)
}

/// The shortest length field.
pub fn field(len: usize) -> Vec<u8> {
    let size = (1..=5).find(|size| len >> (7 * size - 1) == 0).expect("below 2^31");
    let byte = |place: usize| u8::try_from(len >> (7 * place) & 0x7f).expect("seven bits") | u8::from(place > 0) << 7;
    (0..size).rev().map(byte).collect()
}

/// A header and its value.
pub fn packet(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag], &*field(value.len()), value].concat()
}

/// Puts a value into nested nodes with the key 1: as many as fit into a size.
pub fn nested(size: usize, most: usize, inside: &[u8]) -> (Vec<u8>, usize) {
    let (mut headers, mut len, mut depth) = (Vec::new(), inside.len(), 0);
    while len < size && depth < most {
        let header = [&[0x81], &*field(len)].concat();
        len += header.len();
        headers.push(header);
        depth += 1;
    }
    headers.reverse();
    headers.push(inside.to_vec());
    (headers.concat(), depth)
}
