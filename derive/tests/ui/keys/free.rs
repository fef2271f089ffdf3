#[derive(y3::Encode, y3::Decode)]
struct Unkeyed {
    noise: f32,
    #[y3(0x11)]
    at: i64,
    #[y3(pvar)]
    from: u8,
}

#[derive(y3::Encode, y3::Decode)]
struct Equal {
    #[y3(0x11)]
    noise: f32,
    #[y3(17)]
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

#[derive(y3::Encode, y3::Decode)]
struct Pair(u8, #[y3(0x02)] u8);

#[derive(y3::Encode, y3::Decode)]
struct Absent(#[y3(default)] u8);

fn main() {}
