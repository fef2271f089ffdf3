#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    testkit::properties::batch_equals_watch::property(bytes);
});
