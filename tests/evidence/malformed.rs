//! Bad input: every packet of `malformed.json` and every prefix of every good packet.

use y3::parser::{Parser, header, nom, packet};
use y3::{ErrorKind, MAX_DEPTH, Packet, check, packets};

use testkit::hex::{hex, unhex};
use testkit::oracle::trees::DIALECTS;
use testkit::oracle::{self, Length, fault, read_length};
use testkit::vectors::{self, MalformedPacket};

/// Packets that `malformed.json` accepts and SPEC.md rejects: id, first bytes, rule, kind.
const STRICTER: [(&str, &str, &str, ErrorKind); 7] = [
    ("mal-0029", "01808080808001ff", "LEN-4", ErrorKind::LengthOverflow),
    ("mal-0030", "0180808080808080808001ff", "LEN-4", ErrorKind::LengthOverflow),
    ("mal-0031", "018080808080808080808001ff", "LEN-4", ErrorKind::LengthOverflow),
    ("mal-0033", "8480808080808003010105", "LEN-4", ErrorKind::LengthOverflow),
    ("mal-0105", "84812083811d82811a8181", "DEC-6", ErrorKind::DepthLimit),
    ("mal-0106", "948438938435928432918", "DEC-6", ErrorKind::DepthLimit),
    ("mal-0107", "a89718a79715a69712a597", "DEC-6", ErrorKind::DepthLimit),
];

/// The fault of the first packet; `None` also if there is no packet.
fn fault_of_first(bytes: &[u8]) -> Option<(ErrorKind, u64)> {
    match packets(bytes).next()? {
        Ok(packet) => packet.check().err(),
        Err(error) => Some(error),
    }
    .map(fault)
}

/// SPEC A.3: the kind that the text of a `fault` stands for. `in_node` says that the faulty packet is inside a node; `field`
/// is the packet from its length field on.
fn kind_of(text: &str, in_node: bool, field: &[u8]) -> ErrorKind {
    let missing = if in_node { ErrorKind::Overrun } else { ErrorKind::UnexpectedEnd };
    match text {
        "length field cut" if field.first().is_some_and(|byte| byte & 0x40 != 0) => ErrorKind::NegativeLength,
        "length field cut" if field.len() >= 5 => ErrorKind::LengthOverflow,
        "negative length" => ErrorKind::NegativeLength,
        "length above 2^31-1" => ErrorKind::LengthOverflow,
        "no length field" | "length field cut" | "value reaches beyond its parent or the input" => missing,
        _ => panic!("no such fault: {text}"),
    }
}

#[test]
fn the_packets_of_the_vectors_are_accepted_or_rejected_as_listed() {
    let cases = vectors::malformed().packets;
    let mut stricter = Vec::new();
    let (mut faultless, mut faulty) = (0, 0);
    for MalformedPacket { id, hex: bytes, fault } in &cases {
        let bytes = &bytes.0;
        let found = fault_of_first(bytes);
        assert!(found.is_none_or(|(_, offset)| offset < bytes.len() as u64), "{id}: {found:?}");
        match (fault.as_str(), found) {
            // No packet is no fault, but one is missing when one was asked for.
            ("nothing there", None) => {
                assert!(bytes.is_empty());
                assert_eq!(Packet::from_slice(bytes).map_err(oracle::fault), Err((ErrorKind::UnexpectedEnd, 0)));
                faulty += 1;
            }
            ("", None) => faultless += 1,
            ("", Some((kind, _))) => stricter.push((id.as_str(), hex(bytes), kind)),
            (_, None) => panic!("{id} is accepted: {fault}"),
            (fault, Some((kind, offset))) => {
                rejected_as_told(id, bytes, fault, kind, offset);
                faulty += 1;
            }
        }
    }
    assert_eq!(stricter.len(), STRICTER.len(), "{stricter:?}");
    for ((id, hex, kind), listed) in stricter.iter().zip(STRICTER) {
        assert_eq!((*id, *kind), (listed.0, listed.3));
        assert!(hex.starts_with(listed.1), "{id} begins with other bytes: {hex}");
    }
    assert_eq!((faultless, faulty), (107 - STRICTER.len(), 301));
}

fn rejected_as_told(id: &str, bytes: &[u8], fault: &str, kind: ErrorKind, offset: u64) {
    // The text belongs to the first packet: nothing after it changes the fault.
    let (expected, expected_offset) = oracle::check(bytes, MAX_DEPTH).unwrap_err();
    assert_eq!((kind, offset), (expected, expected_offset), "{id}: {fault}");
    // The kind again, from the text: the length field at fault is where the offset says, or after the tag that it names;
    // and it lies in a node if the top-level packet is whole.
    let at = usize::try_from(offset).unwrap();
    let of_field = matches!(kind, ErrorKind::NegativeLength | ErrorKind::LengthOverflow);
    let field = &bytes[if of_field { at } else { at + 1 }..];
    let in_node = matches!(read_length(&bytes[1..]), Length::Is { length, size }
        if 1 + size as u64 + length <= bytes.len() as u64);
    assert_eq!(kind, kind_of(fault, in_node, field), "{id}: {fault}");
    assert_eq!(in_node, offset > 1, "{id}: {fault}");
}

