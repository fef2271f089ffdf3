//! Published: the figures of the Y3 evaluation report of 2020, measured there with Go 1.14 on six cores at 2.6 GHz.
//!
//! The only numbers written by hand; they are history. Compare ratios, not times.

pub struct Figure {
    pub scenario: &'static str,
    pub serial_ns: f64,
    pub parallel_ns: f64,
    /// JSON's time divided by Y3's, serial.
    pub growth: f64,
}

pub const FIGURES: [Figure; 4] = [
    Figure { scenario: "C63-K32", serial_ns: 2077.0, parallel_ns: 706.0, growth: 20.7 },
    Figure { scenario: "C32-K16", serial_ns: 1361.0, parallel_ns: 505.0, growth: 15.8 },
    Figure { scenario: "C16-K08", serial_ns: 1667.0, parallel_ns: 515.0, growth: 6.2 },
    Figure { scenario: "C03-K02", serial_ns: 610.0, parallel_ns: 175.0, growth: 3.3 },
];

/// CPU time of both decoders in one loop, JSON's divided by Y3's: 0.73 / 0.07 of all samples.
pub const CPU_RATIO: f64 = 10.4;
