//! The hot loops for AVX-512 with VBMI and VBMI2.

use std::arch::x86_64::{
    __m128i, __m512i, _mm256_cmpgt_epu32_mask, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_set1_epi32, _mm256_sub_epi32, _mm512_add_epi32, _mm512_add_epi64, _mm512_alignr_epi64,
    _mm512_andnot_si512, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cmpge_epu8_mask,
    _mm512_cmpgt_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32, _mm512_cvtepu32_epi64,
    _mm512_extracti32x4_epi32, _mm512_i32gather_epi64, _mm512_loadu_si512, _mm512_mask_mov_epi8,
    _mm512_mask_permutexvar_epi8, _mm512_mask_shuffle_epi32, _mm512_maskz_compress_epi8,
    _mm512_maskz_loadu_epi8, _mm512_maskz_mov_epi32, _mm512_max_epu64, _mm512_movepi8_mask,
    _mm512_mul_epu32, _mm512_permutex2var_epi8, _mm512_permutex2var_epi64, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_shuffle_epi32,
    _mm512_slli_epi64, _mm512_sllv_epi64, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi8,
    _mm512_sub_epi64, _mm512_test_epi8_mask, _mm512_xor_si512,
};

use super::super::block::{GRAM, HAN, KANA, MARK, WHITE, WORD};
use super::super::hash::{K, hash_bytes};
use super::super::token::Scan;
use super::super::unicode::{KANA_BLOCKS, NOT_SIMPLE, TWO_BYTES};
use super::portable::WINDOW_AND_END;
use super::{ASCII, Kernel, Lanes, Masks, WINDOW, avx2, portable};

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

/// Hard characters of three and four bytes from which on a window is folded one by one.
const DENSE: u32 = 4;

struct Avx512;

impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn words(classes: &[u8; WINDOW]) -> (u64, bool) {
        // SAFETY: the caller has AVX-512; the load stays in the array.
        unsafe {
            let classes = load(classes);
            let others = _mm512_test_epi8_mask(classes, splat(MARK | HAN | GRAM));
            (_mm512_test_epi8_mask(classes, splat(WORD)), others != 0)
        }
    }

    #[inline(always)]
    unsafe fn masks(classes: &[u8; WINDOW]) -> Masks {
        // SAFETY: the caller has AVX-512; the load stays in the array.
        unsafe {
            let classes = load(classes);
            let mask = |bit: u8| _mm512_test_epi8_mask(classes, splat(bit));
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
        unsafe { _mm512_cmpeq_epi8_mask(load(classes), splat(KANA)) }
    }

    #[inline(always)]
    unsafe fn white(classes: &[u8; WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(load(classes), splat(WHITE)) }
    }

    #[inline(always)]
    unsafe fn collapse(text: &[u8; WINDOW], kept: u64, white: u64, to: &mut [u8; WINDOW]) {
        // SAFETY: as above; the store fills the array.
        unsafe {
            let blank = splat(b' ');
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
            let base = _mm512_set1_epi32(base.cast_signed());
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

/// A window as it becomes, and its class bytes.
struct Folded {
    text: __m512i,
    classes: __m512i,
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn splat(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// Which bytes are `byte`.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn are(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, splat(byte))
}

/// Which bytes are among the `count` from `first` on.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn are_from(bytes: __m512i, first: u8, count: u8) -> u64 {
    _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, splat(first)), splat(count))
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
        // Whole windows of ASCII.
        let texts = input[at..].as_chunks::<WINDOW>().0.iter();
        let folded = bytes[to..].as_chunks_mut::<WINDOW>().0.iter_mut();
        let kinds = classes[to..].as_chunks_mut::<WINDOW>().0.iter_mut();
        let mut done = 0;
        for ((text, folded), kinds) in texts.zip(folded).zip(kinds) {
            // SAFETY: this function has AVX-512.
            let text = unsafe { load(text) };
            if _mm512_movepi8_mask(text) != 0 {
                break;
            }
            let lowered = _mm512_permutex2var_epi8(lower[0], text, lower[1]);
            let kind = _mm512_permutex2var_epi8(class[0], text, class[1]);
            // SAFETY: both stores fill their 64 bytes.
            unsafe {
                _mm512_storeu_si512(folded.as_mut_ptr().cast(), lowered);
                _mm512_storeu_si512(kinds.as_mut_ptr().cast(), kind);
            }
            done += WINDOW;
        }
        at += done;
        to += done;
        let rest = &input[at..];
        // SAFETY: this function has AVX-512.
        let text = unsafe { load_head(rest) };
        let mut folded = Folded {
            text: _mm512_permutex2var_epi8(lower[0], text, lower[1]),
            classes: _mm512_permutex2var_epi8(class[0], text, class[1]),
        };
        let others = _mm512_movepi8_mask(text);
        let mut simple = rest.len().min(WINDOW);
        let mut is_dense = false;
        if others != 0 {
            let (easy, wide) = fold_others(rest, text, &mut folded);
            let hard = others & !easy;
            is_dense = (hard & wide).count_ones() > DENSE;
            simple = simple.min(hard.trailing_zeros() as usize);
        }
        let (texts, kinds) = (&mut bytes[to..to + WINDOW], &mut classes[to..to + WINDOW]);
        // SAFETY: both slices have 64 bytes.
        unsafe {
            _mm512_storeu_si512(texts.as_mut_ptr().cast(), folded.text);
            _mm512_storeu_si512(kinds.as_mut_ptr().cast(), folded.classes);
        }
        at += simple;
        to += simple;
        if simple >= WINDOW - 2 || at >= input.len() {
            // The end, or a character that the next window may have as a whole.
            continue;
        }
        let (text, texts, kinds) = (&input[at..], &mut bytes[to..], &mut classes[to..]);
        if is_dense
            && let (Some(text), Some(texts), Some(kinds)) = (
                text.first_chunk(),
                texts.first_chunk_mut(),
                kinds.first_chunk_mut(),
            )
        {
            // SAFETY: this function has AVX-512.
            let (read, written, is_whole) =
                unsafe { portable::fold_dense::<Avx512>(text, texts, kinds) };
            at += read;
            to += written;
            if !is_whole {
                break;
            }
        } else {
            let (read, written) = portable::fold_one(text, texts, kinds);
            at += read;
            to += written;
            if read == 0 {
                break;
            }
        }
    }
    (at, to)
}

