//! Documents that have pairs with each other → the weight that each pair shares.
//!
//! ```text
//! element of a document    (feature hash, level), level in 1..=weight
//! number of an element     order in which the tile first met it
//! document                 the words of its bit set that are not zero: (index, 64 bits)…
//! shared weight of a, b    Σ popcount(a[i] & b[i]), over the words of b, with a laid out flat
//! ```
//!
//! Two elements have one number only if hash and level are equal, so the weight is exact.
//! Documents are added in the order of their text: a near-duplicate meets the elements of the
//! first one in their order, so its numbers come in runs and its words are full.

use std::ops::Range;

use rayon::prelude::*;

use super::features::FeatureCollector;
use super::kernel;
use super::numbering::{KEY_BYTES, Numbering};
use super::score::Score;

/// A document of the tile.
#[derive(Debug, Clone)]
struct Member {
    document: u32,
    /// Where its words lie.
    words: Range<usize>,
    total: u64,
    /// Its bits, once those are gone that no other member has.
    common: u64,
}

/// Some documents, their elements numbered.
#[derive(Debug, Default)]
pub(super) struct Tile {
    /// Numbers the elements of level 1 by their features; the others have spare numbers.
    numbering: Numbering,
    /// By number: the number of the same feature's element of the next level, or 0.
    next_level: Vec<u32>,
    /// Ascending by document.
    members: Vec<Member>,
    /// The words of all members, one after another: where each lies in the bit set…
    indices: Vec<u32>,
    /// … and its bits.
    bits_of: Vec<u64>,
    /// A whole bit set, all zero between calls.
    flat: Vec<u64>,
    /// The elements that one member has at least, and those that two have.
    once: Vec<u64>,
    twice: Vec<u64>,
}

/// Larger tiles save no reading worth the cache misses that they cost; total weight.
const LARGEST: u64 = 1 << 21;

/// Pairs that a thread takes at once.
const PAIRS_AT_ONCE: usize = 1 << 12;

impl Tile {
    /// The total weight of documents that a tile of so many bytes holds. What their words take is
    /// paid for by the elements that they have in common.
    pub(super) fn capacity(bytes: usize) -> u64 {
        let of_element = KEY_BYTES + size_of::<u32>();
        ((bytes / of_element) as u64).clamp(1, LARGEST)
    }

    /// Forgets all documents, keeps the memory; the next ones will be about so heavy together.
    pub(super) fn clear(&mut self, weight: u64) {
        // Most elements of near-duplicates are common to them.
        self.numbering.clear((weight.min(LARGEST) / 4) as usize);
        self.next_level.clear();
        self.members.clear();
        self.indices.clear();
        self.bits_of.clear();
        self.once.clear();
        self.twice.clear();
    }

    /// Adds a document with the collected features; returns its total weight. Documents come in
    /// ascending order.
    pub(super) fn add(&mut self, document: u32, collected: &FeatureCollector) -> u64 {
        let start = self.indices.len();
        let mut total = 0;
        for (&hash, weight) in collected.hashes().iter().zip(collected.weights()) {
            total += u64::from(weight);
            let mut number = self.numbering.number(hash);
            self.set(number);
            for _ in 1..weight {
                number = self.next_level(number);
                self.set(number);
            }
        }
        self.once.resize(self.flat.len(), 0);
        self.twice.resize(self.flat.len(), 0);
        for &index in &self.indices[start..] {
            let index = index as usize;
            let bits = std::mem::take(&mut self.flat[index]);
            self.bits_of.push(bits);
            self.twice[index] |= self.once[index] & bits;
            self.once[index] |= bits;
        }
        self.members.push(Member {
            document,
            words: start..self.indices.len(),
            total,
            common: 0,
        });
        total
    }

    /// Sets the bit of an element.
    #[inline]
    fn set(&mut self, number: u32) {
        let word = (number / 64) as usize;
        if word >= self.flat.len() {
            self.flat.resize((word + 1).next_power_of_two(), 0);
        }
        if self.flat[word] == 0 {
            self.indices.push(word as u32);
        }
        self.flat[word] |= 1 << (number % 64);
    }

    /// The number of the element of the next level.
    #[inline]
    fn next_level(&mut self, number: u32) -> u32 {
        let at = number as usize;
        if self.next_level.len() <= at {
            self.next_level.resize(self.numbering.keys().len(), 0);
        }
        if self.next_level[at] == 0 {
            self.next_level[at] = self.numbering.spare();
        }
        self.next_level[at]
    }

    /// Ends the adding: throws away the elements that only one member has.
    pub(super) fn close(&mut self) {
        let mut kept = 0;
        for member in &mut self.members {
            let start = kept;
            for word in member.words.clone() {
                let index = self.indices[word];
                let bits = self.bits_of[word] & self.twice[index as usize];
                if bits != 0 {
                    self.indices[kept] = index;
                    self.bits_of[kept] = bits;
                    member.common += u64::from(bits.count_ones());
                    kept += 1;
                }
            }
            member.words = start..kept;
        }
        self.indices.truncate(kept);
        self.bits_of.truncate(kept);
    }

    fn member(&self, document: u32) -> Option<&Member> {
        let found = (self.members).binary_search_by_key(&document, |member| member.document);
        found.ok().map(|place| &self.members[place])
    }

    /// Adds to `shared[i]` the weight that `pairs[i]` shares, less where it is proven that the pair
    /// is below `min_similarity`, and nothing where a document is missing. The tile must be
    /// closed. Pairs with one first document that follow each other are cheapest. With `share`
    /// other threads help.
    pub(super) fn score(
        &self,
        pairs: &[(u32, u32)],
        min_similarity: Option<f64>,
        share: bool,
        shared: &mut [u64],
    ) {
        let count = kernel::best();
        let chunks = pairs
            .par_chunks(PAIRS_AT_ONCE)
            .zip(shared.par_chunks_mut(PAIRS_AT_ONCE));
        chunks
            .with_min_len(if share { 1 } else { usize::MAX })
            .for_each_init(
                || vec![0_u64; self.once.len()],
                |flat, (pairs, shared)| {
                    let mut done = 0;
                    for run in pairs.chunk_by(|x, y| x.0 == y.0) {
                        let shared = &mut shared[done..][..run.len()];
                        done += run.len();
                        self.score_run(run, min_similarity, count, flat, shared);
                    }
                },
            );
    }

    /// Scores pairs with one first document; `flat` is all zero before and after.
    fn score_run(
        &self,
        run: &[(u32, u32)],
        min_similarity: Option<f64>,
        count: kernel::Shared,
        flat: &mut [u64],
        shared: &mut [u64],
    ) {
        let Some(a) = self.member(run[0].0) else {
            return;
        };
        for word in a.words.clone() {
            flat[self.indices[word] as usize] = self.bits_of[word];
        }
        for (&(_, b), shared) in run.iter().zip(shared) {
            let Some(b) = self.member(b) else {
                continue;
            };
            let needed =
                min_similarity.map_or(0, |least| Score::least_shared(least, a.total, b.total));
            if a.common.min(b.common) >= needed {
                let (indices, bits) = (
                    &self.indices[b.words.clone()],
                    &self.bits_of[b.words.clone()],
                );
                *shared += count(flat, indices, bits, b.common, needed);
            }
        }
        for word in a.words.clone() {
            flat[self.indices[word] as usize] = 0;
        }
    }
}
