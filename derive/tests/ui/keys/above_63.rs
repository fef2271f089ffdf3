#[derive(y3::Encode, y3::Decode)]
struct Reading {
    #[y3(0x40)]
    noise: f32,
    #[y3(64)]
    at: i64,
}

#[derive(y3::Encode, y3::Decode)]
#[y3(root = 0x40)]
struct Root(u8);

fn main() {}
