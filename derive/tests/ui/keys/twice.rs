#[derive(y3::ToPacket, y3::FromPacket)]
struct Reading {
    #[y3(0x11)]
    noise: f32,
    #[y3(17)]
    at: i64,
}

#[derive(y3::ToPacket, y3::FromPacket)]
enum Event {
    #[y3(1)]
    Started,
    #[y3(0x01)]
    Said(u8),
}

#[derive(y3::ToPacket, y3::FromPacket)]
enum Moved {
    #[y3(1)]
    To {
        #[y3(2)]
        x: i32,
        #[y3(2)]
        y: i32,
    },
}

fn main() {}
