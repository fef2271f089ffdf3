//! What the Go `Marshal` writes, read into Rust types and written back: every case of slices.json's list `marshal`.
//!
//! In: the vectors. Out: the values that Go's own reader gives, and the same bytes again, but for the cases listed here.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::{Value, json};
use y3::serde::{Dialect, ErrorKind, Options, from_slice};

use crate::kit::hex::hex;
use crate::kit::vectors::{Marshal, slices};

/// A list of structs has no slice bit in Go: it is read as any node is, and written back as a slice.
const WITHOUT_SLICE_BIT: [&str; 7] =
    ["marshal-0059", "marshal-0060", "marshal-0061", "marshal-0062", "marshal-0084", "marshal-0096", "marshal-0100"];

/// Two fields with one key: a struct of that shape is refused, and another finds a key that comes twice.
const KEY_TWICE: [&str; 2] = ["marshal-0063", "marshal-0068"];

/// Text that is not UTF-8: refused as text, read and written back as bytes.
const NOT_TEXT: [&str; 1] = ["marshal-0048"];

/// A value in the vectors' notation.
trait Shown {
    fn shown(&self) -> Value;
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
    ByteBuf: |bytes| hex(bytes);
}

impl<T: Shown> Shown for Vec<T> {
    fn shown(&self) -> Value {
        self.iter().map(Shown::shown).collect()
    }
}

impl<T: Shown, const N: usize> Shown for [T; N] {
    fn shown(&self) -> Value {
        self.iter().map(Shown::shown).collect()
    }
}

/// Structs as Go's tags describe them; text, bytes and structs that are empty are left out, as Go does.
macro_rules! structs {
    ($($name:ident { $($(#[$attribute:meta])? $field:ident $key:literal: $type:ty,)* })*) => {$(
        #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
        struct $name {
            $(#[serde(rename = $key)] $(#[$attribute])? $field: $type,)*
        }

        impl Shown for $name {
            fn shown(&self) -> Value {
                [$((stringify!($field), $key, self.$field.shown())),*].into_iter().map(field).collect()
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
        #[serde(default, skip_serializing_if = "is_default")]
        s "0x10": String,
        a "0x11": i32,
        b "0x12": u32,
        c "0x13": i64,
        d "0x14": u64,
        e "0x15": f32,
        f "0x16": f64,
        g "0x17": bool,
        #[serde(default, skip_serializing_if = "is_default")]
        by "0x18": ByteBuf,
    }
    Inner {
        #[serde(default, skip_serializing_if = "is_default")]
        name "0x20": String,
        n "0x21": i32,
    }
    OnlyText {
        #[serde(default, skip_serializing_if = "is_default")]
        name "0x20": String,
    }
    Nested {
        id "0x10": i32,
        r#in "0x11": Inner,
    }
    StrNested {
        #[serde(default, skip_serializing_if = "is_default")]
        r#in "0x11": OnlyText,
    }
    Lists {
        i "0x10": Vec<i32>,
        s "0x11": Vec<String>,
        f "0x12": Vec<f64>,
        b "0x13": Vec<bool>,
        t "0x14": Vec<Inner>,
        z "0x15": [i32; 2],
        y "0x16": Vec<ByteBuf>,
    }
    Empties {
        #[serde(default, skip_serializing_if = "is_default")]
        s "0x10": String,
        #[serde(default, skip_serializing_if = "is_default")]
        b "0x11": ByteBuf,
        i "0x12": i32,
        n "0x13": Inner,
        l "0x00": Vec<i32>,
    }
    KeyZero {
        a "0x00": i32,
    }
    Twice {
        // Two names in Rust cannot be one text, and 0x10 has but one: any key used twice is refused alike.
        a "0x01": i32,
        b "0x1": i32,
    }
    Once {
        a "0x10": i32,
    }
    Untagged {
        age "0x00": i32,
        name "0x0": String,
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

/// Read, compared with what Go reads, and written back.
fn holds<T: Shown + Serialize + DeserializeOwned>(case: &Marshal) {
    let options = Options::DEFAULT.with_dialect(Dialect::PVar).with_watched(case.key);
    let bytes = &case.hex.as_ref().unwrap().0;
    let value: T = options.from_slice(bytes).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    if let Some(read) = &case.read_back {
        assert_eq!(normal(&value.shown()), normal(read), "{}", case.id);
    }
    let written = options.to_vec(&value).unwrap();
    if WITHOUT_SLICE_BIT.contains(&&*case.id) {
        // The second packet's tag is the only byte that differs.
        let (tag, as_slice) = (0x80 | case.key, 0xc0 | case.key);
        let differences: Vec<_> = bytes.iter().zip(&written).filter(|(go, rust)| go != rust).collect();
        assert_eq!((bytes.len(), differences), (written.len(), vec![(&tag, &as_slice)]), "{}", case.id);
    } else {
        assert_eq!(hex(bytes), hex(&written), "{}", case.id);
    }
}

/// A type that cannot have the value, and one that could.
fn refused<T: Serialize + DeserializeOwned + Default>(case: &Marshal, kind: ErrorKind) {
    let options = Options::DEFAULT.with_dialect(Dialect::PVar).with_watched(case.key);
    let error = options.from_slice::<T>(&case.hex.as_ref().unwrap().0).err();
    assert_eq!(error.unwrap_or_else(|| panic!("{}", case.id)).kind(), kind, "{}", case.id);
}

#[test]
fn reads_and_writes_what_go_marshals() {
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
            "[]uint8" => holds::<ByteBuf>(&case),
            "[]int32" => holds::<Vec<i32>>(&case),
            "[]uint32" => holds::<Vec<u32>>(&case),
            "[]int64" => holds::<Vec<i64>>(&case),
            "[]uint64" => holds::<Vec<u64>>(&case),
            "[]float32" => holds::<Vec<f32>>(&case),
            "[]float64" => holds::<Vec<f64>>(&case),
            "[]bool" => holds::<Vec<bool>>(&case),
            "[]string" if NOT_TEXT.contains(&&*case.id) => {
                refused::<Vec<String>>(&case, ErrorKind::Wire(y3::ErrorKind::InvalidUtf8));
                holds::<Vec<ByteBuf>>(&case);
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
            "main.untagged" => refused::<Untagged>(&case, ErrorKind::KeyTwice("0x0")),
            "main.twice" => {
                refused::<Twice>(&case, ErrorKind::KeyTwice("0x1"));
                refused::<Once>(&case, ErrorKind::RepeatedKey(Some("0x10")));
            }
            other => panic!("{}: no Rust type for {other}", case.id),
        }
        assert_eq!(KEY_TWICE.contains(&&*case.id), matches!(&*case.go_type, "main.untagged" | "main.twice"));
    }
    assert_eq!(held, 77);
}

#[test]
fn what_go_refuses_for_its_key_is_refused_above_63_only() {
    for case in slices().marshal.iter().filter(|case| case.kind != "ok" && case.go_type == "int32") {
        let options = Options::DEFAULT.with_dialect(Dialect::PVar).with_watched(case.key);
        match options.to_vec(&1) {
            Ok(bytes) => assert_eq!((case.key < 64, bytes), (true, vec![0x81, 0x03, case.key, 0x01, 0x01])),
            Err(error) => {
                assert_eq!((case.key > 63, error.kind()), (true, ErrorKind::Wire(y3::ErrorKind::InvalidKey)));
            }
        }
    }
}

#[test]
fn reads_a_value_under_any_outermost_key() {
    assert_eq!(from_slice::<i32>(&[0x3f, 0x01, 0x05]).unwrap(), 5);
}
