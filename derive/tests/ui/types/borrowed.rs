#[derive(y3::FromPacket)]
struct Reading {
    #[y3(0x11)]
    text: &'static str,
}

fn read(packet: &[u8]) -> Reading {
    y3::FromPacket::from_slice(packet).unwrap()
}

fn main() {}
