//! Bits that hardly vary → spread evenly over the fingerprint.
//!
//! A Hamming distance does not care in which order the bits come, but blocks do: a block of bits
//! that are the same in most fingerprints splits nothing. So the index deals the bits out anew, by
//! how unevenly zeros and ones occur, such that every run of bits has its share of good and bad ones.
//! Where all bits are about even, the order stays as it is.

use crate::feature::hash::mix;

/// Fingerprints that are looked at.
const SAMPLE: u64 = 2048;
/// The order stays where no bit is a 1 more often or more rarely than this off the half.
const EVEN: f64 = 0.15;

/// An order of the bits of all fingerprints of a search.
#[derive(Debug, Default)]
pub(crate) struct BitOrder {
    /// What each value of each byte turns into; empty for the order as it is.
    tables: Vec<[u64; 256]>,
}

impl BitOrder {
    /// The order that suits these fingerprints.
    pub(crate) fn new(fingerprints: &[u64]) -> Self {
        let n = fingerprints.len();
        let count = SAMPLE.min(n as u64);
        let mut ones = [0_u32; 64];
        for index in 0..count {
            let place = (u128::from(mix(index, n as u64, 1)) * n as u128) >> 64;
            let value = fingerprints[place as usize];
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += (value >> bit & 1) as u32;
            }
        }
        let bias = |bit: usize| (f64::from(ones[bit]) / count.max(1) as f64 - 0.5).abs();
        if (0..64).all(|bit| bias(bit) < EVEN) || n < 64 {
            return Self::default();
        }
        let mut bits: Vec<usize> = (0..64).collect();
        bits.sort_by(|&x, &y| bias(x).total_cmp(&bias(y)));
        // The rank with its six binary digits reversed: ranks 0 and 1 are half a fingerprint apart,
        // ranks 0 to 3 a quarter, and so on.
        let mut target = [0_u32; 64];
        for (rank, bit) in (0_u8..).zip(bits) {
            target[bit] = u32::from(rank.reverse_bits() >> 2);
        }
        let table = |byte: usize| {
            let mut table = [0; 256];
            for (value, entry) in table.iter_mut().enumerate() {
                let set = (0..8).filter(|bit| value >> bit & 1 == 1);
                *entry = set.fold(0, |all, bit| all | 1 << target[8 * byte + bit]);
            }
            table
        };
        Self {
            tables: (0..8).map(table).collect(),
        }
    }

    /// Whether every fingerprint stays as it is.
    pub(crate) fn is_identity(&self) -> bool {
        self.tables.is_empty()
    }

    /// The fingerprint with its bits in this order.
    #[inline]
    pub(crate) fn apply(&self, fingerprint: u64) -> u64 {
        if self.is_identity() {
            return fingerprint;
        }
        let bytes = fingerprint.to_le_bytes();
        let tables = self.tables.iter().zip(bytes);
        tables.fold(0, |all, (table, byte)| all | table[usize::from(byte)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_stay() {
        let values: Vec<u64> = (0..5000_u64).map(|x| mix(x, 0, 0) >> (x % 40)).collect();
        let order = BitOrder::new(&values);
        assert!(!order.is_identity());
        for pair in values.windows(2) {
            let distance = (order.apply(pair[0]) ^ order.apply(pair[1])).count_ones();
            assert_eq!(distance, (pair[0] ^ pair[1]).count_ones());
        }
    }

    #[test]
    fn even_bits_keep_their_order() {
        let values: Vec<u64> = (0..5000_u64).map(|x| mix(x, 0, 0)).collect();
        assert!(BitOrder::new(&values).is_identity());
    }

    #[test]
    fn constant_bits_are_shared_out() {
        let values: Vec<u64> = (0..5000_u64).map(|x| mix(x, 0, 0) >> 16).collect();
        let order = BitOrder::new(&values);
        let varying = order.apply(u64::MAX >> 16);
        for block in 0..4 {
            assert_eq!((varying >> (16 * block) & 0xffff).count_ones(), 12);
        }
    }
}