/// Folds characters of two and three bytes at the head of `rest`, of which `text` is the window.
/// Returns which bytes are those of simple ones, and which begin characters of three or four.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn fold_others(rest: &[u8], text: __m512i, folded: &mut Folded) -> (u64, u64) {
    // SAFETY: this function has AVX-512.
    let next = unsafe { load_head(&rest[1..]) };
    // Those that end in the window.
    let twos = are_from(text, 0xC2, 0x1E) & u64::MAX >> 1;
    let wide = _mm512_cmpge_epu8_mask(text, splat(0xE0));
    let threes = wide & u64::MAX >> 2;

    fold_twos(rest, twos, text, next, folded);
    let threes = if threes == 0 {
        0
    } else {
        fold_threes(rest, threes, text, next, folded)
    };
    let simple = !_mm512_test_epi8_mask(folded.classes, splat(NOT_SIMPLE));
    let (twos, threes) = (twos & simple, threes & simple);
    (twos | twos << 1 | threes | threes << 1 | threes << 2, wide)
}

/// Folds characters of two bytes, which begin at `left`.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn fold_twos(rest: &[u8], mut left: u64, text: __m512i, next: __m512i, folded: &mut Folded) {
    while left != 0 {
        let lead = rest[left.trailing_zeros() as usize];
        let table = &TWO_BYTES[usize::from(lead & 0x1F)];
        // SAFETY: this function has AVX-512; so below.
        let leads = unsafe { load(&table.leads) };
        // SAFETY: as above.
        let seconds = unsafe { load(&table.seconds) };
        // SAFETY: as above.
        let kinds = unsafe { load(&table.classes) };
        let these = left & are(text, lead);
        let after = these << 1;
        let put = _mm512_mask_permutexvar_epi8;
        folded.text = put(folded.text, these, next, leads);
        folded.text = put(folded.text, after, text, seconds);
        folded.classes = put(folded.classes, these, next, kinds);
        folded.classes = put(folded.classes, after, text, kinds);
        left &= !these;
    }
}

