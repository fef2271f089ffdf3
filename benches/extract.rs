//! Extract: reads one watched value of a packet, in the four scenarios of the report, and in nested nodes, long values
//! and packets without the key. Also reads the watched values of many packets, one by one or in batches.

use std::hint::black_box;
use std::iter::{from_fn, repeat_with};

use kit::bench::{Cases, Throughput, batches, extract, main as bench, report, standard};
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Miss, Nested, Values100, Values1024, Watched};
use kit::{Sum, hand, readers};
use y3::parser::{Parser, packet};
use y3::{ErrorKind, Packet, keys, packets};

/// The number of packets in a batch. The packets are adjacent, and each has 16 pairs. The 8th pair is watched.
const BATCH: usize = 1000;
const KEY: u8 = C16K08::PATH[1];

/// Packets read with the nom parser.
fn nom(mut rest: &[u8]) -> impl Iterator<Item = Packet<'_>> {
    from_fn(move || {
        let (after, packet) = packet::<ErrorKind>().parse(rest).ok()?;
        rest = after;
        Some(packet)
    })
}

/// Adjacent packets, read by hand and by the crate.
fn batch(cases: &mut impl Cases) {
    let next = Regime::Rotating.feed(&readers::messages::<C16K08>(Regime::Rotating));
    let batch: Vec<u8> = repeat_with(next).take(BATCH).flatten().copied().collect();
    macro_rules! group {
        ($group:literal: $($name:literal: |$bytes:ident| $values:expr;)*) => {{
            cases.group(concat!("batch/rotating/", $group), Throughput::Bytes(batch.len() as u64));
            let sums = [$({
                let $bytes = &*batch;
                $values.collect::<Sum>()
            }),*];
            assert!(sums.iter().all(|sum| sum.values == BATCH && *sum == sums[0]), "{sums:?}");
            $(cases.case($name, &sums[0], || {
                let $bytes = black_box(&*batch);
                $values.collect::<Sum>()
            });)*
        }};
    }
    // Reads the headers of the packets, without their children.
    group! { "frames":
        "hand": |bytes| hand::packets(bytes).map(|(_, value)| value);
        "y3 packets": |bytes| packets(bytes).map(|packet| packet.unwrap().value());
        "y3 keys": |bytes| packets(bytes).watch(keys![0]).map(|packet| packet.unwrap().value());
        "y3 nom": |bytes| nom(bytes).map(|packet| packet.value());
    }
    // Reads the first watched value of each packet, and skips the rest.
    group! { "first-hit":
        "hand": |bytes| hand::packets(bytes).filter_map(|(_, value)| hand::find(value, &[KEY]).unwrap());
        "y3 packets": |bytes| packets(bytes).filter_map(|root| Some(root.unwrap().find(KEY).unwrap()?.value()));
        "y3 keys": |bytes| packets(bytes).watch(keys![0]).filter_map(|root| {
            Some(root.unwrap().children().watch(keys![KEY]).next()?.unwrap().value())
        });
        "y3 nom": |bytes| nom(bytes).filter_map(|root| Some(nom(root.value()).find(|packet| packet.key() == KEY)?.value()));
    }
    // Reads every watched value. A key may be repeated, so each packet is read to its end.
    group! { "every-hit":
        "hand": |bytes| hand::packets(bytes)
            .flat_map(|(_, value)| hand::packets(value))
            .filter_map(|(tag, value)| (tag & 0x3f == KEY).then_some(value));
        "y3 watch": |bytes| C16K08::SET.watch(bytes).map(|hit| hit.unwrap().value());
    }
}

fn main() {
    bench(standard(), |cases| {
        report::<C63K32>(cases, Regime::Rotating);
        report::<C32K16>(cases, Regime::Rotating);
        report::<C16K08>(cases, Regime::Rotating);
        report::<C03K02>(cases, Regime::Rotating);
        extract::<Nested>(cases, "shapes", Regime::Rotating);
        extract::<Values100>(cases, "shapes", Regime::Rotating);
        extract::<Values1024>(cases, "shapes", Regime::Rotating);
        extract::<Miss>(cases, "shapes", Regime::Rotating);
        batches::<Values100>(cases);
        batches::<Values1024>(cases);
        batches::<Nested>(cases);
        batch(cases);
    });
}
