//! What the Go `Marshal` writes, read into derived types and written back: every case of slices.json's list `marshal`.
//!
//! In: the vectors. Out: the values that Go's own reader gives, and the same bytes again, but for the cases listed here.

use crate::kit::hex::hex;
use crate::kit::vectors::{Marshal, slices};
use serde_json::{Value, json};
use y3::record::ErrorKind;
use y3::{Encoder, FromPacket, PVarInt, Packet, ToPacket};

/// A list of structs has no slice bit in Go: it is read as any node is, and written back as a slice.
const WITHOUT_SLICE_BIT: [&str; 7] =
    ["marshal-0059", "marshal-0060", "marshal-0061", "marshal-0062", "marshal-0084", "marshal-0096", "marshal-0100"];

/// Text that is not UTF-8: refused as text, read and written back as bytes.
const NOT_TEXT: [&str; 1] = ["marshal-0048"];

/// A value in the vectors' notation.
trait Shown: Sized {
    fn shown(&self) -> Value;

    fn shown_list(items: &[Self]) -> Value {
        items.iter().map(Shown::shown).collect()
    }
}

macro_rules! shown {
    ($($type:ty: |$value:ident| $shown:expr;)*) => {$(
        impl Shown for $type {
            fn shown(&self) -> Value {
                let $value = self;
                json!($shown)
            }
        }
    )*};
}

shown! {
    i32: |number| number.to_string();
    u32: |number| number.to_string();
    i64: |number| number.to_string();
    u64: |number| number.to_string();
    bool: |value| value.to_string();
    f32: |number| format!("{:08x}", number.to_bits());
    f64: |number| format!("{:016x}", number.to_bits());
    String: |text| hex(text.as_bytes());
}

impl Shown for u8 {
    fn shown(&self) -> Value {
        json!(self.to_string())
    }

