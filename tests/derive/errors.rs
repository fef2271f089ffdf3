//! Errors of derived types name the field, the keys that lead to it, the variant, and the type's own reason.

use std::collections::BTreeMap;

use y3::value::Reason;
use y3::{Decode, Encode, Encoder, Error, ErrorKind, Key, Packet, Sink};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Part {
    #[y3(0x01)]
    on: bool,
    #[y3(0x02)]
    share: Option<Percent>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Device<'a> {
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x15)]
    parts: Vec<Part>,
    #[y3(0x16)]
    by_slot: BTreeMap<u8, Part>,
    #[y3(0x17)]
    state: State,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum State {
    #[y3(1)]
    Started,
    #[y3(2)]
    Failed(u8),
    #[y3(3)]
    Running {
        #[y3(0x01)]
        since: i64,
    },
}

mod odd {
    pub fn decode(number: u8) -> Result<u8, y3::ErrorKind> {
        if number % 2 == 1 { Ok(number) } else { Err(y3::ErrorKind::InvalidValue) }
    }
}

#[derive(Debug, PartialEq)]
struct Percent(u8);

impl Encode for Percent {
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        self.0.encode(key, to)
    }
}

impl<'a> Decode<'a> for Percent {
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        const ABOVE: Reason = Reason::new("percentage above 100");
        match packet.decode()? {
            percent @ ..=100 => Ok(Self(percent)),
            _ => Err(Error::refused(packet.value_offset(), &ABOVE)),
        }
    }
}

/// The error of reading the packets in this text form as a `T`.
fn error<T: for<'a> Decode<'a>>(text: &str) -> Error {
    let bytes = y3::show::parse_text(text).unwrap();
    y3::decode::<T>(&bytes).map(drop).unwrap_err()
}

fn device(text: &str) -> Error {
    let bytes = y3::show::parse_text(text).unwrap();
    y3::decode::<Device>(&bytes).map(drop).unwrap_err()
}

#[test]
fn a_wrong_type_names_its_field() {
    let told = error::<Part>("01{01=0102030405060708 02=07}");
    assert_eq!(told.field().map(|field| (field.key(), field.name())), Some((0x01, "on")));
    assert_eq!(told.to_string(), "expected a bool (0 to 5 bytes), found 8 bytes in field `on` (key 0x01) at byte 4");
    assert_eq!(error::<Part>("01{01=02}").to_string(), "value in field `on` (key 0x01) at byte 4 is not a bool");
    let node = error::<Part>("01{01{}}");
    assert_eq!(node.to_string(), "expected a primitive, found a node in field `on` (key 0x01) at byte 2");
    let told = device("01{11=ff}");
    assert_eq!((told.kind(), told.field().unwrap().name()), (ErrorKind::InvalidUtf8, "name"));
}

#[test]
fn the_keys_that_lead_to_a_field_stand_before_its_own() {
    let told = device("01{11=\"a\" 15[00{01=01} 00{01=02}]}");
    assert_eq!(told.to_string(), "value in field `on` (key 0x15/0x00/0x01) at byte 16 is not a bool");
    let missing = device("01{11=\"a\" 15[] 16{05{}}}");
    assert_eq!(missing.to_string(), "field `on` (key 0x16/0x05/0x01) is missing at byte 9");
    let twice = device("01{11=\"a\" 15[] 16{05{01=01 01=01}}}");
    assert_eq!(twice.to_string(), "duplicate field `on` (key 0x16/0x05/0x01) at byte 14");
    assert_eq!(twice.field().unwrap().name(), "on");
    let since = device("01{11=\"a\" 15[] 16{} 17{03{01=\"no number at all\"}}}");
    assert!(since.to_string().contains("in field `since` (key 0x17/0x03/0x01)"), "{since}");
}

#[test]
fn more_keys_than_three_are_counted_on_explain() {
    #[derive(Debug, Decode)]
    struct Outer<'a> {
        #[y3(0x21)]
        _unused: bool,
        #[y3(0x22)]
        _devices: Vec<Device<'a>>,
    }
    let bytes = y3::show::parse_text("01{21=01 22[00{11=\"a\" 15[00{01=02}]}]}").unwrap();
    let told = y3::decode::<Outer>(&bytes).unwrap_err();
    assert!(told.to_string().contains("`on` (key …/0x15/0x00/0x01)"), "{told}");
    let keys: Vec<u8> = y3::show::explain(&bytes, told).keys().iter().map(|key| key.get()).collect();
    assert_eq!(keys, [0x01, 0x22, 0x00, 0x15, 0x00, 0x01]);
}

