use std::collections::HashMap;

#[derive(y3::Encode)]
struct Written {
    #[y3(0x11)]
    names: HashMap<String, u8>,
}

#[derive(y3::Decode)]
struct Read {
    #[y3(0x11)]
    names: HashMap<String, u8>,
}

fn main() {}
