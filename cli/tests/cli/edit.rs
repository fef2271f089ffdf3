//! `y3 edit` and `y3 encode`: what they write.

use y3::{Paths, edit};

use crate::process::{hex, unhex, y3};
use crate::{FAULTY, NOISE, RECORDING};

#[test]
fn keep_and_remove_write_what_the_library_writes() {
    let paths: Paths = ["3f/01", "31/02"].iter().map(|path| path.parse().unwrap()).collect();
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    edit::project(RECORDING, &paths, &mut kept).unwrap();
    edit::remove(RECORDING, &paths, &mut rest).unwrap();
    let run = y3(&["edit", "--keep", "3f/01", "--keep", "31/02", NOISE], b"");
    assert!(run.code == 0 && run.bytes == kept, "{}", run.errors);
    let run = y3(&["edit", "--remove", "3f/01", "--remove", "31/02", NOISE], b"");
    assert!(run.code == 0 && run.bytes == rest, "{}", run.errors);
    // In text of several pieces, which reads back.
    for encoding in ["hex", "base64"] {
        let run = y3(&["edit", "--remove", "3f/01", "--remove", "31/02", "--to", encoding, NOISE], b"");
        let back = y3(&["edit", "--keep", "*", "--from", encoding], &run.bytes);
        assert!(back.code == 0 && back.bytes == rest, "{encoding}: {}", back.errors);
    }
}

#[test]
fn set_replaces_the_first_packet_of_each_outermost_one() {
    let edited = |set: &[&str]| {
        let bytes = unhex("81060201050201068103020107");
        let sets: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        let run = y3(&[&["edit", "--to", "hex"][..], &sets].concat(), &bytes);
        (run.code, run.text().replace('\n', ""))
    };
    let is = |text: &str| (0, text.to_string());
    assert_eq!(edited(&["01/02=i32(300)"]), is("81070202012c020106810402 02012c".replace(' ', "").as_str()));
    assert_eq!(edited(&["0x1/2=\"a\\nb\""]), is("810802 03610a62020106810502 03610a62".replace(' ', "").as_str()));
    assert_eq!(edited(&["1/2{03=00}"]), is("810882030301000201068105820303 0100".replace(' ', "").as_str()));
    assert_eq!(edited(&["1/2=", "1/2=ff"]), is("81060201ff02010681030201ff"));
    // No such packet: the input as it was, and the code of nothing found.
    assert_eq!(edited(&["1/3=00"]), (1, "81060201050201068103020107".into()));
}

/// Paths lead into payloads: the lengths around a change are written anew there too.
#[test]
fn packets_inside_payloads_are_kept_removed_and_set() {
    let senders: Paths = ["3f/02:01/10/13".parse().unwrap()].into_iter().collect();
    let mut rest = Vec::new();
    edit::remove(RECORDING, &senders, &mut rest).unwrap();
    let run = y3(&["edit", "--remove", "3f/02:01/10/13", NOISE], b"");
    assert!(run.code == 0 && run.bytes == rest && rest.len() < RECORDING.len(), "{}", run.errors);

    let run = y3(&["edit", "--keep", "3f/02:01/10/11", NOISE], b"");
    let readings = y3(&["watch", "3f/02:01/10/11=f32", "--count"], &run.bytes);
    assert_eq!((readings.code, readings.text()), (0, "    2000  3f/02:01/10/11=f32\n"));
    assert_eq!(y3(&["watch", "3f/02:01/10/12", "3f/01"], &run.bytes).code, 1);

    let run = y3(&["edit", "--set", "3f/02:01/10/13=\"lab\"", NOISE], b"");
    assert_eq!(y3(&["check"], &run.bytes).code, 0);
    let senders = y3(&["watch", "3f/02:01/10/13=str"], &run.bytes);
    assert!(senders.lines().len() == 2000 && senders.lines().iter().all(|line| line.ends_with("  \"lab\"")));

    // Bytes on the way that are no packets are not passed on.
    let run = y3(&["edit", "--remove", "3f/02:01"], &unhex("bf0402020105"));
    assert_eq!((run.code, run.bytes.len()), (3, 0), "{}", run.errors);
    assert!(run.errors.contains("at byte 4"), "{}", run.errors);
}

