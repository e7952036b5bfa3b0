//! The features of one document after the other → fingerprints.
//!
//! Features come in batches of hashes. With damped counts each goes through [`DampedCounts`], which
//! lets only some occurrences vote; the others all vote. Votes are gathered in a buffer that stays
//! in the first-level cache, and counted by the kernel when it is full or the document ends.

use std::fmt;

use super::Fingerprint;
use super::kernel::{Counts, Kernel};
use crate::aligned::Aligned;
use crate::cpu::Level;
use crate::feature::FeatureSink;
use crate::feature::count::DampedCounts;
use crate::feature::hash;

/// Hashes gathered before they are counted: 16 KiB.
const BUFFER: usize = 2_048;

/// Makes fingerprints of documents, one after the other, from features of unit weight.
///
/// Reuse one for many documents: it holds some 50 KiB, and starting a document costs next to
/// nothing.
///
/// ```
/// use simdup::feature::FeatureSink;
/// use simdup::simhash::{Fingerprint, Fingerprinter};
///
/// let mut fingerprinter = Fingerprinter::new(true);
/// fingerprinter.features(&[0b1100, 0b1010]);
/// fingerprinter.features(&[0b1001]);
/// assert_eq!(fingerprinter.finish(), Some(Fingerprint(0b1000)));
/// assert_eq!(fingerprinter.finish(), None);
/// ```
pub struct Fingerprinter {
    /// `None`: every occurrence of a feature votes.
    damped: Option<DampedCounts>,
    /// Hashes that vote and are not counted yet: the first `gathered`.
    buffer: Box<Aligned<[u64; BUFFER]>>,
    gathered: usize,
    counts: Counts,
    /// Where a second fingerprint is wanted: its counts.
    second: Option<Counts>,
    kernel: Kernel,
}

/// All that the features of a document come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voted {
    /// The fingerprint.
    pub fingerprint: Fingerprint,
    /// A second one, independent of the first; equal to the first where none was asked for.
    pub second: Fingerprint,
    /// How many features voted: about the total weight of the document.
    pub votes: u64,
}

impl fmt::Debug for Fingerprinter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprinter")
            .field("damped", &self.damped.is_some())
            .field("kernel", &self.kernel.name())
            .finish_non_exhaustive()
    }
}

impl Fingerprinter {
    /// With `damped`, a feature votes at its 1st, 2nd, 4th, … 128th counted occurrence (see
    /// [`DampedCounts`]); without, at every occurrence. Counts with the kernel of
    /// [`Level::current`].
    pub fn new(damped: bool) -> Self {
        Self {
            damped: damped.then(DampedCounts::new),
            buffer: Box::new(Aligned([0; BUFFER])),
            gathered: 0,
            counts: Counts::new(),
            second: None,
            kernel: Kernel::at(Level::current()),
        }
    }

    /// Makes a second fingerprint of each document, from the hashes of the hashes of the same
    /// features. Two documents that are near in both by chance alone are rare.
    #[must_use]
    pub fn with_second(mut self, yes: bool) -> Self {
        self.second = yes.then(Counts::new);
        self
    }

    /// Counts with the best kernel up to `level` that this processor has. The fingerprints do not
    /// depend on it.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.kernel = Kernel::at(level);
        let level = self.kernel.level();
        self.damped = self.damped.map(|damped| damped.with_level(level));
        self
    }

    /// The fingerprint of the features since the last call; `None` where there were none. The next
    /// feature begins the next document.
    pub fn finish(&mut self) -> Option<Fingerprint> {
        self.finish_voted().map(|voted| voted.fingerprint)
    }

    /// As [`finish`](Self::finish), with the second fingerprint and the number of votes.
    pub fn finish_voted(&mut self) -> Option<Voted> {
        self.flush();
        let second = self.second.as_ref().unwrap_or(&self.counts);
        let voted = (self.counts.hashes() > 0).then(|| Voted {
            fingerprint: self.counts.fingerprint(),
            second: second.fingerprint(),
            votes: self.counts.hashes(),
        });
        self.counts.clear();
        if let Some(second) = &mut self.second {
            second.clear();
        }
        if let Some(damped) = &mut self.damped {
            damped.start_document();
        }
        voted
    }

    /// Counts the gathered hashes.
    fn flush(&mut self) {
        let gathered = &mut self.buffer[..self.gathered];
        self.kernel.accumulate(&mut self.counts, gathered);
        if let Some(second) = &mut self.second {
            for hash in &mut *gathered {
                *hash = hash::second(*hash);
            }
            self.kernel.accumulate(second, gathered);
        }
        self.gathered = 0;
    }
}

