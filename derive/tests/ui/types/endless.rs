#[derive(y3::Decode)]
struct Endless(Box<Endless>);

#[derive(y3::Decode)]
enum Other {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(Box<Other>),
}

fn main() {}
