#[derive(y3::ToPacket, y3::FromPacket)]
struct Reading {
    #[y3(0x40)]
    noise: f32,
    #[y3(64)]
    at: i64,
}

#[derive(y3::ToPacket, y3::FromPacket)]
#[y3(root = 0x40)]
struct Root(u8);

fn main() {}
