//! The compile errors for the derive macros if `y3` lacks the feature `derive`.

use std::path::Path;
use std::process::Command;

#[test]
fn without_the_feature_the_error_names_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without_the_feature");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         y3 = {{ path = {root:?}, default-features = false }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for of in ["Encode", "Decode"] {
        let program = format!("#[derive(y3::{of})]\nstruct Reading(u8);\n\nfn main() {{}}\n");
        std::fs::write(folder.join("src/main.rs"), program).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        let output = cargo.args(["check", "--offline", "--color=never"]).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("the item is gated behind the `derive` feature"), "{said}");
    }
}
