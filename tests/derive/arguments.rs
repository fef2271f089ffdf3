//! The derive honours every argument in both directions, alone and in every pair that it accepts: types are written and
//! read with each set of arguments. `derive/tests/unit/arguments.rs` lists the arguments that the derive refuses.

use y3::{Decode, Encode, ErrorKind, PVarInt, Packet};

mod neg {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
    pub fn encode(number: &i32) -> i32 {
        -number
    }

    pub fn decode(number: i32) -> Result<i32, y3::ErrorKind> {
        number.checked_neg().ok_or(y3::ErrorKind::InvalidValue)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
fn is_five(number: &i32) -> bool {
    *number == 5
}

/// The value bytes of the number, written as the arguments require.
fn value(arguments: &str, number: i32) -> Vec<u8> {
    let number = if arguments.contains("with") { -number } else { number };
    let packet =
        if arguments.contains("pvar") { y3::to_vec(0x01, &PVarInt(number)) } else { y3::to_vec(0x01, &number) };
    packet.unwrap()[2..].to_vec()
}

/// A packet with a length field of one byte.
fn packet(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag, u8::try_from(value.len()).unwrap()], value].concat()
}

/// Numbers of one byte and of more in both dialects, and the number that `skip_if` names.
const NUMBERS: [i32; 7] = [0, 1, 5, 64, -65, 300, i32::MIN + 1];

/// Tests a field 0x02 with these arguments. The type is a node, or a node inside the node of a variant with key 0x03.
fn field_is<T: Encode + for<'a> Decode<'a>>(
    arguments: &str,
    is_variant: bool,
    new: fn(i32) -> T,
    number: fn(T) -> i32,
) {
    let node = |fields: &[u8]| {
        if is_variant { packet(0x81, &packet(0x83, fields)) } else { packet(0x81, fields) }
    };
    let read = |fields: &[u8]| y3::decode::<T>(&node(fields)).map(number).map_err(|error| error.kind());
    for number in NUMBERS {
        let field = packet(0x02, &value(arguments, number));
        let is_skipped = arguments.contains("skip_if") && number == 5;
        let written: &[u8] = if is_skipped { &[] } else { &field };
        assert_eq!(y3::to_vec(0x01, &new(number)).unwrap(), node(written), "{arguments}: {number}");
        assert_eq!(read(&field), Ok(number), "{arguments}");
    }
    let absent = if arguments.contains("default") { Ok(7) } else { Err(ErrorKind::MissingField) };
    assert_eq!(read(&[]), absent, "{arguments}");
    // The field twice, with a packet of another key between.
    let twice = [packet(0x02, &value(arguments, 1)), vec![0x3e, 0], packet(0x02, &value(arguments, 2))].concat();
    let expected = match arguments {
        _ if arguments.contains("first") => Ok(1),
        _ if arguments.contains("last") => Ok(2),
        _ => Err(ErrorKind::RepeatedField),
    };
    assert_eq!(read(&twice), expected, "{arguments}");
}

