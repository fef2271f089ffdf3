#[derive(y3::Encode, y3::Decode)]
struct Reading {
    #[y3(0x11, pvaar)]
    noise: f32,
    #[y3(0x12, pvar, pvar)]
    at: i64,
    #[y3(rest, 0x13)]
    rest: u8,
    #[y3(0x14, duplicates = some)]
    twice: u8,
    #[y3(0x15, root = 1)]
    root: u8,
    #[y3(-1)]
    negative: u8,
    #[y3("0x16")]
    text: u8,
}

#[derive(y3::Encode, y3::Decode)]
#[y3(0x01)]
struct Key(u8);

#[derive(y3::Encode, y3::Decode)]
#[y3(default)]
struct Newtype(u8);

#[derive(y3::Encode, y3::Decode)]
#[y3(default)]
enum Event {
    #[y3(1)]
    Said(#[y3(1, other)] u8),
}

#[derive(y3::Encode, y3::Decode)]
struct Skipped {
    #[y3(skip, with = module)]
    converted: u8,
    #[y3(skip, 0x01)]
    keyed: u8,
    #[y3(rest, default)]
    rest: Vec<u8>,
}

fn main() {}
