//! The kernel for AVX2: registers of four words.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_setzero_si256,
    _mm256_storeu_si256, _mm256_xor_si256,
};

use super::Counts;
use super::carry_save::{self, HALF_BLOCK, MAX_WORDS, Register};

/// Four words in an AVX2 register.
#[derive(Clone, Copy)]
struct Avx2(__m256i);

impl Register for Avx2 {
    const WORDS: usize = 4;

    type HalfBlock = [u64; HALF_BLOCK * 4];

    const ZEROS: Self::HalfBlock = [0; HALF_BLOCK * 4];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for AVX2 and for the four words.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    fn words(self) -> [u64; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        // SAFETY: whoever made `self` vouched for AVX2; `words` has room for four.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
        words
    }

    #[inline(always)]
    fn half_add(self, b: Self) -> (Self, Self) {
        // SAFETY: whoever made `self` vouched for AVX2.
        unsafe {
            (
                Self(_mm256_xor_si256(self.0, b.0)),
                Self(_mm256_and_si256(self.0, b.0)),
            )
        }
    }

    #[inline(always)]
    fn full_add(self, b: Self, c: Self) -> (Self, Self) {
        // SAFETY: whoever made `self` vouched for AVX2.
        unsafe {
            let one = _mm256_xor_si256(self.0, b.0);
            let two = _mm256_and_si256(self.0, b.0);
            (
                Self(_mm256_xor_si256(one, c.0)),
                Self(_mm256_or_si256(two, _mm256_and_si256(one, c.0))),
            )
        }
    }
}

/// Adds `hashes` to `counts`.
///
/// # Safety
///
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn accumulate(counts: &mut Counts, hashes: &[u64]) {
    // SAFETY: the caller vouches for AVX2.
    unsafe { carry_save::accumulate::<Avx2>(counts, hashes) }
}
