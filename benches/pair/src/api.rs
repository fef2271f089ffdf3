//! Api: the calls whose names differ between commits; `run` looks which a commit has.
//!
//! In: what a case reads or writes. Out: the same answer from either API.

pub use names::*;

const THREE: [y3::Path; 3] = [y3::path!(1, 8), y3::path!(1, 32), y3::path!(1, 60)];

#[cfg(not(feature = "before"))]
mod names {
    use std::sync::LazyLock;

    use y3::edit::Edit;
    use y3::{Encoder, Error, Hit, Limits, PathSet};

    use super::THREE;

    pub use y3::{Decode, Encode, decode};

    pub static KEEP: LazyLock<Edit<'static>> = LazyLock::new(|| Edit::keep(THREE));
    pub static REMOVE: LazyLock<Edit<'static>> = LazyLock::new(|| THREE.into_iter().fold(Edit::new(), Edit::remove));

    pub fn put(value: &impl Encode, out: &mut Vec<u8>) -> Result<(), Error> {
        Encoder::new(out).put(1, value)
    }

    pub fn first_each<'a>(set: &PathSet<1>, packets: &'a [Vec<u8>], mut hit: impl FnMut(Hit<'a>)) {
        y3::batch::first_each(set, packets, |_, found| hit(found.expect("a hit").expect("a packet")));
    }

    pub fn edit(edit: &Edit<'_>, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        edit.apply(bytes, out)
    }

    pub fn edit_stream(edit: &Edit<'_>, chunks: std::slice::Chunks<'_, u8>, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut stream = edit.clone().stream(Limits::DEFAULT);
        chunks.into_iter().try_for_each(|chunk| stream.feed(chunk, out))?;
        stream.finish()
    }
}

#[cfg(feature = "before")]
mod names {
    use y3::edit::{Filter, FilterStream};
    use y3::{Error, Hit, Limits, PathSet, record};

    pub use y3::{FromPacket as Decode, ToPacket as Encode};

    type Edit = Filter<&'static PathSet<3>>;
    const SET: PathSet<3> = PathSet::new(super::THREE);
    pub static KEEP: Edit = Filter::project(const { &SET });
    pub static REMOVE: Edit = Filter::remove(const { &SET });

    pub fn decode<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T, record::Error> {
        T::from_slice(bytes)
    }

    pub fn put(value: &impl Encode, out: &mut Vec<u8>) -> Result<(), Error> {
        value.encode_to_sink(out)
    }

    pub fn first_each<'a>(set: &PathSet<1>, packets: &'a [Vec<u8>], mut hit: impl FnMut(Hit<'a>)) {
        set.first_each(packets, |_, found| hit(found.expect("a hit").expect("a packet")));
    }

    pub fn edit(edit: &Edit, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        edit.write(bytes, out)
    }

    pub fn edit_stream(edit: &Edit, chunks: std::slice::Chunks<'_, u8>, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut stream = FilterStream::new(*edit, Limits::DEFAULT);
        chunks.into_iter().try_for_each(|chunk| stream.feed(chunk, out))?;
        stream.finish()
    }
}