    fn shown_list(bytes: &[Self]) -> Value {
        json!(hex(bytes))
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn shown(&self) -> Value {
        T::shown_list(self)
    }
}

impl<T: Shown, const N: usize> Shown for [T; N] {
    fn shown(&self) -> Value {
        T::shown_list(self)
    }
}

/// Structs as Go's tags describe them; text, bytes and structs that are empty are left out, as Go does.
macro_rules! structs {
    ($($name:ident { $($(#[$attribute:meta])? $field:ident $key:literal: $type:ty,)* })*) => {$(
        #[derive(Debug, Default, PartialEq, ToPacket, FromPacket)]
        struct $name {
            $(#[y3($key)] $(#[$attribute])? $field: $type,)*
        }

        impl Shown for $name {
            fn shown(&self) -> Value {
                [$((stringify!($field), stringify!($key), self.$field.shown())),*].into_iter().map(field).collect()
            }
        }
    )*};
}

fn field((name, key, value): (&str, &str, Value)) -> Value {
    json!({ "field": name, "y3": key, "value": value })
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

structs! {
    Flat {
        #[y3(default, skip_if = is_default)]
        s 0x10: String,
        a 0x11: i32,
        b 0x12: u32,
        c 0x13: i64,
        d 0x14: u64,
        e 0x15: f32,
        f 0x16: f64,
        g 0x17: bool,
        #[y3(default, skip_if = is_default)]
        by 0x18: Vec<u8>,
    }
    Inner {
        #[y3(default, skip_if = is_default)]
        name 0x20: String,
        n 0x21: i32,
    }
    OnlyText {
        #[y3(default, skip_if = is_default)]
        name 0x20: String,
    }
    Nested {
        id 0x10: i32,
        r#in 0x11: Inner,
    }
    StrNested {
        #[y3(default, skip_if = is_default)]
        r#in 0x11: OnlyText,
    }
    Lists {
        i 0x10: Vec<i32>,
        s 0x11: Vec<String>,
        f 0x12: Vec<f64>,
        b 0x13: Vec<bool>,
        t 0x14: Vec<Inner>,
        z 0x15: [i32; 2],
        y 0x16: Vec<Vec<u8>>,
    }
    Empties {
        #[y3(default, skip_if = is_default)]
        s 0x10: String,
        #[y3(default, skip_if = is_default)]
        b 0x11: Vec<u8>,
        i 0x12: i32,
        n 0x13: Inner,
        l 0x00: Vec<i32>,
    }
    KeyZero {
        a 0x00: i32,
    }
    Once {
        a 0x10: i32,
    }
}

/// Nil is empty, names are compared without their case, and a key that is not given is 0.
fn normal(value: &Value) -> Value {
    match value {
        Value::Null => json!(""),
        Value::Array(items) if items.is_empty() => json!(""),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(fields) => {
            let name = fields["field"].as_str().unwrap().trim_start_matches("r#").to_lowercase();
            let key = fields["y3"].as_str().filter(|key| !key.is_empty()).unwrap_or("0x00");
            json!({ "field": name, "y3": key, "value": normal(&fields["value"]) })
        }
        other => other.clone(),
    }
}

fn read<T: for<'a> FromPacket<'a>>(case: &Marshal) -> Result<T, y3::record::Error> {
    let root = Packet::from_slice(&case.hex.as_ref().unwrap().0).unwrap();
    let packet = root.find(case.key).unwrap().unwrap_or_else(|| panic!("{}", case.id));
    PVarInt::from_packet(packet).map(|PVarInt(value)| value)
}

/// Read, compared with what Go reads, and written back.
fn holds<T: Shown + ToPacket + for<'a> FromPacket<'a>>(case: &Marshal) {
    let bytes = &case.hex.as_ref().unwrap().0;
    let value = read::<T>(case).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    if let Some(read) = &case.read_back {
        assert_eq!(normal(&value.shown()), normal(read), "{}", case.id);
    }
    let mut written = Vec::new();
    Encoder::new(&mut written).node(0x01, |root| root.put_record(case.key, &PVarInt(&value))).unwrap();
    if WITHOUT_SLICE_BIT.contains(&&*case.id) {
        // The second packet's tag is the only byte that differs.
        let (tag, as_slice) = (0x80 | case.key, 0xc0 | case.key);
        let differences: Vec<_> = bytes.iter().zip(&written).filter(|(go, rust)| go != rust).collect();
        assert_eq!((bytes.len(), differences), (written.len(), vec![(&tag, &as_slice)]), "{}", case.id);
    } else {
        assert_eq!(hex(bytes), hex(&written), "{}", case.id);
    }
}

/// A type that cannot have the value.
fn refused<T: for<'a> FromPacket<'a>>(case: &Marshal, kind: ErrorKind) {
    let error = read::<T>(case).err().unwrap_or_else(|| panic!("{}", case.id));
    assert_eq!(error.kind(), kind, "{}", case.id);
}

#[test]
fn what_go_marshals_is_read_and_written_back() {
    let mut held = 0;
    for case in slices().marshal {
        if case.kind != "ok" {
            continue;
        }
        held += 1;
        match &*case.go_type {
            "int32" => holds::<i32>(&case),
            "uint32" => holds::<u32>(&case),
            "int64" => holds::<i64>(&case),
            "uint64" => holds::<u64>(&case),
            "float32" => holds::<f32>(&case),
            "float64" => holds::<f64>(&case),
            "bool" => holds::<bool>(&case),
            "string" => holds::<String>(&case),
            "[]uint8" => holds::<Vec<u8>>(&case),
            "[]int32" => holds::<Vec<i32>>(&case),
            "[]uint32" => holds::<Vec<u32>>(&case),
            "[]int64" => holds::<Vec<i64>>(&case),
            "[]uint64" => holds::<Vec<u64>>(&case),
            "[]float32" => holds::<Vec<f32>>(&case),
            "[]float64" => holds::<Vec<f64>>(&case),
            "[]bool" => holds::<Vec<bool>>(&case),
            "[]string" if NOT_TEXT.contains(&&*case.id) => {
                refused::<Vec<String>>(&case, ErrorKind::Wire(y3::ErrorKind::InvalidUtf8));
                holds::<Vec<Vec<u8>>>(&case);
            }
            "[]string" => holds::<Vec<String>>(&case),
            "main.flat" | "*main.flat" => holds::<Flat>(&case),
            "main.nested" => holds::<Nested>(&case),
            "main.strNested" => holds::<StrNested>(&case),
            "main.lists" => holds::<Lists>(&case),
            "main.inner" => holds::<Inner>(&case),
            "[]main.inner" => holds::<Vec<Inner>>(&case),
            "[]main.onlyText" => holds::<Vec<OnlyText>>(&case),
            "main.empties" => holds::<Empties>(&case),
            "main.keyZero" => holds::<KeyZero>(&case),
            // Two fields with one key do not compile.
            "main.untagged" => refused::<KeyZero>(&case, ErrorKind::RepeatedField("a")),
            "main.twice" => refused::<Once>(&case, ErrorKind::RepeatedField("a")),
            other => panic!("{}: no Rust type for {other}", case.id),
        }
    }
    assert_eq!(held, 77);
}
