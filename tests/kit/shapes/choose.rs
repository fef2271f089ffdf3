//! Choose: types and values out of bytes.
//!
//! In: bytes, zeros when they are used up. Out: a schema, and a value of it if one comes to an end.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::expected::key;
use super::schema::{Content, Field, Fields, Names, Schema, Shape, Skip, Value, Variant};

/// How deep types and values go. Values go beyond both limits of the format.
const SHAPE_DEPTH: usize = 4;
const VALUE_DEPTH: usize = 150;
/// How many values may lie in one value, before all that follow end as soon as they can.
const VALUES: usize = 400;

/// Names of fields and variants: few keys, so that they meet; other forms of the same keys; and no keys.
const NAMES: [&str; 16] = [
    "0x00", "0x01", "0x02", "0x03", "0x04", "0x05", "0x06", "0x07", "0x08", "0x10", "0x3f", "0x3F", "0x1", "0x40",
    "17", "",
];

pub struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// Options are there and recursive types recurse as far as they may.
    deep: bool,
    values: usize,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut choices = Self { bytes: bytes.iter(), deep: false, values: 0 };
        choices.deep = choices.below(8) == 7;
        choices
    }

    pub fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or_default()
    }

    /// A number below `end`, which is at most 256; 0 if `end` is.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    fn one_in(&mut self, end: usize) -> bool {
        self.below(end) == end - 1
    }

    pub fn schema(&mut self) -> Schema {
        let count = self.below(3);
        let definitions = (0..count).map(|_| self.node(count)).collect();
        let root = if count > 0 && self.below(2) == 0 { Shape::Definition(0) } else { self.shape(SHAPE_DEPTH, count) };
        Schema { root, definitions }
    }

    /// What may hold others.
    fn node(&mut self, definitions: usize) -> Shape {
        self.holder(SHAPE_DEPTH, definitions)
    }

    fn shape(&mut self, depth: usize, definitions: usize) -> Shape {
        let Some(deeper) = depth.checked_sub(1) else { return self.leaf() };
        match self.below(5) {
            0 | 1 => self.leaf(),
            2 if definitions > 0 => Shape::Definition(self.below(definitions)),
            _ => self.holder(deeper, definitions),
        }
    }

    fn leaf(&mut self) -> Shape {
        match self.below(18) {
            0 => Shape::U8,
            1 => Shape::Bool,
            2 => Shape::I8,
            3 => Shape::I16,
            4 => Shape::I32,
            5 => Shape::I64,
            6 => Shape::U16,
            7 => Shape::U32,
            8 => Shape::U64,
            9 => Shape::F32,
            10 => Shape::F64,
            11 => Shape::Char,
            12 => Shape::Text,
            13 => Shape::Bytes,
            14 => Shape::Unit,
            15 => Shape::UnitStruct,
            16 if self.one_in(8) => Shape::I128,
            _ => Shape::Enum(vec![self.variant(0, 0)], &[]).named(),
        }
    }

    fn holder(&mut self, depth: usize, definitions: usize) -> Shape {
        let shape = |choices: &mut Self| choices.shape(depth, definitions);
        match self.below(10) {
            0 | 1 => Shape::Struct(self.fields(depth, definitions)),
            2 | 3 => {
                let count = 1 + self.below(4);
                Shape::Enum((0..count).map(|_| self.variant(depth, definitions)).collect(), &[]).named()
            }
            4 => Shape::Option(shape(self).into()),
            5 => Shape::Newtype(shape(self).into()),
            6 => Shape::Seq(shape(self).into()),
            7 => Shape::Tuple(self.shapes(depth, definitions)),
            8 => Shape::TupleStruct(self.shapes(depth, definitions)),
            _ => Shape::Map(self.map_key().into(), shape(self).into()),
        }
    }

    /// Mostly numbers.
    fn map_key(&mut self) -> Shape {
        match self.below(8) {
            0 | 1 => Shape::U8,
            2 => Shape::I64,
            3 => Shape::U16,
            4 => Shape::Option(Shape::U8.into()),
            5 => Shape::Newtype(Shape::U32.into()),
            6 => Shape::Enum((0..2).map(|_| self.variant(0, 0)).collect(), &[]).named(),
            _ => self.leaf(),
        }
    }

    fn shapes(&mut self, depth: usize, definitions: usize) -> Vec<Shape> {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.shape(depth, definitions)).collect()
    }

    /// Mostly a key of its own.
    fn name(&mut self, place: usize) -> &'static str {
        if self.one_in(12) { NAMES[self.below(NAMES.len())] } else { NAMES[place % NAMES.len()] }
    }

    fn alias(&mut self) -> Option<&'static str> {
        self.one_in(12).then(|| NAMES[self.below(NAMES.len())])
    }

    fn fields(&mut self, depth: usize, definitions: usize) -> Fields {
        let (first, count) = (self.below(8), self.below(4));
        let members: Vec<_> = (0..count)
            .map(|place| Field {
                name: self.name(first + place),
                alias: self.alias(),
                shape: self.shape(depth, definitions),
            })
            .collect();
        let names = names(members.iter().map(|field| (field.name, field.alias)));
        Fields { members, names, deny_unknown: self.one_in(4) }
    }

    fn variant(&mut self, depth: usize, definitions: usize) -> Variant {
        let place = self.below(11);
        let (name, alias) = (self.name(place), self.alias());
        let skip = match self.below(16) {
            14 => Skip::Reading,
            15 => Skip::Always,
            _ => Skip::Never,
        };
        let (other, content) = match self.below(if depth == 0 { 2 } else { 6 }) {
            0 => (false, Content::Unit),
            1 => (skip == Skip::Never && self.one_in(3), Content::Unit),
            2 | 3 => (false, Content::Newtype(self.shape(depth - 1, definitions))),
            4 => (false, Content::Tuple(self.shapes(depth - 1, definitions))),
            _ => (false, Content::Struct(self.fields(depth - 1, definitions))),
        };
        Variant { name, alias, skip, other, content }
    }

    /// A value, if one ends before it is too deep.
    pub fn value_of(&mut self, schema: &Schema) -> Option<Value> {
        self.values = VALUES;
        self.value(schema, &schema.root, VALUE_DEPTH)
    }

    fn value(&mut self, schema: &Schema, shape: &Shape, depth: usize) -> Option<Value> {
        // Beyond the number, what cannot end at once is given up.
        self.values = self.values.saturating_sub(1);
        let depth = if self.values == 0 { 0 } else { depth };
        let deeper = depth.checked_sub(1);
        let integer = |choices: &mut Self, low: i128, high: i128| Some(Value::Integer(choices.integer(low, high)));
        Some(match schema.resolve(shape) {
            Shape::Bool => Value::Bool(self.below(2) == 1),
            Shape::I8 => return integer(self, i8::MIN.into(), i8::MAX.into()),
            Shape::I16 => return integer(self, i16::MIN.into(), i16::MAX.into()),
            Shape::I32 => return integer(self, i32::MIN.into(), i32::MAX.into()),
            Shape::I64 => return integer(self, i64::MIN.into(), i64::MAX.into()),
            Shape::I128 => return integer(self, i128::MIN, i128::MAX),
            Shape::U8 => return integer(self, 0, u8::MAX.into()),
            Shape::U16 => return integer(self, 0, u16::MAX.into()),
            Shape::U32 => return integer(self, 0, u32::MAX.into()),
            Shape::U64 => return integer(self, 0, u64::MAX.into()),
            // The bits of a NaN may change on their way through a register.
            Shape::F32 => {
                let float = f32::from_bits(u32::from_be_bytes(self.bytes_of()));
                Value::F32(if float.is_nan() { f32::NAN } else { float }.to_bits())
            }
            Shape::F64 => {
                let float = f64::from_bits(u64::from_be_bytes(self.bytes_of()));
                Value::F64(if float.is_nan() { f64::NAN } else { float }.to_bits())
            }
            Shape::Char => Value::Char(['a', '\0', 'é', '中', '\u{10ffff}'][self.below(5)]),
            Shape::Text => Value::Text("aé中\u{10ffff}".chars().cycle().take(self.below(70)).collect()),
            Shape::Bytes => Value::Bytes((0..self.below(70)).map(|_| self.byte()).collect()),
            Shape::Unit | Shape::UnitStruct => Value::Unit,
            Shape::Option(inner) => match deeper {
                Some(deeper) if self.deep || self.below(3) > 0 => {
                    Value::Some(self.value(schema, inner, deeper)?.into())
                }
                _ => Value::None,
            },
            Shape::Newtype(inner) => Value::Newtype(self.value(schema, inner, deeper?)?.into()),
            Shape::Seq(inner) => match deeper {
                None => Value::Items(vec![]),
                Some(deeper) => {
                    let count = if self.deep { 1 } else { self.below(4) };
                    Value::Items((0..count).map(|_| self.value(schema, inner, deeper)).collect::<Option<_>>()?)
                }
            },
            Shape::Tuple(items) | Shape::TupleStruct(items) => self.items(schema, items, deeper?)?,
            Shape::Map(key, value) => {
                let count = if depth == 0 { 0 } else { self.below(4) };
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..count {
                    let entry = (self.value(schema, key, deeper?)?, self.value(schema, value, deeper?)?);
                    // A map has each of its keys once.
                    if entries.iter().all(|(key, _)| *key != entry.0) {
                        entries.push(entry);
                    }
                }
                Value::Map(entries)
            }
            Shape::Struct(fields) => self.field_values(schema, fields, deeper?)?,
            Shape::Enum(variants, _) => {
                let place = if depth == 0 { 0 } else { self.below(variants.len()) };
                let content = match &variants[place].content {
                    Content::Unit => Value::Unit,
                    Content::Newtype(shape) => self.value(schema, shape, deeper?)?,
                    Content::Tuple(items) => self.items(schema, items, deeper?)?,
                    Content::Struct(fields) => self.field_values(schema, fields, deeper?)?,
                };
                Value::Variant(place, content.into())
            }
            Shape::Definition(_) => unreachable!("a definition is another"),
        })
    }

    fn items(&mut self, schema: &Schema, shapes: &[Shape], depth: usize) -> Option<Value> {
        shapes.iter().map(|shape| self.value(schema, shape, depth)).collect::<Option<_>>().map(Value::Items)
    }

    fn field_values(&mut self, schema: &Schema, fields: &Fields, depth: usize) -> Option<Value> {
        let values = fields.members.iter().map(|field| self.value(schema, &field.shape, depth));
        values.collect::<Option<_>>().map(Value::Items)
    }

    /// Small ones, those at the ends, and any.
    fn integer(&mut self, low: i128, high: i128) -> i128 {
        let number = match self.below(5) {
            0 | 1 => i128::from(self.byte()) % 80,
            2 => low + i128::from(self.byte() % 3),
            3 => high - i128::from(self.byte() % 3),
            _ => i128::from_be_bytes(self.bytes_of()) >> (8 * self.below(16)),
        };
        if (low..=high).contains(&number) { number } else { number.rem_euclid(100).min(high) }
    }

    fn bytes_of<const N: usize>(&mut self) -> [u8; N] {
        [(); N].map(|()| self.byte())
    }
}

impl Shape {
    /// An enum with the names that serde's derive makes of its variants.
    fn named(self) -> Shape {
        let Shape::Enum(mut variants, _) = self else { return self };
        // A variant that reading skips is hidden from readers, which take its key for that of another if the type says so.
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
        // serde wants `other` last.
        variants.iter_mut().enumerate().for_each(|(place, variant)| variant.other &= place == last && !skips);
        let read = variants.iter().filter(|variant| variant.skip == Skip::Never);
        let names = names(read.map(|variant| (variant.name, variant.alias)));
        Shape::Enum(variants, names)
    }
}

/// The names of each in order, once for the whole program, since serde wants them to live for ever.
fn names(of: impl Iterator<Item = (&'static str, Option<&'static str>)>) -> Names {
    static ALL: Mutex<BTreeSet<Names>> = Mutex::new(BTreeSet::new());

    // Of one field or variant in the order of the alphabet.
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
