#[derive(y3::Decode)]
struct Reading {
    #[y3(0x11)]
    text: std::borrow::Cow<'static, str>,
}

fn read(packet: &[u8]) -> Reading {
    y3::decode(packet).unwrap()
}

fn main() {}
