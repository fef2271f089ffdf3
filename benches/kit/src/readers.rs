//! Readers: the functions that read one value in different ways. They return `None` if the packet is malformed or has
//! no such value.

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

/// Calls `Packet::find` at each level.
#[inline(always)]
pub fn y3_find<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    let mut packet = Packet::from_slice(bytes).ok()?;
    for key in W::PATH.iter().skip(1) {
        packet = packet.find(*key).ok()??;
    }
    Some(packet.value())
}

/// Uses a `KeySet` of one key at each level.
#[inline(always)]
pub fn y3_keys<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    let [root, keys @ ..] = W::PATH else { return None };
    let mut packet = packets(bytes).watch(KeySet::new(&[*root])?).next()?.ok()?;
    for key in keys {
        packet = packet.children().watch(KeySet::new(&[*key])?).next()?.ok()?;
    }
    Some(packet.value())
}

/// Uses a constant `PathSet`, as the documentation recommends.
#[inline(always)]
pub fn y3_watch<W: Watched + ?Sized>(bytes: &[u8]) -> Option<&[u8]> {
    Some(const { &W::SET }.watch(bytes).next()?.ok()?.value())
}

/// Uses a constant `PathSet`, and decodes the value.
#[inline(always)]
pub fn y3_watch_to<W: Watched + ?Sized>(bytes: &[u8]) -> Option<W::Number<'_>> {
    const { &W::SET }.watch(bytes).next()?.ok()?.decode().ok()
}

/// Uses a hint, which remembers previous packets.
#[inline(always)]
pub fn y3_hint<'a, W: Watched + ?Sized>(hint: &mut Hint<&PathSet<1>>, bytes: &'a [u8]) -> Option<&'a [u8]> {
    Some(hint.watch(bytes).next()?.ok()?.value())
}

/// Calls the nom parser directly.
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

/// Decodes the whole JSON text into a `Value`, then looks up the key, as in the report.
#[inline(always)]
pub fn json_value<W: Watched + ?Sized>(json: &[u8]) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(json).ok()?;
    let mut keys = W::PATH.iter().skip(1);
    keys.try_fold(&mut value, |value, key| value.get_mut(NAMES[usize::from(*key)])).map(Value::take)
}

/// The packets of a regime, which are never freed. Panics unless all readers find the same value in each packet and in
/// the same data as JSON.
pub fn messages<W: Watched>(regime: Regime) -> Vec<&'static [u8]> {
    let pairs = regime.models(&W::model()).into_iter().map(|model| model.to_pair());
    pairs.inspect(assert_agree::<W>).map(|pair| &*pair.y3.leak()).collect()
}

/// Panics unless all readers find the same value, or none of them finds one.
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
