//! Evolution of types that derive: what an old reader makes of a newer writer's packets, and the other way round.

use y3::record::{ErrorKind, Rest};
use y3::{FromPacket, Packet, ToPacket};

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Old<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x12)]
    state: OldState,
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
enum OldState {
    #[y3(1)]
    Idle,
    #[y3(2, other)]
    Unknown,
}

/// A field more in front and behind, a variant more, and one with content.
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
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

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
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
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Relay<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x12)]
    state: RelayState<'a>,
    #[y3(rest)]
    newer: Rest<'a>,
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
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
        let packet = new(state).encode_to_vec().unwrap();
        assert_eq!(Old::from_slice(&packet).unwrap(), Old { id: 7, name: "a", state: OldState::Unknown });
    }
}

#[test]
fn a_new_reader_takes_an_old_packet() {
    let packet = Old { id: 7, name: "a", state: OldState::Idle }.encode_to_vec().unwrap();
    let value = New { place: None, id: 7, name: "a", state: NewState::Idle, weight: 1.5, tags: vec![] };
    assert_eq!(New::from_slice(&packet).unwrap(), value);
}

#[test]
fn an_old_relay_hands_on_what_is_newer() {
    for state in [NewState::Busy, NewState::Failed { code: -1 }] {
        let value = new(state);
        let packet = value.encode_to_vec().unwrap();
        let relayed = Relay { id: 8, ..Relay::from_slice(&packet).unwrap() }.encode_to_vec().unwrap();
        assert_eq!(New::from_slice(&relayed).unwrap(), New { id: 8, ..value });
    }
}

#[test]
fn a_field_that_was_removed_is_missing_to_a_reader_that_needs_it() {
    #[derive(ToPacket)]
    struct Without {
        #[y3(0x10)]
        id: u32,
        #[y3(0x12)]
        state: OldState,
    }
    let packet = Without { id: 7, state: OldState::Idle }.encode_to_vec().unwrap();
    let error = Old::from_slice(&packet).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::MissingField("name"), 0));
}

/// A wider number takes every narrower one; a narrower one refuses what does not fit.
#[test]
fn a_field_that_was_widened_is_read_both_ways_while_it_fits() {
    let wide = |id| New { id, ..new(NewState::Idle) }.encode_to_vec().unwrap();
    assert_eq!(Old::from_slice(&wide(0x7fff_ffff)).unwrap().id, 0x7fff_ffff);
    let error = Old::from_slice(&wide(0xffff_ffff)).unwrap_err();
    assert_eq!(error.path().collect::<Vec<_>>(), [0x01, 0x10]);
}

/// The wire has no types: a text read as a number is refused or is another value, as everywhere in this format.
#[test]
fn a_field_of_another_kind_is_refused() {
    #[derive(Debug, FromPacket)]
    struct Retyped {
        #[y3(0x12)]
        _state: Vec<u32>,
    }
    let packet = Old { id: 7, name: "a", state: OldState::Idle }.encode_to_vec().unwrap();
    assert_eq!(Retyped::from_slice(&packet).unwrap_err().kind(), ErrorKind::Wire(y3::ErrorKind::NotANode));
}
