//! Values: the typed value of a packet, as text for people and as JSON.

use std::fmt::{self, Display, Formatter};

use y3::show::{escape, escape_json, hex};

/// The typed value of a packet. Nodes, slices, variants and embedded packets are JSON.
///
/// The `Display` output is meant for people to read. Text is escaped and in quotation marks. Bytes are hexadecimal. A
/// finite float is written as the shortest number that parses back to the same value. Other floats are `inf`, `-inf`,
/// `nan`, or `nan:` and the bits. In the output of [`json`](Self::json), bytes and floats that are not finite are in
/// quotation marks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Bytes.
    Bytes(&'a [u8]),
    /// UTF-8 text.
    Text(&'a str),
    /// True or false.
    Bool(bool),
    /// An integer of any width and dialect.
    Integer(i128),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// A node, a slice, embedded packets or a variant, as JSON.
    Json(String),
}

impl Value<'_> {
    /// Formats the value as JSON.
    ///
    /// # Examples
    /// ```
    /// use y3_names::Value;
    ///
    /// assert_eq!(Value::F32(45.12).json().to_string(), "45.12");
    /// assert_eq!(Value::F64(f64::NAN).json().to_string(), r#""nan""#);
    /// assert_eq!(Value::Bytes(&[0x0a, 0xff]).json().to_string(), r#""0aff""#);
    /// ```
    #[must_use]
    pub fn json(&self) -> impl Display + '_ {
        Json(self)
    }
}

struct Json<'v, 'a>(&'v Value<'a>);

impl Display for Json<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = self.0;
        match value {
            Value::Text(text) => write!(f, "\"{}\"", escape_json(text)),
            Value::Bytes(_) => write!(f, "\"{value}\""),
            Value::F32(number) if !number.is_finite() => write!(f, "\"{value}\""),
            Value::F64(number) if !number.is_finite() => write!(f, "\"{value}\""),
            _ => value.fmt(f),
        }
    }
}

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bytes(bytes) => hex(bytes).fmt(f),
            Value::Text(text) => write!(f, "\"{}\"", escape(text)),
            Value::Bool(value) => value.fmt(f),
            Value::Integer(number) => number.fmt(f),
            // Many JSON readers parse an `f32` as an `f64` and then round it. For a few of the shortest numbers, the
            // result is another `f32`.
            #[allow(clippy::cast_possible_truncation, reason = "as these readers do")]
            Value::F32(number) => match format!("{number:?}") {
                _ if number.is_nan() => nan(*number, f),
                text if text.parse().is_ok_and(|wide: f64| (wide as f32).to_bits() == number.to_bits()) => {
                    f.write_str(&text)
                }
                _ => write!(f, "{:?}", f64::from(*number)),
            },
            Value::F64(number) if number.is_nan() => nan(*number, f),
            Value::F64(number) => write!(f, "{number:?}"),
            Value::Json(json) => f.write_str(json),
        }
    }
}

fn nan<T: Float>(number: T, f: &mut Formatter<'_>) -> fmt::Result {
    let is_plain = float_word("nan").is_some_and(|nan: T| nan.bits() == number.bits());
    if is_plain { f.write_str("nan") } else { write!(f, "nan:{:x}", number.bits()) }
}

/// Parses hexadecimal digits as bytes.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// Converts a JSON number to a float. Returns `None` if precision would be lost. Precision is kept if the number equals
/// the shortest decimal form of the float, or the float rounded to as many digits as the number has.
pub(crate) fn float<T: Float>(number: &str) -> Option<T> {
    let float: T = number.parse().ok().filter(|float: &T| float.wide().is_finite())?;
    let given = Digits::of(number);
    // No float has more than 767 digits, so a number with more digits is not the rounded form of a float.
    let rounded = || given.count.checked_sub(1).filter(|_| given.count <= 767).map(|more| format!("{float:.more$e}"));
    let is_it = |shown: &str| Digits::of(shown).is(&given);
    (is_it(&format!("{float:e}"))
        || is_it(&format!("{:e}", float.wide()))
        || rounded().is_some_and(|shown| is_it(&shown)))
    .then_some(float)
}

/// Converts a word to infinity or NaN.
pub(crate) fn float_word<T: Float>(word: &str) -> Option<T> {
    match word {
        "inf" | "-inf" | "nan" => word.parse().ok(),
        word => {
            let digits =
                word.strip_prefix("nan:").filter(|bits| bits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            T::of_bits(u64::from_str_radix(digits, 16).ok()?).filter(|float| float.wide().is_nan())
        }
    }
}

/// The float types `f32` and `f64`.
pub(crate) trait Float: std::str::FromStr + fmt::LowerExp + y3::Encode + Copy {
    fn wide(self) -> f64;
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Option<Self>;
}

macro_rules! floats {
    ($($float:ident $bits:ident)*) => {$(
        impl Float for $float {
            fn wide(self) -> f64 {
                self.into()
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn of_bits(bits: u64) -> Option<Self> {
                $bits::try_from(bits).ok().map(Self::from_bits)
            }
        }
    )*};
}
floats!(f32 u32 f64 u64);

/// A decimal number: its digits without leading and trailing zeros, the position of the decimal point, and the number of digits
/// written.
struct Digits {
    significant: Vec<u8>,
    exponent: i64,
    count: usize,
}

impl Digits {
    fn of(number: &str) -> Digits {
        let (number, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let all = || whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit);
        let zeros = all().take_while(|digit| *digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).collect();
        let count = digits.len();
        digits.truncate(digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1));
        let whole = whole.trim_start_matches(['-', '+']).len();
        // A number whose exponent does not fit into 64 bits is infinite or 0.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MIN / 2);
        let place = |len: usize| i64::try_from(len).unwrap_or(i64::MAX / 4);
        Digits {
            significant: digits,
            exponent: exponent.saturating_add(place(whole)).saturating_sub(place(zeros)),
            count,
        }
    }

    fn is(&self, other: &Digits) -> bool {
        self.significant == other.significant && (self.significant.is_empty() || self.exponent == other.exponent)
    }
}
