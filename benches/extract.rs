//! Extract: one watched value out of one packet, in the four scenarios of the report and in both buffer regimes; and out of each
//! of a batch of packets, one by one and in turns.

use std::hint::black_box;
use std::iter::repeat_with;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kit::Sum;
use kit::bench::{all_readers, standard};
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Nested, Values100, Values1024, Watched, assert_is_the_reports};

fn scenario<W: Watched>(criterion: &mut Criterion) {
    assert_is_the_reports::<W>();
    all_readers::<W>(criterion, "extract");
    batches::<W>(criterion);
}

/// The packets in a batch.
const BATCH: usize = 256;

/// Watches a batch in every way and sums up the values.
fn batches<W: Watched>(criterion: &mut Criterion) {
    for regime in Regime::BOTH {
        let pairs = readers::pairs::<W>(regime);
        let packets: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.y3).collect();
        let mut group = criterion.benchmark_group(format!("batches/{}/{}", regime.name(), W::NAME));
        group.throughput(Throughput::Elements(BATCH as u64));
        macro_rules! time {
            ($($name:literal: |$batch:ident, $sum:ident| $read:expr;)*) => {
                let sums = [$({
                    let ($batch, mut $sum) = (packets.iter().copied(), Sum::default());
                    $read;
                    $sum
                }),*];
                assert!(sums.iter().all(|sum| sum.values == packets.len() && sum == &sums[0]), "{sums:?}");
                $(group.bench_function($name, |bencher| {
                    let mut next = regime.feed(&packets);
                    bencher.iter(|| {
                        let ($batch, mut $sum) = (repeat_with(&mut next).take(BATCH), Sum::default());
                        $read;
                        black_box($sum)
                    });
                });)*
            };
        }
        time! {
            "one by one, first hit": |batch, sum| {
                for packet in batch {
                    if let Some(Ok(hit)) = const { &W::SET }.watch(packet).next() {
                        sum.add(hit.value());
                    }
                }
            };
            "one by one, every hit": |batch, sum| {
                for packet in batch {
                    const { &W::SET }.watch(packet).flatten().for_each(|hit| sum.add(hit.value()));
                }
            };
            "first_each": |batch, sum| y3::batch::first_each(const { &W::SET }, batch, |_, hit| {
                if let Some(Ok(hit)) = hit {
                    sum.add(hit.value());
                }
            });
        }
        group.finish();
    }
}

criterion_group!(
    name = extract; config = standard();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>,
        batches::<Values100>, batches::<Values1024>, batches::<Nested>
);
criterion_main!(extract);
