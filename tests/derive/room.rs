//! A derived struct reserves space once for its whole packet, and two length bytes at once if it expects a long body.
//! The bytes are those that the encoder writes field by field, however much space there is and even if the expectation
//! is wrong.

use y3::{Encode, Encoder, Error, ErrorKind, Key, Sink, SliceSink};

macro_rules! numbers {
    ($name:ident { $($key:literal $field:ident),* }) => {
        #[derive(Encode)]
        struct $name { $(#[y3($key)] $field: u64,)* }

        impl $name {
            fn new(mut number: impl FnMut() -> u64) -> Self {
                Self { $($field: number()),* }
            }

            /// Writes field by field.
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

/// Numbers between texts: the struct has no maximum length, but each run of numbers has one.
#[derive(Encode)]
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

/// Numbers of every width, one after the other.
fn widths(from: u32) -> impl FnMut() -> u64 {
    let mut place = from;
    move || {
        place += 1;
        (u64::MAX >> 1) >> (8 * (place % 8))
    }
}

/// Asserts the bytes in an empty vector, in a vector that holds packets already, and in slices of every length.
fn assert_written(value: &impl Encode, expected: &[u8]) {
    let mut out = y3::to_vec(0x01, value).unwrap();
    assert_eq!(out, expected);
    Encoder::new(&mut out).put(0x01, value).unwrap();
    assert_eq!(out, [expected, expected].concat());
    let mut full = Vec::with_capacity(expected.len() + 3);
    full.extend([9; 3]);
    Encoder::new(&mut full).put(0x01, value).unwrap();
    assert_eq!(full, [&[9; 3], expected].concat());
    assert_eq!(y3::encoded_len(|encoder| encoder.put(0x01, value)), Ok(expected.len()));

    for len in 0..expected.len() + 2000 {
        let mut buffer = vec![0xee; len];
        let mut sink = SliceSink::new(&mut buffer);
        let done = Encoder::new(&mut sink).put(0x01, value);
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
    for from in 0..8 {
        let (six, seven, many) = (Six::new(widths(from)), Seven::new(widths(from)), TwentySix::new(widths(from)));
        assert_written(&six, &bytes_of(|encoder| six.by_hand(encoder)));
        assert_written(&seven, &bytes_of(|encoder| seven.by_hand(encoder)));
        assert_written(&many, &bytes_of(|encoder| many.by_hand(encoder)));
        // In the other dialect the runs are written field by field.
        let mut pvar = Vec::new();
        Encoder::new(&mut pvar).pvar().packets(|encoder| many.by_hand(encoder)).unwrap();
        assert_written(&y3::PVarInt(&many), &pvar);
    }
    // The longest possible packets of each struct, and one that is longer than any window.
    let most = || i64::MIN.unsigned_abs();
    assert_eq!(bytes_of(|encoder| Six::new(most).by_hand(encoder)).len(), 62);
    assert_written(&Six::new(most), &bytes_of(|encoder| Six::new(most).by_hand(encoder)));
    assert_written(&TwentySix::new(most), &bytes_of(|encoder| TwentySix::new(most).by_hand(encoder)));
    let long = [most(); 120];
    let items = |encoder: &mut Encoder<'_, Vec<u8>>| {
        encoder.slice(0x01, |items| long.iter().try_for_each(|number| items.put(0, number)))
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
            assert_written(&mixed, &bytes_of(|encoder| mixed.by_hand(encoder)));
        }
    }
}

macro_rules! options {
    ($($key:literal $field:ident),*) => {
        /// Probably longer than 64 bytes, so the writer reserves two bytes for the length.
        #[derive(Default, Encode)]
        struct Options<'a> { $(#[y3($key)] $field: Option<u64>,)* #[y3(63)] bytes: Option<&'a [u8]> }

        impl Options<'_> {
            /// Sets the first `count` fields.
            fn new(count: u8, number: u64) -> Self {
                let mut options = Self::default();
                $(if $key < count { options.$field = Some(number); })*
                options
            }
        }
    };
}

options! {
    0 a, 1 b, 2 c, 3 d, 4 e, 5 f, 6 g, 7 h, 8 i, 9 j, 10 k, 11 l, 12 m, 13 n, 14 o, 15 p, 16 q, 17 r, 18 s, 19 t, 20 u,
    21 v, 22 w, 23 x, 24 y, 25 z, 26 aa, 27 ab, 28 ac, 29 ad, 30 ae, 31 af, 32 ag, 33 ah, 34 ai, 35 aj
}

#[test]
fn a_node_that_is_shorter_than_expected_has_the_shortest_length() {
    for (count, number) in (0..=36).flat_map(|count| [(count, 7), (count, u64::MAX >> 1)]) {
        let expected =
            bytes_of(|encoder| encoder.node(0x01, |node| (0..count).try_for_each(|key| node.put(key, number))));
        assert_written(&Options::new(count, number), &expected);
    }
}

#[test]
fn length_of_a_long_node_takes_as_many_bytes_as_it_needs() {
    // With 36 numbers of 3 bytes each, the body has 126 to 130 bytes, 8,189 to 8,194 bytes, or more.
    for len in [16, 17, 18, 19, 20, 100].into_iter().chain(8078..8086).chain([8191, 8192, 1 << 20]) {
        let bytes = vec![7; len];
        let long = Options { bytes: Some(&bytes), ..Options::new(36, 1) };
        let expected = bytes_of(|encoder| {
            encoder.node(0x01, |node| {
                (0..36).try_for_each(|key| node.put(key, 1u64))?;
                node.put(63, &bytes)
            })
        });
        let mut out = vec![9; 3];
        Encoder::new(&mut out).put(0x01, &long).unwrap();
        assert_eq!(out, [&[9; 3], &expected[..]].concat(), "{len}");
        assert_eq!(y3::encoded_len(|encoder| encoder.put(0x01, &long)), Ok(expected.len()), "{len}");
        let mut buffer = vec![0; expected.len()];
        let mut sink = SliceSink::new(&mut buffer);
        Encoder::new(&mut sink).put(0x01, &long).unwrap();
        assert_eq!(sink.written(), expected, "{len}");
        let error = Encoder::new(&mut SliceSink::new(&mut buffer[1..])).put(0x01, &long).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall, "{len}");
    }
}

/// Reports a shorter length than it writes.
struct Liar<const NUMBERS: u8>(Vec<u8>);

impl<const NUMBERS: u8> Encode for Liar<NUMBERS> {
    const ROOM: y3::__derive::Derived<usize> = y3::__derive::Derived(1);

    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        to.node(key.get(), |node| {
            (0..NUMBERS).try_for_each(|key| node.put(key, u64::from(key)))?;
            node.put(63, &*self.0)
        })
    }
}

#[test]
fn room_that_is_too_small_loses_nothing() {
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
fn errors_have_the_position_in_the_whole_output() {
    struct Fails;

    impl Encode for Fails {
        fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
            to.node(key.get(), |node| {
                node.put(1, 7)?;
                node.put(64, 7)
            })
        }
    }

    #[derive(Encode)]
    struct Around(#[y3(1)] Fails);

    let mut out = vec![0; 100];
    let error = Encoder::new(&mut out).put(0x01, Fails).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out.len()), (ErrorKind::InvalidKey, 105, 100));
    let error = Encoder::new(&mut out).put(0x01, Around(Fails)).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out.len()), (ErrorKind::InvalidKey, 107, 100));
    let error = Encoder::new(&mut out).put(64, Six::new(|| 1)).unwrap_err();
    assert_eq!((error.kind(), error.offset(), out.len()), (ErrorKind::InvalidKey, 100, 100));
}