/// Defines the same field in a struct, in a tuple struct and in variants of both kinds.
macro_rules! fields {
    ($([$($type:tt)*] [$($field:tt)*];)*) => {{
        let mut sets = std::collections::BTreeSet::new();
        $({
            #[derive(Debug, Encode, Decode)]
            #[y3($($type)*)]
            struct Named {
                #[y3(0x02, $($field)*)]
                number: i32,
            }

            impl Default for Named {
                fn default() -> Self {
                    Self { number: 7 }
                }
            }

            #[derive(Debug, Encode, Decode)]
            #[y3($($type)*)]
            struct Tuple(#[y3(0x02, $($field)*)] i32);

            impl Default for Tuple {
                fn default() -> Self {
                    Self(7)
                }
            }

            let arguments = concat!(stringify!($($type)*), " ", stringify!($($field)*));
            field_is(arguments, false, |number| Named { number }, |Named { number }| number);
            field_is(arguments, false, Tuple, |Tuple(number)| number);
            assert!(sets.insert(arguments), "{arguments}");
        })*
        sets
    }};
}

macro_rules! variants {
    ($([$($type:tt)*] [$($field:tt)*];)*) => {{
        let mut sets = std::collections::BTreeSet::new();
        $({
            #[derive(Debug, Encode, Decode)]
            #[y3($($type)*)]
            enum Event {
                #[y3(0x03)]
                Named {
                    #[y3(0x02, $($field)*)]
                    number: i32,
                },
            }

            #[derive(Debug, Encode, Decode)]
            #[y3($($type)*)]
            enum Other {
                #[y3(0x03)]
                Tuple(#[y3(0x02, $($field)*)] i32),
            }

            let arguments = concat!(stringify!($($type)*), " ", stringify!($($field)*));
            field_is(arguments, true, |number| Event::Named { number }, |Event::Named { number }| number);
            field_is(arguments, true, Other::Tuple, |Other::Tuple(number)| number);
            assert!(sets.insert(arguments), "{arguments}");
        })*
        sets
    }};
}

/// Calls a macro with each argument of a field alone and with each pair of them.
macro_rules! pairs {
    ($all:ident) => {
        $all! {
            [] []; [] [pvar]; [] [default = 7]; [] [skip_if = is_five]; [] [with = neg];
            [] [duplicates = error]; [] [duplicates = first]; [] [duplicates = last];
            [] [pvar, default = 7]; [] [pvar, skip_if = is_five]; [] [pvar, with = neg];
            [] [pvar, duplicates = error]; [] [pvar, duplicates = first]; [] [pvar, duplicates = last];
            [] [default = 7, skip_if = is_five]; [] [default = 7, with = neg];
            [] [default = 7, duplicates = error]; [] [default = 7, duplicates = first]; [] [default = 7, duplicates = last];
            [] [skip_if = is_five, with = neg]; [] [skip_if = is_five, duplicates = error];
            [] [skip_if = is_five, duplicates = first]; [] [skip_if = is_five, duplicates = last];
            [] [with = neg, duplicates = error]; [] [with = neg, duplicates = first]; [] [with = neg, duplicates = last];
            // Arguments of the type, which act on all fields.
            [pvar] []; [pvar] [with = neg]; [pvar] [default = 7]; [pvar] [skip_if = is_five]; [pvar] [duplicates = last];
            [duplicates = first] []; [duplicates = first] [with = neg]; [duplicates = last] [default = 7];
            [duplicates = last] [pvar]; [pvar, duplicates = last] [skip_if = is_five];
            // All arguments together.
            [] [pvar, default = 7, skip_if = is_five, with = neg, duplicates = last];
        }
    };
}

#[test]
fn every_pair_of_arguments_of_a_field_is_honoured_both_ways() {
    assert_eq!(pairs!(fields).len(), 37);
    assert_eq!(pairs!(variants).len(), 37);
    // `default` on the type, which enums cannot have, with the arguments that are allowed beside it.
    let of_types = fields! {
        [default] []; [default] [pvar]; [default] [skip_if = is_five]; [default] [with = neg]; [default] [duplicates = last];
        [default, pvar] []; [default, duplicates = first] []; [default = Default::default()] [];
    };
    assert_eq!(of_types.len(), 8);
}

/// Tests a newtype, the value of a variant, or the value that an `other` variant holds.
fn value_is<T: Encode + for<'a> Decode<'a>>(arguments: &str, key: Option<u8>, new: fn(i32) -> T, number: fn(T) -> i32) {
    for wanted in NUMBERS {
        let value = value(arguments, wanted);
        let bytes = key.map_or_else(|| packet(0x01, &value), |key| packet(0x81, &packet(key, &value)));
        assert_eq!(y3::to_vec(0x01, &new(wanted)).unwrap(), bytes, "{arguments}: {wanted}");
        assert_eq!(y3::decode::<T>(&bytes).map(number), Ok(wanted), "{arguments}");
    }
}

macro_rules! values {
    ($([$($type:tt)*] [$($field:tt)*];)*) => {$({
        #[derive(Debug, Encode, Decode)]
        #[y3($($type)*)]
        struct Newtype(#[y3($($field)*)] i32);

        #[derive(Debug, Encode, Decode)]
        #[y3($($type)*)]
        enum Held {
            #[y3(0x04)]
            Value(#[y3($($field)*)] i32),
        }

        let arguments = concat!(stringify!($($type)*), " ", stringify!($($field)*));
        value_is(arguments, None, Newtype, |Newtype(number)| number);
        value_is(arguments, Some(0x04), Held::Value, |Held::Value(number)| number);
    })*};
}

/// The value that an `other` variant holds has the dialect of the type, as the numbers of all variants have.
macro_rules! others {
    ($([$($type:tt)*] [$($field:tt)*];)*) => {$({
        #[derive(Debug, Encode, Decode)]
        #[y3($($type)*)]
        enum Other {
            #[y3(0x04)]
            Never(i32),
            #[y3(other)]
            Value(#[y3($($field)*)] i32),
        }

        let arguments = concat!(stringify!($($type)*), " ", stringify!($($field)*));
        let number = |other| match other {
            Other::Never(number) | Other::Value(number) => number,
        };
        // The other numbers are no `u32` in the other dialect. They are an error, with and without `other`.
        value_is(arguments, None, Other::Value, number);
    })*};
}

#[test]
fn arguments_of_one_value_are_honoured_both_ways() {
    values! {
        [] []; [] [pvar]; [] [with = neg]; [] [pvar, with = neg]; [pvar] []; [pvar] [with = neg]; [pvar] [pvar];
    }
    others! { [] []; [] [with = neg]; [pvar] []; [pvar] [with = neg]; [pvar] [pvar]; [pvar] [pvar, with = neg]; }
}

#[test]
fn a_skipped_field_has_the_default_that_is_given() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Cached {
        #[y3(0x01)]
        number: u8,
        #[y3(skip, default = 7)]
        seven: u8,
        #[y3(skip)]
        none: Option<u8>,
    }

    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(default)]
    struct OfType {
        #[y3(0x01)]
        number: u8,
        #[y3(skip)]
        eight: u8,
        #[y3(skip, default = 7)]
        seven: u8,
        #[y3(skip, default)]
        zero: u8,
    }

    impl Default for OfType {
        fn default() -> Self {
            Self { number: 6, eight: 8, seven: 1, zero: 1 }
        }
    }

    let bytes = [0x81, 0x03, 0x01, 0x01, 0x05];
    let cached = Cached { number: 5, seven: 7, none: None };
    assert_eq!(y3::decode(&bytes), Ok(cached));
    assert_eq!(y3::to_vec(0x01, &Cached { number: 5, seven: 1, none: Some(1) }).unwrap(), bytes);
    assert_eq!(y3::decode(&[0x81, 0x00]), Ok(OfType { number: 6, eight: 8, seven: 7, zero: 0 }));
}

#[test]
fn numbers_of_variants_have_the_dialect_of_the_type() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(pvar)]
    enum Level {
        #[y3(64)]
        Low,
        #[y3(300, other)]
        Others,
    }

    for (level, bytes) in [(Level::Low, [0x01, 0x02, 0x80, 0x40]), (Level::Others, [0x01, 0x02, 0x82, 0x2c])] {
        assert_eq!(y3::to_vec(0x01, &level).unwrap(), bytes);
        assert_eq!(y3::decode(&bytes), Ok(level));
    }
    assert_eq!(y3::decode(&[0x01, 0x01, 0x07]), Ok(Level::Others));
}

/// The key of the packet itself is checked in both directions, everywhere, for every kind of type.
#[test]
fn a_root_has_that_key_and_no_other() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(root = 0x05)]
    struct Node {
        #[y3(0x01)]
        number: u8,
    }

    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(root = 0x05, pvar)]
    struct Newtype(i32);

    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(root = 0x05)]
    struct Unit;

    #[derive(Debug, PartialEq, Encode, Decode)]
    #[y3(root = 0x05, duplicates = last)]
    enum Event {
        #[y3(0x02)]
        One,
        #[y3(0x03)]
        Two(#[y3(0x01)] u8),
    }

    fn is<T: Encode + for<'a> Decode<'a> + std::fmt::Debug + PartialEq>(value: &T, bytes: &[u8]) {
        assert_eq!(y3::to_vec(0x05, value).unwrap(), bytes);
        assert_eq!(y3::decode::<T>(bytes).as_ref(), Ok(value));
        let error = y3::to_vec(0x06, value).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedKey, 0), "{value:?}");
        let inside = packet(0x81, &[&[bytes[0] + 1], &bytes[1..]].concat());
        let error = Packet::from_slice(&inside).unwrap().get::<T>(0x06).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedKey, 2), "{value:?}");
    }

    is(&Node { number: 7 }, &[0x85, 0x03, 0x01, 0x01, 0x07]);
    is(&Newtype(64), &[0x05, 0x02, 0x80, 0x40]);
    is(&Unit, &[0x05, 0x00]);
    is(&Event::One, &[0x05, 0x01, 0x02]);
    is(&Event::Two(7), &[0x85, 0x05, 0x83, 0x03, 0x01, 0x01, 0x07]);
}

