//! The calls with which each codec writes a value to the end of a buffer, and reads it from bytes.

/// Makes a module for each codec, with the functions `write` and `read`.
macro_rules! formats {
    ($($name:ident: |$value:ident: $write:path, $out:ident| $put:expr $(, |$bytes:ident: $read:path| $get:expr)?;)*) => {$(
        pub mod $name {
            #[inline(always)]
            pub fn write<T: $write>($value: &T, $out: &mut Vec<u8>) {
                $put.expect("a vector takes all");
            }

            $(
                #[inline(always)]
                pub fn read<'a, T: $read>($bytes: &'a [u8]) -> Option<T> {
                    $get.ok()
                }
            )?
        }
    )*};
}

formats! {
    y3: |value: ::serde::Serialize, out| ::y3::serde::to_sink(out, value),
        |bytes: ::serde::Deserialize<'a>| ::y3::serde::from_slice(bytes);
    serde_json: |value: ::serde::Serialize, out| ::serde_json::to_writer(out, value),
        |bytes: ::serde::Deserialize<'a>| ::serde_json::from_slice(bytes);
    sonic_rs: |value: ::serde::Serialize, out| ::sonic_rs::to_writer(out, value),
        |bytes: ::serde::Deserialize<'a>| ::sonic_rs::from_slice(bytes);
    // simd-json has no `read`, because it writes to its input.
    simd_json: |value: ::serde::Serialize, out| ::simd_json::to_writer(out, value);
    rmp_serde: |value: ::serde::Serialize, out| ::rmp_serde::encode::write(out, value),
        |bytes: ::serde::Deserialize<'a>| ::rmp_serde::from_slice(bytes);
    minicbor: |value: ::minicbor::Encode<()>, out| ::minicbor::encode(value, out),
        |bytes: ::minicbor::Decode<'a, ()>| ::minicbor::decode(bytes);
    ciborium: |value: ::serde::Serialize, out| ::ciborium::into_writer(value, out);
    postcard: |value: ::serde::Serialize, out| ::postcard::to_extend(value, std::mem::take(out)).map(|all| *out = all),
        |bytes: ::serde::Deserialize<'a>| ::postcard::from_bytes(bytes);
    bincode: |value: ::bincode::Encode, out| ::bincode::encode_into_std_write(value, out, ::bincode::config::standard()),
        |bytes: ::bincode::BorrowDecode<'a, ()>|
            ::bincode::borrow_decode_from_slice(bytes, ::bincode::config::standard()).map(|(value, _)| value);
    prost: |value: ::prost::Message, out| value.encode(out);
    bilrost: |value: ::bilrost::Message, out| value.encode(out),
        |bytes: ::bilrost::BorrowedMessage<'a>| T::decode_borrowed(bytes);
}

/// Writes a value to a new buffer.
pub fn written<T>(value: &T, write: impl FnOnce(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, &mut out);
    out
}
