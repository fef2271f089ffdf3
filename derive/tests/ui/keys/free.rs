#[derive(y3::Encode, y3::Decode)]
struct Unkeyed {
    noise: f32,
    #[y3(0x11)]
    at: i64,
    from: u8,
}

#[derive(y3::Encode, y3::Decode)]
struct Equal {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x11)]
    at: i64,
    #[y3(0x11)]
    from: u8,
}

#[derive(y3::Encode, y3::Decode)]
enum Event {
    Started,
    #[y3(1)]
    Said(u8),
    Ended,
}

fn main() {}
