//! Derived structs beside a loop over all packets: the same value, or an error that is one of those in the packet.

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::oracle::trees::config;
use y3::{Decode, Encode, Error, ErrorKind, Packet};

macro_rules! looped {
    ($($name:ident { $([$key:literal $(, $argument:ident = $which:ident)?] $field:ident: $type:ty,)* })*) => {$(
        #[derive(Debug, PartialEq, Encode, Decode)]
        struct $name { $(#[y3($key $(, $argument = $which)?)] $field: $type,)* }

        impl $name {
            /// Each field by itself, from a list of all packets; or all errors.
            fn looped(packet: Packet<'_>) -> Result<Self, Vec<Error>> {
                let (mut packets, mut errors) = (Vec::new(), Vec::new());
                packet.children().for_each(|packet| packet.map_or_else(|error| errors.push(error), |packet| packets.push(packet)));
                let is_cut = !errors.is_empty();
                $(
                    let all: Vec<_> = packets.iter().filter(|packet| packet.key() == $key).collect();
                    let which = concat!($(stringify!($which))?);
                    if let ("", Some(second)) = (which, all.get(1)) {
                        errors.push(Error::new(ErrorKind::RepeatedField, second.offset()));
                    }
                    let is_optional = stringify!($type).starts_with("Option");
                    let $field = match if which == "last" { all.last() } else { all.first() } {
                        Some(field) => field.decode::<$type>().map_err(|error| errors.push(error)).ok(),
                        None => is_optional.then(<$type>::default),
                    };
                    if all.is_empty() && !is_optional && !is_cut {
                        errors.push(Error::new(ErrorKind::MissingField, packet.offset()));
                    }
                )*
                match ($($field,)*) {
                    ($(Some($field),)*) if errors.is_empty() => Ok(Self { $($field),* }),
                    _ => Err(errors),
                }
            }
        }
    )*};
}

looped! {
    Flat { [0x01] a: u8, [0x02] b: Option<i32>, [0x03] c: Option<bool>, [0x04] d: Option<u8>, }
    Unordered { [0x04] a: Option<u8>, [0x01] b: Option<i32>, [0x03] c: u8, [0x02] d: Option<i64>, }
    Nodes { [0x01] a: Option<u8>, [0x02] b: Vec<i16>, [0x03] c: Option<u8>, }
    Chosen { [0x01, duplicates = last] a: Option<u8>, [0x03] b: Option<i8>, [0x02, duplicates = first] c: u8, }
}

/// A node with packets of few keys, in order or not, and perhaps one more; a byte may be damaged.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let item = (0..3u8, vec(any::<i8>(), 0..3)).prop_map(|(key, value)| {
        y3::to_vec(0x02, &value.iter().map(|number| i16::from(*number) * i16::from(key)).collect::<Vec<_>>()).unwrap()
    });
    let number = (1..6u8, prop_oneof![4 => 0..3u8, 1 => any::<u8>()]).prop_map(|(key, value)| vec![key, 1, value]);
    let packet = prop_oneof![4 => number, 1 => item].boxed();
    let node =
        (vec(packet.clone(), 0..6), any::<bool>(), vec(packet, 0..2)).prop_map(|(mut packets, in_order, last)| {
            if in_order {
                packets.sort_by_key(|packet| packet[0] & 0x3f);
                packets.dedup_by_key(|packet| packet[0] & 0x3f);
            }
            let content = [packets, last].concat().concat();
            [&[0x83, u8::try_from(content.len()).unwrap()], &*content].concat()
        });
    (node, proptest::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>()))).prop_map(
        |(mut node, damage)| {
            if let Some((place, byte)) = damage.filter(|_| node.len() > 2) {
                let place = 2 + place.index(node.len() - 2);
                node[place] = byte;
            }
            node
        },
    )
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn derived_structs_read_what_a_loop_over_all_packets_reads(input in input()) {
        let packet = Packet::from_slice(&input).unwrap();
        macro_rules! same {
            ($($name:ident)*) => {$(
                match (packet.decode::<$name>(), $name::looped(packet)) {
                    (Err(error), Err(errors)) => prop_assert!(errors.contains(&error), "{error}, not one of {errors:?}"),
                    (read, looped) => prop_assert_eq!(read.map_err(|error| vec![error]), looped),
                }
            )*};
        }
        same!(Flat Unordered Nodes Chosen);
    }
}
