//! `tshark` runs the Wireshark dissector in `docs/wireshark` on capture files with the recording, damaged packets and
//! random bytes. The tests panic where the dissector and the crate disagree. Without tshark they print
//! `skipped: no tshark`; with `Y3_TSHARK=required` that is a failure.
#![cfg(all(feature = "std", not(miri)))]

mod capture;
mod names;

use y3::iter::Walk;
use y3::{Decode, ErrorKind, PVarInt, Packet};

use capture::Capture;
use testkit::corpus::{self, Numbers, mutated};
use testkit::hex::unhex;
use testkit::oracle::packed;
use testkit::vectors;

const RECORDING: &[u8] = include_bytes!("../data/noise.y3");
const README: &str = include_str!("../../docs/wireshark/README.md");
/// The faulty packet of SPEC.md, section 8.
const FAULTY: [u8; 11] = [0x84, 0x07, 0x01, 0x01, 0x05, 0x83, 0x04, 0x02, 0x01, 0xff, 0x02];

const UDP: &str = "y3.udp_ports:6142";
const TCP: &str = "y3.tcp_ports:6142";

/// The path, tag and length of a packet as the dissector shows them.
type Shown = (String, String, String);

fn shown(path: &str, packet: Packet<'_>) -> Shown {
    (path.into(), format!("0x{:02x}", packet.tag().get()), packet.value().len().to_string())
}

/// Collects the packets that [`Walk`] yields before the first error, including those in an opened payload.
fn walked(mut walk: Walk<'_>, prefix: &str, opened: &str, all: &mut Vec<Shown>) {
    let mut keys = Vec::new();
    while let Some(Ok(packet)) = walk.next() {
        keys.truncate(walk.depth());
        keys.push(format!("{:02x}", packet.key().get()));
        let path = format!("{prefix}{}", keys.join("/"));
        all.push(shown(&path, packet));
        if path == opened {
            walked(Walk::new(packet.embedded()), &format!("{path}:"), opened, all);
        }
    }
}

fn rows(cells: &[Vec<String>]) -> Vec<Shown> {
    let [paths, tags, lengths, ..] = cells else { panic!("{cells:?}") };
    assert!(paths.len() >= lengths.len() && paths.len() == tags.len(), "{cells:?}");
    // A packet whose header is cut off has no length. In these tests it is the last of its frame, or none follows.
    let lengths = lengths.iter().map(String::as_str).chain(std::iter::repeat(""));
    paths
        .iter()
        .zip(tags)
        .zip(lengths)
        .map(|((path, tag), length)| (path.clone(), tag.clone(), length.into()))
        .collect()
}

#[test]
fn every_packet_of_a_recording_is_shown_wherever_segments_are_cut() {
    let Some(mut capture) = Capture::open() else { return };
    let (mut numbers, mut rest) = (Numbers(7), RECORDING);
    while !rest.is_empty() {
        // Most segments are as long as Ethernet allows and hold some thirty frames; some are short and cut headers.
        let most = if numbers.below(3) == 0 { 1460 } else { 60 };
        let (segment, after) = rest.split_at(rest.len().min(1 + numbers.below(most)));
        capture.segment(segment);
        rest = after;
    }
    let mut expected = Vec::new();
    walked(y3::walk(RECORDING), "", "3f/02", &mut expected);
    let fields = ["y3.path", "y3.tag", "y3.length", "y3.fault", "yomo.frame", "y3.f32", "yomo.tag"];
    let frames = capture.fields(&fields, &["yomo.tcp_ports:6142"]);
    let found: Vec<Shown> = frames.iter().flat_map(|cells| rows(cells)).collect();
    assert!(found == expected, "{} packets instead of {}", found.len(), expected.len());
    assert!(frames.iter().all(|cells| cells[3].is_empty()));
    let names: Vec<&String> = frames.iter().flat_map(|cells| &cells[4]).collect();
    assert_eq!(names.len(), 2003);
    assert_eq!(
        [names[0], names[1], names[2], names[2002]],
        ["HandshakeFrame", "HandshakeAckFrame", "DataFrame", "GoawayFrame"]
    );
    // Numbers that a filter can use.
    assert!(frames.iter().any(|cells| cells[5].iter().any(|reading| reading == "45.12")));
    let tags: Vec<&String> = frames.iter().flat_map(|cells| &cells[6]).collect();
    assert_eq!(tags.len(), 2000);
    assert!(tags.iter().all(|tag| ["0x00000033", "0x00000034"].contains(&tag.as_str())), "{:?}", tags[0]);
}

