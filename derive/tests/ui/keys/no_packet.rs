#[derive(y3::ToPacket, y3::FromPacket)]
union Bits {
    float: f32,
    number: u32,
}

#[derive(y3::ToPacket, y3::FromPacket)]
enum Never {}

fn main() {}
