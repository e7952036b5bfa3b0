//! Hashes → for every bit, how many of them have it set: the positional population count.
//!
//! The counts stay bit-sliced from beginning to end: plane p of a [`Counts`] holds bit p of all 64
//! counts. Adding a hash is then a binary addition of 64 one-bit numbers at once, and a carry-save
//! adder takes two of them in a handful of logic instructions; "more than half" is a bit-sliced
//! comparison. Nothing is ever transposed or counted bit by bit (Klarqvist, Muła and Lemire,
//! "Efficient computation of positional population counts using SIMD instructions", 2019).
//!
//! One algorithm (`carry_save`) serves all instruction sets; a kernel is its instance for the
//! registers of one [`Level`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod carry_save;
mod portable;

use super::Fingerprint;
use crate::cpu::Level;

/// Number of bit planes: counts of less than 2^64.
const PLANES: usize = 64;

/// How many hashes have each bit set, bit-sliced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Bit i of plane p is bit p of the count of bit i. Planes above the length of `hashes` are 0.
    planes: [u64; PLANES],
    /// Number of hashes counted.
    hashes: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            planes: [0; PLANES],
            hashes: 0,
        }
    }
}

impl Counts {
    /// No hashes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of hashes counted.
    pub fn hashes(&self) -> u64 {
        self.hashes
    }

    /// Number of planes that can hold a set bit: the length of the number of hashes.
    fn planes_in_use(&self) -> usize {
        (u64::BITS - self.hashes.leading_zeros()) as usize
    }

    /// Forgets all hashes.
    pub fn clear(&mut self) {
        let in_use = self.planes_in_use();
        self.planes[..in_use].fill(0);
        self.hashes = 0;
    }

    /// Adds the counts of `hashes` more hashes: `planes[p]` holds bit p of each.
    #[inline]
    fn add(&mut self, planes: &[u64], hashes: u64) {
        let mut carry = 0;
        for (plane, &more) in self.planes.iter_mut().zip(planes) {
            let one = *plane ^ more;
            let both = *plane & more | one & carry;
            *plane = one ^ carry;
            carry = both;
        }
        for plane in &mut self.planes[planes.len()..] {
            if carry == 0 {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
        self.hashes += hashes;
    }

    /// The fingerprint of these hashes, each of weight 1: the bits that more than half have set.
    pub fn fingerprint(&self) -> Fingerprint {
        // 2·count > hashes if and only if count > ⌊hashes / 2⌋, whether `hashes` is even or odd.
        let half = self.hashes / 2;
        let mut greater = 0;
        let mut equal = u64::MAX;
        for (bit, &plane) in self.planes[..self.planes_in_use()].iter().enumerate().rev() {
            if half >> bit & 1 == 1 {
                equal &= plane;
            } else {
                greater |= equal & plane;
                equal &= !plane;
            }
        }
        Fingerprint(greater)
    }
}

/// A positional population count for one instruction set. It can only be had where the processor
/// has that instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    level: Level,
    /// # Safety
    ///
    /// The processor must have all instructions of `level`.
    accumulate: unsafe fn(&mut Counts, &[u64]),
}

/// All kernels of this build, best first.
const KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    Kernel {
        level: Level::Avx512,
        accumulate: avx512::accumulate,
    },
    #[cfg(target_arch = "x86_64")]
    Kernel {
        level: Level::Avx2,
        accumulate: avx2::accumulate,
    },
    PORTABLE,
];

const PORTABLE: Kernel = Kernel {
    level: Level::Portable,
    accumulate: portable::accumulate,
};

impl Kernel {
    /// The kernels that this processor can run, best first; never empty.
    pub fn available() -> impl Iterator<Item = Self> {
        KERNELS.iter().copied().filter(Kernel::is_available)
    }

    /// The best kernel for `level`, or for the next lower level that this processor has.
    pub fn at(level: Level) -> Self {
        Self::available()
            .find(|kernel| kernel.level <= level)
            .unwrap_or(PORTABLE)
    }

