//! Bytes and hashes → 64-bit hashes: the folded mix.
//!
//! Two rounds of "multiply 64 × 64 → 128 bits, fold the halves together". One round is not enough:
//! votes need every bit unbiased (see the statistics test). Short inputs take no branch on their
//! length; inputs of more than 16 bytes go to `XXH3` (Collet 2019) with a fixed seed.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The first 256 bits of the fraction of π: numbers that nobody chose.
pub(crate) const K: [u64; 4] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
];

/// Seed of `XXH3` for inputs of more than 16 bytes.
const LONG_SEED: u64 = K[0];

/// Mixes two words and a tag into 64 unbiased bits. Order matters: `mix(a, b, t) != mix(b, a, t)`.
#[inline(always)]
pub fn mix(lo: u64, hi: u64, tag: u64) -> u64 {
    let first = u128::from(lo ^ K[0]) * u128::from(hi ^ K[1]);
    let second = u128::from(first as u64 ^ K[2] ^ tag) * u128::from((first >> 64) as u64 ^ K[3]);
    second as u64 ^ (second >> 64) as u64
}

/// Hashes up to 16 bytes that were already loaded: `padded` holds them in little-endian order,
/// zeros above.
#[inline(always)]
pub fn hash_short(padded: u128, len: usize) -> u64 {
    mix(padded as u64, (padded >> 64) as u64, len as u64)
}

/// Hashes the UTF-8 bytes of a token or of a character shingle.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    if bytes.len() <= 16 {
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        hash_short(u128::from_le_bytes(padded), bytes.len())
    } else {
        xxh3_64_with_seed(bytes, LONG_SEED)
    }
}

/// Hash of the shingle that `next` closes, `so_far` being the hash of the `n - 1` tokens before.
/// A bigram is `shingle(first, second, 2)`; longer ones fold from the left. Order matters. Both are
/// mixed already, so one round is enough; sums would not do, since two bigrams that share a token
/// would then agree in some bits whatever that token is.
#[inline(always)]
pub fn shingle(so_far: u64, next: u64, n: u64) -> u64 {
    let product = u128::from(so_far ^ K[0]) * u128::from(next ^ K[1] ^ n);
    product as u64 ^ (product >> 64) as u64
}

