//! Evolution of types that derive: what an old reader makes of a newer writer's packets, and the other way round.

use super::keys_to;
use y3::value::UnknownFields;
use y3::{Decode, Encode, ErrorKind, Packet};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Old<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x12)]
    state: OldState,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum OldState {
    #[y3(1)]
    Idle,
    #[y3(2, other)]
    Unknown,
}

/// A field more in front and after, a variant more, and one with content.
#[derive(Debug, PartialEq, Encode, Decode)]
struct New<'a> {
    #[y3(0x0f)]
    place: Option<&'a str>,
    #[y3(0x10)]
    id: u64,
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x12)]
    state: NewState,
    #[y3(0x13, default = 1.5)]
    weight: f32,
    #[y3(0x14, default)]
    tags: Vec<String>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum NewState {
    #[y3(1)]
    Idle,
    #[y3(2)]
    Unknown,
    #[y3(3)]
    Busy,
    #[y3(4)]
    Failed {
        #[y3(0x01)]
        code: i32,
    },
}

/// An old type that keeps what it does not know.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Relay<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x12)]
    state: RelayState<'a>,
    #[y3(rest)]
    newer: UnknownFields<'a>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum RelayState<'a> {
    #[y3(1)]
    Idle,
    #[y3(other)]
    Other(Packet<'a>),
}

fn new(state: NewState) -> New<'static> {
    New { place: Some("lab"), id: 7, name: "a", state, weight: 0.5, tags: vec!["x".into()] }
}

#[test]
fn an_old_reader_jumps_over_what_is_newer() {
    for state in [NewState::Busy, NewState::Failed { code: -1 }] {
        let packet = y3::to_vec(0x01, &new(state)).unwrap();
        assert_eq!(y3::decode::<Old>(&packet).unwrap(), Old { id: 7, name: "a", state: OldState::Unknown });
    }
}

#[test]
fn a_new_reader_takes_an_old_packet() {
    let packet = y3::to_vec(0x01, &Old { id: 7, name: "a", state: OldState::Idle }).unwrap();
    let value = New { place: None, id: 7, name: "a", state: NewState::Idle, weight: 1.5, tags: vec![] };
    assert_eq!(y3::decode::<New>(&packet).unwrap(), value);
}

#[test]
fn an_old_relay_hands_on_what_is_newer() {
    for state in [NewState::Busy, NewState::Failed { code: -1 }] {
        let value = new(state);
        let packet = y3::to_vec(0x01, &value).unwrap();
        let relayed = y3::to_vec(0x01, &Relay { id: 8, ..y3::decode(&packet).unwrap() }).unwrap();
        assert_eq!(y3::decode::<New>(&relayed).unwrap(), New { id: 8, ..value });
    }
}

#[test]
fn a_field_that_was_removed_is_missing_to_a_reader_that_needs_it() {
    #[derive(Encode)]
    struct Without {
        #[y3(0x10)]
        id: u32,
        #[y3(0x12)]
        state: OldState,
    }
    let packet = y3::to_vec(0x01, &Without { id: 7, state: OldState::Idle }).unwrap();
    let error = y3::decode::<Old>(&packet).unwrap_err();
    assert_eq!((error.kind(), error.offset(), error.field().unwrap().name()), (ErrorKind::MissingField, 0, "name"));
}

/// A wider number takes every narrower one; a narrower one refuses what does not fit.
#[test]
fn a_field_that_was_widened_is_read_both_ways_while_it_fits() {
    let wide = |id| y3::to_vec(0x01, &New { id, ..new(NewState::Idle) }).unwrap();
    assert_eq!(y3::decode::<Old>(&wide(0x7fff_ffff)).unwrap().id, 0x7fff_ffff);
    let packet = wide(0xffff_ffff);
    let error = y3::decode::<Old>(&packet).unwrap_err();
    assert_eq!(keys_to(&packet, error), [0x01, 0x10]);
}

/// The wire has no types: a text read as a number is refused or is another value, as everywhere in this format.
#[test]
fn a_field_of_another_kind_is_refused() {
    #[derive(Debug, Decode)]
    struct Retyped {
        #[y3(0x12)]
        _state: Vec<u32>,
    }
    let packet = y3::to_vec(0x01, &Old { id: 7, name: "a", state: OldState::Idle }).unwrap();
    assert_eq!(y3::decode::<Retyped>(&packet).unwrap_err().kind(), ErrorKind::NotANode);
}
