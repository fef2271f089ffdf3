//! The derive in a crate that names everything as the prelude does, and has the strictest lints.
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(unused_qualifications, single_use_lifetimes, unused_lifetimes, missing_docs, unused_results)]
#![deny(trivial_casts, let_underscore_drop, explicit_outlives_requirements)]
#![forbid(unsafe_code)]

/// The crate under another name.
pub mod vendored {
    pub use y3 as tlv;
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
    pub trait Sink {}
    pub trait ToPacket {}
}

mod user {
    #[allow(unused_imports, reason = "generated code that used one of them would not compile")]
    use super::shadows::*;

    /// A struct.
    #[derive(::y3::ToPacket, ::y3::FromPacket)]
    #[y3(crate = super::vendored::tlv, root = 0x02)]
    pub struct Reading<'a, S, const PVAR: usize> {
        /// A number.
        #[y3(0x11)]
        pub noise: f32,
        /// A number that may be absent.
        #[y3(0x12, default = 3, pvar)]
        pub source: i32,
        /// A text.
        #[y3(0x13)]
        pub from: &'a str,
        /// Any type.
        #[y3(0x14)]
        pub any: S,
        /// Bytes.
        #[y3(0x15, duplicates = last)]
        pub bytes: [u8; PVAR],
        /// All other packets.
        #[y3(rest)]
        pub rest: ::y3::record::Rest<'a>,
        /// Nothing.
        #[y3(skip)]
        pub skipped: u8,
    }

    /// An enum.
    #[derive(::y3::ToPacket, ::y3::FromPacket)]
    pub enum Event<'a> {
        /// A number.
        #[y3(1)]
        Some,
        /// A node.
        #[y3(2)]
        Ok {
            /// A number.
            #[y3(1)]
            field: i32,
            /// A number.
            #[y3(2)]
            content: i32,
        },
        /// A newtype.
        #[y3(3)]
        Err(u8),
        /// Any other.
        #[y3(other)]
        Other(::y3::Packet<'a>),
    }
}

#[test]
fn expanded_code_is_hygienic() {
    use y3::{FromPacket, ToPacket};
    let reading = user::Reading::<'_, bool, 2> {
        noise: 0.25,
        source: 3,
        from: "lab",
        any: true,
        bytes: [1, 2],
        rest: y3::record::Rest::default(),
        skipped: 0,
    };
    let packet = reading.encode_to_vec().unwrap();
    assert_eq!(packet[0], 0x82);
    let reading = user::Reading::<'_, bool, 2>::from_slice(&packet).unwrap();
    assert_eq!((reading.from, reading.skipped), ("lab", 0));
    let packet = user::Event::Ok { field: 1, content: 2 }.encode_to_vec().unwrap();
    assert!(matches!(user::Event::from_slice(&packet), Ok(user::Event::Ok { field: 1, content: 2 })));
}
