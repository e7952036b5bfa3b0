//! Feature hashes → the exact multiset of a document's features.
//!
//! The fingerprint counts features in a table that forgets; verification numbers them, and counts
//! by number. Features come out in the order of their first occurrence.

use crate::feature::FeatureSink;

use super::numbering::Numbering;

/// The weight of a feature that occurs `count` times, `count >= 1`: 1 + ⌊log2 count⌋.
pub fn damped(count: u64) -> u8 {
    debug_assert!(count > 0, "a feature that does not occur has no weight");
    (64 - count.leading_zeros()) as u8
}

/// The distinct features of one document, each with its damped weight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureSet {
    /// Ascending, without repeats.
    hashes: Vec<u64>,
    /// `weights[i]` belongs to `hashes[i]`; 1..=64.
    weights: Vec<u8>,
    total: u64,
}

impl FeatureSet {
    /// Makes the set of `(hash, weight)` pairs in any order; no hash may occur twice.
    fn from_unsorted(mut features: Vec<(u64, u8)>) -> Self {
        features.sort_unstable();
        Self {
            total: features.iter().map(|&(_, weight)| u64::from(weight)).sum(),
            hashes: features.iter().map(|&(hash, _)| hash).collect(),
            weights: features.iter().map(|&(_, weight)| weight).collect(),
        }
    }

    /// How many distinct features there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// True for a document without features.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Each feature once, by ascending hash, with its weight.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.hashes
            .iter()
            .copied()
            .zip(self.weights.iter().copied())
    }

    /// How many distinct features two sets have in common.
    pub fn shared(&self, other: &Self) -> u64 {
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while let (Some(x), Some(y)) = (self.hashes.get(i), other.hashes.get(j)) {
            shared += u64::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        shared
    }

    /// The hashes, ascending.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The weights, in the order of [`hashes`](Self::hashes).
    pub(super) fn weights(&self) -> &[u8] {
        &self.weights
    }
}

/// Counts the features of one document after another, exactly, in memory that is kept.
#[derive(Debug)]
pub struct FeatureCollector {
    features: Numbering,
    /// By number.
    counts: Vec<u32>,
    occurrences: u64,
    part: Part,
}

/// Features for which there is room at first: most documents never have more, and the table then
/// stays in the first-level cache.
const FIRST_FEATURES: usize = 1 << 12;

/// A part of all features, by the lower halves of their hashes, so that the features of huge
/// documents can be compared part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) start: u64,
    /// Not included.
    pub(super) end: u64,
}

impl Part {
    /// All features.
    pub(super) const WHOLE: Self = Self {
        start: 0,
        end: 1 << 32,
    };

    fn contains(self, hash: u64) -> bool {
        (self.start..self.end).contains(&(hash & 0xffff_ffff))
    }
}

impl Default for FeatureCollector {
    fn default() -> Self {
        Self::new()
    }
}

impl FeatureCollector {
    /// An empty collector.
    pub fn new() -> Self {
        let mut features = Numbering::default();
        features.clear(FIRST_FEATURES);
        Self {
            features,
            counts: Vec::new(),
            occurrences: 0,
            part: Part::WHOLE,
        }
    }

    /// From the next [`clear`](Self::clear) on, ignores features outside of `part`.
    pub(super) fn keep_only(&mut self, part: Part) {
        self.part = part;
    }

    /// Forgets the document, keeps the memory.
    pub fn clear(&mut self) {
        self.features.clear(FIRST_FEATURES);
        self.counts.clear();
        self.occurrences = 0;
    }

    /// How many features came in, repeats included.
    pub fn occurrences(&self) -> u64 {
        self.occurrences
    }

    /// How many distinct features there are so far.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// The features collected since the last [`clear`](Self::clear), each once, in the order of
    /// their first occurrence.
    pub(super) fn hashes(&self) -> &[u64] {
        self.features.keys()
    }

    /// Their weights.
    pub(super) fn weights(&self) -> impl Iterator<Item = u8> + '_ {
        self.counts.iter().map(|&count| damped(u64::from(count)))
    }

    /// Closes the document: its feature set. The collector is empty again.
    pub fn finish(&mut self) -> FeatureSet {
        let hashes = self.hashes().iter().copied();
        let set = FeatureSet::from_unsorted(hashes.zip(self.weights()).collect());
        self.clear();
        set
    }

    #[inline]
    fn add(&mut self, hash: u64) {
        let number = self.features.number(hash) as usize;
        if number == self.counts.len() {
            self.counts.push(1);
        } else {
            // A feature that occurs 2^32 times keeps the weight of 2^32 - 1 occurrences.
            let count = &mut self.counts[number];
            *count = count.saturating_add(1);
        }
    }
}

impl FeatureSink for FeatureCollector {
    fn features(&mut self, hashes: &[u64]) {
        self.occurrences += hashes.len() as u64;
        if self.part == Part::WHOLE {
            for &hash in hashes {
                self.add(hash);
            }
        } else {
            let part = self.part;
            for &hash in hashes.iter().filter(|&&hash| part.contains(hash)) {
                self.add(hash);
            }
        }
    }
}

impl FromIterator<u64> for FeatureSet {
    /// The feature set of a document with these features, each hash one occurrence.
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut collector = FeatureCollector::new();
        for hash in hashes {
            collector.add(hash);
        }
        collector.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weight_is_one_plus_the_floor_of_the_binary_logarithm() {
        let expected = [
            (1, 1),
            (2, 2),
            (3, 2),
            (4, 3),
            (7, 3),
            (8, 4),
            (1 << 40, 41),
        ];
        for (count, weight) in expected {
            assert_eq!(damped(count), weight, "count {count}");
        }
    }

    #[test]
    fn a_collector_forgets_nothing_when_it_grows_and_everything_when_it_is_cleared() {
        let mut collector = FeatureCollector::new();
        for round in 0..3_u64 {
            let hashes: Vec<u64> = (0..20_000).map(|i| (i * (round + 1)) << 20).collect();
            collector.features(&hashes);
            collector.features(&hashes[..100]);
            assert_eq!(collector.occurrences(), 20_100);
            assert_eq!(collector.distinct(), 20_000);
            assert_eq!(collector.hashes(), hashes);
            let set = collector.finish();
            assert_eq!((set.len(), set.total()), (20_000, 20_100));
        }
        assert!(collector.finish().is_empty());
    }

    proptest! {
        #[test]
        fn collected_features_equal_a_plain_count(
            documents in prop::collection::vec(prop::collection::vec(0..400_u64, 0..3000), 1..4)
        ) {
            let mut collector = FeatureCollector::new();
            for hashes in documents {
                let mut counts = BTreeMap::new();
                for &hash in &hashes {
                    *counts.entry(hash).or_insert(0_u64) += 1;
                }
                collector.features(&hashes);
                let set = collector.finish();
                let plain = counts.iter().map(|(&hash, &count)| (hash, damped(count)));
                prop_assert!(set.iter().eq(plain.clone()));
                prop_assert_eq!(set.total(), plain.map(|(_, weight)| u64::from(weight)).sum::<u64>());
            }
        }
    }
}