/// A hash of the hash that shares no bias with it: what a second, independent fingerprint votes
/// with. One round is enough, since its input is mixed already.
#[inline(always)]
pub fn second(hash: u64) -> u64 {
    let product = u128::from(hash ^ K[2]) * u128::from(K[0] | 1);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Level;
    use crate::simhash::Fingerprint;
    use crate::simhash::kernel::{Counts, Kernel};

    /// Tokens as texts have them, all distinct: words of one to five syllables in Latin and
    /// Cyrillic letters, numbers, identifiers, and some longer than 16 bytes.
    fn tokens() -> Vec<String> {
        let latin = [
            "ba", "de", "ti", "lo", "nu", "ra", "se", "mi", "co", "the", "ing",
        ];
        let cyrillic = ["ба", "де", "ти", "ло", "ну", "ра", "се"];
        let mut tokens = Vec::new();
        for syllables in [&latin[..], &cyrillic] {
            let mut words = vec![String::new()];
            for _ in 0..4 {
                let longer = |word: &String| {
                    let word = word.clone();
                    syllables.iter().map(move |next| format!("{word}{next}"))
                };
                words = words.iter().flat_map(longer).collect();
                tokens.extend_from_slice(&words);
            }
        }
        tokens.extend((0..12_000).map(|number| number.to_string()));
        tokens.extend((0..12_000).map(|number| format!("x_{number:x}")));
        tokens.extend((0..12_000).map(|number| format!("get_element_by_name_{number}")));
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }

    fn token_hashes() -> Vec<u64> {
        let tokens = tokens();
        assert!(tokens.len() >= 50_000, "{} tokens", tokens.len());
        tokens.iter().map(|t| hash_bytes(t.as_bytes())).collect()
    }

    /// The bigrams of a text that runs through the tokens.
    fn bigram_hashes() -> Vec<u64> {
        let tokens = token_hashes();
        tokens.windows(2).map(|w| shingle(w[0], w[1], 2)).collect()
    }

    fn samples() -> [(&'static str, Vec<u64>); 2] {
        [("tokens", token_hashes()), ("bigrams", bigram_hashes())]
    }

    /// How far the number of set bits lies from half of `trials`, in standard deviations.
    fn deviation(set: usize, trials: usize) -> f64 {
        let trials = trials as f64;
        (set as f64 - trials / 2.0) / (trials.sqrt() / 2.0)
    }

    #[test]
    fn hashes_differ() {
        for (name, mut hashes) in samples() {
            let count = hashes.len();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), count, "{name}");
        }
    }

    #[test]
    fn every_bit_is_set_in_half_of_the_hashes() {
        for (name, hashes) in samples() {
            for bit in 0..64 {
                let set = hashes.iter().filter(|&hash| hash >> bit & 1 == 1).count();
                let share = set as f64 / hashes.len() as f64;
                assert!(
                    (share - 0.5).abs() < 0.01,
                    "{name}: bit {bit} is set in {share}"
                );
            }
        }
    }

    #[test]
    fn pairs_of_bits_are_independent() {
        for (name, hashes) in samples() {
            let mut squares = 0.0;
            for distance in 1..64 {
                let mut set = [0; 64];
                for hash in &hashes {
                    let differs = hash ^ (hash >> distance);
                    for (bit, set) in set.iter_mut().enumerate() {
                        *set += (differs >> bit & 1) as usize;
                    }
                }
                for (bit, &set) in set[..64 - distance].iter().enumerate() {
                    let z = deviation(set, hashes.len());
                    assert!(
                        z.abs() < 5.0,
                        "{name}: bits {bit} and {} by {z} deviations",
                        bit + distance
                    );
                    squares += z * z;
                }
            }
            // The mean of 2,016 squares of standard normal values has a deviation of 0.03.
            let mean = squares / 2_016.0;
            assert!((0.85..1.15).contains(&mean), "{name}: {mean}");
        }
    }

    #[test]
    fn bigrams_that_share_a_token_are_independent() {
        let tokens = token_hashes();
        let frequent = ["the", "of", "and", "in", "self", "0", "и", "a"];
        let frequent = frequent.map(|token| hash_bytes(token.as_bytes()));
        let shared: [fn(u64, u64) -> u64; 4] = [
            |token, frequent| shingle(frequent, token, 2),
            |token, frequent| shingle(token, frequent, 2),
            |token, _| token,
            |token, frequent| shingle(shingle(token, frequent, 2), frequent, 3),
        ];
        let mut squares = Vec::new();
        for (i, one) in shared.iter().enumerate() {
            for (j, other) in shared.iter().enumerate().take(i + 1) {
                for &a in &frequent {
                    for &b in frequent.iter().filter(|&&b| i != j || a < b) {
                        if (i, j) == (2, 2) {
                            continue; // the same feature twice
                        }
                        let mut set = [0; 64];
                        for &token in &tokens {
                            let differs = one(token, a) ^ other(token, b);
                            for (bit, set) in set.iter_mut().enumerate() {
                                *set += (differs >> bit & 1) as usize;
                            }
                        }
                        for (bit, &set) in set.iter().enumerate() {
                            let z = deviation(set, tokens.len());
                            assert!(z.abs() < 5.5, "{i}, {j}, bit {bit}: {z} deviations");
                            squares.push(z * z);
                        }
                    }
                }
            }
        }
        // The mean of so many squares of standard normal values has a deviation of 0.01.
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        assert!((0.95..1.05).contains(&mean), "{mean} of {}", squares.len());
    }

    fn fingerprint(hashes: &[u64]) -> Fingerprint {
        let mut counts = Counts::new();
        Kernel::at(Level::current()).accumulate(&mut counts, hashes);
        counts.fingerprint()
    }

    /// Two documents of 1,001 features each have `shared` in common, so that their vectors enclose
    /// the angle arccos(shared / 1,001). Votes are odd in number: there are no ties.
    #[test]
    fn mean_distance_follows_the_angle() {
        const FEATURES: usize = 1_001;
        const PAIRS: usize = 1_500;
        for (name, hashes) in samples() {
            // Shared features for 5°, 10°, 20°, 40°, 60°, 75° and 90°.
            for shared in [997, 986, 941, 767, 501, 259, 0] {
                let angle = (shared as f64 / FEATURES as f64).acos();
                let own = FEATURES - shared;
                let mut sum = 0;
                for pair in 0..PAIRS {
                    // Distinct features: a stride walks through the prime number of hashes.
                    let prime = 50_021;
                    let (start, stride) = (pair * 7_919, 1 + pair * 31 % 50_020);
                    let at = |i: usize| hashes[(start + i * stride) % prime];
                    let mut a: Vec<_> = (0..FEATURES).map(at).collect();
                    let fingerprint_a = fingerprint(&a);
                    for (i, hash) in a[..own].iter_mut().enumerate() {
                        *hash = at(FEATURES + i);
                    }
                    sum += fingerprint_a.distance(fingerprint(&a));
                }
                let mean = f64::from(sum) / PAIRS as f64;
                let expected = 64.0 * angle / std::f64::consts::PI;
                assert!(
                    (mean - expected).abs() < 0.5,
                    "{name}: {mean} instead of {expected} bits with {shared} shared"
                );
            }
        }
    }

    #[test]
    fn length_and_order_count() {
        assert_ne!(hash_bytes(b"a"), hash_bytes(b"a\0"));
        assert_ne!(hash_bytes(b""), hash_bytes(b"\0"));
        assert_ne!(shingle(1, 2, 2), shingle(2, 1, 2));
        assert_ne!(shingle(1, 2, 2), shingle(1, 2, 3));
    }

    /// Stored fingerprints depend on these.
    #[test]
    fn hashes_are_fixed() {
        let expected = [
            ("", 0xb836_0d13_316c_ba7e),
            ("a", 0xaa2a_c925_dccc_5fff),
            ("ab", 0xf3b6_ba9c_937f_dc2e),
            ("the", 0x71a2_abef_3ed6_b0d0),
            ("house_number_123", 0x028c_d49b_8d4b_6c9c),
            ("house_number_1234", 0x9eb7_5d04_3545_21b0),
        ];
        for (token, hash) in expected {
            assert_eq!(hash_bytes(token.as_bytes()), hash, "{token:?}");
        }
        assert_eq!(
            shingle(expected[1].1, expected[2].1, 2),
            0xbf4f_92bf_f614_c280
        );
    }
}
