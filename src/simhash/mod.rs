//! Hashes of features → a 64-bit fingerprint (`SimHash`).
//!
//! Every feature casts one vote a bit: its weight where the bit of its hash is 1, minus its weight
//! where it is 0. Bit i of the fingerprint is 1 if and only if vote i is above zero; a tie is 0.
//! Documents that share most of their votes get fingerprints that differ in few bits: for two
//! documents whose weighted feature vectors enclose the angle θ the expected Hamming distance is
//! 64·θ/π (Charikar, "Similarity estimation techniques from rounding algorithms", 2002; Manku,
//! Jain and Das Sarma, "Detecting near-duplicates for web crawling", 2007).
//!
//! [`Fingerprinter`] is the fast path, for features of unit weight: with n hashes of which c have
//! bit i set, vote i is 2·c − n, so voting is a positional population count. [`Votes`] takes
//! explicit weights, and [`naive`] is the definition, step by step, that both are tested against.

mod fingerprinter;
pub mod kernel;
pub mod naive;
mod votes;

use std::fmt;
use std::str::FromStr;

pub use fingerprinter::{Fingerprinter, Voted};
pub use votes::{Votes, Weight};

/// The 64-bit fingerprint of a document.
///
/// Printed and parsed as 16 hexadecimal digits, the most significant bit first, so that the order
/// of the texts is the order of the numbers.
///
/// ```
/// use simdup::simhash::Fingerprint;
///
/// let fingerprint: Fingerprint = "00000000000000b2".parse()?;
/// assert_eq!(fingerprint, Fingerprint(0b1011_0010));
/// assert_eq!(fingerprint.to_string(), "00000000000000b2");
/// assert_eq!(fingerprint.distance(Fingerprint(0b1010_0011)), 2);
/// # Ok::<(), simdup::simhash::ParseFingerprintError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The Hamming distance: the number of bits in which the two differ, 0..=64.
    #[inline]
    pub fn distance(self, other: Self) -> u32 {
        hamming(self.0, other.0)
    }
}

/// The number of bits in which two words differ, 0..=64.
#[inline]
pub fn hamming(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is not the 16 hexadecimal digits of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseFingerprintError {
    /// Too short or too long.
    #[error("a fingerprint has 16 hexadecimal digits, this has {0} characters")]
    Length(usize),
    /// The first character that is no hexadecimal digit.
    #[error("a fingerprint has 16 hexadecimal digits, {0:?} is none")]
    Digit(char),
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    /// Takes exactly 16 hexadecimal digits of either case; no sign, no `0x`, no blanks.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut value = 0;
        let mut length = 0;
        let mut wrong = None;
        for character in text.chars() {
            length += 1;
            match character.to_digit(16) {
                Some(digit) => value = value << 4 | u64::from(digit),
                None => wrong = wrong.or(Some(character)),
            }
        }
        match wrong {
            _ if length != 16 => Err(ParseFingerprintError::Length(length)),
            Some(character) => Err(ParseFingerprintError::Digit(character)),
            None => Ok(Self(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn distances_of_the_published_examples() {
        assert_eq!(hamming(0b1011_0010, 0b1010_0011), 2);
        assert_eq!(hamming(0b1100_1010, 0b1100_1110), 1);
        assert_eq!(hamming(0b1100_1010, 0b0011_0101), 8);
        assert_eq!(Fingerprint(0).distance(Fingerprint(u64::MAX)), 64);
    }

    #[test]
    fn only_sixteen_hexadecimal_digits_are_a_fingerprint() {
        use ParseFingerprintError::{Digit, Length};
        let parse = |text: &str| text.parse::<Fingerprint>();
        assert_eq!(parse("00000000DEADbeef"), Ok(Fingerprint(0xdead_beef)));
        assert_eq!(parse(""), Err(Length(0)));
        assert_eq!(parse("00000000deadbee"), Err(Length(15)));
        assert_eq!(parse("00000000deadbeef0"), Err(Length(17)));
        assert_eq!(parse("+0000000deadbeef"), Err(Digit('+')));
        assert_eq!(parse("0x000000deadbeef"), Err(Digit('x')));
        assert_eq!(parse("00000000deadbee "), Err(Digit(' ')));
        assert_eq!(parse("00000000deadbeé"), Err(Length(15)));
        assert_eq!(parse("00000000deadbee٣"), Err(Digit('٣')));
    }

    proptest! {
        #[test]
        fn a_printed_fingerprint_parses_to_itself(value: u64) {
            let text = Fingerprint(value).to_string();
            prop_assert_eq!(text.len(), 16);
            prop_assert_eq!(text.parse(), Ok(Fingerprint(value)));
        }

        #[test]
        fn texts_sort_as_the_numbers_do(a: u64, b: u64) {
            let (a, b) = (Fingerprint(a), Fingerprint(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }
    }
}
