//! Occurrences of features → the occurrences that vote (damped counts).
//!
//! A feature's weight is about 1 + ⌊log2 count⌋: it votes at its 1st, 2nd, 4th, … 128th occurrence
//! in a document, and at no other. Raw counts would let a few frequent words decide every bit.
//!
//! Occurrences are counted in a fixed table that forgets: the low 13 bits of a hash name its slot,
//! and a feature that is not there takes the place of the one that is, and starts at 1. So the
//! memory is bounded, the cost is the same for every text, and a text made to collide gains nothing.
//! Two frequent features of one slot both vote more often than they should; fingerprints follow
//! those of exact counts closely all the same (docs/MEASUREMENTS.md).
//!
//! A slot is a word of 32 bits: the 19 bits of the hash above those that name its slot, in the place
//! of the latter a stamp of the document, and the count. So a feature is told by the low 32 bits of
//! its hash, and two of a million occurrences are taken for another feature's. A slot with another
//! stamp is free; the table, which stays in the first-level cache, is cleared when the stamps run
//! out, every 31 documents. Cost: 18 instructions an occurrence, no branch that depends on it.
//! AVX-512 moves the occurrences that vote in a step of its own, which costs a twelfth less.

#[cfg(target_arch = "x86_64")]
mod avx512;

use std::fmt;

use crate::cpu::Level;

/// The low bits of a hash that name its slot.
const SLOT_BITS: u32 = 13;

/// Number of slots of 4 bytes: 32 KiB.
const SLOTS: usize = 1 << SLOT_BITS;

/// The low bits of a slot that hold the count.
const COUNT_BITS: u32 = 8;

/// One more than the largest count that a slot can hold.
const COUNT_END: u32 = 1 << COUNT_BITS;

/// One step of the stamp, which takes the bits between the count and those of the hash.
const STAMP_ONE: u32 = 1 << COUNT_BITS;

/// The first stamp that does not fit.
const STAMP_END: u32 = 1 << SLOT_BITS;

/// Where counting stops: above 128, the last count that votes.
const LAST_COUNT: u32 = COUNT_END - 2;

/// What an occurrence makes of the count before it, where [`COUNT_END`] stands for none: the count in
/// the low byte, the vote above it.
static STEPS: [u16; COUNT_END as usize + 1] = {
    let mut steps = [0; COUNT_END as usize + 1];
    let mut before = 0;
    while before <= LAST_COUNT {
        let count = before + 1;
        let votes = count.is_power_of_two() as u16;
        let stored = if count < LAST_COUNT {
            count
        } else {
            LAST_COUNT
        };
        steps[before as usize] = votes << COUNT_BITS | stored as u16;
        before += 1;
    }
    steps[COUNT_END as usize] = steps[0];
    steps
};

/// Counts the features of one document after the other, and tells which occurrences vote.
pub struct DampedCounts {
    /// In each slot the feature that was met last.
    slots: Box<[u32; SLOTS]>,
    /// Stamp of the current document, in place; never 0, which marks cleared slots.
    stamp: u32,
    level: Level,
}

impl fmt::Debug for DampedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DampedCounts").finish_non_exhaustive()
    }
}

impl Default for DampedCounts {
    fn default() -> Self {
        Self::new()
    }
}

impl DampedCounts {
    /// Counts nothing yet. Holds 32 KiB. Works at [`Level::current`].
    pub fn new() -> Self {
        Self {
            slots: vec![0; SLOTS].try_into().expect("the length is SLOTS"),
            stamp: STAMP_ONE,
            level: Level::current(),
        }
    }

