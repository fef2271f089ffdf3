//! Dumps of the prefixes of inputs. The properties `dump` and `text` test whole inputs and texts.

use proptest::prelude::*;

use testkit::input::packets;
use testkit::oracle::trees::{case, config};

/// A dump of a few lines is the same for each prefix that has these lines, and begins like the whole dump.
fn holds_for_prefixes(bytes: &[u8]) {
    let whole = y3::dump(bytes).to_string();
    for most in [1, 2, 5, 9] {
        let mut first = None;
        for prefix in (0..=bytes.len()).map(|end| &bytes[..end]) {
            let shown = y3::dump(prefix).max_lines(most).prefix_of(None).to_string();
            let (lines, _) = shown.rsplit_once('\n').unwrap_or_default();
            assert!(lines.lines().count() <= most);
            // From 10,000 bytes on, the offsets of the whole input are wider.
            if y3::check(bytes).is_ok() && bytes.len() < 10_000 {
                assert!(whole.starts_with(lines), "{shown}\n\n{whole}");
            }
            if lines.lines().count() == most {
                assert_eq!(first.get_or_insert_with(|| shown.clone()), &shown);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_prefix_shows_the_first_lines_of_the_whole(case in case(160, packets)) {
        holds_for_prefixes(&case.input);
    }
}
