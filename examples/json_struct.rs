//! One struct, written as Y3 and as JSON. In Y3, the names of the fields contain the keys, so they are hard to read. A
//! second derive gives the fields other names in JSON, and the compiler checks it against the struct.
//! `cargo run --features serde --example json_struct`

use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reading {
    #[serde(rename = "0x11")]
    noise: f32,
    #[serde(rename = "0x12")]
    at: Option<i64>,
    #[serde(rename = "0x13")]
    from: String,
}

/// The names in JSON. The compiler rejects an extra or missing field.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Reading")]
struct Named {
    noise: f32,
    at: Option<i64>,
    from: String,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Json(#[serde(with = "Named")] Reading);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = r#"{"noise":45.5,"at":null,"from":"lab"}"#;
    let Json(reading) = serde_json::from_str(json)?;

    let bytes = y3::serde::to_vec(&reading)?;
    println!("{} bytes of JSON, {} of Y3: {bytes:02x?}", json.len(), bytes.len());

    let back: Reading = y3::serde::from_slice(&bytes)?;
    assert_eq!(back, reading);
    assert_eq!(serde_json::to_string(&Json(back))?, json);
    Ok(())
}
