#[derive(y3::Decode)]
struct Reading {
    #[y3(0x11)]
    text: &'static str,
    #[y3(0x12)]
    bytes: Option<&'static [u8]>,
}

fn main() {}