/// Folds those characters of three bytes, which begin at `leads`, that are unified ideographs, Hangul
/// syllables or in the blocks of kana. Returns where these begin.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline]
fn fold_threes(rest: &[u8], leads: u64, text: __m512i, next: __m512i, folded: &mut Folded) -> u64 {
    let han = leads & (are_from(text, 0xE5, 5) | are(text, 0xE4) & are_from(next, 0xB8, 8));
    let hangul = leads
        & (are_from(text, 0xEB, 2)
            | are(text, 0xEA) & are_from(next, 0xB0, 0x10)
            | are(text, 0xED) & are_from(next, 0x80, 0x1E));
    for (leads, class) in [(han, HAN), (hangul, WORD)] {
        let all = leads | leads << 1 | leads << 2;
        folded.classes = _mm512_mask_mov_epi8(folded.classes, all, splat(class));
    }
    let kana = leads & are(text, 0xE3) & are_from(next, 0x80, 4);
    let mut left = kana;
    while left != 0 {
        let second = rest[left.trailing_zeros() as usize + 1];
        // SAFETY: this function has AVX-512; so below.
        let kinds = unsafe { load(&KANA_BLOCKS[usize::from(second & 3)]) };
        // SAFETY: as above.
        let third = unsafe { load_head(&rest[2..]) };
        let these = left & are(next, second);
        let put = _mm512_mask_permutexvar_epi8;
        folded.classes = put(folded.classes, these, third, kinds);
        folded.classes = put(folded.classes, these << 1, next, kinds);
        folded.classes = put(folded.classes, these << 2, text, kinds);
        left &= !these;
    }
    let threes = han | hangul | kana;
    let all = threes | threes << 1 | threes << 2;
    folded.text = _mm512_mask_mov_epi8(folded.text, all, text);
    threes
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn windows(scan: &mut Scan, bytes: &[u8], classes: &[u8], len: usize) {
    // SAFETY: this function has AVX-512.
    unsafe { scan.windows::<Avx512>(bytes, classes, len) }
}

/// As [`portable::hash`], eight tokens at once.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn hash(starts: &[u32], ends: &[u32], bytes: &[u8], hashes: &mut [u64]) {
    let Some(Ok(last)) = bytes.len().checked_sub(16).map(i32::try_from) else {
        return avx2::hash(starts, ends, bytes, hashes);
    };
    let (starts, last_starts) = starts.as_chunks::<8>();
    let (ends, last_ends) = ends.as_chunks::<8>();
    let (eights, last_hashes) = hashes.as_chunks_mut::<8>();
    #[expect(clippy::cast_ptr_alignment, reason = "a gather asks for none")]
    let base = bytes.as_ptr().cast::<i64>();
    for ((starts, ends), hashes) in starts.iter().zip(ends).zip(eights) {
        // SAFETY: the loads take their eight places. The gathers take 16 bytes from a start on that
        // is at most 16 bytes before the end of `bytes`.
        let (len, low, high) = unsafe {
            let start = _mm256_loadu_si256(starts.as_ptr().cast());
            let end = _mm256_loadu_si256(ends.as_ptr().cast());
            let at = _mm256_min_epu32(start, _mm256_set1_epi32(last));
            (
                _mm256_sub_epi32(end, start),
                _mm512_i32gather_epi64::<1>(at, base),
                _mm512_i32gather_epi64::<1>(at, base.add(1)),
            )
        };
        let tag = _mm512_cvtepu32_epi64(len);
        // Shifts by 64 bits and more leave nothing.
        let bits = _mm512_slli_epi64::<3>(tag);
        let word = _mm512_set1_epi64(64);
        let rest = _mm512_sub_epi64(_mm512_max_epu64(bits, word), word);
        let ones = _mm512_set1_epi64(-1);
        let low = _mm512_andnot_si512(_mm512_sllv_epi64(ones, bits), low);
        let high = _mm512_andnot_si512(_mm512_sllv_epi64(ones, rest), high);
        let hash = mix(low, high, tag);
        // SAFETY: the store fills the eight places.
        unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().cast(), hash) };
        let mut long = _mm256_cmpgt_epu32_mask(len, _mm256_set1_epi32(16));
        while long != 0 {
            let i = long.trailing_zeros() as usize % 8;
            hashes[i] = hash_bytes(&bytes[starts[i] as usize..ends[i] as usize]);
            long &= long - 1;
        }
    }
    avx2::hash(last_starts, last_ends, bytes, last_hashes);
}

