//! Makes values from bytes; zeros replace missing bytes. Some values exceed the limits of the format.

use std::collections::BTreeSet;
use std::sync::Mutex;

use arbitrary::{Result, Unstructured};

use super::expected::key;
use super::typed::{Field, Fields, Names, Skip, Typed, Variant, Width};

const DEPTH: usize = 4;

/// Names of fields and variants: few keys, so that they collide; other names of these keys; and names without a key.
const NAMES: [&str; 16] = [
    "0x00", "0x01", "0x02", "0x03", "0x04", "0x05", "0x06", "0x07", "0x08", "0x10", "0x3f", "0x3F", "0x1", "0x40",
    "17", "",
];

pub fn value(u: &mut Unstructured<'_>) -> Result<Typed> {
    if !one_in(u, 8)? {
        return wide(u, DEPTH);
    }
    let nodes = u.int_in_range(0..=150)?;
    let kinds =
        [u.arbitrary::<usize>()?, u.arbitrary()?, u.arbitrary()?].map(|kind| [5, 2, 4, 5, 0, 6, 7, 9][kind % 8]);
    (0..nodes).try_fold(leaf(u)?, |inside, node| hold(u, kinds[node % 3], vec![inside]))
}

/// Returns true rarely, and never after the bytes are used up.
fn one_in(u: &mut Unstructured<'_>, times: u8) -> Result<bool> {
    Ok(u.int_in_range(1..=times)? == times)
}

fn wide(u: &mut Unstructured<'_>, depth: usize) -> Result<Typed> {
    if depth == 0 || u.int_in_range(0..=4)? < 2 {
        return leaf(u);
    }
    let inside = (0..u.int_in_range(1..=4)?).map(|_| wide(u, depth - 1)).collect::<Result<_>>()?;
    let kind = u.arbitrary()?;
    hold(u, kind, inside)
}

fn leaf(u: &mut Unstructured<'_>) -> Result<Typed> {
    Ok(match u.int_in_range(0..=15)? {
        0..=6 => integer(u)?,
        7 => Typed::Bool(u.arbitrary()?),
        // The bits of a NaN may change on their way through a register.
        8 => Typed::F32(Some(u.arbitrary::<f32>()?).filter(|float| !float.is_nan()).unwrap_or(f32::NAN).to_bits()),
        9 => Typed::F64(Some(u.arbitrary::<f64>()?).filter(|float| !float.is_nan()).unwrap_or(f64::NAN).to_bits()),
        10 => Typed::Char(*u.choose(&['a', '\0', 'é', '中', '\u{10ffff}'])?),
        11 => Typed::Text("aé中\u{10ffff}".chars().cycle().take(u.int_in_range(0..=70)?).collect()),
        12 => Typed::Bytes(vec![u.arbitrary()?; u.int_in_range(0..=70)?]),
        13 => Typed::Unit,
        14 => Typed::UnitStruct,
        _ => variants(u, vec![Typed::Unit])?,
    })
}

/// Small integers, limits of the types, and any others; rarely of a width that no packet holds.
fn integer(u: &mut Unstructured<'_>) -> Result<Typed> {
    let widths = if one_in(u, 32)? { &Width::ALL[..] } else { &Width::ALL[1..] };
    let width = *u.choose(widths)?;
    let (low, high) = width.range();
    let small: u8 = u.arbitrary()?;
    let number = match u.int_in_range(0..=4)? {
        0 | 1 => i128::from(small % 80),
        2 => low + i128::from(small % 3),
        3 => high - i128::from(small % 3),
        _ => u.arbitrary::<i128>()? >> (small % 128),
    };
    let number = if (low..=high).contains(&number) { number } else { number.rem_euclid(100).min(high) };
    Ok(Typed::Integer(width, number))
}