    /// The level it works at.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// The name of its level.
    pub fn name(&self) -> &'static str {
        self.level.name()
    }

    /// Whether this processor can run it.
    fn is_available(&self) -> bool {
        self.level.is_available()
    }

    /// Counts `hashes`. The result is the same for every kernel.
    #[inline]
    pub fn accumulate(&self, counts: &mut Counts, hashes: &[u64]) {
        // SAFETY: the fields are private, and `available` and `at` hand out no kernel that the
        // processor cannot run.
        unsafe { (self.accumulate)(counts, hashes) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive;
    use super::*;
    use proptest::prelude::*;

    /// The counts, bit by bit.
    fn transpose(counts: &Counts) -> Vec<u64> {
        let count = |bit: usize| {
            let planes = counts.planes.iter().enumerate();
            planes.map(|(p, plane)| (plane >> bit & 1) << p).sum()
        };
        (0..64).map(count).collect()
    }

    /// The counts by definition.
    fn count_naively(hashes: &[u64]) -> Vec<u64> {
        let mut votes = [0; 64];
        naive::vote(&mut votes, hashes);
        // Vote = 2 * count - hashes.
        let twice = |vote| (hashes.len() as u64).wrapping_add_signed(vote);
        votes.map(|vote| twice(vote) / 2).to_vec()
    }

    /// Deterministic hashes (splitmix64).
    fn random(count: usize) -> Vec<u64> {
        let step = |i: u64| {
            let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        (1..=count as u64).map(step).collect()
    }

    fn check(kernel: Kernel, hashes: &[u64]) {
        let mut counts = Counts::new();
        kernel.accumulate(&mut counts, hashes);
        let note = format!("{} with {} hashes", kernel.name(), hashes.len());
        assert_eq!(counts.hashes(), hashes.len() as u64, "{note}");
        assert_eq!(transpose(&counts), count_naively(hashes), "{note}");
        assert_eq!(counts.fingerprint(), naive::fingerprint(hashes), "{note}");
    }

    /// Lengths up to 300 and around every multiple of a block: 16 and 32 registers of 1, 4 or 8
    /// words.
    fn lengths() -> impl Iterator<Item = usize> {
        let edges = (1..=12).map(|n| n * 256).chain([4_096, 8_192, 65_536]);
        (0..=300).chain(edges.flat_map(|edge| [edge - 1, edge, edge + 1]))
    }

    #[test]
    fn every_level_of_this_machine_has_a_kernel() {
        let names: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
        let levels = Level::available();
        let levels: Vec<_> = levels.iter().rev().map(|level| level.name()).collect();
        assert_eq!(names, levels);
        assert_eq!(Kernel::at(Level::Portable).name(), "portable");
    }

    #[test]
    fn kernels_equal_the_naive_loop_at_every_length() {
        let hashes = random(65_537);
        for kernel in Kernel::available() {
            for length in lengths() {
                check(kernel, &hashes[..length]);
            }
        }
    }

    #[test]
    fn the_place_in_memory_does_not_matter() {
        let hashes = random(1_100);
        for kernel in Kernel::available() {
            for start in 0..=16 {
                for length in [1, 7, 8, 63, 127, 128, 129, 255, 256, 257, 1_025] {
                    check(kernel, &hashes[start..start + length]);
                }
            }
        }
    }

    #[test]
    fn all_ones_and_all_zeros() {
        for kernel in Kernel::available() {
            for length in lengths() {
                check(kernel, &vec![u64::MAX; length]);
                check(kernel, &vec![0; length]);
            }
        }
    }

    #[test]
    fn counts_outgrow_8_and_16_bits() {
        // 600,000 hashes also cross the longest run that a kernel counts in registers.
        for kernel in Kernel::available() {
            for length in [255, 256, 257, 65_535, 65_536, 65_537, 600_000] {
                let mut counts = Counts::new();
                kernel.accumulate(&mut counts, &vec![1 << 63 | 1; length]);
                let transposed = transpose(&counts);
                assert_eq!(transposed[0], length as u64);
                assert_eq!(transposed[1], 0);
                assert_eq!(transposed[63], length as u64);
                assert_eq!(counts.fingerprint(), Fingerprint(1 << 63 | 1));
            }
        }
    }

    #[test]
    fn one_hash_more_or_less_than_half_decides() {
        for kernel in Kernel::available() {
            for length in [1, 2, 3, 64, 127, 255, 256, 1_023, 4_096] {
                for set in [length / 2, length / 2 + 1] {
                    let mut hashes = vec![0; length];
                    hashes[..set].fill(u64::MAX);
                    check(kernel, &hashes);
                }
            }
        }
    }

    #[test]
    fn cleared_counts_are_as_new() {
        let mut counts = Counts::new();
        Kernel::at(Level::Portable).accumulate(&mut counts, &random(1_000));
        counts.clear();
        assert_eq!(counts, Counts::new());
    }

    proptest! {
        #[test]
        fn batches_add_up(batches: Vec<Vec<u64>>) {
            let whole = batches.concat();
            for kernel in Kernel::available() {
                let mut counts = Counts::new();
                for batch in &batches {
                    kernel.accumulate(&mut counts, batch);
                }
                prop_assert_eq!(transpose(&counts), count_naively(&whole));
                prop_assert_eq!(counts.fingerprint(), naive::fingerprint(&whole));
            }
        }
    }
}
