#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    y3_fuzz::nom_equals_packets::property(bytes);
});