/// Chooses a value that contains these values.
fn hold(u: &mut Unstructured<'_>, kind: u8, mut inside: Vec<Typed>) -> Result<Typed> {
    Ok(match kind % 10 {
        0 | 1 => Typed::Struct(fields(u, inside)?),
        2 | 3 => variants(u, inside)?,
        4 => Typed::Option(!one_in(u, 6)?, inside.swap_remove(0).into()),
        5 => Typed::Newtype(inside.swap_remove(0).into()),
        6 => Typed::Seq(if one_in(u, 8)? { vec![] } else { inside }),
        7 => Typed::Tuple(inside),
        8 => Typed::TupleStruct(inside),
        _ => {
            let mut entries: Vec<(Typed, Typed)> = Vec::new();
            for value in inside {
                let key = match u.int_in_range(0..=7)? {
                    0..=3 => integer(u)?,
                    4 => Typed::Option(u.arbitrary()?, integer(u)?.into()),
                    5 => Typed::Newtype(integer(u)?.into()),
                    6 => variants(u, vec![Typed::Unit, Typed::Unit])?,
                    _ => leaf(u)?,
                };
                // A map has each of its keys once.
                if entries.iter().all(|(other, _)| *other != key) {
                    entries.push((key, value));
                }
            }
            Typed::Map(entries)
        }
    })
}

/// Usually a key of its own, rarely with a second name for it.
fn name(u: &mut Unstructured<'_>, place: usize) -> Result<(&'static str, Option<&'static str>)> {
    let name = if one_in(u, 12)? { u.choose(&NAMES)? } else { NAMES[place % NAMES.len()] };
    Ok((name, if one_in(u, 12)? { Some(*u.choose(&NAMES)?) } else { None }))
}

fn fields(u: &mut Unstructured<'_>, inside: Vec<Typed>) -> Result<Fields> {
    let first = u.int_in_range(0..=7)?;
    let field = |(place, value)| name(u, first + place).map(|(name, alias)| Field { name, alias, value });
    let members: Vec<_> = inside.into_iter().enumerate().map(field).collect::<Result<_>>()?;
    let names = names(members.iter().map(|field| (field.name, field.alias)));
    Ok(Fields { members, names, deny_unknown: one_in(u, 4)? })
}

/// An enum with the names that serde's derive gives its variants.
fn variants(u: &mut Unstructured<'_>, inside: Vec<Typed>) -> Result<Typed> {
    let mut variants = Vec::new();
    for value in inside {
        let place = u.int_in_range(0..=10)?;
        let (name, alias) = name(u, place)?;
        let skip = *u.choose(&[[Skip::Never; 14].as_slice(), &[Skip::Reading, Skip::Always]].concat())?;
        let content = match u.int_in_range(0..=9)? {
            9 => Typed::Unit,
            1 if value != Typed::Unit => Typed::Tuple(vec![value, Typed::Bool(true)]),
            2 if value != Typed::Unit => Typed::Struct(fields(u, vec![value])?),
            _ if value == Typed::Unit => value,
            _ => Typed::Newtype(value.into()),
        };
        variants.push(Variant { name, alias, skip, other: one_in(u, 6)?, content });
    }
    // Readers do not know a variant that is skipped in reading. If another variant has the same key, they would read
    // that one, so such a variant is not skipped.
    for place in 0..variants.len() {
        let key = key(variants[place].name);
        let mut others = variants.iter().enumerate().filter(|(other, _)| *other != place);
        let taken = others.any(|(_, variant)| {
            [Some(variant.name), variant.alias].into_iter().flatten().any(|name| self::key(name) == key)
        });
        if variants[place].skip == Skip::Reading && taken {
            variants[place].skip = Skip::Never;
        }
    }
    let skips = variants.iter().any(|variant| variant.skip == Skip::Reading);
    let last = variants.len() - 1;
    // Serde requires `other` to be last and without content.
    for (place, variant) in variants.iter_mut().enumerate() {
        variant.other &= place == last && !skips && variant.skip == Skip::Never && variant.content == Typed::Unit;
    }
    let read = variants.iter().filter(|variant| variant.skip == Skip::Never);
    let names = names(read.map(|variant| (variant.name, variant.alias)));
    Ok(Typed::Enum(variants, names, u.int_in_range(0..=last)?))
}

/// The names in order. Serde requires names that live for ever, so each distinct list is leaked, but only once.
fn names(of: impl Iterator<Item = (&'static str, Option<&'static str>)>) -> Names {
    static ALL: Mutex<BTreeSet<Names>> = Mutex::new(BTreeSet::new());

    // The names of one field or variant, sorted.
    let sorted = |(name, alias): (&'static str, Option<&'static str>)| -> BTreeSet<&str> {
        [name].into_iter().chain(alias).collect()
    };
    let names: Vec<&str> = of.flat_map(sorted).collect();
    let mut all = ALL.lock().unwrap();
    if let Some(known) = all.get(names.as_slice()) {
        return known;
    }
    let names: Names = Vec::leak(names);
    all.insert(names);
    names
}
