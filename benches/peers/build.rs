//! Writes the messages of the extract benches as code for every codec that needs a schema.
//!
//! One table of messages becomes a `.proto` file, from which the generators of prost, quick-protobuf and buffa make their code, and
//! structs with the derives of the other codecs. The compilers of flatbuffers and capnp are not written in Rust, so this script writes
//! accessors like theirs. `protoc`, `flatc` and `capnp` are not needed.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs, slice};

use protox::prost::Message as _;

struct Message {
    name: &'static str,
    /// The number of the watched field.
    watched: u8,
    /// The number and the kind of each field. A kind is one of `KINDS` or the name of a message above in the table.
    fields: Vec<(u8, &'static str)>,
}

/// The report's kinds in its order: the name in this file, in protobuf and in Rust. `sint` is shorter for negative numbers.
const KINDS: [(&str, &str, &str); 7] = [
    ("Text", "string", "String"),
    ("I32", "sint32", "i32"),
    ("U32", "uint32", "u32"),
    ("I64", "sint64", "i64"),
    ("U64", "uint64", "u64"),
    ("F32", "float", "f32"),
    ("F64", "double", "f64"),
];

fn messages() -> [Message; 11] {
    let cycle = |count| (1..=count).zip(KINDS.iter().map(|kind| kind.0).cycle()).collect();
    let same = |count, kind| (1..=count).map(|key| (key, kind)).collect();
    [
        ("C03", 2, cycle(3)),
        ("C16", 8, cycle(16)),
        ("C32", 16, cycle(32)),
        ("C63", 32, cycle(63)),
        ("Texts", 32, same(63, "Text")),
        ("Floats", 32, same(63, "F32")),
        ("Inner", 4, cycle(8)),
        ("Middle", 4, same(8, "Inner")),
        ("Outer", 4, same(8, "Middle")),
        ("Reading", 17, vec![(17, "F32"), (18, "I64"), (19, "Text")]),
        ("Frame", 2, vec![(1, "U32"), (2, "Reading"), (3, "Text")]),
    ]
    .map(|(name, watched, fields)| Message { name, watched, fields })
}

impl Message {
    /// Joins what `line` returns for each field. `line` gets the field's number, its kind, and its Rust type unless it is a message.
    fn each(&self, line: impl Fn(u8, &'static str, Option<&'static str>) -> String) -> String {
        let rust = |kind| KINDS.iter().find(|known| known.0 == kind).map(|known| known.2);
        self.fields.iter().map(|&(key, kind)| line(key, kind, rust(kind))).collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no folder to write to")?);
    let all = messages();
    for (file, code) in [
        ("records.rs", records(&all)),
        ("flatbuffers.rs", all.iter().map(flatbuffers).collect()),
        ("capnp.rs", all.iter().map(capnp).collect()),
        ("extract.proto", proto(&all)),
    ] {
        fs::write(out.join(file), code)?;
    }

    let file = out.join("extract.proto");
    let set = protox::Compiler::new([&out])?.open_file(&file)?.file_descriptor_set();
    let descriptors = out.join("extract.descriptors");
    fs::write(&descriptors, set.encode_to_vec())?;
    // Cargo watches this file. It would run this script in every build if the file were newer than the last run.
    fs::File::options().write(true).open(&descriptors)?.set_modified(std::time::SystemTime::UNIX_EPOCH)?;
    let [prost, quick, buffa] = ["prost", "quick_protobuf", "buffa"].map(|name| out.join(name));
    for folder in [&prost, &quick, &buffa] {
        fs::create_dir_all(folder)?;
    }
    prost_build::Config::new().out_dir(prost).compile_fds(set)?;

    let quick = pb_rs::ConfigBuilder::new(&[file], None, Some(&quick), slice::from_ref(&out))?;
    pb_rs::types::FileDescriptor::run(&quick.headers(false).build())?;

    buffa_build::Config::new()
        .files(&["extract.proto"])
        .descriptor_set(descriptors)
        // buffa's documentation recommends this if views are decoded often and messages are not forwarded.
        .preserve_unknown_fields(false)
        .lazy_views(true)
        .out_dir(buffa)
        .compile()
}

fn proto(all: &[Message]) -> String {
    let message = |message: &Message| {
        let Message { name, watched, .. } = message;
        let line = |key, kind, suffix| match KINDS.iter().find(|known| known.0 == kind) {
            Some((_, scalar, _)) => format!("  {scalar} k{key} = {key};\n"),
            None => format!("  {kind}{suffix} k{key} = {key};\n"),
        };
        let whole = message.each(|key, kind, _| line(key, kind, ""));
        let only = message.each(|key, kind, _| if key == *watched { line(key, kind, "Only") } else { String::new() });
        format!("message {name} {{\n{whole}}}\nmessage {name}Only {{\n{only}}}\n")
    };
    format!("syntax = \"proto3\";\npackage extract;\n{}", all.iter().map(message).collect::<String>())
}

/// The messages as structs of an application, with owned and with borrowed texts. `der` has structs of its own because it lacks floats.
fn records(all: &[Message]) -> String {
    let family = |module: &str, [text, f32, f64]: [&str; 3], attributes: &str, of_field: fn(u8) -> String| {
        let record = |message: &Message| {
            // `Floats` is the only message without a text, so it borrows nothing.
            let life = if text == "String" || message.name == "Floats" { "" } else { "<'a>" };
            let fields = message.each(|key, kind, rust| {
                let kind = match rust {
                    Some("String") => text.to_owned(),
                    Some("f32") => f32.to_owned(),
                    Some("f64") => f64.to_owned(),
                    Some(number) => number.to_owned(),
                    None => format!("{kind}{life}"),
                };
                let borrow = if module == "borrowed" && rust.is_none() { "#[serde(borrow)] " } else { "" };
                format!("    {borrow}{} pub k{key}: {kind},\n", of_field(key))
            });
            format!("{attributes}\npub struct {}{life} {{\n{fields}}}\n", message.name)
        };
        format!("pub mod {module} {{\n{}}}\n", all.iter().map(record).collect::<String>())
    };
    let c63 = all.iter().find(|message| message.name == "C63").expect("the report's pairs");
    family(
        "owned",
        ["String", "f32", "f64"],
        "#[derive(serde::Serialize, serde::Deserialize, bincode::Encode, bincode::BorrowDecode, bilrost::Message)]
        #[derive(rkyv::Archive, rkyv::Serialize, minicbor::Encode, y3::Encode)]
        #[cbor(map)]",
        |key| format!("#[bilrost({key})] #[n({key})] #[y3({key})]"),
    ) + &family(
        "borrowed",
        ["&'a str", "f32", "f64"],
        "#[derive(serde::Deserialize, bincode::BorrowDecode, bilrost::Message)]
        #[bilrost(borrowed_only)]",
        |key| format!("#[bilrost({key})]"),
    ) + &family(
        "der_owned",
        ["String", "super::F32", "super::F64"],
        "#[derive(serde::Deserialize, der::Sequence)]",
        |_| String::new(),
    ) + &family(
        "der_borrowed",
        ["der::asn1::Utf8StringRef<'a>", "super::F32", "super::F64"],
        "#[derive(der::Sequence)]",
        |_| String::new(),
    ) + &format!(
        "pub fn write_c63(record: &owned::C63, out: &mut Vec<u8>) {{
            y3::Encoder::new(out).node(0, |root| {{ {} Ok::<(), y3::Error>(()) }}).expect(\"keys are below 64\");
        }}\n",
        c63.each(|key, kind, _| format!("root.put({key}, {}record.k{key})?;\n", if kind == "Text" { "&" } else { "" }))
    )
}

/// A table like flatc's: accessors that call `Table::get`, a verifier of each field, and a function that writes 8-byte fields first.
fn flatbuffers(message: &Message) -> String {
    let name = message.name;
    let slot = |key| 4 + 2 * message.fields.iter().position(|field| field.0 == key).expect("a field");
    let stored = |kind: &str, rust: Option<&str>| match rust {
        Some("String") => "ForwardsUOffset<&'a str>".to_owned(),
        Some(number) => number.to_owned(),
        None => format!("ForwardsUOffset<{kind}<'a>>"),
    };
    let accessors = message.each(|key, kind, rust| {
        let (stored, slot) = (stored(kind, rust), slot(key));
        let (given, default) = match rust {
            Some("String") => ("Option<&'a str>".to_owned(), ""),
            Some(number) => (number.to_owned(), ".unwrap_or_default()"),
            None => (format!("Option<{kind}<'a>>"), ""),
        };
        // SAFETY: this code wrote the table, or verified it: the slot is empty or leads to a value of this type.
        format!("#[inline] pub fn k{key}(&self) -> {given} {{ unsafe {{ self.0.get::<{stored}>({slot}, None) }}{default} }}\n")
    });
    let visited = message
        .each(|key, kind, rust| format!(".visit_field::<{}>(\"k{key}\", {}, false)?", stored(kind, rust), slot(key)));
    let before = message.each(|key, _, rust| match rust {
        Some("String") => format!("let k{key} = builder.create_string(&self.k{key});\n"),
        Some(_) => format!("let k{key} = self.k{key};\n"),
        None => format!("let k{key} = self.k{key}.create(builder);\n"),
    });
    let is_wide = |rust| matches!(rust, Some("i64" | "u64" | "f64"));
    let push = |wide| {
        message.each(|key, _, rust| match rust {
            _ if is_wide(rust) != wide => String::new(),
            None | Some("String") => format!("builder.push_slot_always({}, k{key});\n", slot(key)),
            Some(number) => format!("builder.push_slot({}, k{key}, {number}::default());\n", slot(key)),
        })
    };
    let (wide, narrow) = (push(true), push(false));
    format!(
        "#[derive(Clone, Copy)]
pub struct {name}<'a>(Table<'a>);
impl<'a> Follow<'a> for {name}<'a> {{
    type Inner = {name}<'a>;
    #[inline]
    unsafe fn follow(buf: &'a [u8], loc: usize) -> Self {{ {name}(unsafe {{ Table::new(buf, loc) }}) }}
}}
impl<'a> {name}<'a> {{ {accessors} }}
impl<'a> Verifiable for {name}<'a> {{
    #[inline]
    fn run_verifier(verifier: &mut Verifier, position: usize) -> Result<(), InvalidFlatbuffer> {{
        verifier.visit_table(position)?{visited}.finish();
        Ok(())
    }}
}}
impl Create for owned::{name} {{
    type Table<'fbb> = {name}<'fbb>;
    fn create<'fbb>(&self, builder: &mut FlatBufferBuilder<'fbb>) -> WIPOffset<{name}<'fbb>> {{
        {before}let start = builder.start_table();
        {wide}{narrow}WIPOffset::new(builder.end_table(start).value())
    }}
}}
"
    )
}

