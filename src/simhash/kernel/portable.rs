//! The kernel for every processor: words as registers, four at a time.

use super::Counts;
use super::carry_save::{self, HALF_BLOCK, MAX_WORDS, Register};

/// Four words. Compilers turn their logic into the vectors that every x86-64 and `AArch64` has.
#[derive(Clone, Copy)]
struct FourWords([u64; 4]);

impl Register for FourWords {
    const WORDS: usize = 4;

    type HalfBlock = [u64; HALF_BLOCK * 4];

    const ZEROS: Self::HalfBlock = [0; HALF_BLOCK * 4];

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's four words are readable.
        Self(unsafe { from.cast::<[u64; 4]>().read() })
    }

    #[inline(always)]
    fn words(self) -> [u64; MAX_WORDS] {
        let [a, b, c, d] = self.0;
        [a, b, c, d, 0, 0, 0, 0]
    }

    #[inline(always)]
    fn half_add(self, b: Self) -> (Self, Self) {
        let mut sum = self;
        let mut carry = self;
        for i in 0..4 {
            sum.0[i] = self.0[i] ^ b.0[i];
            carry.0[i] = self.0[i] & b.0[i];
        }
        (sum, carry)
    }

    #[inline(always)]
    fn full_add(self, b: Self, c: Self) -> (Self, Self) {
        let mut sum = self;
        let mut carry = self;
        for i in 0..4 {
            let one = self.0[i] ^ b.0[i];
            sum.0[i] = one ^ c.0[i];
            carry.0[i] = self.0[i] & b.0[i] | one & c.0[i];
        }
        (sum, carry)
    }
}

/// Adds `hashes` to `counts`.
pub(super) fn accumulate(counts: &mut Counts, hashes: &[u64]) {
    // SAFETY: plain Rust needs no particular instruction.
    unsafe { carry_save::accumulate::<FourWords>(counts, hashes) }
}
