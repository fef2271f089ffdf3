use y3::value::UnknownFields;

#[derive(y3::Encode, y3::Decode)]
struct Reading<'a> {
    #[y3(rest)]
    these: UnknownFields<'a>,
    #[y3(rest)]
    those: UnknownFields<'a>,
}

fn main() {}
