//! Hashes → fingerprint in the plainest way: 64 steps a hash.
//!
//! The reference that the kernels are tested against and measured by. It follows the definition
//! word by word; do not make it faster.

use super::Fingerprint;

/// Adds the votes of `hashes`, each of weight 1: +1 where the bit is set, −1 where it is not.
pub fn vote(votes: &mut [i64; 64], hashes: &[u64]) {
    for hash in hashes {
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
}

/// The signs of the votes: bit i is 1 if and only if vote i is above zero.
pub fn signs(votes: &[i64; 64]) -> Fingerprint {
    let mut fingerprint = 0;
    for (bit, &vote) in votes.iter().enumerate() {
        if vote > 0 {
            fingerprint |= 1 << bit;
        }
    }
    Fingerprint(fingerprint)
}

/// The fingerprint of a document whose features have these hashes, each of weight 1.
pub fn fingerprint(hashes: &[u64]) -> Fingerprint {
    let mut votes = [0; 64];
    vote(&mut votes, hashes);
    signs(&votes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_needs_more_than_half_of_the_hashes() {
        assert_eq!(fingerprint(&[]), Fingerprint(0));
        assert_eq!(fingerprint(&[0b1100]), Fingerprint(0b1100));
        assert_eq!(fingerprint(&[0b1100, 0b1010]), Fingerprint(0b1000));
        assert_eq!(fingerprint(&[0b1100, 0b1010, 0b1001]), Fingerprint(0b1000));
        assert_eq!(fingerprint(&[0b1100, 0b1010, 0b0110]), Fingerprint(0b1110));
    }
}
