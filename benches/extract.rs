//! Extract: one watched value out of one packet, in the four scenarios of the report and in both buffer regimes.

#[allow(dead_code, reason = "each bench uses its part")]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use support::watched::{C03K02, C16K08, C32K16, C63K32, Watched, assert_is_the_reports};
use support::{OneBuffer, Rotating, peers};

fn scenario<W: Watched>(criterion: &mut Criterion) {
    assert_is_the_reports::<W>();
    peers::<W, OneBuffer>(criterion, "extract");
    peers::<W, Rotating>(criterion, "extract");
}

criterion_group! {
    name = extract;
    config = support::criterion();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>
}
criterion_main!(extract);