impl FeatureSink for Fingerprinter {
    #[inline]
    fn features(&mut self, mut hashes: &[u64]) {
        while !hashes.is_empty() {
            if self.gathered == BUFFER {
                self.flush();
            }
            let room = &mut self.buffer[self.gathered..];
            let (batch, rest) = hashes.split_at(room.len().min(hashes.len()));
            self.gathered += if let Some(damped) = &mut self.damped {
                damped.admit(batch, room)
            } else {
                room[..batch.len()].copy_from_slice(batch);
                batch.len()
            };
            hashes = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::hash::mix;
    use crate::simhash::naive;
    use proptest::prelude::*;

    /// Features of a text of `length` occurrences: few are frequent, many are rare.
    fn text(seed: u64, length: usize) -> Vec<u64> {
        let rank = |i| mix(i, seed, 0) % (1 + mix(i, seed, 1) % 3_000);
        (0..length as u64).map(|i| mix(rank(i), 0, 2)).collect()
    }

    /// The fingerprint, step by step.
    fn expected(damped: bool, hashes: &[u64]) -> Option<Fingerprint> {
        let mut voting = hashes.to_vec();
        if damped {
            let votes = DampedCounts::new().admit(hashes, &mut voting);
            voting.truncate(votes);
        }
        (!hashes.is_empty()).then(|| naive::fingerprint(&voting))
    }

    #[test]
    fn fingerprints_equal_the_plain_steps_at_every_level() {
        for level in Level::available() {
            for damped in [false, true] {
                // One fingerprinter for all documents: nothing may be left of the one before.
                let mut fingerprinter = Fingerprinter::new(damped).with_level(level);
                let edges = [BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER + 7, 50_000];
                for length in (0..200).chain(edges).chain(0..20) {
                    let hashes = text(length as u64, length);
                    fingerprinter.features(&hashes);
                    let note = format!("{level:?}, damped {damped}, {length} features");
                    assert_eq!(fingerprinter.finish(), expected(damped, &hashes), "{note}");
                }
            }
        }
    }

    #[test]
    fn damping_holds_a_frequent_feature_back() {
        let frequent = [0b01; 100];
        let rare = [0b0_0010, 0b0_0110, 0b0_1010, 0b1_0010];
        // Without damping 100 votes stand against 8; with it 7 do, and the rare features have 8.
        let hashes = [&frequent[..], &rare, &rare].concat();
        for (damped, fingerprint) in [(false, 0b01), (true, 0b10)] {
            let mut fingerprinter = Fingerprinter::new(damped);
            fingerprinter.features(&hashes);
            assert_eq!(fingerprinter.finish(), Some(Fingerprint(fingerprint)));
        }
    }

    proptest! {
        #[test]
        fn batches_do_not_matter(
            seed: u64,
            length in 0..6_000_usize,
            batch in 1..3_000_usize,
            damped: bool,
        ) {
            let hashes = text(seed, length);
            let mut fingerprinter = Fingerprinter::new(damped);
            for batch in hashes.chunks(batch) {
                fingerprinter.features(batch);
            }
            prop_assert_eq!(fingerprinter.finish(), expected(damped, &hashes));
        }
    }
}