/// A struct like capnpc's: accessors that call `get_data_field` and `get_pointer_field`. Fields are numbered in the order of their
/// keys. Their positions are those of the schema compiler: each field takes the next free place. A number of four bytes takes the free
/// half of a word if there is one.
fn capnp(message: &Message) -> String {
    let name = message.name;
    let (mut words, mut pointers, mut hole, mut offsets) = (0, 0, None, [0; 64]);
    for &(key, kind) in &message.fields {
        offsets[usize::from(key)] = match kind {
            "I32" | "U32" | "F32" => hole.take().unwrap_or_else(|| {
                words += 1;
                hole = Some(2 * words - 1);
                2 * words - 2
            }),
            "I64" | "U64" | "F64" => {
                words += 1;
                words - 1
            }
            _ => {
                pointers += 1;
                pointers - 1
            }
        };
    }
    let getters = message.each(|key, kind, rust| {
        let at = offsets[usize::from(key)];
        let pointer = format!("FromPointerReader::get_from_pointer(&self.0.get_pointer_field({at}), None)");
        let (given, get) = match rust {
            Some("String") => ("capnp::Result<text::Reader<'a>>".to_owned(), pointer),
            Some(number) => (number.to_owned(), format!("self.0.get_data_field({at})")),
            None => (format!("capnp::Result<{kind}<StructReader<'a>>>"), pointer),
        };
        format!("#[inline] pub fn k{key}(&self) -> {given} {{ {get} }}\n")
    });
    let setters = message.each(|key, _, rust| {
        let at = offsets[usize::from(key)];
        match rust {
            Some("String") => format!(
                "SetterInput::<text::Owned>::set_pointer_builder(builder.0.reborrow().get_pointer_field({at}), &self.k{key}, false)\
                 .expect(\"a text fits a segment\");\n"
            ),
            Some(_) => format!("builder.0.set_data_field({at}, self.k{key});\n"),
            None => format!(
                "self.k{key}.set(FromPointerBuilder::init_pointer(builder.0.reborrow().get_pointer_field({at}), 0));\n"
            ),
        }
    });
    format!(
        "pub struct {name}<S>(S);
impl<'a> FromPointerReader<'a> for {name}<StructReader<'a>> {{
    fn get_from_pointer(reader: &PointerReader<'a>, default: Option<&'a [Word]>) -> capnp::Result<Self> {{
        Ok({name}(reader.get_struct(default)?))
    }}
}}
impl HasStructSize for {name}<StructBuilder<'_>> {{
    const STRUCT_SIZE: StructSize = StructSize {{ data: {words}, pointers: {pointers} }};
}}
impl<'a> FromPointerBuilder<'a> for {name}<StructBuilder<'a>> {{
    fn init_pointer(builder: PointerBuilder<'a>, _size: u32) -> Self {{ {name}(builder.init_struct(Self::STRUCT_SIZE)) }}
    fn get_from_pointer(builder: PointerBuilder<'a>, default: Option<&'a [Word]>) -> capnp::Result<Self> {{
        Ok({name}(builder.get_struct(Self::STRUCT_SIZE, default)?))
    }}
}}
impl<'a> {name}<StructReader<'a>> {{ {getters} }}
impl Set for owned::{name} {{
    type Builder<'a> = {name}<StructBuilder<'a>>;
    fn set(&self, mut builder: {name}<StructBuilder<'_>>) {{ {setters} }}
}}
"
    )
}
