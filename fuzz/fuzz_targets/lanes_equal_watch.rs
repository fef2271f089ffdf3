#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    y3_fuzz::lanes_equal_watch::property(bytes);
});
