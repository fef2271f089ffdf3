//! Colour: each codec has its own, in every chart. Codecs of one family have a hue in common.

/// A colour for light pages, and one for dark pages.
pub type Colour = (&'static str, &'static str);

const CODECS: [(&str, Colour); 26] = [
    ("y3", ("#0550ae", "#6cb6ff")),
    ("serde_json", ("#bc4c00", "#f0883e")),
    ("encoding/json", ("#7a3000", "#ffc59c")),
    ("json", ("#953800", "#ffb77c")),
    ("sonic-rs", ("#d97706", "#fbbf24")),
    ("simd-json", ("#a16207", "#e3b341")),
    ("jiter", ("#e0633f", "#ffa28b")),
    ("rmp", ("#8250df", "#c297ff")),
    ("rmp-serde", ("#6639ba", "#b083f0")),
    ("rmpv", ("#a475f9", "#dcbdfb")),
    ("ciborium", ("#bf3989", "#f778ba")),
    ("minicbor", ("#99286e", "#ff9bce")),
    ("prost", ("#1a7f37", "#57ab5a")),
    ("quick-protobuf", ("#2da44e", "#8ddb8c")),
    ("buffa", ("#116329", "#3fb950")),
    ("bilrost", ("#4d7c0f", "#a3d65c")),
    ("postcard", ("#6e7781", "#adbac7")),
    ("bincode", ("#32383f", "#d1d9e0")),
    ("der", ("#6b5b4b", "#c8b6a6")),
    ("rkyv", ("#cf222e", "#ff7b72")),
    ("capnp", ("#0e7c86", "#56d4dd")),
    ("flatbuffers", ("#0a5c5c", "#39c5bb")),
    ("floor", ("#8c959f", "#7d8590")),
    ("by hand", ("#57606a", "#9198a1")),
    ("kitex", ("#a40e26", "#ffaba8")),
    ("grpc", ("#1f883d", "#7ee787")),
];

/// For names without a codec, in turn.
const OTHERS: [Colour; 4] =
    [("#4a5560", "#b8c4d0"), ("#7d4e00", "#d8b26e"), ("#3d5a80", "#98c1d9"), ("#6a4c7d", "#cdb4db")];

/// The colour of the codec that a name contains; the longest one, since `rmp-serde` contains `rmp`. Other names have one by their
/// place.
pub fn of(name: &str, place: usize) -> Colour {
    let name = name.to_lowercase();
    let known = CODECS.iter().filter(|(codec, _)| name.contains(codec)).max_by_key(|(codec, _)| codec.len());
    known.map_or(OTHERS[place % OTHERS.len()], |(_, colour)| *colour)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CODECS, OTHERS, of};

    #[test]
    fn a_codec_has_one_colour_and_shares_it_with_no_other() {
        let all = || CODECS.iter().map(|(_, colour)| *colour).chain(OTHERS);
        assert_eq!(all().map(|colour| colour.0).collect::<BTreeSet<_>>().len(), all().count());
        assert_eq!(all().map(|colour| colour.1).collect::<BTreeSet<_>>().len(), all().count());
        assert_eq!(of("y3 find", 0), of("Go, y3-codec", 3));
        assert_ne!(of("rmp-serde", 0), of("rmp", 0));
        assert_ne!(of("serde_json Value", 0), of("json lines", 0));
    }
}
