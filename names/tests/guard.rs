//! The guard of a names file fails with the messages of the lint, and writes the file.

use std::panic::catch_unwind;

use y3_names::{assert_names_file, guard};

#[derive(y3::Encode)]
#[allow(dead_code, reason = "only its names file is asked for")]
struct Reading {
    #[y3(0x11)]
    noise: f64,
    #[y3(0x12)]
    at: Option<i64>,
}

fn check(file: &str) -> Result<(), String> {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let of_type = |key, name: &str| y3::value::names_file::<Reading>(key, name);
    let failed = catch_unwind(|| guard::check(folder, file, 0x01, of_type));
    failed.map_err(|panic| panic.downcast_ref::<String>().unwrap().clone())
}

#[test]
fn fails_with_the_words_of_the_lint_and_passes_for_the_type_as_it_is() {
    let path = |file| std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(path("reading.y3n"), "Reading = { 11 noise f32 12 at i64? } 01 reading Reading").unwrap();
    let message = check("reading.y3n").unwrap_err();
    assert!(message.contains("silently wrong: 01/11 changes from f32 to f64"), "{message}");
    assert!(
        message.contains("new reader, old packet:") && message.contains("Y3_WRITE_NAMES=1 cargo test"),
        "{message}"
    );
    std::fs::write(path("same.y3n"), "# ours\nReading = { 11 noise f64\n12 at i64? }\n01 same Reading").unwrap();
    assert_eq!(check("same.y3n"), Ok(()), "comments and layout are not the type");
    std::fs::write(path("faulty.y3n"), "01 reading [").unwrap();
    assert!(check("faulty.y3n").is_err());
    let message = check("absent.y3n").unwrap_err();
    assert!(message.contains("absent.y3n") && message.contains("Y3_WRITE_NAMES=1 cargo test"), "{message}");
}

#[test]
fn one_line_in_a_test_is_all() {
    #[derive(y3::Encode)]
    #[allow(dead_code, reason = "only its names file is asked for")]
    struct Noise {
        #[y3(0x11)]
        noise: f32,
    }
    assert_names_file!("tests/guarded.y3n", 0x01, Noise);
}
