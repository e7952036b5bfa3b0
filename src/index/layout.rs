//! How the bits of a fingerprint are cut into blocks, and the pigeonhole argument.
//!
//! Cut the bits into m blocks, give block i a radius `r_i`, and let Σ (`r_i` + 1) = k + 1. Two
//! fingerprints that differ in at most k bits are within `r_i` in at least one block i: else they
//! would differ in at least Σ (`r_i` + 1) = k + 1 bits. (Norouzi, Punjani and Fleet 2012, "Fast
//! search in Hamming space with multi-index hashing"; with four blocks and all radii 0 it is the
//! index of Manku, Jain and Das Sarma 2007 for k = 3.) It stays true when only some bits of a block
//! are looked at, its key: a pair within `r_i` in the block is within `r_i` in the key.
//!
//! So every pair is met in some block. It is reported by the first one whose key is within the
//! radius, and by no other.

use super::partition::Key;

/// Key bits above this are not worth their empty buckets.
const MAX_KEY_BITS: u32 = 22;

/// Part of a fingerprint in which near pairs are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) key: Key,
    pub(crate) radius: u32,
}

/// "Not the pairs that differ in at most `radius` bits of the mask": an earlier block has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) mask: u64,
    pub(crate) radius: u32,
}

impl Block {
    pub(crate) fn rule(&self) -> Rule {
        Rule {
            mask: self.key.mask,
            radius: self.radius,
        }
    }
}

impl Rule {
    /// Whether the pair with this difference belongs to the earlier block.
    #[inline]
    pub(crate) fn excludes(self, difference: u64) -> bool {
        let difference = difference & self.mask;
        if self.radius == 0 {
            difference == 0
        } else {
            difference.count_ones() <= self.radius
        }
    }
}

/// The bits that may still differ, and in how many of them a pair may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) free: u64,
    pub(crate) distance: u32,
}

impl Region {
    /// All bits.
    pub(crate) fn whole(distance: u32) -> Self {
        Self {
            free: u64::MAX,
            distance,
        }
    }

    /// What is left for two fingerprints that are known to differ in `distance` bits of a key.
    pub(crate) fn after(self, key: &Key, distance: u32) -> Self {
        Self {
            free: self.free & !key.mask,
            distance: self.distance - distance,
        }
    }

    /// The blocks of `count` blocks over the free bits, as bit masks with their radii. The earlier
    /// blocks have the larger radii and the odd bits. `None` when there are fewer bits than blocks.
    pub(crate) fn cut(self, count: u32) -> Option<Vec<(u64, u32)>> {
        let width = self.free.count_ones();
        if count == 0 || count > width || count > self.distance + 1 {
            return None;
        }
        let mut left = self.free;
        let mut blocks = Vec::with_capacity(count as usize);
        for block in 0..count {
            let share = |total: u32| total / count + u32::from(block < total % count);
            let mask = highest_ones(left, share(width));
            left &= !mask;
            blocks.push((mask, share(self.distance + 1) - 1));
        }
        Some(blocks)
    }
}

/// The highest `count` ones of a mask.
fn highest_ones(mask: u64, count: u32) -> u64 {
    let mut rest = mask;
    for _ in 0..mask.count_ones() - count {
        rest &= rest - 1;
    }
    rest
}

/// The key of a block: its highest bits, at most `bits` of them.
pub(crate) fn key(mask: u64, bits: u32) -> Key {
    Key::new(mask, bits.min(MAX_KEY_BITS))
}

/// Number of words of `bits` bits with at most `radius` ones.
pub(crate) fn ball(bits: u32, radius: u32) -> f64 {
    let (mut words, mut sum) = (1.0, 1.0);
    for ones in 1..=radius.min(bits) {
        words *= f64::from(bits - ones + 1) / f64::from(ones);
        sum += words;
    }
    sum
}

/// All words of `bits` bits with at most `radius` ones, those with fewer ones first.
pub(crate) fn words(bits: u32, radius: u32) -> Vec<usize> {
    let mut words: Vec<usize> = (0..1_usize << bits)
        .filter(|word| word.count_ones() <= radius)
        .collect();
    words.sort_by_key(|word| word.count_ones());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_blocks_of_16_bits_are_the_classic_index() {
        let blocks = Region::whole(3).cut(4).unwrap();
        assert_eq!(
            blocks,
            [
                (0xffff << 48, 0),
                (0xffff << 32, 0),
                (0xffff << 16, 0),
                (0xffff, 0)
            ]
        );
    }

    #[test]
    fn radii_and_bits_add_up() {
        for distance in 0..=64 {
            for count in 1..=64 {
                for free in [u64::MAX, 0xffff_0000_ffff_ffff, 0x0123_4567_89ab_cdef] {
                    let Some(blocks) = Region { free, distance }.cut(count) else {
                        assert!(count > free.count_ones() || count > distance + 1);
                        continue;
                    };
                    assert_eq!(blocks.iter().map(|(_, r)| r + 1).sum::<u32>(), distance + 1);
                    assert_eq!(blocks.iter().fold(0, |all, (mask, _)| all | mask), free);
                    let bits: u32 = blocks.iter().map(|(mask, _)| mask.count_ones()).sum();
                    assert_eq!(bits, free.count_ones());
                }
            }
        }
    }

    #[test]
    fn a_ball_has_as_many_words_as_are_listed() {
        for bits in 0..12 {
            for radius in 0..=bits + 1 {
                let words = words(bits, radius);
                assert!((ball(bits, radius) - words.len() as f64).abs() < 1e-6);
            }
        }
    }
}