/// Datagrams with every kind of error: seeds of a fuzz target, cut at each byte, changed, or nested too deeply.
fn hostile() -> Vec<Vec<u8>> {
    let (seeds, mut numbers) = (corpus::seeds("parse"), Numbers(15));
    let mut all: Vec<_> = seeds.iter().flat_map(|(_, seed)| (1..=seed.len()).map(|len| seed[..len].to_vec())).collect();
    all.extend((0..1000).map(|turn| {
        let other = &seeds[numbers.below(seeds.len())].1;
        mutated(&seeds[turn % seeds.len()].1, other, &mut numbers)
    }));
    all.extend([63, 64, 65, 150, 1000].map(|nodes| (0..nodes).fold(vec![0x01, 0x00], |inner, _| packed(0x81, &inner))));
    all.retain(|input| !input.is_empty());
    all
}

fn name(kind: ErrorKind) -> String {
    format!("{kind:?}")
}

#[test]
fn the_first_fault_of_a_datagram_is_that_of_check_and_what_is_before_it_is_shown() {
    let Some(mut capture) = Capture::open() else { return };
    let inputs = hostile();
    for input in &inputs {
        capture.datagram(input);
    }
    let fields = ["y3.path", "y3.tag", "y3.length", "y3.fault", "y3.fault.offset", "_ws.expert.message"];
    let frames = capture.fields(&fields, &[UDP]);
    assert_eq!(frames.len(), inputs.len());
    let mut faults = 0;
    for (input, cells) in inputs.iter().zip(&frames) {
        let expected = y3::check(input).err().map(|error| (name(error.kind()), error.offset().to_string()));
        let found = cells[3].first().cloned().zip(cells[4].first().cloned());
        assert_eq!(found, expected, "{input:02x?}: {cells:?}");
        // The expert information names the error too.
        let marked = |(kind, _): &(String, String)| cells[5].iter().any(|text| text.starts_with(&format!("{kind}: ")));
        assert!(expected.as_ref().is_none_or(marked), "{input:02x?}: {cells:?}");
        let mut packets = Vec::new();
        walked(y3::walk(input), "", "", &mut packets);
        let shown = rows(cells);
        assert_eq!(shown.get(..packets.len()), Some(&*packets), "{input:02x?}: {cells:?}");
        faults += usize::from(expected.is_some());
    }
    assert!(faults * 2 > inputs.len() && faults < inputs.len(), "{faults} of {}", inputs.len());
}

