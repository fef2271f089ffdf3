#[derive(y3::Encode, y3::Decode)]
struct Newtype(Option<u8>);

#[derive(y3::Encode, y3::Decode)]
enum Code {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(Option<u32>),
}

fn main() {}
