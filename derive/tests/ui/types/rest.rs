#[derive(y3::FromPacket)]
struct Reading {
    #[y3(rest)]
    rest: String,
}

fn main() {}
