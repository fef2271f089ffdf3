//! The dump line by line: possible values, the position of errors, opened primitives, the end of the dump.

use y3::{MAX_DEPTH, Path, path};

use testkit::hex::unhex;

fn lines(hex: &str) -> Vec<String> {
    y3::dump(&unhex(hex)).to_string().lines().map(str::to_owned).collect()
}

/// The text after the column of bytes.
fn described(hex: &str) -> String {
    lines(hex)[0][31..].to_owned()
}

#[test]
fn no_bytes_are_no_lines() {
    assert_eq!(y3::dump(&[]).to_string(), "");
}

#[test]
fn a_value_is_shown_as_all_that_it_may_be() {
    for (hex, expected) in [
        ("0100", "0x01: empty"),
        ("010100", "0x01: 1 byte = 0, false"),
        ("010101", "0x01: 1 byte = 1, true"),
        ("010105", "0x01: 1 byte = 5"),
        ("0101ff", "0x01: 1 byte = nvar -1"),
        ("01017f", "0x01: 1 byte = nvar 127, pvar -1"),
        ("01028100", "0x01: 2 bytes = nvar -32512, pvar 128"),
        ("01023e80", "0x01: 2 bytes = nvar 16000, f32 0.25"),
        ("010141", r#"0x01: 1 byte = "A", nvar 65, pvar -63, f32 8, f64 131072"#),
        ("0108404675c28f5c28f6", "0x01: 8 bytes = nvar 4631518745286420726, f64 44.92"),
        ("0102c0a8", "0x01: 2 bytes = nvar -16216, f32 -5.25, f64 -3072"),
        ("0103e28099", "0x01: 3 bytes = \"\u{2019}\", nvar -1933159"),
        ("0109ffffffffffffffffff", "0x01: 9 bytes"),
        ("010a80808080808080808005", "0x01: 10 bytes = pvar 5"),
        ("01067f8000000000", "0x01: 6 bytes = nvar 140187732541440"),
        ("0103010105", "0x01: 3 bytes = nvar 65797, packets"),
        ("01020100", "0x01: 2 bytes = nvar 256"),
    ] {
        assert_eq!(described(hex), expected, "{hex}");
    }
}

#[test]
fn kinds_padding_and_the_reserved_bit_are_named() {
    for (hex, expected) in [
        ("8100", "0x01 node: empty"),
        ("c100", "0x01 slice: empty"),
        ("4101ff", "0x01: 1 byte, reserved bit set = nvar -1"),
        ("018001ff", "0x01: 1 byte, length padded = nvar -1"),
        ("848080808000", "0x04 node: empty, length padded"),
    ] {
        assert_eq!(described(hex), expected, "{hex}");
    }
}

#[test]
fn hostile_text_is_escaped_and_long_text_ends() {
    assert_eq!(described("01071b5b324ae280ae"), "0x01: 7 bytes = nvar 7700095934038190");
    assert_eq!(described("0104e280ae41"), r#"0x01: 4 bytes = "\u{202e}A", nvar -494883263, pvar -62908607"#);
    assert_eq!(described("010361220a"), r#"0x01: 3 bytes = "a\"\n", nvar 6365706"#);
    let [whole, longer] = [64, 65].map(|len| {
        let bytes = [&[0x01, 0x80, len][..], &vec![0x61; usize::from(len)]].concat();
        y3::dump(&bytes).short().to_string()
    });
    assert!(whole.ends_with(&format!("= \"{}\" .. 59 bytes not shown", "a".repeat(64))), "{whole}");
    assert!(longer.ends_with(&format!("= \"{}\".. .. 60 bytes not shown", "a".repeat(64))), "{longer}");
}

#[test]
fn faults_stand_where_they_are_and_reading_goes_on_after_the_node() {
    assert_eq!(
        lines("8407 0101 05 8304 0201 ff02 0101ff".replace(' ', "").as_str()),
        [
            "   0  84 07                    0x04 node: 7 bytes",
            "   2  01 01 05                   0x01: 1 byte = 5",
            "   5  83 04                      0x03 node: 4 bytes ! packet reaches past the end of its node: 2 bytes present",
            "   7  02 01                        0x02: 1 byte ! packet reaches past the end of its node: 0 bytes present",
            "   9  ff 02                    0x3f slice: 2 bytes",
            "  11  01 01                      0x01: 1 byte ! packet reaches past the end of its node: 0 bytes present",
            "  13  ff                       0x3f slice ! input ends inside the packet: not read",
        ]
    );
    // An unreadable length hides the rest of its node and nothing else.
    assert_eq!(
        lines("8405027f0101050101ff"),
        [
            "   0  84 05                    0x04 node: 5 bytes",
            "   2  02 7f 01 01 05             0x02 ! negative length: not read",
            "   7  01 01 ff                 0x01: 1 byte = nvar -1",
        ]
    );
    assert_eq!(
        lines("8403018880020000"),
        [
            "   0  84 03                    0x04 node: 3 bytes",
            "   2  01 88 80                   0x01 ! packet reaches past the end of its node: not read",
            "   5  02 00                    0x02: empty",
            "   7  00                       0x00 ! input ends inside the packet: not read",
        ]
    );
    assert_eq!(
        lines("01888080800001"),
        ["   0  01 88 80 80 80 00 01     0x01 ! length field longer than 5 bytes, or length above 2^31-1: not read"]
    );
    // The top-level packet is cut off, and so is every packet around the cut.
    assert_eq!(
        lines("810890061104423e"),
        [
            "   0  81 08                    0x01 node: 8 bytes ! input ends inside the packet: 6 bytes present",
            "   2  90 06                      0x10 node: 6 bytes ! input ends inside the packet: 4 bytes present",
            "   4  11 04 42 3e                  0x11: 4 bytes ! input ends inside the packet: 2 bytes present",
        ]
    );
}

#[test]
fn a_cut_node_whose_packet_is_too_long_for_it_is_an_overrun() {
    let lines = lines("810401060102");
    assert!(lines[0].ends_with("0x01 node: 4 bytes"), "{lines:?}");
    assert!(
        lines[1].ends_with("0x01: 6 bytes ! packet reaches past the end of its node: 2 bytes present"),
        "{lines:?}"
    );
    let lines = self::lines("81050106");
    assert!(lines[0].ends_with("! input ends inside the packet: 2 bytes present"), "{lines:?}");
    assert!(lines[1].ends_with("! packet reaches past the end of its node: 0 bytes present"), "{lines:?}");
}

/// This many nested nodes.
fn nested(nodes: usize) -> Vec<u8> {
    (0..nodes).fold(vec![], |inside, _| testkit::oracle::packed(0x81, &inside))
}

#[test]
fn sixty_four_levels_are_entered_and_no_more() {
    let shown = y3::dump(&nested(MAX_DEPTH)).to_string();
    assert!(!shown.contains('!'), "{shown}");
    let bytes = [&nested(MAX_DEPTH + 3)[..], &[0x02, 0x00]].concat();
    let shown = y3::dump(&bytes).to_string();
    let marked: Vec<_> = shown.lines().filter(|line| line.contains(" ! ")).collect();
    assert_eq!(marked.len(), 1, "{shown}");
    assert!(marked[0].contains("81 04 81 02 81 00"), "{shown}");
    assert!(marked[0].ends_with("0x01 node ! node nested deeper than the limit: not read"), "{shown}");
    assert!(shown.ends_with("0x02: empty"), "{shown}");
}

#[test]
fn embedded_packets_count_as_levels_and_are_not_entered_below_sixty_four() {
    let path = [Path::new(&[1; 8]).unwrap()];
    let nested =
        |levels: usize| (0..levels).fold(vec![0x02, 0x01, 0xff], |inside, _| testkit::oracle::packed(0x01, &inside));
    for levels in [MAX_DEPTH, MAX_DEPTH + 1] {
        let shown = y3::dump(&nested(levels)).open_all().to_string();
        assert_eq!(shown.matches("embedded").count(), MAX_DEPTH, "{shown}");
        assert!(!shown.contains('!'), "{shown}");
    }
    let shown = y3::dump(&nested(9)).open(&path).to_string();
    assert_eq!(shown.matches("embedded").count(), 0, "no path leads through a closed primitive\n{shown}");
    let path = [["01"; 8].join(":").parse().unwrap()];
    let shown = y3::dump(&nested(9)).open(&path).to_string();
    assert_eq!(shown.matches("embedded").count(), 8, "{shown}");
    // A node is not opened as a primitive, nor a primitive as a node.
    for (bytes, path, count) in
        [("810402020500", "01/02", 1), ("810402020500", "01:02", 0), ("010402020500", "01/02", 0)]
    {
        let paths = [path.parse().unwrap()];
        assert_eq!(y3::dump(&unhex(bytes)).open(&paths).to_string().matches("0x02 embedded").count(), count, "{path}");
    }
}

#[test]
fn embedded_packets_are_shown_at_their_path_only_with_their_faults() {
    // The node 01 with the primitive 02, whose embedded packet is cut off; then the primitive 02 on its own.
    let bytes = unhex("8105020311050702031101ff");
    let shown = y3::dump(&bytes).open(&[path!(0x01, 0x02)]).to_string();
    let expected = [
        "   0  81 05                    0x01 node: 5 bytes",
        "   2  02 03                      0x02 embedded: 3 bytes",
        "   4  11 05 07                     0x11: 5 bytes ! input ends inside the packet: 1 byte present",
        "   7  02 03 11 01 ff           0x02: 3 bytes = nvar 1114623, packets",
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    let shown = y3::dump(&bytes).open_all().to_string();
    assert!(shown.contains("0x02: 3 bytes") && shown.contains("0x02 embedded: 3 bytes"), "{shown}");
}

#[test]
fn bounds_leave_out_what_they_say() {
    let bytes = [&[0x01, 0x80, 0x64][..], &[0xee; 100], &[0x02, 0x01, 0x05]].concat();
    let dump = y3::dump(&bytes);
    assert_eq!(dump.to_string().lines().count(), 14);
    assert_eq!(
        dump.short().to_string().lines().collect::<Vec<_>>(),
        [
            "   0  01 80 64 ee ee ee ee ee  0x01: 100 bytes .. 95 bytes not shown",
            " 103  02 01 05                 0x02: 1 byte = 5",
        ]
    );
    assert_eq!(
        dump.max_value(6).to_string().lines().collect::<Vec<_>>(),
        [
            "   0  01 80 64 ee ee ee ee ee  0x01: 100 bytes .. 94 bytes not shown",
            "   8  ee",
            " 103  02 01 05                 0x02: 1 byte = 5",
        ]
    );
    assert_eq!(
        dump.max_lines(2).to_string().lines().collect::<Vec<_>>(),
        [
            "   0  01 80 64 ee ee ee ee ee  0x01: 100 bytes",
            "   8  ee ee ee ee ee ee ee ee",
            "  16  .. 90 bytes not shown",
        ]
    );
    assert_eq!(dump.max_lines(14).to_string(), dump.to_string());
    assert_eq!(dump.max_lines(0).to_string(), "   0  .. 106 bytes not shown");
    let faulty = y3::dump(&[0x01, 0x40, 0x05]).max_value(0).to_string();
    assert_eq!(faulty, "   0                           0x01 ! negative length: not read .. 3 bytes not shown");
}

#[test]
fn offsets_stay_in_their_column_up_to_the_last() {
    // A value of 9,995 bytes, so that the next packet begins at the last offset with four digits.
    let bytes = [&[0x01, 0x80, 0xce, 0x0b][..], &[0; 9995], &[0x02, 0x00]].concat();
    let shown = y3::dump(&bytes).short().to_string();
    assert_eq!(
        shown.lines().collect::<Vec<_>>(),
        [
            "    0  01 80 ce 0b 00 00 00 00  0x01: 9995 bytes .. 9991 bytes not shown",
            " 9999  02 00                    0x02: empty",
        ]
    );
}

#[test]
fn a_packet_shows_its_bytes_once_for_debugging() {
    let packet = y3::Packet::from_slice(&[0x11, 0x02, 0xab, 0xcd]).unwrap();
    let shown = format!("{packet:?}");
    assert_eq!(shown, "Packet { tag: Tag(0x11: primitive 0x11), offset: 0, bytes: [11, 02, ab, cd] }");
}

#[test]
fn a_long_value_of_a_prefix_does_not_say_what_it_may_be() {
    let packet = |len: usize| [&unhex("01848000")[..], &vec![b'a'; len]].concat();
    let short = |bytes: &[u8]| y3::dump(bytes).short().prefix_of(Some(1 << 16 | 4)).to_string();
    assert_eq!(short(&packet(10)), "    0  .. 65540 bytes not shown");
    let whole = y3::dump(&packet(1 << 16)).short().to_string();
    assert_eq!(short(&packet(1 << 16)), format!("{whole}\n65540  .. 0 bytes not shown"));
    let packet = |len: usize| [&unhex("01848001")[..], &vec![b'a'; len]].concat();
    for len in [3, 10, 1 << 16, (1 << 16) + 1] {
        let shown = y3::dump(&packet(len)).short().max_lines(1).prefix_of(None).to_string();
        let hidden = "   0  01 84 80 01 61 61 61 61  0x01: 65537 bytes .. 65533 bytes not shown\n";
        assert!(len == 3 || shown.starts_with(hidden), "{len}: {shown}");
    }
    // A line is shown once it is full, or if a limit ends it.
    for (len, most, last) in [(11, usize::MAX, 0), (12, usize::MAX, 8), (19, usize::MAX, 8), (12, 11, 8), (19, 11, 8)] {
        let bytes = packet(len);
        let shown = y3::dump(&bytes).max_value(most).prefix_of(None).to_string();
        let lines: Vec<_> = shown.lines().map(|line| line.trim_start().split(' ').next().unwrap()).collect();
        assert_eq!(lines[lines.len() - 2], last.to_string(), "{len} {most}: {shown}");
    }
}

#[test]
fn a_long_packet_of_a_prefix_that_is_too_long_for_its_node_is_shown() {
    let bytes = [&[0x81, 0x10, 0x02, 0x84, 0x80, 0x01][..], &[0xff; 8]].concat();
    let shown = y3::dump(&bytes).prefix_of(Some(18)).to_string();
    assert!(shown.contains("0x02: 65537 bytes ! packet reaches past the end of its node\n"), "{shown}");
}

#[test]
fn a_text_that_looks_like_a_fault_is_none() {
    let bytes = [&[0x13, 0x14][..], b"ok ! packet reaches "].concat();
    let row = y3::dump(&bytes).rows().next().unwrap();
    assert!(row.fault().is_none() && row.fault_summary().is_none());
    assert_eq!((row.is_read(), row.len(), row.inside()), (true, 20, y3::show::Inside::Value));
}

#[test]
fn a_row_without_a_readable_header_says_so() {
    let is_read = |bytes: &[u8]| y3::dump(bytes).rows().map(|row| row.is_read()).collect::<Vec<_>>();
    assert_eq!(is_read(&[0x02, 0x00, 0x01, 0x41]), [true, false]);
}
