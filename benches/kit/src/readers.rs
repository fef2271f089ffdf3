//! Readers: the ways to read one value whose times are compared.
//!
//! In: one packet. Out: the watched value, or `None` if there is none or the packet is malformed.

use serde::Deserialize;
use serde_json::Value;
use y3::hint::Hint;
use y3::parser::Parser;
use y3::{KeySet, Packet, PathSet, packets};

use crate::data::{NAMES, Pair};
use crate::hand;
use crate::regime::Regime;
use crate::watched::Watched;

#[inline(always)]
pub fn hand<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    hand::find(bytes, W::PATH).ok()?
}

/// `Packet::find` at each level.
#[inline(always)]
pub fn y3_find<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    let mut packet = Packet::from_slice(bytes).ok()?;
    for key in W::PATH.iter().skip(1) {
        packet = packet.find(*key).ok()??;
    }
    Some(packet.value())
}

/// A `KeySet` of one key at each level.
#[inline(always)]
pub fn y3_keys<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    let [root, keys @ ..] = W::PATH else { return None };
    let mut packet = packets(bytes).watch(KeySet::new(&[*root])?).next()?.ok()?;
    for key in keys {
        packet = packet.children().watch(KeySet::new(&[*key])?).next()?.ok()?;
    }
    Some(packet.value())
}

/// A constant `PathSet`, as the documentation recommends.
#[inline(always)]
pub fn y3_watch<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    Some(const { &W::SET }.watch(bytes).next()?.ok()?.value())
}

/// The same with the value decoded.
#[inline(always)]
pub fn y3_watch_to<W: Watched + ?Sized>(bytes: &[u8]) -> Option<W::Number<'_>> {
    const { &W::SET }.watch(bytes).next()?.ok()?.decode().ok()
}

/// A hint, which remembers the packets before.
#[inline(always)]
pub fn y3_hint<'a, W: Watched + ?Sized>(hint: &mut Hint<&PathSet<1>>, bytes: &'a [u8]) -> Option<&'a [u8]> {
    Some(hint.watch(bytes).next()?.ok()?.value())
}

/// The nom parser, called directly.
#[inline(always)]
pub fn y3_nom<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    let mut level = bytes;
    for (depth, key) in W::PATH.iter().enumerate() {
        let packet = loop {
            let (rest, packet) = y3::parser::packet::<y3::ErrorKind>().parse(level).ok()?;
            if packet.key() == *key && (packet.is_node() || depth + 1 == W::PATH.len()) {
                break packet;
            }
            level = rest;
        };
        level = packet.value();
    }
    Some(level)
}

/// Decodes all JSON into a `Value`, then looks up the key, as in the report.
#[inline(always)]
pub fn json_value<W: Watched + ?Sized>(json: &[u8]) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(json).ok()?;
    let mut keys = W::PATH.iter().skip(1);
    keys.try_fold(&mut value, |value, key| value.get_mut(NAMES[usize::from(*key)])).map(Value::take)
}

/// The packets of a regime, for as long as the program runs. Panics unless all readers find the same value in each of them, and in the same data as JSON.
pub fn messages<W: Watched>(regime: Regime) -> Vec<&'static [u8]> {
    let pairs = regime.models(&W::model()).into_iter().map(|model| model.to_pair());
    pairs.inspect(assert_agree::<W>).map(|pair| &*pair.y3.leak()).collect()
}

/// Panics unless all readers find the same value, or all find none.
pub fn assert_agree<W: Watched + ?Sized>(pair: &Pair) {
    let want = hand::<W>(&pair.y3);
    assert_eq!(y3_find::<W>(&pair.y3), want, "{} find", W::NAME);
    assert_eq!(y3_keys::<W>(&pair.y3), want, "{} keys", W::NAME);
    assert_eq!(y3_watch::<W>(&pair.y3), want, "{} watch", W::NAME);
    let mut hint = Hint::new(const { &W::SET });
    for _ in 0..2 {
        assert_eq!(y3_hint::<W>(&mut hint, &pair.y3), want, "{} hint", W::NAME);
    }
    assert_eq!(y3_nom::<W>(&pair.y3), want, "{} nom", W::NAME);

    let json = json_value::<W>(&pair.json);
    let value = y3_watch_to::<W>(&pair.y3);
    assert_eq!(value.is_some(), want.is_some(), "{} watch to", W::NAME);
    assert_eq!(json.as_ref().map(|json| W::Number::deserialize(json).expect("a value")), value, "{} JSON", W::NAME);
}
