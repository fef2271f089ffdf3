#[derive(y3::Encode, y3::Decode)]
struct Reading {
    #[y3(0x11, defualt)]
    noise: f32,
    #[y3(0x12, skipif = nothing)]
    at: i64,
    #[y3(0x13, duplicate = first)]
    from: u8,
    #[y3(0x14, renamed)]
    other: u8,
}

fn main() {}
