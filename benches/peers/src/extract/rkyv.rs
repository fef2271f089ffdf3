//! rkyv: stores a record in its memory layout, with relative pointers, so a field is read in place.
//!
//! Its documentation recommends `access`, which first checks the pointers, bounds and texts of the whole message. `access_unchecked` is
//! for messages that are known to be valid.

use std::mem;

use rkyv::api::high::{HighSerializer, to_bytes_in};
use rkyv::rancor::Error;
use rkyv::rend::{f32_le, i32_le, i64_le};
use rkyv::ser::allocator::ArenaHandle;
use rkyv::string::ArchivedString;
use rkyv::{Archived, Serialize, access, access_unchecked};

use super::prelude::*;

const UNCHECKED: &str = "undefined behaviour, because the reader follows pointers without checks";

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("rkyv", |model| encoded(model, write::<owned::$message>))
            .both("access", |bytes| (&access::<Archived<owned::$message>, Error>(bytes).ok()?$(.$field)+).digest())
            .reader("access_unchecked", |bytes| {
                // SAFETY: the message comes from `write`; with other messages this is undefined behaviour, as the mode's name says.
                (&unsafe { access_unchecked::<Archived<owned::$message>>(bytes) }$(.$field)+).digest()
            })
            .dangerous(UNCHECKED)
    }
}

digests! {
    &i64_le: |number| number.to_native().digest();
    &i32_le: |number| number.to_native().digest();
    &f32_le: |number| number.to_native().digest();
    &ArchivedString: |text| text.as_str().digest();
}

pub fn write<R>(record: &R, out: &mut Vec<u8>)
where
    R: for<'a> Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, Error>>,
{
    *out = to_bytes_in::<_, Error>(record, mem::take(out)).expect("a vector takes all");
}
