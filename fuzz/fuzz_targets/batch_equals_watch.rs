#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    y3_fuzz::batch_equals_watch::property(bytes);
});
