//! Predicts which values the format accepts, by a second implementation of the rules in docs/spec/serde.md.

use super::typed::{Fields, Skip, Typed, Variant, Width};

const NODES: usize = 64;
const STEPS: usize = 128;

/// The key of a name: one or two hexadecimal digits after `0x`.
pub fn key(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("0x").filter(|digits| (1..=2).contains(&digits.len()))?;
    u8::from_str_radix(digits, 16).ok().filter(|key| *key < 64)
}

fn distinct<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(place, item)| !items[..place].contains(item))
}

/// The keys of the names, if every name has a key and no two names share one.
fn all_keys<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    names.map(key).collect::<Option<Vec<_>>>().filter(|keys| distinct(keys))
}

/// The nodes and other steps that are left, and whether a value may be absent.
#[derive(Clone, Copy)]
struct Left {
    nodes: usize,
    steps: usize,
    absent: bool,
}

impl Left {
    fn node(self) -> Option<Left> {
        Some(Left { nodes: self.nodes.checked_sub(1)?, absent: false, ..self })
    }

    fn step(self) -> Option<Left> {
        Some(Left { steps: self.steps.checked_sub(1)?, absent: false, ..self })
    }
}

/// True if the value has a packet, or has none where none is needed.
pub fn is_writable(value: &Typed) -> bool {
    fits(value, Left { nodes: NODES, steps: STEPS, absent: false }).is_some()
}

fn fits(value: &Typed, left: Left) -> Option<()> {
    match value {
        Typed::Integer(Width::I128, _) => None,
        Typed::Option(false, _) => left.absent.then_some(()),
        Typed::Option(true, inner) | Typed::Newtype(inner) => fits(inner, left.step()?),
        Typed::Seq(items) | Typed::Tuple(items) | Typed::TupleStruct(items) => {
            let inside = left.node()?;
            items.iter().try_for_each(|item| fits(item, inside))
        }
        Typed::Map(entries) => {
            let inside = left.node()?;
            entries.iter().try_for_each(|(_, value)| fits(value, inside))?;
            let keys = entries.iter().map(|(name, _)| map_key(name, inside.steps));
            keys.collect::<Option<Vec<_>>>().filter(|keys| distinct(keys)).map(drop)
        }
        Typed::Struct(Fields { members, .. }) => {
            all_keys(members.iter().map(|field| field.name))?;
            let inside = Left { absent: true, ..left.node()? };
            members.iter().try_for_each(|field| fits(&field.value, inside))
        }
        Typed::Enum(variants, _, place) => {
            let variant = &variants[*place];
            key(variant.name).filter(|_| variant.skip != Skip::Always)?;
            match &variant.content {
                Typed::Unit => Some(()),
                Typed::Newtype(content) => fits(content, left.node()?.step()?),
                content => fits(content, left.node()?.step()?),
            }
        }
        _ => Some(()),
    }
}

/// The key for an entry of a map.
fn map_key(value: &Typed, steps: usize) -> Option<u8> {
    match value {
        Typed::Integer(_, number) => u8::try_from(*number).ok().filter(|key| *key < 64),
        Typed::Option(true, inner) | Typed::Newtype(inner) => map_key(inner, steps.checked_sub(1)?),
        Typed::Enum(variants, _, place) => match &variants[*place] {
            Variant { name, content: Typed::Unit, skip: Skip::Never | Skip::Reading, .. } => key(name),
            _ => None,
        },
        _ => None,
    }
}

/// True if a value that can be written can also be read. A name that no writer sees can prevent reading.
pub fn is_readable(value: &Typed) -> bool {
    match value {
        Typed::Option(true, inner) | Typed::Newtype(inner) => is_readable(inner),
        Typed::Seq(items) | Typed::Tuple(items) | Typed::TupleStruct(items) => items.iter().all(is_readable),
        Typed::Map(entries) => entries.iter().all(|(name, value)| is_readable(name) && is_readable(value)),
        Typed::Struct(fields) => {
            all_keys(fields.names.iter().copied()).is_some()
                && fields.members.iter().all(|field| is_readable(&field.value))
        }
        Typed::Enum(variants, names, place) => {
            let variant = &variants[*place];
            // Another name with the same key prevents reading.
            let same = names.iter().filter(|name| key(name) == key(variant.name)).count();
            variant.skip == Skip::Never && same == 1 && is_readable(&variant.content)
        }
        _ => true,
    }
}
