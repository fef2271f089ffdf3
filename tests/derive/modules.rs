//! Types that have no packet, or one of several packets: sets, maps with any keys, times.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use y3::{Decode, Encode, ErrorKind};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Station {
    #[y3(0x10)]
    tags: BTreeSet<String>,
    #[y3(0x11)]
    ports: HashSet<u8>,
    #[y3(0x12, with = y3::value::pairs)]
    labels: BTreeMap<String, u16>,
    #[y3(0x13, with = y3::value::pairs)]
    owners: HashMap<i64, String>,
    #[y3(0x14, with = y3::value::time::millis)]
    age: Duration,
    #[y3(0x15, with = y3::value::time::unix_seconds)]
    seen: SystemTime,
}

#[test]
fn sets_maps_with_any_keys_and_times_are_written_and_read() {
    let station = Station {
        tags: ["b".to_owned(), "a".to_owned()].into(),
        ports: [7].into(),
        labels: [("b".to_owned(), 300), ("a".to_owned(), 1)].into(),
        owners: [(-1, "c".to_owned())].into(),
        age: Duration::from_millis(300),
        seen: UNIX_EPOCH - Duration::from_secs(1),
    };
    let bytes = y3::to_vec(0x01, &station).unwrap();
    let text = "01{10[00=61 00=62] 11[00=07] 12[00[00=61 00=01] 00[00=62 00=012c]] 13[00[00=ff 00=63]] 14=012c 15=ff}";
    assert_eq!(bytes, y3::show::parse_text(text).unwrap());
    assert_eq!(y3::decode::<Station>(&bytes).unwrap(), station);
    let file = y3::value::names_file::<Station>(0x01, "station").unwrap();
    assert!(file.contains("10 tags [text]\n  11 ports [u8]\n  12 labels [(text u16)]\n"), "{file}");
    assert!(file.contains("14 age u64\n  15 seen i64\n"), "{file}");
}

#[derive(Debug, Decode)]
struct Labels {
    #[y3(0x12, with = y3::value::pairs)]
    _labels: BTreeMap<String, u16>,
}

#[test]
fn an_item_of_a_set_counts_once_and_a_key_that_is_there_twice_is_an_error() {
    let twice = y3::show::parse_text("01[00=07 00=07]").unwrap();
    assert_eq!(y3::decode::<BTreeSet<u8>>(&twice).unwrap().len(), 1);

    let twice = y3::show::parse_text("01{12[00[00=61 00=01] 00[00=61 00=02]]}").unwrap();
    let error = y3::decode::<Labels>(&twice).unwrap_err();
    assert_eq!((error.kind(), error.field().unwrap().key()), (ErrorKind::RepeatedKey, 0x12));
}

#[test]
fn a_time_has_the_unit_that_its_module_names() {
    use y3::value::time::{micros, millis, nanos, seconds, unix_micros, unix_millis, unix_nanos, unix_seconds};

    let time = Duration::new(2, 3_004_005);
    let counts = [seconds::encode(&time), millis::encode(&time), micros::encode(&time), nanos::encode(&time)];
    assert_eq!(counts, [2, 2_003, 2_003_004, 2_003_004_005]);
    assert_eq!(nanos::decode(counts[3]).unwrap(), time);
    assert_eq!(seconds::encode(&Duration::MAX), u64::MAX);
    assert_eq!(millis::encode(&Duration::MAX), u64::MAX, "the largest number");
    for time in [UNIX_EPOCH + time, UNIX_EPOCH - time] {
        assert_eq!(unix_nanos::decode(unix_nanos::encode(&time)), Ok(time));
        let apart = |read: Result<SystemTime, ErrorKind>| {
            let read = read.unwrap();
            read.duration_since(time).unwrap_or_else(|before| before.duration())
        };
        assert!(apart(unix_micros::decode(unix_micros::encode(&time))) < Duration::from_micros(1));
        assert!(apart(unix_millis::decode(unix_millis::encode(&time))) < Duration::from_millis(1));
        assert!(apart(unix_seconds::decode(unix_seconds::encode(&time))) < Duration::from_secs(1));
    }
}

#[cfg(feature = "serde")]
mod both_worlds {
    use serde::{Deserialize, Serialize};
    use y3::{Decode, Encode};

    #[derive(Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Reading {
        #[y3(0x11)]
        noise_level: f32,
        #[y3(0x12)]
        #[serde(skip_serializing_if = "Option::is_none")]
        measured_at: Option<i64>,
        #[y3(0x13)]
        from: String,
        #[y3(0x14)]
        state: State,
    }

    #[derive(Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum State {
        #[y3(1)]
        Started,
        #[y3(2)]
        FailedWith(u8),
    }

    #[test]
    fn one_struct_is_packets_by_its_keys_and_json_by_its_names() {
        let reading =
            Reading { noise_level: 0.25, measured_at: None, from: "lab".to_owned(), state: State::FailedWith(7) };
        let bytes = y3::to_vec(0x01, &reading).unwrap();
        assert_eq!(bytes, y3::show::parse_text("01{11=3e80 13=\"lab\" 14{02=07}}").unwrap());
        assert_eq!(y3::decode::<Reading>(&bytes).unwrap(), reading);
        let json = serde_json::to_string(&reading).unwrap();
        assert_eq!(json, r#"{"noiseLevel":0.25,"from":"lab","state":{"failed_with":7}}"#);
        assert_eq!(serde_json::from_str::<Reading>(&json).unwrap(), reading);
        assert_eq!(serde_json::to_string(&State::Started).unwrap(), r#""started""#);
    }
}

mod one {
    #[derive(y3::Encode)]
    pub struct Reading {
        #[y3(0x10, pvar)]
        pub short: i16,
        #[y3(0x11, pvar)]
        pub long: u64,
    }
}

mod two {
    #[derive(y3::Encode)]
    pub struct Reading {
        #[y3(0x10)]
        pub short: i16,
    }
}

mod three {
    #[derive(y3::Encode)]
    pub struct Reading {
        #[y3(0x10)]
        pub text: String,
    }
}

#[derive(Encode)]
struct Readings {
    #[y3(0x10)]
    one: one::Reading,
    #[y3(0x11)]
    two: two::Reading,
    #[y3(0x12)]
    three: three::Reading,
    #[y3(0x13)]
    two_again: Option<two::Reading>,
}

#[test]
fn types_with_the_same_name_get_numbers_in_a_names_file() {
    let file = y3::value::names_file::<Readings>(0x01, "all readings").unwrap();
    assert_eq!(
        file,
        "Readings = {\n  10 one Reading\n  11 two Reading-2\n  12 three Reading-3\n  13 two_again Reading-2?\n}\n\
         Reading = {\n  10 short pvar i32\n  11 long pvar u64\n}\nReading-2 = {\n  10 short i16\n}\n\
         Reading-3 = {\n  10 text text\n}\n01 all_readings Readings\n"
    );
}

#[test]
fn a_name_in_a_names_file_begins_with_a_letter() {
    for (name, written) in [("1st", "_1st"), ("_1", "_1"), ("a b", "a_b")] {
        assert_eq!(y3::value::names_file::<u32>(0x01, name), Ok(format!("01 {written} u32\n")));
    }
}
