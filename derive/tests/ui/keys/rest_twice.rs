use y3::value::Rest;

#[derive(y3::Encode, y3::Decode)]
struct Reading<'a> {
    #[y3(rest)]
    these: Rest<'a>,
    #[y3(rest)]
    those: Rest<'a>,
}

fn main() {}
