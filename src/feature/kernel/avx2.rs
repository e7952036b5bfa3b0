//! The hot loops for AVX2 and BMI2.

use std::arch::x86_64::{
    __m256i, _bzhi_u64, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_slli_epi16, _mm256_testz_si256,
};

use super::super::block::{GRAM, HAN, KANA, MARK, WHITE};
use super::super::hash::{hash_bytes, mix};
use super::super::token::Scan;
use super::portable::{Portable, WINDOW_AND_END};
use super::{Kernel, Lanes, Masks, WINDOW, portable};

pub(super) static KERNEL: Kernel = Kernel {
    // SAFETY: `Kernel::of` gives this kernel out only where the processor has the level; likewise
    // for those below.
    fold: |input, bytes, classes| unsafe { fold(input, bytes, classes) },
    // SAFETY: as above.
    windows: |scan, bytes, classes, len| unsafe { windows(scan, bytes, classes, len) },
    // SAFETY: as above.
    hash: |starts, ends, bytes, hashes| unsafe { hash(starts, ends, bytes, hashes) },
    // SAFETY: as above.
    collapse: |text, classes, len, after_blank, to| unsafe {
        collapse(text, classes, len, after_blank, to)
    },
    // SAFETY: as above.
    starts: |text, len, places| unsafe { starts(text, len, places) },
    // SAFETY: as above.
    bigrams: |last, tokens, pairs| unsafe { bigrams(last, tokens, pairs) },
};

struct Avx2;

impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn words(classes: &[u8; WINDOW]) -> (u64, bool) {
        // SAFETY: the caller has AVX2; the loads stay in the array.
        unsafe {
            let (low, high) = load(classes);
            let others = _mm256_set1_epi8((MARK | HAN | GRAM).cast_signed());
            let has_none = _mm256_testz_si256(_mm256_or_si256(low, high), others) == 1;
            (bit::<7>(low, high), !has_none)
        }
    }

    #[inline(always)]
    unsafe fn masks(classes: &[u8; WINDOW]) -> Masks {
        // SAFETY: the caller has AVX2; the loads stay in the array.
        unsafe {
            let (low, high) = load(classes);
            Masks {
                word: bit::<7>(low, high),
                mark: bit::<6>(low, high),
                han: bit::<5>(low, high),
                gram: bit::<4>(low, high),
            }
        }
    }

    #[inline(always)]
    unsafe fn others(text: &[u8; WINDOW_AND_END]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (low, high) = load(text);
            join(_mm256_movemask_epi8(low), _mm256_movemask_epi8(high))
        }
    }

    #[inline(always)]
    unsafe fn leads(text: &[u8; WINDOW_AND_END]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (low, high) = load(text);
            // Of the signed bytes only those from 0x80 to 0xBF are -65 or less.
            let limit = _mm256_set1_epi8(-65);
            join(
                _mm256_movemask_epi8(_mm256_cmpgt_epi8(low, limit)),
                _mm256_movemask_epi8(_mm256_cmpgt_epi8(high, limit)),
            )
        }
    }

    #[inline(always)]
    unsafe fn kana(classes: &[u8; WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (low, high) = load(classes);
            let kana = _mm256_set1_epi8(KANA.cast_signed());
            join(
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, kana)),
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, kana)),
            )
        }
    }

    #[inline(always)]
    unsafe fn white(classes: &[u8; WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (low, high) = load(classes);
            let white = _mm256_set1_epi8(WHITE.cast_signed());
            join(
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, white)),
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, white)),
            )
        }
    }

    #[inline(always)]
    unsafe fn collapse(text: &[u8; WINDOW], kept: u64, white: u64, to: &mut [u8; WINDOW]) {
        // SAFETY: this form needs no instruction set.
        unsafe { Portable::collapse(text, kept, white, to) };
    }

    #[inline(always)]
    unsafe fn places(mask: u64, base: u32, places: &mut [u32; WINDOW]) {
        // Eight at a time: their number is rarely more, so the branch is foretold.
        let mut mask = mask;
        for part in places.as_chunks_mut::<8>().0 {
            if mask == 0 {
                return;
            }
            for place in part {
                *place = base.wrapping_add(mask.trailing_zeros());
                mask &= mask.wrapping_sub(1);
            }
        }
    }
}

/// Both halves of a window.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn load<const N: usize>(window: &[u8; N]) -> (__m256i, __m256i) {
    const { assert!(N >= WINDOW) };
    let (low, high) = window.split_at(WINDOW / 2);
    // SAFETY: both loads lie in the 64 bytes.
    unsafe {
        (
            _mm256_loadu_si256(low.as_ptr().cast()),
            _mm256_loadu_si256(high.as_ptr().cast()),
        )
    }
}

/// The bits that a shift to the left by `SHIFT` brings to the top of their byte.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn bit<const SHIFT: i32>(low: __m256i, high: __m256i) -> u64 {
    // SAFETY: the caller has AVX2.
    unsafe {
        join(
            _mm256_movemask_epi8(_mm256_slli_epi16::<SHIFT>(low)),
            _mm256_movemask_epi8(_mm256_slli_epi16::<SHIFT>(high)),
        )
    }
}

#[inline(always)]
fn join(low: i32, high: i32) -> u64 {
    u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn fold(input: &[u8], bytes: &mut [u8], classes: &mut [u8]) -> (usize, usize) {
    // SAFETY: this function has AVX2.
    unsafe { portable::fold::<Avx2>(input, bytes, classes) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn windows(scan: &mut Scan, bytes: &[u8], classes: &[u8], len: usize) {
    // SAFETY: this function has AVX2.
    unsafe { scan.windows::<Avx2>(bytes, classes, len) }
}

/// As [`portable::hash`], with BMI2 to cut off what is behind the token.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn hash(starts: &[u32], ends: &[u32], bytes: &[u8], hashes: &mut [u64]) {
    for ((&start, &end), hash) in starts.iter().zip(ends).zip(hashes) {
        let len = end.wrapping_sub(start);
        let head = bytes.get(start as usize..).and_then(<[u8]>::first_chunk);
        *hash = match head {
            Some(head) if len <= 16 => {
                let head = u128::from_le_bytes(*head);
                let low = _bzhi_u64(head as u64, 8 * len);
                let high = _bzhi_u64((head >> 64) as u64, (8 * len).saturating_sub(64));
                mix(low, high, u64::from(len))
            }
            _ => hash_bytes(&bytes[start as usize..end as usize]),
        };
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn collapse(
    text: &[u8],
    classes: &[u8],
    len: usize,
    after_blank: &mut bool,
    to: &mut [u8],
) -> usize {
    // SAFETY: this function has the instruction set.
    unsafe { portable::collapse::<Avx2>(text, classes, len, after_blank, to) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn starts(text: &[u8], len: usize, places: &mut [u32]) -> usize {
    // SAFETY: this function has the instruction set.
    unsafe { portable::starts::<Avx2>(text, len, places) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn bigrams(last: u64, tokens: &[u64], pairs: &mut [u64]) {
    portable::bigrams(last, tokens, pairs);
}
