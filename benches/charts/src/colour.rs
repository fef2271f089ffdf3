//! Colour: the colours of codecs. Codecs of one family have the same colour in every chart.
//!
//! Colours alone do not distinguish codecs: each row shows its name, and each line has its own dash and mark.

/// The families: parts of the names of their codecs, and their colours on light and on dark pages.
pub const FAMILIES: [(&[&str], &str, &str); 10] = [
    (&["y3"], "#0550ae", "#6cb6ff"),
    (&["json", "sonic-rs", "jiter"], "#bc4c00", "#f0883e"),
    (&["rmp"], "#8250df", "#c297ff"),
    (&["cbor", "ciborium"], "#bf3989", "#f778ba"),
    (&["prost", "protobuf", "buffa", "bilrost", "grpc"], "#1a7f37", "#57ab5a"),
    (&["capnp", "flatbuffers", "rkyv", "kitex"], "#cf222e", "#ff7b72"),
    (&["postcard", "bincode", "der", "floor"], "#6e7781", "#9198a1"),
    // For names of no family, in turn.
    (&[], "#7d4e00", "#d8b26e"),
    (&[], "#0e7c86", "#56d4dd"),
    (&[], "#6a4c7d", "#cdb4db"),
];
const OTHERS: usize = 3;

/// The index of a name's family in [`FAMILIES`]. For a name of no family, `place` selects one of the last three.
pub fn of(name: &str, place: usize) -> usize {
    let name = name.to_lowercase();
    let family = FAMILIES.iter().position(|(parts, ..)| parts.iter().any(|part| name.contains(part)));
    family.unwrap_or(FAMILIES.len() - OTHERS + place % OTHERS)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_family_has_one_colour_wherever_it_stands_and_other_names_share_none_of_them() {
        assert_eq!([of("y3 find", 0), of("JSON lines", 0)], [of("Go, y3-codec", 3), of("serde_json Value", 1)]);
        assert_ne!(of("rmp-serde", 0), of("serde_json", 0));
        assert_eq!([0, 1, 2, 3].map(|place| of("tonic", place)), [7, 8, 9, 7]);
    }
}