/// The same inputs with opened payloads, as exported PDUs and as one TCP connection. There must be no Lua error and no
/// endless loop.
#[test]
fn no_input_breaks_the_dissector() {
    let inputs = hostile();
    let Some(mut udp) = Capture::open() else { return };
    let (mut tcp, mut exported) = (Capture::new(), Capture::exported());
    let mut numbers = Numbers(3);
    for input in &inputs {
        udp.datagram(input);
        tcp.segment(input);
        exported.export(if numbers.below(2) == 0 { "y3" } else { "yomo" }, input);
        // The input as the payload of a DataFrame, and a payload inside a payload.
        udp.datagram(&packed(0xbf, &packed(0x02, input)));
    }
    for preferences in [[UDP, "y3.payloads:*"], ["yomo.udp_ports:6142", "yomo.payloads:3f/02 3f/02:01/10 * 00"]] {
        let frames = udp.fields(&["y3.path", "y3.fault"], &preferences);
        assert_eq!(frames.len(), 2 * inputs.len());
        assert!(frames.iter().flat_map(|cells| &cells[0]).any(|path| path.contains(':')));
    }
    // With a names file whose types continue for the keys that hostile packets have.
    let names = udp.fields(&["y3.name"], &[UDP, &names::endless()]);
    assert!(names.iter().flat_map(|cells| &cells[0]).any(|name| name.ends_with(".b.b.b.b.b.b")));
    assert_eq!(tcp.fields(&["y3.path"], &[TCP, "y3.payloads:*"]).len(), inputs.len());
    // Exported PDUs name their dissector, so they need no port.
    let frames = exported.fields(&["y3.tag", "y3.fault"], &[]);
    assert_eq!(frames.len(), inputs.len());
    assert!(frames.iter().all(|cells| !cells[0].is_empty() || !cells[1].is_empty()));
}

#[test]
fn a_fault_in_embedded_packets_ends_these_only() {
    let Some(mut capture) = Capture::open() else { return };
    capture.datagram(&unhex("bf0902020105010107030083004100"));
    let frames = capture.fields(&["y3.path", "y3.fault", "y3.fault.offset"], &["yomo.udp_ports:6142"]);
    assert_eq!(frames[0][0], ["3f", "3f/02", "3f/02:01", "3f/01", "3f/03", "03", "01"]);
    assert_eq!((&*frames[0][1], &*frames[0][2]), (&["UnexpectedEnd".into()][..], &["4".into()][..]));
}

#[test]
fn payloads_are_opened_by_path_or_if_they_are_packets_and_not_otherwise() {
    let Some(mut capture) = Capture::open() else { return };
    // 81 > 02 > (81 > 02 > 01); 03 holds no packets, 04 is empty.
    capture.datagram(&unhex("810f020781050203010107030201400400"));
    let paths = |preference: &str| {
        let preference = format!("y3.payloads:{preference}");
        let frames = capture.fields(&["y3.path", "_ws.expert.message"], &[UDP, &preference]);
        (frames[0][0].clone(), frames[0][1].clone())
    };
    assert_eq!(paths("").0, ["01", "01/02", "01/03", "01/04"]);
    let once = ["01", "01/02", "01/02:01", "01/02:01/02", "01/03", "01/04"];
    assert_eq!(paths("01/02").0, once);
    assert_eq!(paths("0x1/0x2,5").0, once);
    let twice = ["01", "01/02", "01/02:01", "01/02:01/02", "01/02:01/02:01", "01/03", "01/04"];
    assert_eq!(paths("*").0, twice);
    assert_eq!(paths("1/2:1/2;1/2").0, twice);
    // A path that the user names is opened even with an error, and the error is shown.
    assert_eq!(paths("1/3").1, ["NegativeLength: the length has the sign bit set"]);
    for wrong in ["40", "1//2", "/1", "1/", "x", "1/2:", "1/002", "ä"] {
        let (shown, messages) = paths(wrong);
        assert_eq!(shown, ["01", "01/02", "01/03", "01/04"], "{wrong}");
        assert_eq!(messages, [format!("Not a path: {wrong}")]);
    }
}

