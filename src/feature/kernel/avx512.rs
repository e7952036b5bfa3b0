//! The hot loops for AVX-512 with VBMI and VBMI2.

use std::arch::x86_64::{
    __m128i, __m512i, _mm512_add_epi32, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask,
    _mm512_cmpge_epu8_mask, _mm512_cmpgt_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32,
    _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_mask_mov_epi8,
    _mm512_mask_permutexvar_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8,
    _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_storeu_si512, _mm512_sub_epi8, _mm512_test_epi8_mask,
};

use super::super::block::{GRAM, HAN, KANA, MARK, WHITE, WORD};
use super::super::token::Scan;
use super::super::unicode::{KANA_BLOCKS, NOT_SIMPLE, TWO_BYTES};
use super::portable::WINDOW_AND_END;
use super::{ASCII, Kernel, Lanes, Masks, WINDOW, portable};

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

struct Avx512;

impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn masks(classes: &[u8; WINDOW]) -> Masks {
        // SAFETY: the caller has AVX-512; the load stays in the array.
        unsafe {
            let classes = load(classes);
            let mask = |bit: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8));
            Masks {
                word: mask(WORD),
                mark: mask(MARK),
                han: mask(HAN),
                gram: mask(GRAM),
            }
        }
    }

    #[inline(always)]
    unsafe fn others(text: &[u8; WINDOW_AND_END]) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_movepi8_mask(load(text)) }
    }

    #[inline(always)]
    unsafe fn leads(text: &[u8; WINDOW_AND_END]) -> u64 {
        // SAFETY: as above. Of the signed bytes only those from 0x80 to 0xBF are -65 or less.
        unsafe { _mm512_cmpgt_epi8_mask(load(text), _mm512_set1_epi8(-65)) }
    }

    #[inline(always)]
    unsafe fn kana(classes: &[u8; WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(load(classes), _mm512_set1_epi8(KANA as i8)) }
    }

    #[inline(always)]
    unsafe fn white(classes: &[u8; WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(load(classes), _mm512_set1_epi8(WHITE as i8)) }
    }

    #[inline(always)]
    unsafe fn collapse(text: &[u8; WINDOW], kept: u64, white: u64, to: &mut [u8; WINDOW]) {
        // SAFETY: as above; the store fills the array.
        unsafe {
            let blank = _mm512_set1_epi8(b' ' as i8);
            let text = _mm512_mask_mov_epi8(load(text), white, blank);
            let packed = _mm512_maskz_compress_epi8(kept, text);
            _mm512_storeu_si512(to.as_mut_ptr().cast(), packed);
        }
    }

    #[inline(always)]
    unsafe fn places(mask: u64, base: u32, places: &mut [u32; WINDOW]) {
        // SAFETY: the caller has AVX-512; each store fills 16 places of the array.
        unsafe {
            let packed = _mm512_maskz_compress_epi8(mask, load(&COUNT));
            let base = _mm512_set1_epi32(base as i32);
            let to = places.as_mut_ptr();
            let put = |part: __m128i, number: usize| {
                let part = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), base);
                _mm512_storeu_si512(to.add(16 * number).cast(), part);
            };
            put(_mm512_castsi512_si128(packed), 0);
            if mask.count_ones() > 16 {
                put(_mm512_extracti32x4_epi32::<1>(packed), 1);
                put(_mm512_extracti32x4_epi32::<2>(packed), 2);
                put(_mm512_extracti32x4_epi32::<3>(packed), 3);
            }
        }
    }
}

/// 0, 1, … 63.
static COUNT: [u8; WINDOW] = {
    let mut count = [0; WINDOW];
    let mut i = 0;
    while i < WINDOW {
        count[i] = i as u8;
        i += 1;
    }
    count
};

/// # Safety
///
/// The processor has AVX-512.
#[inline(always)]
unsafe fn load<const N: usize>(window: &[u8; N]) -> __m512i {
    const { assert!(N >= WINDOW) };
    // SAFETY: the load stays in the 64 bytes.
    unsafe { _mm512_loadu_si512(window.as_ptr().cast()) }
}

