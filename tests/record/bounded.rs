//! Types of bounded length are written with one check of the room for all their fields: the bytes are those that the encoder writes
//! field by field, into whatever room there is, and a bound that is stated wrong loses nothing.

use y3::record::{Bound, Place, Written};
use y3::{Encoder, Error, ErrorKind, Sink, SliceSink, ToPacket};

macro_rules! numbers {
    ($name:ident { $($key:literal $field:ident),* }) => {
        #[derive(ToPacket)]
        struct $name { $(#[y3($key)] $field: u64,)* }

        impl $name {
            fn new(mut number: impl FnMut() -> u64) -> Self {
                Self { $($field: number()),* }
            }

            /// Field by field.
            fn by_hand<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
                encoder.node(0x01, |node| {
                    $(node.put($key, self.$field)?;)*
                    Ok(())
                })
            }
        }
    };
}

numbers! { Six { 1 a, 2 b, 3 c, 4 d, 5 e, 6 f } }
numbers! { Seven { 1 a, 2 b, 3 c, 4 d, 5 e, 6 f, 7 g } }
numbers! { TwentySix {
    1 a, 2 b, 3 c, 4 d, 5 e, 6 f, 7 g, 8 h, 9 i, 10 j, 11 k, 12 l, 13 m,
    14 n, 15 o, 16 p, 17 q, 18 r, 19 s, 20 t, 21 u, 22 v, 23 w, 24 x, 25 y, 26 z
} }

/// Numbers between texts: no bound, but runs that have one.
#[derive(ToPacket)]
struct Mixed<'a> {
    #[y3(1)]
    a: u64,
    #[y3(2)]
    b: bool,
    #[y3(3)]
    c: f64,
    #[y3(4)]
    text: &'a str,
    #[y3(5)]
    d: i8,
    #[y3(6, pvar)]
    e: i64,
    #[y3(7)]
    f: f32,
    #[y3(8)]
    g: u16,
}

impl Mixed<'_> {
    fn by_hand<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        encoder.node(0x01, |node| {
            node.put(1, self.a)?;
            node.put(2, self.b)?;
            node.put(3, self.c)?;
            node.put(4, self.text)?;
            node.put(5, self.d)?;
            node.put(6, y3::PVarInt(self.e))?;
            node.put(7, self.f)?;
            node.put(8, self.g)
        })
    }
}

/// Numbers of every width, in turn.
fn widths(from: u32) -> impl FnMut() -> u64 {
    let mut place = from;
    move || {
        place += 1;
        (u64::MAX >> 1) >> (8 * (place % 8))
    }
}

/// Asserts the bytes in a vector, in one that holds packets already, and in a slice of every length.
fn assert_written(value: &impl ToPacket, expected: &[u8]) {
    let mut out = Vec::new();
    value.encode_to_sink(&mut out).unwrap();
    assert_eq!(out, expected);
    Encoder::new(&mut out).put_record(0x01, value).unwrap();
    assert_eq!(out, [expected, expected].concat());
    let mut full = Vec::with_capacity(expected.len() + 3);
    full.extend([9; 3]);
    value.encode_to_sink(&mut full).unwrap();
    assert_eq!(full, [&[9; 3], expected].concat());
    assert_eq!(value.encoded_len(), Ok(expected.len()));

    for len in 0..expected.len() + 2000 {
        let mut buffer = vec![0xee; len];
        let mut sink = SliceSink::new(&mut buffer);
        let done = value.encode_to_sink(&mut sink);
        if len >= expected.len() {
            assert_eq!((done, sink.written()), (Ok(()), expected), "{len}");
        } else {
            assert_eq!((done.unwrap_err().kind(), sink.written()), (ErrorKind::BufferTooSmall, &[][..]), "{len}");
        }
    }
}

fn bytes_of(write: impl FnOnce(&mut Encoder<'_, Vec<u8>>) -> Result<(), Error>) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new(&mut out).packets(write).unwrap();
    out
}

#[test]
fn bytes_are_those_written_field_by_field_into_any_room() {
    assert_eq!((Six::MAX_LEN, Seven::MAX_LEN, TwentySix::MAX_LEN), (Some(62), Some(73), Some(263)));
    for from in 0..8 {
        let (six, seven, many) = (Six::new(widths(from)), Seven::new(widths(from)), TwentySix::new(widths(from)));
        assert_written(&six, &bytes_of(|encoder| six.by_hand(encoder)));
        assert_written(&seven, &bytes_of(|encoder| seven.by_hand(encoder)));
        assert_written(&many, &bytes_of(|encoder| many.by_hand(encoder)));
    }
    // The longest possible packets of each, and one that is longer than any window.
    let most = || i64::MIN.unsigned_abs();
    assert_eq!(bytes_of(|encoder| Six::new(most).by_hand(encoder)).len(), 62);
    assert_written(&Six::new(most), &bytes_of(|encoder| Six::new(most).by_hand(encoder)));
    assert_written(&TwentySix::new(most), &bytes_of(|encoder| TwentySix::new(most).by_hand(encoder)));
    let long = [most(); 120];
    assert_eq!(<[u64; 120]>::MAX_LEN, Some(1 + 2 + 1200));
    let items = |encoder: &mut Encoder<'_, Vec<u8>>| {
        encoder.slice(0x01, |items| long.iter().try_for_each(|number| items.put(number)))
    };
    assert_written(&long, &bytes_of(items));
}

