//! The kernel for AVX-512: registers of eight words, a full adder in two instructions.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use super::Counts;
use super::carry_save::{self, HALF_BLOCK, MAX_WORDS, Register};

/// Truth table of a ⊕ b ⊕ c: bit 4a + 2b + c is the result.
const ODD: i32 = 0b1001_0110;

/// Truth table of "two or three of a, b, c".
const MAJORITY: i32 = 0b1110_1000;

/// Eight words in an AVX-512 register.
#[derive(Clone, Copy)]
struct Avx512(__m512i);

impl Register for Avx512 {
    const WORDS: usize = 8;

    type HalfBlock = [u64; HALF_BLOCK * 8];

    const ZEROS: Self::HalfBlock = [0; HALF_BLOCK * 8];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller vouches for AVX-512 F.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for AVX-512 F and for the eight words.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    fn words(self) -> [u64; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        // SAFETY: whoever made `self` vouched for AVX-512 F; `words` has room for eight.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
        words
    }

    #[inline(always)]
    fn half_add(self, b: Self) -> (Self, Self) {
        // SAFETY: whoever made `self` vouched for AVX-512 F.
        unsafe {
            (
                Self(_mm512_xor_si512(self.0, b.0)),
                Self(_mm512_and_si512(self.0, b.0)),
            )
        }
    }

    #[inline(always)]
    fn full_add(self, b: Self, c: Self) -> (Self, Self) {
        // SAFETY: whoever made `self` vouched for AVX-512 F.
        unsafe {
            (
                Self(_mm512_ternarylogic_epi64::<ODD>(self.0, b.0, c.0)),
                Self(_mm512_ternarylogic_epi64::<MAJORITY>(self.0, b.0, c.0)),
            )
        }
    }
}

/// Adds `hashes` to `counts`.
///
/// # Safety
///
/// The processor must have AVX-512 F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn accumulate(counts: &mut Counts, hashes: &[u64]) {
    // SAFETY: the caller vouches for AVX-512 F.
    unsafe { carry_save::accumulate::<Avx512>(counts, hashes) }
}
