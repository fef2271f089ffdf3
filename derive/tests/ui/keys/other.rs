#[derive(y3::Encode, y3::Decode)]
enum Event {
    #[y3(1)]
    Started,
    #[y3(other)]
    Newer,
}

#[derive(y3::Encode, y3::Decode)]
enum Level {
    #[y3(1, other)]
    Low,
    #[y3(2, other)]
    High,
}

#[derive(y3::Encode, y3::Decode)]
enum Code {
    #[y3(1, other)]
    One(u32),
}

#[derive(y3::Encode, y3::Decode)]
enum Dialect {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(#[y3(pvar)] u32),
}

fn main() {}