#[test]
fn packets_that_only_this_crate_rejects_break_the_listed_rule() {
    let cases = vectors::malformed().packets;
    for (id, _, rule, kind) in STRICTER {
        let bytes = &cases.iter().find(|case| case.id == id).unwrap().hex.0;
        let (found, offset) = fault_of_first(bytes).unwrap();
        assert_eq!(found, kind);
        if rule == "LEN-4" {
            // Five bytes of the field continue, so a sixth belongs to it.
            assert_eq!(offset, 1);
            assert!(bytes[1..6].iter().all(|byte| byte & 0x80 != 0), "{id}");
            assert_eq!(read_length(&bytes[1..]), Length::Fault(kind));
        } else {
            // Faultless but for the depth: a reader with a higher limit accepts it.
            assert_eq!(oracle::check(bytes, 1001), Ok(()), "{id}");
            assert_eq!(nodes_around(bytes, offset), MAX_DEPTH, "{id}");
        }
    }
}

/// How many nodes are around the packet at an offset.
fn nodes_around(bytes: &[u8], offset: u64) -> usize {
    let (mut level, mut depth) = (packets(bytes), 0);
    loop {
        let packet = level.next().unwrap().unwrap();
        if packet.offset() == offset {
            return depth;
        }
        if packet.offset() + packet.as_bytes().len() as u64 > offset {
            (level, depth) = (packet.children(), depth + 1);
        }
    }
}

/// Every good top-level packet of the vectors, each once.
fn good_packets() -> Vec<Vec<u8>> {
    let malformed = vectors::malformed().packets;
    let slices = vectors::slices();
    let mut inputs: Vec<Vec<u8>> = malformed
        .into_iter()
        .filter(|case| case.fault.is_empty() && STRICTER.iter().all(|(id, ..)| *id != case.id))
        .map(|case| case.hex.0)
        .chain(slices.marshal.into_iter().filter_map(|case| case.hex).map(|hex| hex.0))
        .chain(vectors::scenarios().into_iter().map(|case| case.seed_hex.0))
        .collect();
    for dialect in DIALECTS {
        inputs.extend(vectors::primitives().iter().map(|case| case.bytes(dialect).to_vec()));
        inputs.extend(vectors::nodes().iter().chain(&slices.node_slices).map(|case| case.bytes(dialect).to_vec()));
        inputs.extend(vectors::scenarios().iter().map(|case| case.bytes(dialect).to_vec()));
    }
    let mut good: Vec<_> =
        inputs.iter().map(|input| packets(input).next().unwrap().unwrap().as_bytes().to_vec()).collect();
    good.sort();
    good.dedup();
    good
}

/// All places to cut a packet of up to 4 KiB; of a longer one the first 64, the last 64, and 256 spread over it.
fn cuts(len: usize) -> Box<dyn Iterator<Item = usize>> {
    if len <= 4096 {
        Box::new(0..len)
    } else {
        Box::new((0..64).chain((0..256).map(move |n| n * len / 256)).chain(len - 64..len))
    }
}

#[test]
fn a_prefix_of_a_good_packet_is_never_a_packet() {
    let good = good_packets();
    let mut prefixes = 0;
    for bytes in &good {
        let (rest, whole) = packet::<ErrorKind>().parse(bytes).unwrap();
        assert_eq!((rest, whole.as_bytes()), (&[][..], &bytes[..]));
        let header_len = bytes.len() - whole.value().len();
        for cut in cuts(bytes.len()) {
            let prefix = &bytes[..cut];
            let missing = bytes.len() - cut;
            let needed = needed(packet::<ErrorKind>().parse(prefix).unwrap_err());
            assert!((1..=missing).contains(&needed), "{needed} of {missing} bytes missing of {}", hex(bytes));
            if cut >= header_len {
                assert_eq!(needed, missing, "{}", hex(bytes));
            } else {
                let of_header = header_len - cut;
                let needed = self::needed(header::<ErrorKind>().parse(prefix).unwrap_err());
                assert!((1..=of_header).contains(&needed), "{needed} of {of_header} bytes missing of {}", hex(bytes));
            }
            let end = (ErrorKind::UnexpectedEnd, 0);
            assert_eq!(Packet::from_slice(prefix).map_err(fault), Err(end));
            if cut > 0 {
                let mut cut_short = packets(prefix);
                assert_eq!(cut_short.next().map(|packet| packet.map_err(fault)), Some(Err(end)));
                assert_eq!(cut_short.next(), None);
                assert_eq!(check(prefix).map_err(fault), Err(end));
            }
            prefixes += 1;
        }
    }
    assert!(good.len() > 2000 && prefixes > 50_000, "only {prefixes} prefixes of {} packets", good.len());
}

/// How many bytes the parser says are missing. It always gives a number.
fn needed(stop: nom::Err<ErrorKind>) -> usize {
    match stop {
        nom::Err::Incomplete(nom::Needed::Size(bytes)) => bytes.get(),
        stop => panic!("not incomplete: {stop:?}"),
    }
}

/// A header that is cut names the least number of bytes it needs; with these it always gets further.
#[test]
fn waiting_for_the_needed_bytes_ends_at_the_header() {
    for (field, size) in [("3f", 1), ("8040", 2), ("808005", 3), ("80808005", 4), ("8080808005", 5), ("87ffffff7f", 5)]
    {
        let bytes = [vec![0x05], unhex(field)].concat();
        let (mut held, mut steps) = (0, 0);
        while let Err(stop) = header::<ErrorKind>().parse(&bytes[..held]) {
            held += needed(stop);
            steps += 1;
        }
        assert_eq!((held, steps), (1 + size, size), "{field}");
    }
}