#[test]
fn runs_of_numbers_between_texts_are_those_written_field_by_field_into_any_room() {
    let text: String = (0..300u32).filter_map(|place| char::from_digit(place % 36, 36)).collect();
    for text in (0..40).chain([63, 64, 300]).map(|len| &text[..len]) {
        for number in [0, -1, i64::MIN, i64::MAX, -129, 1 << 20] {
            let mixed =
                Mixed { a: number.unsigned_abs(), b: number > 0, c: 0.1, text, d: -7, e: number, f: 23.0, g: u16::MAX };
            assert_eq!(Mixed::MAX_LEN, None);
            assert_written(&mixed, &bytes_of(|encoder| mixed.by_hand(encoder)));
        }
    }
}

/// Never shorter than 64 bytes.
#[derive(ToPacket)]
struct Long<'a> {
    #[y3(1)]
    numbers: TwentySix,
    #[y3(2)]
    bytes: &'a [u8],
    #[y3(3)]
    absent: Option<u64>,
}

#[test]
fn length_of_a_long_node_takes_as_many_bytes_as_it_needs() {
    for len in [0, 1, 100, 8050, 8100, 8101, 8102, 8103, 8104, 8105, 8106, 8107, 8108, 8109, 8110, 8191, 8192, 1 << 20]
    {
        let bytes = vec![7; len];
        let long = Long { numbers: TwentySix::new(|| 1), bytes: &bytes, absent: None };
        let expected = bytes_of(|encoder| {
            encoder.node(0x01, |node| {
                node.node(1, |node| (1..=26).try_for_each(|key| node.put(key, 1u64)))?;
                node.put(2, &bytes)
            })
        });
        let mut out = vec![9; 3];
        long.encode_to_sink(&mut out).unwrap();
        assert_eq!(out, [&[9; 3], &expected[..]].concat(), "{len}");
        assert_eq!(long.encoded_len(), Ok(expected.len()), "{len}");
        let mut buffer = vec![0; expected.len()];
        assert_eq!(long.encode_to_slice(&mut buffer).map(|written| &*written), Ok(&expected[..]), "{len}");
        let error = long.encode_to_slice(&mut buffer[1..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall, "{len}");
    }
}

/// States fewer bytes than it writes.
struct Liar<const NUMBERS: u8>(Vec<u8>);

impl<const NUMBERS: u8> ToPacket for Liar<NUMBERS> {
    const BOUND: Bound = Bound::of_values(1, 1);

    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        let mut node = place.node()?;
        for key in 0..NUMBERS {
            node.field(key, &u64::from(key))?;
        }
        node.field(63, &*self.0)?;
        node.close()
    }
}

#[test]
fn bound_that_is_too_small_loses_nothing() {
    fn assert_whole<const NUMBERS: u8>(bytes: Vec<u8>) {
        let expected = bytes_of(|encoder| {
            encoder.node(0x01, |node| {
                (0..NUMBERS).try_for_each(|key| node.put(key, u64::from(key)))?;
                node.put(63, &bytes)
            })
        });
        assert_written(&Liar::<NUMBERS>(bytes), &expected);
    }
    for len in [0, 1, 40, 60, 61, 62, 63, 64, 65, 80, 81, 300] {
        assert_whole::<0>(vec![7; len]);
        assert_whole::<5>(vec![7; len]);
        assert_whole::<63>(vec![7; len]);
    }
}

#[test]
fn minimum_that_is_too_large_is_an_error() {
    /// States more bytes than it writes.
    struct Boaster;

    impl ToPacket for Boaster {
        const MIN_LEN: usize = 100;

        fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
            place.put(true)
        }
    }

    #[derive(ToPacket)]
    struct Around(#[y3(1)] Boaster);

    let mut out = vec![9; 3];
    let error = Around(Boaster).encode_to_sink(&mut out).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out), (ErrorKind::SizeLimit, 3, vec![9; 3]));
}

#[test]
fn errors_have_the_position_in_the_whole_output() {
    /// Writes a number, and then fails.
    struct Fails;

    impl ToPacket for Fails {
        const BOUND: Bound = Bound::of_values(10, 10);

        fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
            let mut node = place.node()?;
            node.field(1, &7i32)?;
            node.field(64, &7i32)?;
            node.close()
        }
    }

    let mut out = vec![0; 100];
    let error = Fails.encode_to_sink(&mut out).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out.len()), (ErrorKind::InvalidKey, 105, 100));
    let error = Encoder::new(&mut out).put_record(64, &Six::new(|| 1)).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out.len()), (ErrorKind::InvalidKey, 100, 100));
}