#[test]
fn guesses_are_what_the_crate_decodes() {
    let packets: Vec<_> = vectors::malformed().values.iter().map(|value| packed(0x01, &value.hex.0)).collect();
    let Some(mut capture) = Capture::open() else { return };
    for packet in &packets {
        capture.datagram(packet);
    }
    let frames = capture.fields(&["y3.nvar", "y3.pvar", "y3.f32", "y3.f64", "y3.bool"], &[UDP]);
    let (mut pvars, mut floats) = (0, 0);
    for (packet, cells) in packets.iter().zip(&frames) {
        let packet = Packet::from_slice(packet).unwrap();
        let number = |cell: &[String]| cell.first().map(|text| text.parse::<i64>().unwrap());
        assert_eq!(number(&cells[0]), decoded(packet), "{packet:?}");
        assert_eq!(number(&cells[1]), decoded(packet).map(|PVarInt(number)| number), "{packet:?}");
        assert!(is_close(&cells[2], decoded::<f32>(packet).map(f64::from), 1e-5), "{packet:?}: {cells:?}");
        assert!(is_close(&cells[3], decoded::<f64>(packet), 1e-13), "{packet:?}: {cells:?}");
        let bool = decoded(packet).filter(|_| packet.value().len() == 1);
        let shown = cells[4].first().map(|text| text == "1" || text == "True");
        assert_eq!(shown, bool, "{packet:?}: {cells:?}");
        pvars += cells[1].len();
        floats += cells[3].len();
    }
    assert!(pvars > 100 && floats > 200, "{pvars} {floats}");
}

fn decoded<'a, T: Decode<'a>>(packet: Packet<'a>) -> Option<T> {
    packet.decode().ok()
}

/// Compares a number as Wireshark prints it with the number itself.
fn is_close(shown: &[String], number: Option<f64>, relative: f64) -> bool {
    match (shown.first().map(|text| text.parse::<f64>().unwrap()), number) {
        (Some(shown), Some(number)) => {
            shown.total_cmp(&number).is_eq()
                || shown.is_nan() && number.is_nan()
                || (shown / number - 1.0).abs() < relative
        }
        (None, None) => true,
        _ => false,
    }
}

#[test]
fn hidden_characters_in_texts_are_escaped() {
    let texts = [
        ("plain \u{e4}\u{4e2d}\u{1f600}", "plain \u{e4}\u{4e2d}\u{1f600}"),
        ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("line\r\nfeed\ttab\0", "line\\u{d}\\u{a}feed\\u{9}tab\\u{0}"),
        ("\u{202e}gnp.exe\u{2066}\u{200f}\u{feff}", "\\u{202e}gnp.exe\\u{2066}\\u{200f}\\u{feff}"),
        ("\u{85}\u{7f}\u{9b}1m\u{61c}\u{e0041}", "\\u{85}\\u{7f}\\u{9b}1m\\u{61c}\\u{e0041}"),
    ];
    let Some(mut capture) = Capture::open() else { return };
    for (text, _) in texts {
        capture.datagram(&packed(0x01, text.as_bytes()));
    }
    // Not UTF-8: overlong, a surrogate, above the last character, cut off.
    for bytes in ["c080", "e08080", "eda080", "f4908080", "f5808080", "e282", "80", "ff", "41c3"] {
        capture.datagram(&packed(0x01, &unhex(bytes)));
    }
    // Longer than the dissector shows.
    capture.datagram(&packed(0x01, "\u{e4}".repeat(150).as_bytes()));
    let frames = capture.fields(&["y3.text"], &[UDP]);
    for ((text, escaped), cells) in texts.iter().zip(&frames) {
        assert_eq!(cells[0], [*escaped], "{text:?}");
    }
    assert!(frames[texts.len()..frames.len() - 1].iter().all(|cells| cells[0].is_empty()));
    assert_eq!(frames[frames.len() - 1][0], [format!("{}...", "\u{e4}".repeat(128))]);
}

