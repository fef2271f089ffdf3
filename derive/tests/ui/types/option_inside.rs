#[derive(y3::ToPacket)]
struct Written {
    #[y3(0x11)]
    twice: Option<Option<u8>>,
    #[y3(0x12)]
    items: Vec<Option<u8>>,
}

#[derive(y3::FromPacket)]
struct Read(Option<u8>);

fn main() {}
