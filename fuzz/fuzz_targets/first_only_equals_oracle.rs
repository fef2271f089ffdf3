#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    testkit::properties::first_only_equals_oracle::property(bytes);
});
