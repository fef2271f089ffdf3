//! The derive macros in a crate whose own names shadow the prelude, with the strictest lints.
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(unused_qualifications, single_use_lifetimes, unused_lifetimes, missing_docs, unused_results)]
#![deny(trivial_casts, let_underscore_drop, explicit_outlives_requirements)]
#![forbid(unsafe_code)]

/// The crate `y3` under another name.
pub mod vendored {
    pub use y3 as tlv;
}

/// Generated code uses deprecated names without a warning.
mod old {
    #[deprecated]
    #[derive(::y3::Encode, ::y3::Decode)]
    pub struct Old {
        #[y3(0x01)]
        pub number: u8,
    }

    #[derive(::y3::Encode, ::y3::Decode)]
    pub enum Partly {
        #[deprecated]
        #[y3(0x01)]
        Never,
        #[y3(0x02)]
        Sometimes {
            #[deprecated]
            #[y3(0x01)]
            number: u8,
        },
    }

    #[allow(deprecated, reason = "it is read from old packets")]
    #[derive(::y3::Encode, ::y3::Decode)]
    pub struct Holds {
        #[y3(0x01)]
        pub old: Old,
    }
}

/// A conversion of types to text and back.
mod shown {
    use std::fmt::Display;
    use std::str::FromStr;

    /// A type that can be formatted and parsed.
    pub trait Shown: Display + FromStr {}

    impl Shown for std::net::SocketAddr {}

    pub fn encode<T: Shown>(shown: &T) -> String {
        shown.to_string()
    }

    pub fn decode<T: Shown>(text: &str) -> Result<T, y3::ErrorKind> {
        text.parse().map_err(|_| y3::ErrorKind::InvalidValue)
    }
}

/// Fields with associated types need bounds on these types, not on the type parameters.
mod associated {
    use std::marker::PhantomData;

    /// The items of two iterators, and a list of values.
    #[derive(::y3::Encode, ::y3::Decode)]
    pub struct Items<I: Iterator, J: Iterator, K> {
        #[y3(0x01)]
        pub one: I::Item,
        #[y3(0x02)]
        pub many: Vec<<J as Iterator>::Item>,
        #[y3(0x03)]
        pub list: Option<Box<List<K>>>,
        #[y3(skip)]
        pub nothing: PhantomData<(I, J)>,
    }

    /// The type has only the bounds that the conversion requires.
    #[derive(Debug, PartialEq, Eq, ::y3::Encode, ::y3::Decode)]
    pub struct Converted<T: super::shown::Shown> {
        #[y3(0x01, with = super::shown)]
        pub text: T,
    }

    /// A recursive type.
    #[derive(Debug, PartialEq, ::y3::Encode, ::y3::Decode)]
    pub struct List<K> {
        #[y3(0x01)]
        pub value: K,
        #[y3(0x02)]
        pub next: Option<Box<Self>>,
    }
}

#[allow( // reason: these names are only there to be in the way of generated code
    dead_code,
    non_camel_case_types,
    non_upper_case_globals,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    reason = "these names are only there to be in the way of generated code"
)]
mod shadows {
    pub struct Option;
    pub struct Result;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Default;
    pub struct Self_;
    pub mod core {}
    pub mod std {}
    pub struct Key;
    pub struct Packet;
    pub struct Error;
    pub struct Field;
    pub struct PVarInt;
    pub struct bool;
    pub struct u8;
    pub struct u32;
    pub struct usize;
    pub struct str;
    pub struct key;
    pub struct to;
    pub struct packet;
    pub struct fields;
    pub struct node;
    pub trait Sink {}
    pub trait Encode {}
    pub trait Decode {}
}

#[deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::shadow_unrelated)]
mod user {
    #[allow(unused_imports, reason = "generated code that used one of them would not compile")]
    use super::shadows::*;

    #[derive(::y3::Encode, ::y3::Decode)]
    #[y3(crate = super::vendored::tlv, root = 0x02)]
    pub struct Reading<'a, S, const PVAR: ::core::primitive::usize> {
        #[y3(0x11)]
        pub noise: f32,
        #[y3(0x12, default = 3, pvar)]
        pub source: i32,
        #[y3(0x13)]
        pub from: &'a ::core::primitive::str,
        #[y3(0x14)]
        pub any: S,
        #[y3(0x15, duplicates = last)]
        pub bytes: [::core::primitive::u8; PVAR],
        #[y3(rest)]
        pub rest: ::y3::value::UnknownFields<'a>,
        #[y3(skip)]
        pub skipped: ::core::primitive::u8,
    }

    /// A struct that contains another struct.
    #[derive(::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq, ::y3::Encode, ::y3::Decode)]
    pub struct Own {
        #[y3(0x01)]
        pub own: Inner,
    }

    /// A unit struct.
    #[derive(::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq, ::y3::Encode, ::y3::Decode)]
    pub struct Inner;

    #[derive(::y3::Encode, ::y3::Decode)]
    pub enum Event<'a> {
        #[y3(1)]
        Some,
        #[y3(2)]
        Ok {
            #[y3(1)]
            node: i32,
            #[y3(2)]
            to: i32,
        },
        #[y3(3)]
        Err(::core::primitive::u8),
        #[y3(other)]
        Other(::y3::Packet<'a>),
    }
}

#[test]
fn expanded_code_is_hygienic() {
    let reading = user::Reading::<'_, bool, 2> {
        noise: 0.25,
        source: 3,
        from: "lab",
        any: true,
        bytes: [1, 2],
        rest: y3::value::UnknownFields::default(),
        skipped: 0,
    };
    let packet = y3::to_vec(0x02, &reading).unwrap();
    let reading: user::Reading<'_, bool, 2> = y3::decode(&packet).unwrap();
    assert_eq!((reading.from, reading.skipped), ("lab", 0));
    let packet = y3::to_vec(0x01, &user::Event::Ok { node: 1, to: 2 }).unwrap();
    assert!(matches!(y3::decode(&packet), Ok(user::Event::Ok { node: 1, to: 2 })));
    let own = user::Own { own: user::Inner };
    assert_eq!(y3::decode(&y3::to_vec(0x01, &own).unwrap()), Ok(own));
}

#[test]
fn fields_of_associated_types_need_no_more_than_their_own_bounds() {
    // The iterators themselves implement neither trait.
    type Items = associated::Items<std::ops::Range<i64>, std::vec::IntoIter<bool>, i32>;
    let list = associated::List { value: 7, next: Some(Box::new(associated::List { value: 8, next: None })) };
    let items = Items { one: 5, many: vec![true], list: Some(Box::new(list)), nothing: std::marker::PhantomData };
    let packet = y3::to_vec(0x01, &items).unwrap();
    let read: Items = y3::decode(&packet).unwrap();
    assert_eq!((read.one, read.many, read.list), (items.one, items.many, items.list));
}

#[test]
fn a_converted_field_needs_no_packet_of_its_own() {
    let converted = associated::Converted { text: std::net::SocketAddr::from(([127, 0, 0, 1], 80)) };
    let packet = y3::to_vec(0x01, &converted).unwrap();
    assert_eq!(packet[4..], *b"127.0.0.1:80");
    assert_eq!(y3::decode(&packet), Ok(converted));
}
