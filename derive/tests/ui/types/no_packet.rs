struct Opaque;

#[derive(y3::Encode)]
struct Written {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x12)]
    opaque: Opaque,
}

#[derive(y3::Decode)]
struct Read {
    #[y3(0x11)]
    noise: f32,
    #[y3(0x12)]
    opaque: Opaque,
}

fn main() {}
