//! Admission in two steps: count, then compress those that vote, eight at a time.
//!
//! In one step, where the next voting hash goes is known only when all before it are counted, and
//! loads from the table cannot overtake a store whose place is not known.

use std::arch::x86_64::{
    _mm_loadl_epi64, _mm_set1_epi8, _mm_test_epi8_mask, _mm512_loadu_si512,
    _mm512_maskz_compress_epi64, _mm512_storeu_si512,
};

use super::DampedCounts;

/// Hashes counted before those that vote are moved.
const BATCH: usize = 256;

/// As [`DampedCounts::admit`]; `voting` is as long as `hashes`.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn admit(counts: &mut DampedCounts, hashes: &[u64], voting: &mut [u64]) -> usize {
    assert!(voting.len() >= hashes.len(), "a place for each hash");
    let mut votes = [0_u8; BATCH];
    let mut admitted = 0;
    for hashes in hashes.chunks(BATCH) {
        // Four at once: half the cost of the loop itself.
        let (fours, last) = hashes.as_chunks::<4>();
        let (four_votes, last_votes) = votes[..hashes.len()].as_chunks_mut::<4>();
        for (four, votes) in fours.iter().zip(four_votes) {
            *votes = four.map(|hash| counts.count(hash));
        }
        for (&hash, vote) in last.iter().zip(last_votes) {
            *vote = counts.count(hash);
        }

        let (eights, last) = hashes.as_chunks::<8>();
        for (eight, votes) in eights.iter().zip(votes.as_chunks::<8>().0) {
            // SAFETY: the loads take the eight bytes and the eight hashes. The store fills eight
            // places, which are there: not more than the hashes before these eight were admitted.
            unsafe {
                let votes = _mm_loadl_epi64(votes.as_ptr().cast());
                let mask = _mm_test_epi8_mask(votes, _mm_set1_epi8(1)) as u8;
                let hashes = _mm512_loadu_si512(eight.as_ptr().cast());
                let packed = _mm512_maskz_compress_epi64(mask, hashes);
                _mm512_storeu_si512(voting.as_mut_ptr().add(admitted).cast(), packed);
                admitted += mask.count_ones() as usize;
            }
        }
        for (&hash, &vote) in last.iter().zip(&votes[8 * eights.len()..]) {
            voting[admitted] = hash;
            admitted += usize::from(vote);
        }
    }
    admitted
}
