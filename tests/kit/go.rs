//! Go's `Marshal`: the types of slices.json's list `marshal` and their values, for every way to read and write them.
//!
//! In: a macro that defines structs, and functions that read and write a type. Out: each case with its type.

use serde_json::{Value, json};

use super::hex::hex;
use super::vectors::Marshal;

/// A list of structs has no slice bit in Go: it is read as any node is, and written back as a slice.
const WITHOUT_SLICE_BIT: [&str; 7] =
    ["marshal-0059", "marshal-0060", "marshal-0061", "marshal-0062", "marshal-0084", "marshal-0096", "marshal-0100"];

/// Text that is not UTF-8: refused as text, read and written back as bytes.
pub const NOT_TEXT: [&str; 1] = ["marshal-0048"];

/// A value in the vectors' notation.
pub trait Shown: Sized {
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
    serde_bytes::ByteBuf: |bytes| hex(bytes);
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

/// A struct of fields with these names, keys and values.
pub fn shown_fields<const N: usize>(fields: [(&str, &str, Value); N]) -> Value {
    let field = |(name, key, value): (&str, &str, Value)| json!({ "field": name, "y3": key, "value": value });
    fields.into_iter().map(field).collect()
}

pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The structs as Go's tags describe them. Each field has its key as a number and as a text; those marked `omit` are left out if they
/// are empty, as Go does. `$bytes` is the type of bytes.
#[macro_export]
macro_rules! structs_of_go {
    ($define:ident, $bytes:ty) => {
        $define! {
            Flat {
                omit s 0x10 "0x10": String,
                keep a 0x11 "0x11": i32,
                keep b 0x12 "0x12": u32,
                keep c 0x13 "0x13": i64,
                keep d 0x14 "0x14": u64,
                keep e 0x15 "0x15": f32,
                keep f 0x16 "0x16": f64,
                keep g 0x17 "0x17": bool,
                omit by 0x18 "0x18": $bytes,
            }
            Inner {
                omit name 0x20 "0x20": String,
                keep n 0x21 "0x21": i32,
            }
            OnlyText {
                omit name 0x20 "0x20": String,
            }
            Nested {
                keep id 0x10 "0x10": i32,
                keep r#in 0x11 "0x11": Inner,
            }
            StrNested {
                omit r#in 0x11 "0x11": OnlyText,
            }
            Lists {
                keep i 0x10 "0x10": Vec<i32>,
                keep s 0x11 "0x11": Vec<String>,
                keep f 0x12 "0x12": Vec<f64>,
                keep b 0x13 "0x13": Vec<bool>,
                keep t 0x14 "0x14": Vec<Inner>,
                keep z 0x15 "0x15": [i32; 2],
                keep y 0x16 "0x16": Vec<$bytes>,
            }
            Empties {
                omit s 0x10 "0x10": String,
                omit b 0x11 "0x11": $bytes,
                keep i 0x12 "0x12": i32,
                keep n 0x13 "0x13": Inner,
                keep l 0x00 "0x00": Vec<i32>,
            }
            KeyZero {
                keep a 0x00 "0x00": i32,
            }
            Once {
                keep a 0x10 "0x10": i32,
            }
        }
    };
}

/// Calls `$holds` with the type of a case; the types that Go alone can have are arms of the caller's.
#[macro_export]
macro_rules! types_of_go {
    ($case:expr, $bytes:ty, $holds:ident, $refused:ident, $invalid:expr, { $($name:literal => $other:expr,)* }) => {
        match &*$case.go_type {
            "int32" => $holds::<i32>($case),
            "uint32" => $holds::<u32>($case),
            "int64" => $holds::<i64>($case),
            "uint64" => $holds::<u64>($case),
            "float32" => $holds::<f32>($case),
            "float64" => $holds::<f64>($case),
            "bool" => $holds::<bool>($case),
            "string" => $holds::<String>($case),
            "[]uint8" => $holds::<$bytes>($case),
            "[]int32" => $holds::<Vec<i32>>($case),
            "[]uint32" => $holds::<Vec<u32>>($case),
            "[]int64" => $holds::<Vec<i64>>($case),
            "[]uint64" => $holds::<Vec<u64>>($case),
            "[]float32" => $holds::<Vec<f32>>($case),
            "[]float64" => $holds::<Vec<f64>>($case),
            "[]bool" => $holds::<Vec<bool>>($case),
            "[]string" if NOT_TEXT.contains(&&*$case.id) => {
                $refused::<Vec<String>>($case, $invalid);
                $holds::<Vec<$bytes>>($case);
            }
            "[]string" => $holds::<Vec<String>>($case),
            "main.flat" | "*main.flat" => $holds::<Flat>($case),
            "main.nested" => $holds::<Nested>($case),
            "main.strNested" => $holds::<StrNested>($case),
            "main.lists" => $holds::<Lists>($case),
            "main.inner" => $holds::<Inner>($case),
            "[]main.inner" => $holds::<Vec<Inner>>($case),
            "[]main.onlyText" => $holds::<Vec<OnlyText>>($case),
            "main.empties" => $holds::<Empties>($case),
            "main.keyZero" => $holds::<KeyZero>($case),
            $($name => $other,)*
            other => panic!("{}: no Rust type for {other}", $case.id),
        }
    };
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

/// Asserts that a value is the one that Go reads, and that it was written as Go writes it.
pub fn assert_is_gos(case: &Marshal, value: &impl Shown, written: &[u8]) {
    let bytes = &case.hex.as_ref().unwrap().0;
    if let Some(read) = &case.read_back {
        assert_eq!(normal(&value.shown()), normal(read), "{}", case.id);
    }
    if WITHOUT_SLICE_BIT.contains(&&*case.id) {
        // The second packet's tag is the only byte that differs.
        let (tag, as_slice) = (0x80 | case.key, 0xc0 | case.key);
        let differences: Vec<_> = bytes.iter().zip(written).filter(|(go, rust)| go != rust).collect();
        assert_eq!((bytes.len(), differences), (written.len(), vec![(&tag, &as_slice)]), "{}", case.id);
    } else {
        assert_eq!(hex(bytes), hex(written), "{}", case.id);
    }
}
