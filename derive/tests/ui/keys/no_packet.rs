#[derive(y3::Encode, y3::Decode)]
union Bits {
    float: f32,
    number: u32,
}

#[derive(y3::Encode, y3::Decode)]
enum Never {}

fn main() {}