/// [`hash::mix`](super::super::hash::mix) of eight pairs of words.
#[target_feature(enable = "avx512f")]
#[inline]
fn mix(low: __m512i, high: __m512i, tag: __m512i) -> __m512i {
    let k = |i: usize| _mm512_set1_epi64(K[i].cast_signed());
    let xor = |a, b| _mm512_xor_si512(a, b);
    let (low, high) = multiply(xor(low, k(0)), xor(high, k(1)));
    let (low, high) = multiply(xor(xor(low, k(2)), tag), xor(high, k(3)));
    xor(low, high)
}

/// The lower half of each word.
const LOWER: u16 = 0x5555;

/// Both halves of each word as the upper one.
#[target_feature(enable = "avx512f")]
#[inline]
fn copy_upper(words: __m512i) -> __m512i {
    _mm512_shuffle_epi32::<0b11_11_01_01>(words)
}

/// The lower and the upper halves of eight products of 64 by 64 bits.
#[target_feature(enable = "avx512f")]
#[inline]
fn multiply(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    let upper = |x| _mm512_srli_epi64::<32>(x);
    // What lies above the lower 32 bits of a factor does not count, so a shuffle does here; there is
    // one unit for shifts, and one for shuffles.
    let (a_upper, b_upper) = (copy_upper(a), copy_upper(b));
    let low_low = _mm512_mul_epu32(a, b);
    let low_high = _mm512_mul_epu32(a, b_upper);
    let high_low = _mm512_mul_epu32(a_upper, b);
    let high_high = _mm512_mul_epu32(a_upper, b_upper);
    let first = _mm512_add_epi64(low_high, upper(low_low));
    let second = _mm512_add_epi64(high_low, _mm512_maskz_mov_epi32(LOWER, first));
    let high = _mm512_add_epi64(high_high, _mm512_add_epi64(upper(first), upper(second)));
    // The lower halves of the second term above those of the product of lower halves.
    let low = _mm512_mask_shuffle_epi32::<0b10_10_00_00>(low_low, !LOWER, second);
    (low, high)
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

#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn bigrams(last: u64, tokens: &[u64], pairs: &mut [u64]) {
    let mut last = last;
    let (eights, rest) = tokens.as_chunks::<8>();
    let (places, rest_places) = pairs.split_at_mut(2 * tokens.len() - 2 * rest.len());
    let k = |i: usize| _mm512_set1_epi64(K[i].cast_signed());
    let second_key = _mm512_xor_si512(k(1), _mm512_set1_epi64(2));
    // Tokens have the even places of the pairs, bigrams the odd ones.
    let merge = |from: i64| {
        let at = |i| from + i;
        _mm512_setr_epi64(at(0), at(8), at(1), at(9), at(2), at(10), at(3), at(11))
    };
    for (eight, places) in eights.iter().zip(places.as_chunks_mut::<16>().0) {
        // SAFETY: the load takes the eight tokens.
        let next = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
        let before = _mm512_set1_epi64(last.cast_signed());
        let so_far = _mm512_alignr_epi64::<7>(next, before);
        let first = _mm512_xor_si512(so_far, k(0));
        let (low, high) = multiply(first, _mm512_xor_si512(next, second_key));
        let bigrams = _mm512_xor_si512(low, high);
        let (lower, upper) = places.split_at_mut(8);
        // SAFETY: both stores fill their eight places.
        unsafe {
            let pairs = _mm512_permutex2var_epi64(next, merge(0), bigrams);
            _mm512_storeu_si512(lower.as_mut_ptr().cast(), pairs);
            let pairs = _mm512_permutex2var_epi64(next, merge(4), bigrams);
            _mm512_storeu_si512(upper.as_mut_ptr().cast(), pairs);
        }
        last = eight[7];
    }
    portable::bigrams(last, rest, rest_places);
}
