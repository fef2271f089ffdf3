use y3::record::Rest;

#[derive(y3::ToPacket, y3::FromPacket)]
struct Reading<'a> {
    #[y3(rest)]
    these: Rest<'a>,
    #[y3(rest)]
    those: Rest<'a>,
}

fn main() {}
