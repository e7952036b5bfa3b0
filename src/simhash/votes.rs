//! Hashes with explicit weights → fingerprint.
//!
//! Weights are fixed-point numbers and votes are their exact integer sums, so the fingerprint does
//! not depend on the order of the features, nor on how they were spread over [`Votes`] that were
//! merged. Cost: 64 additions a feature; documents with unit weights take
//! [`Fingerprinter`](super::Fingerprinter) instead.

use super::Fingerprint;

/// Number of fraction bits of a [`Weight`].
const FRACTION_BITS: u32 = 20;

/// The weight of a feature: 64-bit fixed point in units of 2^-20, so within ±2^43.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(i64);

impl Weight {
    /// The weight 1.
    pub const ONE: Self = Self(1 << FRACTION_BITS);

    /// A weight of so many units of 2^-20.
    pub fn from_units(units: i64) -> Self {
        Self(units)
    }

    /// The weight nearest to `value` (halfway: to the even one of two); `None` where `value` is not
    /// a number or lies outside −2^43..2^43.
    pub fn from_f64(value: f64) -> Option<Self> {
        /// 2^63 units, the first that an `i64` does not hold.
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        let units = (value * f64::from(1 << FRACTION_BITS)).round_ties_even();
        (-LIMIT..LIMIT)
            .contains(&units)
            .then_some(Self(units as i64))
    }

    /// The weight in units of 2^-20.
    pub fn units(self) -> i64 {
        self.0
    }
}

impl From<u32> for Weight {
    /// A whole weight; exact.
    fn from(value: u32) -> Self {
        Self(i64::from(value) << FRACTION_BITS)
    }
}

/// The votes of a document whose features have explicit weights.
///
/// ```
/// use simdup::simhash::{Fingerprint, Votes};
///
/// let mut votes = Votes::new();
/// votes.add(0b1011_0010, 3.into());
/// votes.add(0b1001_1100, 2.into());
/// votes.add(0b0111_0010, 1.into());
/// assert_eq!(votes.fingerprint(), Fingerprint(0b1011_0010));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Votes {
    /// In units of 2^-20. 128 bits hold the sum of 2^64 weights, so no addition overflows.
    votes: [i128; 64],
}

impl Default for Votes {
    fn default() -> Self {
        Self { votes: [0; 64] }
    }
}

impl Votes {
    /// No votes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Casts the votes of one feature: `weight` where the bit of `hash` is 1, `-weight` where it is
    /// 0.
    pub fn add(&mut self, hash: u64, weight: Weight) {
        let weight = i128::from(weight.0);
        for (bit, vote) in self.votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 {
                weight
            } else {
                -weight
            };
        }
    }

    /// Adds the votes of another part of the same document.
    pub fn merge(&mut self, other: &Self) {
        for (vote, more) in self.votes.iter_mut().zip(&other.votes) {
            *vote += more;
        }
    }

    /// The signs of the votes: bit i is 1 if and only if vote i is above zero; a tie is 0.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut fingerprint = 0;
        for (bit, &vote) in self.votes.iter().enumerate() {
            fingerprint |= u64::from(vote > 0) << bit;
        }
        Fingerprint(fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive;
    use super::*;
    use proptest::prelude::*;

    fn votes(features: &[(u64, i64)]) -> Votes {
        let mut votes = Votes::new();
        for &(hash, units) in features {
            votes.add(hash, Weight::from_units(units));
        }
        votes
    }

    #[test]
    fn weights_round_to_the_nearest_unit() {
        let unit = 1.0 / f64::from(1 << FRACTION_BITS);
        let units = |value| Weight::from_f64(value).map(Weight::units);
        assert_eq!(units(1.0), Some(Weight::ONE.units()));
        assert_eq!(Weight::from(1), Weight::ONE);
        assert_eq!(units(0.49 * unit), Some(0));
        assert_eq!(units(0.5 * unit), Some(0));
        assert_eq!(units(1.5 * unit), Some(2));
        assert_eq!(units(-3.0 * unit), Some(-3));
    }

    #[test]
    fn a_weight_that_does_not_fit_is_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert_eq!(Weight::from_f64(value), None);
        }
        let limit = 2f64.powi(43);
        assert_eq!(Weight::from_f64(limit), None);
        assert_eq!(Weight::from_f64(-limit), Some(Weight(i64::MIN)));
    }

    #[test]
    fn the_widest_weights_do_not_overflow() {
        let features = [(1, i64::MIN), (1, i64::MIN), (2, i64::MAX), (2, i64::MAX)];
        assert_eq!(votes(&features).fingerprint().0, !1);
    }

    #[test]
    fn a_tie_is_zero() {
        assert_eq!(votes(&[(0b01, 7), (0b10, 7)]).fingerprint().0, 0);
        assert_eq!(votes(&[(u64::MAX, 0)]).fingerprint().0, 0);
        assert_eq!(Votes::new().fingerprint().0, 0);
    }

    proptest! {
        #[test]
        fn equal_weights_vote_as_the_naive_loop_does(
            hashes: Vec<u64>,
            units in 1..i64::MAX,
        ) {
            let features: Vec<_> = hashes.iter().map(|&hash| (hash, units)).collect();
            prop_assert_eq!(votes(&features).fingerprint(), naive::fingerprint(&hashes));
        }

        #[test]
        fn order_and_parts_do_not_matter(
            features: Vec<(u64, i64)>,
            cut: prop::sample::Index,
        ) {
            let whole = votes(&features);
            let mut reversed = features.clone();
            reversed.reverse();
            prop_assert_eq!(&votes(&reversed), &whole);
            let (left, right) = features.split_at(cut.index(features.len() + 1));
            let mut merged = votes(right);
            merged.merge(&votes(left));
            prop_assert_eq!(merged, whole);
        }
    }
}