/// The choice among duplicates must not depend on the positions of the other packets.
#[test]
fn duplicates_are_found_wherever_they_are() {
    #[derive(Debug, PartialEq, Decode)]
    struct Three {
        #[y3(0x01, duplicates = first)]
        first: u8,
        #[y3(0x02)]
        only: u8,
        #[y3(0x03, duplicates = last)]
        last: Option<u8>,
    }

    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Rest {
        #[y3(0x01, duplicates = first)]
        first: u8,
        #[y3(0x02, duplicates = last)]
        last: u8,
        #[y3(rest)]
        others: Vec<u8>,
    }

    let read = |fields: &[[u8; 3]]| y3::decode::<Three>(&packet(0x81, &fields.concat()));
    let (a, b, c) = ([0x01, 1, 1], [0x02, 1, 2], [0x03, 1, 3]);
    let (a2, c2, other) = ([0x01, 1, 4], [0x03, 1, 5], [0x3f, 1, 0]);
    for fields in [[a, a2, b, c, c2], [c, c2, b, a, a2], [b, a, c, a2, c2], [c, a, b, a2, c2], [a, c, a2, c2, b]] {
        assert_eq!(read(&fields), Ok(Three { first: 1, only: 2, last: Some(5) }), "{fields:?}");
        assert_eq!(read(&[&[other], &fields[..], &[other]].concat()), read(&fields));
    }
    assert_eq!(read(&[a, b]), Ok(Three { first: 1, only: 2, last: None }));
    assert_eq!(read(&[b, c]).unwrap_err().kind(), ErrorKind::MissingField);
    assert_eq!(read(&[a, b, b]).unwrap_err().kind(), ErrorKind::RepeatedField);
    // Duplicates that are not chosen are not unknown fields, so they are not written back.
    let (two, three) = ([0x02, 1, 2], [0x02, 1, 3]);
    let read: Rest = y3::decode(&packet(0x81, &[a, two, other, a2, three].concat())).unwrap();
    assert_eq!(read, Rest { first: 1, last: 3, others: other.to_vec() });
    assert_eq!(y3::to_vec(0x01, &read).unwrap(), packet(0x81, &[a, three, other].concat()));
    let again = Rest { others: [other, a2, three].concat(), ..read };
    assert_eq!(y3::to_vec(0x01, &again).unwrap(), packet(0x81, &[a, three, other].concat()));
    // A packet that is skipped must have a whole header.
    let cut = [0x81, 0x07, 0x01, 0x01, 0x01, 0x02, 0x01, 0x02, 0x01];
    assert_eq!(y3::decode::<Three>(&cut).unwrap_err().kind(), ErrorKind::Overrun);
}
