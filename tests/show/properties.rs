//! Properties of every input, as the fuzz targets `dump` and `text` have them.

use proptest::prelude::*;

use testkit::oracle::trees::{byte, config, damage, encode, trees};
use testkit::shown;

fn holds(bytes: &[u8]) {
    shown::dump(bytes);
    shown::text_of(bytes);
    rows_hold(bytes);
}

/// Rows have each byte once, the words of the dump, and its faults.
fn rows_hold(bytes: &[u8]) {
    for dump in [y3::dump(bytes), y3::dump(bytes).open_all()] {
        let (shown, mut rows, mut end) = (dump.short().to_string(), dump.rows(), 0);
        let mut lines = shown.lines();
        for row in rows.by_ref() {
            let line = lines.next().unwrap();
            assert!(line.contains(&format!("  {}{row}", "  ".repeat(row.depth()))), "{line}: {row}");
            assert_eq!((row.offset(), bytes[end]), (end, row.tag().get()));
            assert!(row.own_end() > end && row.value().len() <= row.len() && bytes[row.range()].ends_with(row.value()));
            end = row.own_end();
        }
        assert_eq!((rows.offset(), end, lines.next()), (bytes.len(), bytes.len(), None));
    }
    assert_eq!(y3::dump(bytes).rows().find_map(|row| row.fault()), y3::check(bytes).err());
}

/// A dump of a few lines is the same for each prefix that has enough of the input for them, and begins as that of all of it.
fn holds_for_prefixes(bytes: &[u8], are_packets: bool) {
    let whole = y3::dump(bytes).to_string();
    for most in [1, 2, 5, 9] {
        let mut first = None;
        for prefix in (0..=bytes.len()).map(|end| &bytes[..end]) {
            let shown = y3::dump(prefix).max_lines(most).prefix_of(None).to_string();
            let (lines, _) = shown.rsplit_once('\n').unwrap_or_default();
            assert!(lines.lines().count() <= most);
            // From 10,000 bytes on the offsets of the whole are wider.
            if are_packets && bytes.len() < 10_000 {
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
    fn a_prefix_shows_the_first_lines_of_the_whole(trees in trees(12), damages in damage()) {
        let mut bytes = encode(&trees);
        holds_for_prefixes(&bytes, true);
        for damage in damages {
            damage.apply(&mut bytes);
            holds_for_prefixes(&bytes, false);
        }
    }

    #[test]
    fn packets_are_shown_once_and_read_back(trees in trees(24), damages in damage()) {
        let mut bytes = encode(&trees);
        holds(&bytes);
        for damage in damages {
            damage.apply(&mut bytes);
            holds(&bytes);
        }
    }

    #[test]
    fn any_bytes_are_shown_once_and_read_back(bytes in proptest::collection::vec(byte(), 0..96)) {
        holds(&bytes);
    }

    #[test]
    fn any_text_is_bytes_or_an_error_in_the_text(text in "[!?_=<>{}\\[\\],#\"\\\\u0-9a-f(). \n-]{0,40}") {
        shown::bytes_of(&text);
    }

    #[test]
    fn text_with_a_change_is_bytes_or_an_error_in_the_text(
        trees in trees(8),
        place in any::<prop::sample::Index>(),
        put in "[!?_=<>{}\\[\\],#\"\\\\0-9a-f()é\u{202e}]{0,2}",
    ) {
        let mut text = y3::show::text(&encode(&trees)).to_string();
        let places: Vec<_> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        let place = *place.get(&places);
        let end = text[place..].chars().next().map_or(place, |character| place + character.len_utf8());
        text.replace_range(place..end, &put);
        shown::bytes_of(&text);
    }
}
