//! Expected: which values the format takes, by the rules of SPEC.md 6.1 once more.
//!
//! In: a type and a value of it. Out: whether it can be written, and whether it can be read again.

use super::schema::{Content, Fields, Schema, Shape, Skip, Value, Variant};

const NODES: usize = 64;
const STEPS: usize = 128;

/// The key that a name is: one or two hexadecimal digits after `0x`.
pub fn key(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("0x").filter(|digits| (1..=2).contains(&digits.len()))?;
    u8::from_str_radix(digits, 16).ok().filter(|key| *key < 64)
}

fn distinct<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(place, item)| !items[..place].contains(item))
}

/// The keys that names say, if each says one of its own.
fn all_keys<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    names.map(key).collect::<Option<Vec<_>>>().filter(|keys| distinct(keys))
}

/// Nodes and other steps that are left, and whether a value may be absent.
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

/// Whether the value has a packet, or none where it may.
pub fn writable(schema: &Schema, value: &Value) -> bool {
    fits(schema, &schema.root, value, Left { nodes: NODES, steps: STEPS, absent: false }).is_some()
}

fn fits(schema: &Schema, shape: &Shape, value: &Value, left: Left) -> Option<()> {
    match (schema.resolve(shape), value) {
        (Shape::I128, _) => None,
        (Shape::Option(_), Value::None) => left.absent.then_some(()),
        (Shape::Option(inner), Value::Some(value)) | (Shape::Newtype(inner), Value::Newtype(value)) => {
            fits(schema, inner, value, left.step()?)
        }
        (Shape::Seq(inner), Value::Items(values)) => {
            let inside = left.node()?;
            values.iter().try_for_each(|value| fits(schema, inner, value, inside))
        }
        (Shape::Tuple(shapes) | Shape::TupleStruct(shapes), Value::Items(values)) => {
            items_fit(schema, shapes, values, left)
        }
        (Shape::Map(key, inner), Value::Map(entries)) => {
            let inside = left.node()?;
            entries.iter().try_for_each(|(_, value)| fits(schema, inner, value, inside))?;
            let keys = entries.iter().map(|(name, _)| map_key(schema, key, name, inside.steps));
            keys.collect::<Option<Vec<_>>>().filter(|keys| distinct(keys)).map(drop)
        }
        (Shape::Struct(fields), Value::Items(values)) => fields_fit(schema, fields, values, left),
        (Shape::Enum(variants, _), Value::Variant(place, content)) => {
            let variant = &variants[*place];
            key(variant.name).filter(|_| variant.skip != Skip::Always)?;
            match (&variant.content, &**content) {
                (Content::Unit, _) => Some(()),
                (Content::Newtype(shape), content) => fits(schema, shape, content, left.node()?.step()?),
                (Content::Tuple(shapes), Value::Items(values)) => {
                    items_fit(schema, shapes, values, left.node()?.step()?)
                }
                (Content::Struct(fields), Value::Items(values)) => {
                    fields_fit(schema, fields, values, left.node()?.step()?)
                }
                (_, value) => unreachable!("{value:?} is no content of {variant:?}"),
            }
        }
        _ => Some(()),
    }
}

fn items_fit(schema: &Schema, shapes: &[Shape], values: &[Value], left: Left) -> Option<()> {
    let inside = left.node()?;
    shapes.iter().zip(values).try_for_each(|(shape, value)| fits(schema, shape, value, inside))
}

fn fields_fit(schema: &Schema, fields: &Fields, values: &[Value], left: Left) -> Option<()> {
    all_keys(fields.members.iter().map(|field| field.name))?;
    let inside = Left { absent: true, ..left.node()? };
    fields.members.iter().zip(values).try_for_each(|(field, value)| fits(schema, &field.shape, value, inside))
}

/// The key that a map's entry gets.
fn map_key(schema: &Schema, shape: &Shape, value: &Value, steps: usize) -> Option<u8> {
    match (schema.resolve(shape), value) {
        (_, Value::Integer(number)) => u8::try_from(*number).ok().filter(|key| *key < 64),
        (Shape::Option(inner), Value::Some(value)) | (Shape::Newtype(inner), Value::Newtype(value)) => {
            map_key(schema, inner, value, steps.checked_sub(1)?)
        }
        (Shape::Enum(variants, _), Value::Variant(place, _)) => {
            let Variant { name, content: Content::Unit, .. } = &variants[*place] else { return None };
            key(name).filter(|_| variants[*place].skip != Skip::Always)
        }
        _ => None,
    }
}

/// Whether a value that can be written can be read: not, if a name that no writer sees stands in the way.
pub fn readable(schema: &Schema, value: &Value) -> bool {
    reads(schema, &schema.root, value)
}

fn reads(schema: &Schema, shape: &Shape, value: &Value) -> bool {
    match (schema.resolve(shape), value) {
        (Shape::Option(inner), Value::Some(value)) | (Shape::Newtype(inner), Value::Newtype(value)) => {
            reads(schema, inner, value)
        }
        (Shape::Seq(inner), Value::Items(values)) => values.iter().all(|value| reads(schema, inner, value)),
        (Shape::Tuple(shapes) | Shape::TupleStruct(shapes), Value::Items(values)) => items_read(schema, shapes, values),
        (Shape::Map(key, inner), Value::Map(entries)) => {
            entries.iter().all(|(name, value)| reads(schema, key, name) && reads(schema, inner, value))
        }
        (Shape::Struct(fields), Value::Items(values)) => fields_read(schema, fields, values),
        (Shape::Enum(variants, names), Value::Variant(place, content)) => {
            let variant = &variants[*place];
            // Its own name, and no other for the same key.
            let same = names.iter().filter(|name| key(name) == key(variant.name)).count();
            variant.skip == Skip::Never
                && same == 1
                && match (&variant.content, &**content) {
                    (Content::Newtype(shape), content) => reads(schema, shape, content),
                    (Content::Tuple(shapes), Value::Items(values)) => items_read(schema, shapes, values),
                    (Content::Struct(fields), Value::Items(values)) => fields_read(schema, fields, values),
                    _ => true,
                }
        }
        _ => true,
    }
}

fn items_read(schema: &Schema, shapes: &[Shape], values: &[Value]) -> bool {
    shapes.iter().zip(values).all(|(shape, value)| reads(schema, shape, value))
}

fn fields_read(schema: &Schema, fields: &Fields, values: &[Value]) -> bool {
    all_keys(fields.names.iter().copied()).is_some()
        && fields.members.iter().zip(values).all(|(field, value)| reads(schema, &field.shape, value))
}
