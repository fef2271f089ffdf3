//! Stream readers use their buffers again.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use y3::{AsyncReader, Limits, PathSet, path};

/// A reader that kept its last chunk would need a new buffer for each read.
#[test]
fn an_async_reader_uses_its_buffer_again() {
    const NOWHERE: PathSet<1> = PathSet::new([path!(0x02)]);
    let input = [0x01, 0x01, 0x07].repeat(1 << 20);
    let mut reader = AsyncReader::new(&input[..], &NOWHERE, Limits::DEFAULT);
    let measured = allocation_counter::measure(|| {
        let mut context = Context::from_waker(Waker::noop());
        assert!(matches!(pin!(reader.next_hit()).poll(&mut context), Poll::Ready(None)));
    });
    assert_eq!(reader.offset(), input.len() as u64);
    assert!(measured.bytes_total < 300_000, "{} bytes for {}", measured.bytes_total, input.len());
}
