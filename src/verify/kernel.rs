//! Two sparse bit sets → how many bits they share.

use crate::cpu::Level;

/// Counts the bits that a flat set shares with one whose words lie at the given indices, each of
/// them within the flat set. `total` is how many bits those words have. May stop, with less than
/// `needed`, as soon as `needed` cannot be reached.
pub(super) type Shared =
    fn(flat: &[u64], indices: &[u32], bits: &[u64], total: u64, needed: u64) -> u64;

/// The kernel of the level that this process uses.
pub(super) fn best() -> Shared {
    at(Level::current())
}

/// The best kernel up to `level`.
fn at(level: Level) -> Shared {
    #[cfg(target_arch = "x86_64")]
    if level >= Level::Avx2 && level.is_available() {
        return counted_by_the_processor;
    }
    let _ = level;
    shared
}

/// Words between two looks at what is left.
const STEP: usize = 32;

/// Any processor.
#[inline(always)]
fn shared(flat: &[u64], indices: &[u32], bits: &[u64], total: u64, needed: u64) -> u64 {
    let (mut shared, mut left) = (0, total);
    for (indices, bits) in indices.chunks(STEP).zip(bits.chunks(STEP)) {
        for (&index, &bits) in indices.iter().zip(bits) {
            shared += u64::from((flat[index as usize] & bits).count_ones());
            left -= u64::from(bits.count_ones());
        }
        if shared + left < needed {
            break;
        }
    }
    shared
}

/// The same with the population count of the processor, which baseline x86-64 lacks: five times
/// as fast.
#[cfg(target_arch = "x86_64")]
fn counted_by_the_processor(
    flat: &[u64],
    indices: &[u32],
    bits: &[u64],
    total: u64,
    needed: u64,
) -> u64 {
    #[target_feature(enable = "popcnt")]
    fn with_popcnt(flat: &[u64], indices: &[u32], bits: &[u64], total: u64, needed: u64) -> u64 {
        shared(flat, indices, bits, total, needed)
    }
    // SAFETY: `at` hands this function out only where the processor has POPCNT, which is part of
    // every level above the portable one.
    unsafe { with_popcnt(flat, indices, bits, total, needed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_counts_the_same() {
        let flat: Vec<u64> = (0..97_u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        for level in Level::available() {
            let kernel = at(level);
            for n in [0, 1, 7, 8, 9, 31, 97] {
                let indices: Vec<u32> = (0..n).map(|i| i * 31 % 97).collect();
                let bits: Vec<u64> = (0..u64::from(n))
                    .map(|i| i.wrapping_mul(0xd6e8_feb8_6659_fd93))
                    .collect();
                let plain: u64 = (0..n as usize)
                    .flat_map(|i| (0..64).map(move |bit| (i, bit)))
                    .map(|(i, bit)| (flat[indices[i] as usize] >> bit) & (bits[i] >> bit) & 1)
                    .sum();
                let total = bits.iter().map(|bits| u64::from(bits.count_ones())).sum();
                for needed in [0, plain] {
                    let found = kernel(&flat, &indices, &bits, total, needed);
                    assert_eq!(found, plain, "{} {n}", level.name());
                }
                assert!(kernel(&flat, &indices, &bits, total, plain + 1) <= plain);
            }
        }
    }
}