/// The first bytes of `input`, as many as there are, and zeros.
///
/// # Safety
///
/// The processor has AVX-512.
#[inline(always)]
unsafe fn load_head(input: &[u8]) -> __m512i {
    let there = u64::MAX >> (WINDOW - input.len().clamp(1, WINDOW));
    let there = if input.is_empty() { 0 } else { there };
    // SAFETY: bytes that the mask leaves out are not read.
    unsafe { _mm512_maskz_loadu_epi8(there, input.as_ptr().cast()) }
}

/// Folds simple characters.
///
/// ```text
/// each byte as ASCII by two tables of 128
/// two bytes: for each lead byte there is, by three tables of 64
/// three bytes: ideographs and Hangul syllables, which stay, by range; kana by a table of 64
/// from the first other character on: one by one
/// ```
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn fold(input: &[u8], bytes: &mut [u8], classes: &mut [u8]) -> (usize, usize) {
    let half = |table: &'static [u8; 128], at: usize| {
        let half = &table[at..at + WINDOW];
        // SAFETY: this function has AVX-512; the load stays in the half.
        unsafe { _mm512_loadu_si512(half.as_ptr().cast()) }
    };
    let lower = [half(&ASCII.0, 0), half(&ASCII.0, WINDOW)];
    let class = [half(&ASCII.1, 0), half(&ASCII.1, WINDOW)];
    let (mut at, mut to) = (0, 0);
    while at < input.len() {
        let rest = &input[at..];
        // SAFETY: this function has AVX-512.
        let text = unsafe { load_head(rest) };
        let other = _mm512_movepi8_mask(text);
        let mut text_out = _mm512_permutex2var_epi8(lower[0], text, lower[1]);
        let mut class_out = _mm512_permutex2var_epi8(class[0], text, class[1]);
        let mut simple = rest.len().min(WINDOW);
        let mut hard_wide = 0;
        if other != 0 {
            // SAFETY: this function has AVX-512.
            let next = unsafe { load_head(&rest[1..]) };
            let is_below = |bytes: __m512i, from: u8, count: u8| {
                let moved = _mm512_sub_epi8(bytes, _mm512_set1_epi8(from as i8));
                _mm512_cmplt_epu8_mask(moved, _mm512_set1_epi8(count as i8))
            };
            let is = |bytes: __m512i, byte: u8| {
                _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
            };

            // Two bytes: for each lead byte there is, three tables of 64.
            let mut twos = is_below(text, 0xC2, 0x1E) & !(1 << (WINDOW - 1));
            let mut left = twos;
            while left != 0 {
                let lead = rest[left.trailing_zeros() as usize];
                let table = &TWO_BYTES[usize::from(lead & 0x1F)];
                // SAFETY: this function has AVX-512.
                let (leads, seconds, kinds) = unsafe {
                    (
                        load(&table.leads),
                        load(&table.seconds),
                        load(&table.classes),
                    )
                };
                let these = left & is(text, lead);
                let after = these << 1;
                text_out = _mm512_mask_permutexvar_epi8(text_out, these, next, leads);
                text_out = _mm512_mask_permutexvar_epi8(text_out, after, text, seconds);
                class_out = _mm512_mask_permutexvar_epi8(class_out, these, next, kinds);
                class_out = _mm512_mask_permutexvar_epi8(class_out, after, text, kinds);
                left &= !these;
            }

            // Three bytes: unified ideographs, Hangul syllables, kana.
            let wide = _mm512_cmpge_epu8_mask(text, _mm512_set1_epi8(0xE0_u8 as i8));
            let whole = wide & u64::MAX >> 2;
            let mut threes = 0;
            if whole != 0 {
                let han =
                    whole & (is_below(text, 0xE5, 5) | is(text, 0xE4) & is_below(next, 0xB8, 8));
                let hangul = whole
                    & (is_below(text, 0xEB, 2)
                        | is(text, 0xEA) & is_below(next, 0xB0, 0x10)
                        | is(text, 0xED) & is_below(next, 0x80, 0x1E));
                for (leads, class) in [(han, HAN), (hangul, WORD)] {
                    let all = leads | leads << 1 | leads << 2;
                    class_out = _mm512_mask_mov_epi8(class_out, all, _mm512_set1_epi8(class as i8));
                }
                let kana = whole & is(text, 0xE3) & is_below(next, 0x80, 4);
                let mut left = kana;
                while left != 0 {
                    let second = rest[left.trailing_zeros() as usize + 1];
                    // SAFETY: this function has AVX-512.
                    let (kinds, third) = unsafe {
                        (
                            load(&KANA_BLOCKS[usize::from(second & 3)]),
                            load_head(&rest[2..]),
                        )
                    };
                    let these = left & is(next, second);
                    class_out = _mm512_mask_permutexvar_epi8(class_out, these, third, kinds);
                    class_out = _mm512_mask_permutexvar_epi8(class_out, these << 1, next, kinds);
                    class_out = _mm512_mask_permutexvar_epi8(class_out, these << 2, text, kinds);
                    left &= !these;
                }
                threes = han | hangul | kana;
                let all = threes | threes << 1 | threes << 2;
                text_out = _mm512_mask_mov_epi8(text_out, all, text);
            }

            let not_simple = _mm512_test_epi8_mask(class_out, _mm512_set1_epi8(NOT_SIMPLE as i8));
            twos &= !not_simple;
            threes &= !not_simple;
            let easy = twos | twos << 1 | threes | threes << 1 | threes << 2;
            let hard = other & !easy;
            hard_wide = (hard & wide).count_ones();
            simple = simple.min(hard.trailing_zeros() as usize);
        }
        let (folded, kinds) = (&mut bytes[to..to + WINDOW], &mut classes[to..to + WINDOW]);
        // SAFETY: both slices have 64 bytes.
        unsafe {
            _mm512_storeu_si512(folded.as_mut_ptr().cast(), text_out);
            _mm512_storeu_si512(kinds.as_mut_ptr().cast(), class_out);
        }
        at += simple;
        to += simple;
        if simple < WINDOW - 2 && at < input.len() {
            let (text, folded, kinds) = (&input[at..], &mut bytes[to..], &mut classes[to..]);
            if hard_wide > 4
                && let (Some(text), Some(folded), Some(kinds)) = (
                    text.first_chunk(),
                    folded.first_chunk_mut(),
                    kinds.first_chunk_mut(),
                )
            {
                // SAFETY: this function has AVX-512.
                let (read, written, is_whole) =
                    unsafe { portable::fold_dense::<Avx512>(text, folded, kinds) };
                at += read;
                to += written;
                if !is_whole {
                    break;
                }
                continue;
            }
            let (read, written) = portable::fold_one(text, folded, kinds);
            if read == 0 {
                break;
            }
            at += read;
            to += written;
        }
    }
    (at, to)
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn windows(scan: &mut Scan, bytes: &[u8], classes: &[u8], len: usize) {
    // SAFETY: this function has AVX-512.
    unsafe { scan.windows::<Avx512>(bytes, classes, len) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn hash(starts: &[u32], ends: &[u32], bytes: &[u8], hashes: &mut [u64]) {
    portable::hash(starts, ends, bytes, hashes);
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn collapse(
    text: &[u8],
    classes: &[u8],
    len: usize,
    after_blank: &mut bool,
    to: &mut [u8],
) -> usize {
    // SAFETY: this function has the instruction set.
    unsafe { portable::collapse::<Avx512>(text, classes, len, after_blank, to) }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn starts(text: &[u8], len: usize, places: &mut [u32]) -> usize {
    // SAFETY: this function has the instruction set.
    unsafe { portable::starts::<Avx512>(text, len, places) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn bigrams(last: u64, tokens: &[u64], pairs: &mut [u64]) {
    portable::bigrams(last, tokens, pairs);
}
