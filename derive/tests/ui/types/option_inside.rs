#[derive(y3::Encode, y3::Decode)]
struct Newtype(Option<u8>);

#[derive(y3::Encode, y3::Decode)]
enum Code {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(Option<u32>),
}

#[derive(y3::Encode)]
struct Twice {
    #[y3(0x11)]
    twice: Option<Option<u8>>,
}

#[derive(y3::Encode)]
struct Items {
    #[y3(0x11)]
    items: Vec<Option<u8>>,
}

#[derive(y3::Encode)]
struct Array {
    #[y3(0x11)]
    items: [Option<u8>; 2],
}

#[derive(y3::Encode)]
struct Map {
    #[y3(0x11)]
    values: std::collections::BTreeMap<u8, Option<u8>>,
}

fn main() {}
