//! Bytes and hashes → 64-bit hashes: the folded mix.
//!
//! Two rounds of "multiply 64 × 64 → 128 bits, fold the halves together". One round is not enough:
//! votes need every bit unbiased (see the statistics test). Short inputs take no branch on their
//! length; inputs of more than 16 bytes go to `XXH3` (Collet 2019) with a fixed seed.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The first 256 bits of the fraction of π: numbers that nobody chose.
const K: [u64; 4] = [
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

/// Tag of a shingle of `n` tokens, `n >= 2`; tokens use their length (1..=16) as tag.
const SHINGLE_TAG: u64 = 0x100;

/// Hash of the shingle that `next` closes, `so_far` being the hash of the `n - 1` tokens before.
/// A bigram is `shingle(first, second, 2)`; longer ones fold from the left.
#[inline(always)]
pub fn shingle(so_far: u64, next: u64, n: u64) -> u64 {
    mix(so_far, next, SHINGLE_TAG + n)
}