#[test]
fn a_duplicate_and_a_missing_field_of_a_converted_one_are_named() {
    #[derive(Debug, Decode)]
    struct Converted {
        #[y3(0x12, with = odd)]
        _odd: u8,
    }
    let told = error::<Converted>("01{12=02}");
    assert_eq!(told.field().unwrap().name(), "_odd");
    assert_eq!(error::<Converted>("01{}").to_string(), "field `_odd` (key 0x12) is missing at byte 0");
    assert_eq!(error::<Converted>("01{12=01 12=01}").to_string(), "duplicate field `_odd` (key 0x12) at byte 5");
}

#[test]
fn a_variant_that_is_known_is_not_called_unknown() {
    let told = error::<State>("03{01=01}");
    assert_eq!(told.kind(), ErrorKind::UnknownVariant);
    assert_eq!(told.to_string(), "variant 0x01 accepts no content at byte 2");
    let told = error::<State>("03=02");
    assert_eq!(told.to_string(), "variant 0x02 lacks its content at byte 0");
    assert_eq!(error::<State>("03{05=01}").to_string(), "unknown variant 0x05 at byte 2");
    assert_eq!(error::<State>("03=05").to_string(), "unknown variant 0x05 at byte 0");
}

#[test]
fn a_type_gives_a_reason_of_its_own() {
    let told = error::<Percent>("01=65");
    assert_eq!((told.kind(), told.to_string().as_str()), (ErrorKind::Refused, "percentage above 100 at byte 2"));
    assert_eq!(error::<Part>("01{01=01 02=65}").to_string(), "percentage above 100 in 0x02 at byte 7");
    let told = device("01{11=\"a\" 15[00{01=01 02=65}]}");
    assert_eq!(told.to_string(), "percentage above 100 in …/0x00/0x02 at byte 14");
    assert!(told.field().is_none());
    #[cfg(feature = "serde")]
    assert_eq!(y3::serde::Error::from(error::<Percent>("01=65")).to_string(), "percentage above 100 at byte 2");
}

#[test]
fn an_empty_input_is_called_empty() {
    for told in [y3::decode::<u8>(&[]).unwrap_err(), Packet::from_slice(&[]).unwrap_err()] {
        assert_eq!((told.kind(), told.offset()), (ErrorKind::UnexpectedEnd, 0));
        assert_eq!(told.to_string(), "input is empty, but a packet is required at byte 0");
    }
    #[cfg(feature = "serde")]
    assert_eq!(
        y3::serde::from_slice::<u8>(&[]).unwrap_err().to_string(),
        "input is empty, but a packet is required at byte 0"
    );
}

#[test]
fn a_limit_is_named_with_its_number() {
    use y3::{Collector, Limits, PathSet, Watcher, path};
    const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);
    let of = |limits: Limits| {
        let mut watcher = Watcher::new(&WATCHED, limits);
        let told = watcher.feed(&[0x01, 0xbf, 0x7f]).next().unwrap().unwrap_err();
        told.to_string()
    };
    let value = of(Limits::DEFAULT.with_max_value_len(1024));
    assert_eq!(value, "value longer than the limit of 1024 bytes (`max_value_len`) at byte 0");
    let packet = of(Limits::DEFAULT.with_max_packet_len(1024));
    assert_eq!(packet, "packet longer than the limit of 1024 bytes (`max_packet_len`) at byte 0");
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT.with_max_value_len(7));
    let told = collector.feed(&[0x01, 0x09]).next_hit().unwrap().unwrap_err();
    assert_eq!(told.to_string(), "value longer than the limit of 7 bytes (`max_value_len`) at byte 0");
    let mut stream = y3::edit::Edit::new().stream(Limits::DEFAULT.with_max_packet_len(8));
    let told = stream.feed(&[0x01, 0x09], &mut Vec::new()).unwrap_err();
    assert_eq!(told.to_string(), "packet longer than the limit of 8 bytes (`max_packet_len`) at byte 0");
    #[cfg(feature = "codec")]
    {
        use tokio_util::codec::Encoder as _;
        let mut codec = y3::PacketCodec::new(Limits::DEFAULT.with_max_packet_len(8));
        let long = [0x01, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let told = codec.encode(bytes::Bytes::from_owner(long), &mut bytes::BytesMut::new()).unwrap_err();
        assert!(told.to_string().contains("limit of 8 bytes (`max_packet_len`)"), "{told}");
    }
}
