#[derive(y3::ToPacket, y3::FromPacket)]
struct Reading {
    noise: f32,
    #[y3(pvar)]
    at: i64,
}

#[derive(y3::ToPacket, y3::FromPacket)]
struct Pair(u8, #[y3(0x02)] u8);

#[derive(y3::ToPacket, y3::FromPacket)]
enum Event {
    Started,
}

#[derive(y3::ToPacket, y3::FromPacket)]
struct Absent(#[y3(default)] u8);

fn main() {}
