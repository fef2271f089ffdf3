#[derive(y3::Decode)]
struct Reading {
    #[y3(rest)]
    rest: String,
}

fn main() {}
