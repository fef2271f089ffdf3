//! Extract: one watched value out of one packet, in the four scenarios of the report and in both buffer regimes.

use criterion::{Criterion, criterion_group, criterion_main};
use kit::bench::{all_readers, standard};
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Watched, assert_is_the_reports};

fn scenario<W: Watched>(criterion: &mut Criterion) {
    assert_is_the_reports::<W>();
    all_readers::<W>(criterion, "extract");
}

criterion_group! {
    name = extract;
    config = standard();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>
}
criterion_main!(extract);