#[test]
fn a_frame_of_many_packets_has_a_bounded_tree() {
    let Some(mut udp) = Capture::open() else { return };
    let mut tcp = Capture::new();
    let flat = [0x01, 0x00].repeat(30_000);
    udp.datagram(&flat);
    // Payloads that look like packets; the dissector checks each before it opens it.
    udp.datagram(&[0x01, 0x3e].into_iter().chain([0x01, 0x00].repeat(31)).collect::<Vec<_>>().repeat(900));
    // A node of 4 MB across segments.
    let node = packed(0x81, &[0x01, 0x00].repeat(2_000_000));
    assert_eq!(y3::check(&node), Ok(()));
    node.chunks(60_000).for_each(|segment| tcp.segment(segment));
    tcp.segment(&[0x02, 0x00]);
    let started = std::time::Instant::now();
    let fields = ["y3.path", "_ws.expert.message"];
    let all = "More packets than the preference max_packets allows; the rest is not read";
    for (frames, most) in
        [(udp.fields(&fields, &[UDP, "y3.payloads:*"]), 1000), (udp.fields(&fields, &[UDP, "y3.max_packets:7"]), 7)]
    {
        assert_eq!(frames.iter().map(|cells| cells[0].len()).collect::<Vec<_>>(), [most; 2]);
        assert!(frames.iter().all(|cells| cells[1].contains(&all.into())), "{:?}", frames[0][1]);
    }
    let frames = tcp.fields(&fields, &[TCP]);
    assert_eq!(frames.iter().map(|cells| cells[0].len()).sum::<usize>(), 1001);
    assert_eq!(frames[frames.len() - 1][0], ["02"]);
    assert!(started.elapsed().as_secs() < 300, "{:?}", started.elapsed());
}

#[test]
fn what_a_capture_lacks_is_no_fault_of_the_packet() {
    let packet = unhex("810a01010702051122334455");
    let fields = ["y3.path", "y3.fault", "_ws.expert.message"];
    let Some(mut capture) = Capture::open() else { return };
    (1..packet.len()).for_each(|kept| capture.short_datagram(&packet, kept));
    // Cut by the capture, and also too short.
    capture.short_datagram(&packet[..8], 5);
    let frames = capture.fields(&fields, &[UDP]);
    for (kept, cells) in (1..packet.len()).zip(&frames) {
        assert!(cells[1].is_empty(), "{kept}: {cells:?}");
        assert!(cells[2].contains(&"The capture lacks bytes of this packet".into()), "{kept}: {cells:?}");
    }
    assert_eq!(frames[packet.len() - 1][1], ["UnexpectedEnd"]);

    // A segment that needs the next one, while Wireshark does not reassemble.
    let mut capture = Capture::new();
    capture.segment(&packet[..5]);
    let frames = capture.fields(&fields, &[TCP, "tcp.desegment_tcp_streams:FALSE"]);
    assert_eq!((&*frames[0][0], frames[0][1].len()), (&["01".into(), "01/01".into()][..], 0));
    assert_eq!(frames[0][2], ["This packet continues in another segment, but reassembly is off"]);
}

#[test]
fn a_hostile_length_does_not_swallow_a_connection() {
    let Some(mut capture) = Capture::open() else { return };
    capture.segment(&unhex("0101070787ffffff7f00"));
    capture.segment(&unhex("0201070787ffffff7f00"));
    let fields = ["y3.path", "y3.fault", "_ws.expert.message"];
    let frames = capture.fields(&fields, &[TCP]);
    let too_large = "This packet is larger than the preference max_reassembled allows";
    assert_eq!([&*frames[0][0], &*frames[1][0]], [["01", "07"], ["02", "07"]]);
    assert!(frames[..2].iter().all(|cells| cells[1].is_empty() && cells[2] == [too_large]), "{frames:?}");
    // The same limit from a preference: one byte less than the packet, then exactly the packet.
    let packet = [&[0x01, 0x80, 0x64][..], &[0; 100]].concat();
    let mut capture = Capture::new();
    packet.chunks(60).for_each(|segment| capture.segment(segment));
    let paths = |limit: &str| {
        capture.fields(&["y3.length", "_ws.expert.message"], &[TCP, &format!("y3.max_reassembled:{limit}")])
    };
    assert_eq!(paths("103")[1], [vec!["100".to_string()], vec![]]);
    assert_eq!(paths("102")[0], [["100"], [too_large]]);
}

#[test]
fn the_tree_in_the_readme_is_real() {
    let Some(mut capture) = Capture::open() else { return };
    capture.datagram(&FAULTY);
    let tree = capture.tree("Y3", &[UDP]);
    assert!(README.contains(&tree), "{tree}");
}
