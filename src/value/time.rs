//! Times: converts durations and points in time to a number of time units and back.

use core::time::Duration;

use crate::error::ErrorKind;

/// Converts a number of time units to a `u64`. A number above `u64::MAX` becomes `u64::MAX`.
fn count(units: u128) -> u64 {
    u64::try_from(units).unwrap_or(u64::MAX)
}

macro_rules! units {
    ($($unit:ident, $unix:ident: $name:literal, $as:ident, $from:ident;)*) => {$(
        #[doc = concat!("A `Duration` as a `u64`: the number of whole ", $name, ".")]
        pub mod $unit {
            use super::{Duration, ErrorKind};

            /// Converts a duration to a number of time units. `#[y3(with = …)]` calls this function.
            #[must_use]
            pub fn encode(time: &Duration) -> u64 {
                super::count(u128::from(time.$as()))
            }

            /// Converts a number of time units to a duration. `#[y3(with = …)]` calls this function.
            ///
            /// # Errors
            /// This function never fails.
            pub fn decode(count: u64) -> Result<Duration, ErrorKind> {
                Ok(Duration::$from(count))
            }
        }

        #[doc = concat!("A `SystemTime` as an `i64`: the number of whole ", $name, " since the start of 1970, negative for earlier times.")]
        #[cfg(feature = "std")]
        pub mod $unix {
            use std::time::{SystemTime, UNIX_EPOCH};

            use super::{Duration, ErrorKind};

            /// Converts a point in time to a number of time units. `#[y3(with = …)]` calls this function.
            #[must_use]
            pub fn encode(time: &SystemTime) -> i64 {
                let count = |time: Duration| i64::try_from(time.$as()).unwrap_or(i64::MAX);
                match time.duration_since(UNIX_EPOCH) {
                    Ok(after) => count(after),
                    Err(before) => -count(before.duration()),
                }
            }

            /// Converts a number of time units to a point in time. `#[y3(with = …)]` calls this function.
            ///
            /// # Errors
            /// Returns [`InvalidValue`](ErrorKind::InvalidValue) if `SystemTime` cannot represent the time.
            pub fn decode(count: i64) -> Result<SystemTime, ErrorKind> {
                let apart = Duration::$from(count.unsigned_abs());
                let time = if count < 0 { UNIX_EPOCH.checked_sub(apart) } else { UNIX_EPOCH.checked_add(apart) };
                time.ok_or(ErrorKind::InvalidValue)
            }
        }
    )*};
}

units! {
    seconds, unix_seconds: "seconds", as_secs, from_secs;
    millis, unix_millis: "milliseconds", as_millis, from_millis;
    micros, unix_micros: "microseconds", as_micros, from_micros;
    nanos, unix_nanos: "nanoseconds", as_nanos, from_nanos;
}