#[test]
fn a_set_that_is_no_packet_is_wrong_use() {
    for set in ["1/2", "1/2=0", "1/2=00,3=00", "x/2=00", "1/40=00", "=00", "1/2=nope(1)", "1/2{", ""] {
        let run = y3(&["edit", "--set", set], b"");
        assert_eq!(run.code, 2, "{set}: {}", run.errors);
        assert!(run.errors.contains("--set"), "{}", run.errors);
    }
}

/// Removing is for secrets: what cannot be followed is not passed on.
#[test]
fn a_packet_with_a_fault_on_the_way_is_not_passed_on() {
    let bytes = [&[0x01, 0x01, 0x07][..], &FAULTY].concat();
    let run = y3(&["edit", "--remove", "04/03/02"], &bytes);
    assert_eq!((run.code, run.bytes), (3, vec![0x01, 0x01, 0x07]), "{}", run.errors);
    assert!(run.errors.contains("at byte 8: in 0x04, packet 0x03 at byte 8 declares 4 bytes"), "{}", run.errors);
    // Its outermost packets are sound as far as they are read.
    let run = y3(&["edit", "--keep", "01"], &bytes[..12]);
    assert_eq!((run.code, run.bytes), (0, vec![0x01, 0x01, 0x07]), "{}", run.errors);
}

#[test]
fn any_bytes_are_the_same_after_dump_and_encode() {
    for bytes in [RECORDING, &FAULTY, &[0x01], &[0xff; 9], &[0x41, 0x80, 0x01, 0x07]] {
        for arguments in
            [&["dump", "--text"][..], &["dump", "--text", "--open-all"], &["dump", "-t", "--open", "3f/02"]]
        {
            let text = y3(&[arguments, &["--from", "raw"]].concat(), bytes);
            let back = y3(&["encode"], &text.bytes);
            assert!(back.bytes == bytes, "{arguments:?}: {} {}", text.text(), back.errors);
        }
    }
}

#[test]
fn an_encoding_is_chosen_by_a_flag() {
    let text = b"01{11=f32(45.12)} # a comment";
    assert_eq!(y3(&["encode"], text).bytes, unhex("8106110442347ae1"));
    assert_eq!(y3(&["encode", "--to", "hex"], text).text(), "8106110442347ae1\n");
    assert_eq!(y3(&["encode", "--to", "base64"], text).text(), "gQYRBEI0euE=\n");
    assert_eq!(y3(&["encode", "--to", "raw"], text).bytes.len(), 8);
}

#[test]
fn text_that_is_wrong_writes_nothing() {
    for (text, place) in [
        ("01{", ""),
        ("01=0", ""),
        ("{\"hex\":\"0100\"}\n{\"hex\":\"01\n", "line 2: "),
        ("{\"hex\":\"0100\"}\n\n{\"tag\":1}\n", "line 3: no text \"hex\""),
        ("{\"hex\":\"010\"}", "line 1: \"hex\""),
        ("{\"hex\":7}", "line 1: "),
        ("{}", "line 1: "),
        ("\u{1b}[2J", ""),
    ] {
        let run = y3(&["encode"], text.as_bytes());
        assert_eq!((run.code, hex(&run.bytes).as_str()), (3, ""), "{text}");
        assert!(run.errors.contains(place) && !run.errors.contains('\u{1b}'), "{}", run.errors);
    }
    let run = y3(&["encode"], b"01=\xff");
    assert_eq!((run.code, run.errors.as_str()), (3, "y3: standard input: not UTF-8 at byte 3\n"));
}
