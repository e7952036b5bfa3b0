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

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use rayon::prelude::*;

use super::features::FeatureCollector;
use super::kernel;
use super::score::Score;

/// Bytes that a unit of weight costs in a tile: its slot in a table that is 3/8 to 3/4 full. Its
/// share of a word is paid for by the elements that documents have in common.
const ELEMENT_BYTES: usize = 43;

/// A numbered element; free where `level` is 0.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u64,
    level: u32,
    number: u32,
}

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
#[derive(Debug)]
pub(super) struct Tile {
    /// Open addressing, linear probing, at most three quarters full; `1 << bits` are in use.
    slots: Vec<Slot>,
    bits: u32,
    factor: u64,
    /// Numbers given so far.
    numbered: u32,
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

/// Slots of an empty table, in bits.
const FIRST_BITS: u32 = 12;

/// Pairs that a thread takes at once.
const PAIRS_AT_ONCE: usize = 1 << 12;

impl Default for Tile {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); 1 << FIRST_BITS],
            bits: FIRST_BITS,
            factor: RandomState::new().hash_one(1_u64) | 1,
            numbered: 0,
            members: Vec::new(),
            indices: Vec::new(),
            bits_of: Vec::new(),
            flat: Vec::new(),
            once: Vec::new(),
            twice: Vec::new(),
        }
    }
}

impl Tile {
    /// The total weight of documents that a tile of so many bytes holds.
    pub(super) fn capacity(bytes: usize) -> u64 {
        (bytes / ELEMENT_BYTES).max(1) as u64
    }

    /// Forgets all documents, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.slots[..1 << self.bits].fill(Slot::default());
        self.bits = FIRST_BITS;
        self.numbered = 0;
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
        for (hash, weight) in collected.iter() {
            total += u64::from(weight);
            for level in 1..=u32::from(weight) {
                let number = self.number(hash, level);
                let word = (number / 64) as usize;
                if word >= self.flat.len() {
                    self.flat.resize((word + 1).next_power_of_two(), 0);
                }
                if self.flat[word] == 0 {
                    self.indices.push(word as u32);
                }
                self.flat[word] |= 1 << (number % 64);
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

    /// The number of an element, the next one if it is new.
    #[inline]
    fn number(&mut self, hash: u64, level: u32) -> u32 {
        let mask = (1 << self.bits) - 1;
        let mut place = self.place(hash, level);
        loop {
            let slot = self.slots[place & mask];
            if slot.level == 0 {
                let number = self.numbered;
                self.slots[place & mask] = Slot {
                    hash,
                    level,
                    number,
                };
                self.numbered += 1;
                if self.numbered as usize * 4 > mask * 3 {
                    self.grow();
                }
                return number;
            }
            if slot.hash == hash && slot.level == level {
                return slot.number;
            }
            place += 1;
        }
    }

    #[inline]
    fn place(&self, hash: u64, level: u32) -> usize {
        let spread = hash.wrapping_add(u64::from(level) << 56);
        (spread.wrapping_mul(self.factor) >> (64 - self.bits)) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let old = self.slots[..1 << self.bits].to_vec();
        self.bits += 1;
        let len = 1_usize << self.bits;
        if self.slots.len() < len {
            self.slots.resize(len, Slot::default());
        }
        self.slots[..len].fill(Slot::default());
        for slot in old.into_iter().filter(|slot| slot.level != 0) {
            let mut place = self.place(slot.hash, slot.level);
            while self.slots[place & (len - 1)].level != 0 {
                place += 1;
            }
            self.slots[place & (len - 1)] = slot;
        }
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
