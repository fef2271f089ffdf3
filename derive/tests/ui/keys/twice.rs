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

#[derive(y3::Encode, y3::Decode)]
struct Reading<'a> {
    #[y3(rest)]
    these: y3::value::UnknownFields<'a>,
    #[y3(rest)]
    those: y3::value::UnknownFields<'a>,
}

fn main() {}
