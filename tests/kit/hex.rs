//! Hexadecimal without separators, as in the vectors and SPEC.md.

pub fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len() % 2 == 0, "half a byte in {text}");
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    text.as_bytes().chunks(2).map(byte).collect()
}

pub fn hex(bytes: &[u8]) -> String {
    let digit = |four| char::from_digit(u32::from(four), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}
