#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    testkit::properties::nom_equals_packets::property(bytes);
});