    /// Works at this level; what is admitted is the same at each.
    ///
    /// # Panics
    ///
    /// If the processor does not have it.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        assert!(level.is_available(), "{level:?} is not available");
        self.level = level;
        self
    }

    /// Forgets all counts.
    pub fn start_document(&mut self) {
        self.stamp += STAMP_ONE;
        if self.stamp == STAMP_END {
            self.slots.fill(0);
            self.stamp = STAMP_ONE;
        }
    }

    /// Counts `hashes`, one occurrence each, and moves those that vote to the front of `voting`, in
    /// the same order. Returns how many; what lies behind them in `voting` has no meaning.
    ///
    /// # Panics
    ///
    /// When `voting` is shorter than `hashes`.
    #[inline]
    pub fn admit(&mut self, hashes: &[u64], voting: &mut [u64]) -> usize {
        let voting = &mut voting[..hashes.len()];
        #[cfg(target_arch = "x86_64")]
        if self.level == Level::Avx512 {
            // SAFETY: the processor has the level.
            return unsafe { avx512::admit(self, hashes, voting) };
        }
        let mut admitted = 0;
        let mut take = |hash: u64| {
            let votes = self.count(hash);
            // Written in any case; the next one overwrites it unless it votes.
            // SAFETY: `voting` is as long as `hashes`, and each hash adds at most one.
            unsafe { *voting.get_unchecked_mut(admitted) = hash };
            admitted += usize::from(votes);
        };
        // Two at once: half the cost of the loop itself.
        let (twos, last) = hashes.as_chunks();
        for &[one, other] in twos {
            take(one);
            take(other);
        }
        last.iter().copied().for_each(take);
        admitted
    }

    /// Counts an occurrence; 1 if it votes, else 0.
    #[inline(always)]
    fn count(&mut self, hash: u64) -> u8 {
        let place = &mut self.slots[hash as usize % SLOTS];
        // The slot of this feature, but for its count. XOR with it leaves the count alone where the
        // feature is the same, and more than any count where it is not.
        let slot = hash as u32 & !(STAMP_END - 1) | self.stamp;
        let step = STEPS[(*place ^ slot).min(COUNT_END) as usize];
        *place = slot | u32::from(step as u8);
        (step >> COUNT_BITS) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The table in the plainest way: slots of a feature and its count. A feature is told by 32 bits
    /// of its hash.
    struct Naive(Vec<(u32, u32)>);

    impl Naive {
        fn new() -> Self {
            Self(vec![(0, 0); 8_192])
        }

        fn votes(&mut self, hash: u64) -> bool {
            let slot = &mut self.0[(hash % 8_192) as usize];
            let feature = hash as u32;
            *slot = match *slot {
                (known, count) if known == feature => (known, count + 1),
                _ => (feature, 1),
            };
            [1, 2, 4, 8, 16, 32, 64, 128].contains(&slot.1)
        }
    }

    fn admit(counts: &mut DampedCounts, hashes: &[u64]) -> Vec<u64> {
        let mut voting = vec![0; hashes.len()];
        let admitted = counts.admit(hashes, &mut voting);
        voting.truncate(admitted);
        voting
    }

    /// Hashes of which many are equal, many share a slot, and some differ in one bit.
    fn crowded() -> impl Strategy<Value = u64> {
        let slot = 0..4u64;
        let rest = prop_oneof![0..6u64, (0..51u32).prop_map(|bit| 1 << bit)];
        (slot, rest).prop_map(|(slot, rest)| rest << 13 | slot)
    }

    #[test]
    fn votes_fall_at_powers_of_two_up_to_128() {
        let mut counts = DampedCounts::new();
        let votes: Vec<_> = (1..=1_000)
            .filter(|_| !admit(&mut counts, &[u64::MAX]).is_empty())
            .collect();
        assert_eq!(votes, [1, 2, 4, 8, 16, 32, 64, 128]);
    }

    #[test]
    fn a_feature_gives_way_to_another_of_its_slot() {
        let [a, b] = [1, 2].map(|rest| rest << 13 | 5);
        let hashes = [a, a, a, b, b, a, a, b];
        assert_eq!(
            admit(&mut DampedCounts::new(), &hashes),
            [a, a, b, b, a, a, b]
        );
    }

    #[test]
    fn every_document_starts_anew() {
        let mut counts = DampedCounts::new();
        for document in 0..200 {
            let voting = admit(&mut counts, &[7, 7, 7, 0, 0, 0]);
            assert_eq!(voting, [7, 7, 0, 0], "document {document}");
            counts.start_document();
        }
    }

    proptest! {
        #[test]
        fn admission_equals_the_plain_table(
            documents in prop::collection::vec(prop::collection::vec(crowded(), 0..900), 1..40),
        ) {
            for level in Level::available() {
                let mut counts = DampedCounts::new().with_level(level);
                for hashes in &documents {
                    let mut naive = Naive::new();
                    let expected: Vec<_> =
                        hashes.iter().copied().filter(|&h| naive.votes(h)).collect();
                    let (left, right) = hashes.split_at(hashes.len() / 3);
                    let mut voting = admit(&mut counts, left);
                    voting.extend(admit(&mut counts, right));
                    prop_assert_eq!(voting, expected, "{:?}", level);
                    counts.start_document();
                }
            }
        }
    }
}
