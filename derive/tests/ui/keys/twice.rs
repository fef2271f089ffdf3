#[derive(y3::Encode, y3::Decode)]
struct Reading {
    #[y3(0x11)]
    noise: f32,
    #[y3(17)]
    at: i64,
}

#[derive(y3::Encode, y3::Decode)]
enum Event {
    #[y3(1)]
    Started,
    #[y3(0x01)]
    Said(u8),
}

#[derive(y3::Encode, y3::Decode)]
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
