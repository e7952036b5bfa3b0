//! Two feature sets → similarity and containment.

use super::features::FeatureSet;

/// How alike two documents are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Weighted Jaccard: sum of minima over sum of maxima, 0..=1.
    pub similarity: f64,
    /// Sum of minima over the smaller total, 0..=1: 1 where one document is part of the other.
    pub containment: f64,
}

impl Score {
    /// Two documents with equal bytes.
    pub const EXACT: Self = Self {
        similarity: 1.0,
        containment: 1.0,
    };

    /// The score of two documents of total weights `a` and `b` that share the weight `shared`
    /// (the sum of minima). The sum of maxima is `a + b - shared`. Documents without features
    /// are not like anything: 0.
    pub fn from_shared(shared: u64, a: u64, b: u64) -> Self {
        let ratio = |part: u64, whole: u64| {
            if whole == 0 {
                0.0
            } else {
                part as f64 / whole as f64
            }
        };
        Self {
            similarity: ratio(shared, a + b - shared),
            containment: ratio(shared, a.min(b)),
        }
    }

    /// What documents of these total weights share at the least if their similarity is `least` or
    /// more. Rounding makes it too small by one at most, never too large.
    pub(super) fn least_shared(least: f64, a: u64, b: u64) -> u64 {
        // shared / (a + b - shared) >= least
        ((a + b) as f64 * least / (1.0 + least)).floor() as u64
    }
}

/// The score of two feature sets.
pub fn score(a: &FeatureSet, b: &FeatureSet) -> Score {
    Score::from_shared(shared_weight(a, b), a.total(), b.total())
}

/// The sum of minima: one merge of the two ascending lists, without branches on the data.
fn shared_weight(a: &FeatureSet, b: &FeatureSet) -> u64 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(&x), Some(&y)) = (a.hashes().get(i), b.hashes().get(j)) {
        let least = a.weights()[i].min(b.weights()[j]);
        shared += if x == y { u64::from(least) } else { 0 };
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared
}

/// The definition, word for word: the oracle of every faster way.
#[cfg(test)]
pub(super) fn naive(a: &[u64], b: &[u64]) -> Score {
    use std::collections::{BTreeMap, BTreeSet};

    let weights = |hashes: &[u64]| -> BTreeMap<u64, f64> {
        let mut counts = BTreeMap::new();
        for &hash in hashes {
            *counts.entry(hash).or_insert(0_u32) += 1;
        }
        (counts.into_iter())
            .map(|(hash, count)| (hash, 1.0 + f64::from(count).log2().floor()))
            .collect()
    };
    let (a, b) = (weights(a), weights(b));
    let all: BTreeSet<u64> = a.keys().chain(b.keys()).copied().collect();
    let of = |map: &BTreeMap<u64, f64>, hash| map.get(hash).copied().unwrap_or(0.0);
    let minima: f64 = all.iter().map(|hash| of(&a, hash).min(of(&b, hash))).sum();
    let maxima: f64 = all.iter().map(|hash| of(&a, hash).max(of(&b, hash))).sum();
    let smaller = a.values().sum::<f64>().min(b.values().sum());
    Score {
        similarity: if maxima > 0.0 { minima / maxima } else { 0.0 },
        containment: if smaller > 0.0 { minima / smaller } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(hashes: &[u64]) -> FeatureSet {
        hashes.iter().copied().collect()
    }

    #[test]
    fn a_worked_example() {
        // Weights: a = {1: 2, 2: 1, 3: 1}, b = {1: 3, 2: 1, 4: 1}.
        let a = set(&[1, 1, 2, 3]);
        let b = set(&[1, 1, 1, 1, 2, 4]);
        let expected = Score {
            similarity: 3.0 / 6.0,
            containment: 3.0 / 4.0,
        };
        assert_eq!(score(&a, &b), expected);
        assert_eq!(score(&b, &a), expected);
    }

    #[test]
    fn documents_without_features_are_like_nothing() {
        let nothing = Score {
            similarity: 0.0,
            containment: 0.0,
        };
        assert_eq!(score(&set(&[]), &set(&[])), nothing);
        assert_eq!(score(&set(&[]), &set(&[7])), nothing);
    }

    proptest! {
        #[test]
        fn the_least_shared_weight_drops_no_pair_that_is_similar_enough(
            a in 1..100_000_u64,
            b in 1..100_000_u64,
            part in 0.0..1.0_f64,
        ) {
            let shared = (a.min(b) as f64 * part) as u64;
            let similarity = Score::from_shared(shared, a, b).similarity;
            prop_assert!(Score::least_shared(similarity, a, b) <= shared);
            prop_assert!(Score::least_shared(similarity, a, b) + 1 >= shared);
        }

        #[test]
        fn a_score_equals_the_definition(
            a in prop::collection::vec(0..60_u64, 0..200),
            b in prop::collection::vec(0..60_u64, 0..200),
        ) {
            let (fast, plain) = (score(&set(&a), &set(&b)), naive(&a, &b));
            prop_assert!((fast.similarity - plain.similarity).abs() < 1e-12);
            prop_assert!((fast.containment - plain.containment).abs() < 1e-12);
        }
    }
}
