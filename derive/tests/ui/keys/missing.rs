#[derive(y3::Encode, y3::Decode)]
struct Reading {
    noise: f32,
    #[y3(pvar)]
    at: i64,
}

#[derive(y3::Encode, y3::Decode)]
struct Pair(u8, #[y3(0x02)] u8);

#[derive(y3::Encode, y3::Decode)]
enum Event {
    Started,
}

#[derive(y3::Encode, y3::Decode)]
struct Absent(#[y3(default)] u8);

fn main() {}
