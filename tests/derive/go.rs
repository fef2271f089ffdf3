//! What Go's `Marshal` writes is read into Rust types and written back with the derive and with serde, for every case
//! in the list `marshal` of slices.json. The values must be those that Go reads, and the bytes must be the same, except
//! for the cases listed here.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::hex::hex;
use testkit::options::{Bytes, Options};
use testkit::vectors::{Marshal, slices};
use y3::{Decode, Encode, Encoder, ErrorKind, PVarInt, Packet};

/// Go writes a list of structs without the slice bit. The crate reads it as any node and writes it back as a slice.
const WITHOUT_SLICE_BIT: [&str; 7] =
    ["marshal-0059", "marshal-0060", "marshal-0061", "marshal-0062", "marshal-0084", "marshal-0096", "marshal-0100"];

/// Text that is not UTF-8 is refused as text; as bytes it is read and written back.
const NOT_TEXT: [&str; 1] = ["marshal-0048"];

/// A value in the notation of the vectors.
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
    Bytes: |bytes| hex(&bytes.0);
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

/// A struct with fields of these names, keys and values.
fn shown_fields<const N: usize>(fields: [(&str, &str, Value); N]) -> Value {
    let field = |(name, key, value): (&str, &str, Value)| json!({ "field": name, "y3": key, "value": value });
    fields.into_iter().map(field).collect()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The structs as Go's tags describe them. Each field has its key as a number and as a text. Go omits a field in
/// brackets if it is empty.
macro_rules! structs {
    ($($name:ident { $($key:literal $text:literal $([$omit:ident $omits:literal])? $field:ident: $type:ty,)* })*) => {$(
        #[derive(Debug, Default, PartialEq, Serialize, Deserialize, Encode, Decode)]
        struct $name {
            $(#[y3($key $(, default, skip_if = $omit)?)]
            #[serde(rename = $text $(, default, skip_serializing_if = $omits)?)]
            $field: $type,)*
        }

        impl Shown for $name {
            fn shown(&self) -> Value {
                shown_fields([$((stringify!($field), $text, self.$field.shown())),*])
            }
        }
    )*};
}

structs! {
    Flat {
        0x10 "0x10" [is_default "is_default"] s: String,
        0x11 "0x11" a: i32,
        0x12 "0x12" b: u32,
        0x13 "0x13" c: i64,
        0x14 "0x14" d: u64,
        0x15 "0x15" e: f32,
        0x16 "0x16" f: f64,
        0x17 "0x17" g: bool,
        0x18 "0x18" [is_default "is_default"] by: Bytes,
    }
    Inner {
        0x20 "0x20" [is_default "is_default"] name: String,
        0x21 "0x21" n: i32,
    }
    OnlyText {
        0x20 "0x20" [is_default "is_default"] name: String,
    }
    Nested {
        0x10 "0x10" id: i32,
        0x11 "0x11" r#in: Inner,
    }
    StrNested {
        0x11 "0x11" [is_default "is_default"] r#in: OnlyText,
    }
    Lists {
        0x10 "0x10" i: Vec<i32>,
        0x11 "0x11" s: Vec<String>,
        0x12 "0x12" f: Vec<f64>,
        0x13 "0x13" b: Vec<bool>,
        0x14 "0x14" t: Vec<Inner>,
        0x15 "0x15" z: [i32; 2],
        0x16 "0x16" y: Vec<Bytes>,
    }
    Empties {
        0x10 "0x10" [is_default "is_default"] s: String,
        0x11 "0x11" [is_default "is_default"] b: Bytes,
        0x12 "0x12" i: i32,
        0x13 "0x13" n: Inner,
        0x00 "0x00" l: Vec<i32>,
    }
    KeyZero {
        0x00 "0x00" a: i32,
    }
    Once {
        0x10 "0x10" a: i32,
    }
}

/// Two fields with one key, which need two names in Rust. The key 0x10 of Go's case has only one name, so this struct
/// uses 0x01, which is also `0x1`. Serde refuses every repeated key in the same way; the derive does not compile such a
/// struct.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Twice {
    #[serde(rename = "0x01")]
    a: i32,
    #[serde(rename = "0x1")]
    b: i32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Untagged {
    #[serde(rename = "0x00")]
    age: i32,
    #[serde(rename = "0x0")]
    name: String,
}

/// Nil becomes empty, names lose their case, and a missing key becomes 0.
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

/// Asserts that the value is the one that Go reads, and that the bytes are those that Go writes.
fn assert_is_gos(case: &Marshal, value: &impl Shown, written: &[u8]) {
    let bytes = &case.hex.as_ref().unwrap().0;
    if let Some(read) = &case.read_back {
        assert_eq!(normal(&value.shown()), normal(read), "{}", case.id);
    }
    if WITHOUT_SLICE_BIT.contains(&&*case.id) {
        // Only the tag of the second packet differs.
        let (tag, as_slice) = (0x80 | case.key, 0xc0 | case.key);
        let differences: Vec<_> = bytes.iter().zip(written).filter(|(go, rust)| go != rust).collect();
        assert_eq!((bytes.len(), differences), (written.len(), vec![(&tag, &as_slice)]), "{}", case.id);
    } else {
        assert_eq!(hex(bytes), hex(written), "{}", case.id);
    }
}

fn bytes(case: &Marshal) -> &[u8] {
    &case.hex.as_ref().unwrap().0
}

fn options(case: &Marshal) -> Options {
    Options::DEFAULT.with_pvar().with_watched(case.key)
}

fn derived<T: for<'a> Decode<'a>>(case: &Marshal) -> Result<T, y3::Error> {
    let root = Packet::from_slice(bytes(case)).unwrap();
    root.find(case.key).unwrap().unwrap_or_else(|| panic!("{}", case.id)).pvar().decode()
}

/// Asserts that the case is read as Go reads it and is written back.
fn holds<T: Shown + Encode + for<'a> Decode<'a> + Serialize + DeserializeOwned>(case: &Marshal) {
    let value = derived::<T>(case).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    let mut written = Vec::new();
    Encoder::new(&mut written).node(0x01, |root| root.put(case.key, PVarInt(&value))).unwrap();
    assert_is_gos(case, &value, &written);
    let value: T = options(case).from_slice(bytes(case)).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    assert_is_gos(case, &value, &options(case).to_vec(&value).unwrap());
}

/// Asserts that reading the case as a `T` is this error.
fn derive_refuses<T: for<'a> Decode<'a>>(case: &Marshal, kind: ErrorKind) {
    assert_eq!(derived::<T>(case).err().map(|error| error.kind()), Some(kind), "{}", case.id);
}

fn serde_refuses<T: DeserializeOwned>(case: &Marshal, kind: ErrorKind, name: Option<&str>) {
    let error = options(case).from_slice::<T>(bytes(case)).err().unwrap_or_else(|| panic!("{}", case.id));
    assert_eq!((error.kind(), error.name()), (kind, name), "{}", case.id);
}

#[test]
fn what_go_marshals_is_read_and_written_back() {
    let mut held = 0;
    for case in slices().marshal.into_iter().filter(|case| case.kind == "ok") {
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
            "[]uint8" => holds::<Bytes>(&case),
            "[]int32" => holds::<Vec<i32>>(&case),
            "[]uint32" => holds::<Vec<u32>>(&case),
            "[]int64" => holds::<Vec<i64>>(&case),
            "[]uint64" => holds::<Vec<u64>>(&case),
            "[]float32" => holds::<Vec<f32>>(&case),
            "[]float64" => holds::<Vec<f64>>(&case),
            "[]bool" => holds::<Vec<bool>>(&case),
            "[]string" if NOT_TEXT.contains(&&*case.id) => {
                derive_refuses::<Vec<String>>(&case, ErrorKind::InvalidUtf8);
                serde_refuses::<Vec<String>>(&case, ErrorKind::InvalidUtf8, None);
                holds::<Vec<Bytes>>(&case);
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
            "main.untagged" => {
                derive_refuses::<KeyZero>(&case, ErrorKind::RepeatedField);
                serde_refuses::<Untagged>(&case, ErrorKind::RepeatedKey, Some("0x0"));
            }
            "main.twice" => {
                derive_refuses::<Once>(&case, ErrorKind::RepeatedField);
                serde_refuses::<Once>(&case, ErrorKind::RepeatedField, Some("0x10"));
                serde_refuses::<Twice>(&case, ErrorKind::RepeatedKey, Some("0x1"));
            }
            other => panic!("{}: no Rust type for {other}", case.id),
        }
    }
    assert_eq!(held, 77);
}

#[test]
fn what_go_refuses_for_its_key_is_refused_above_63_only() {
    for case in slices().marshal.iter().filter(|case| case.kind != "ok" && case.go_type == "int32") {
        match options(case).to_vec(&1) {
            Ok(bytes) => assert_eq!((case.key < 64, bytes), (true, vec![0x81, 0x03, case.key, 0x01, 0x01])),
            Err(error) => assert_eq!((case.key > 63, error.kind()), (true, ErrorKind::InvalidKey)),
        }
    }
    assert_eq!(y3::serde::from_slice::<i32>(&[0x3f, 0x01, 0x05]).unwrap(), 5);
}
