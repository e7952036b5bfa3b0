//! The hot loops in plain Rust. The other forms are built from these.

use super::super::block::{CLASS_BYTES, GRAM, HAN, KANA, MARK};
use super::super::hash::{hash_bytes, mix, shingle};
use super::super::unicode::{self, Action, NOT_SIMPLE, SMALL};
use super::{Kernel, Lanes, Masks, WINDOW, ascii_class};

pub(super) static KERNEL: Kernel = Kernel {
    // SAFETY: `Portable` needs no instruction set.
    fold: |input, bytes, classes| unsafe { fold::<Portable>(input, bytes, classes) },
    // SAFETY: `Portable` needs no instruction set.
    windows: |scan, bytes, classes, len| unsafe { scan.windows::<Portable>(bytes, classes, len) },
    hash,
    // SAFETY: as above.
    collapse: |text, classes, len, after_blank, to| unsafe {
        collapse::<Portable>(text, classes, len, after_blank, to)
    },
    // SAFETY: as above.
    starts: |text, len, places| unsafe { starts::<Portable>(text, len, places) },
    bigrams,
};

pub(super) struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    unsafe fn words(classes: &[u8; WINDOW]) -> (u64, bool) {
        let (mut words, mut all) = (0, 0);
        for (i, part) in classes.as_chunks::<8>().0.iter().enumerate() {
            let part = u64::from_le_bytes(*part);
            words |= low_bits(part) << (8 * i);
            all |= part;
        }
        (words, all & u64::from_ne_bytes([MARK | HAN | GRAM; 8]) != 0)
    }

    #[inline(always)]
    unsafe fn masks(classes: &[u8; WINDOW]) -> Masks {
        let mut masks = Masks {
            word: 0,
            mark: 0,
            han: 0,
            gram: 0,
        };
        for (i, part) in classes.as_chunks::<8>().0.iter().enumerate() {
            let part = u64::from_le_bytes(*part);
            masks.word |= low_bits(part) << (8 * i);
            masks.mark |= low_bits(part >> 1) << (8 * i);
            masks.han |= low_bits(part >> 2) << (8 * i);
            masks.gram |= low_bits(part >> 3) << (8 * i);
        }
        masks
    }

    #[inline(always)]
    unsafe fn others(text: &[u8; WINDOW_AND_END]) -> u64 {
        let mut others = 0;
        for (i, part) in text[..WINDOW].as_chunks::<8>().0.iter().enumerate() {
            let part = u64::from_le_bytes(*part);
            others |= low_bits(part >> 7) << (8 * i);
        }
        others
    }

    #[inline(always)]
    unsafe fn leads(text: &[u8; WINDOW_AND_END]) -> u64 {
        let mut leads = 0;
        for (i, part) in text[..WINDOW].as_chunks::<8>().0.iter().enumerate() {
            let part = u64::from_le_bytes(*part);
            leads |= low_bits(!(part >> 7) | part >> 6) << (8 * i);
        }
        leads
    }

    #[inline(always)]
    unsafe fn kana(classes: &[u8; WINDOW]) -> u64 {
        let mut kana = 0;
        for (i, &class) in classes.iter().enumerate() {
            kana |= u64::from(class == KANA) << i;
        }
        kana
    }

    #[inline(always)]
    unsafe fn white(classes: &[u8; WINDOW]) -> u64 {
        let mut white = 0;
        for (i, part) in classes.as_chunks::<8>().0.iter().enumerate() {
            white |= low_bits(u64::from_le_bytes(*part) >> 4) << (8 * i);
        }
        white
    }

    #[inline(always)]
    unsafe fn collapse(text: &[u8; WINDOW], kept: u64, white: u64, to: &mut [u8; WINDOW]) {
        let mut count = 0;
        for (i, &byte) in text.iter().enumerate() {
            to[count % WINDOW] = if white >> i & 1 == 1 { b' ' } else { byte };
            count += usize::from(kept >> i & 1 == 1);
        }
    }

    #[inline(always)]
    unsafe fn places(mask: u64, base: u32, places: &mut [u32; WINDOW]) {
        let mut mask = mask;
        for place in places {
            if mask == 0 {
                return;
            }
            *place = base.wrapping_add(mask.trailing_zeros());
            mask &= mask - 1;
        }
    }
}

/// The lowest bits of eight bytes, side by side.
#[inline(always)]
fn low_bits(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Bytes that a window of text takes with the end of its last character.
pub(crate) const WINDOW_AND_END: usize = WINDOW + 4;
/// Bytes other than ASCII from which on a window is folded character by character.
const DENSE: u32 = 12;

/// Folds simple characters.
///
/// ```text
/// the next window as ASCII
/// all of it ASCII: go on behind it
/// little is not: go on behind the first stretch of others, taken one by one
/// else: take all characters that begin in it one by one
/// ```
///
/// # Safety
///
/// The processor has the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn fold<L: Lanes>(
    input: &[u8],
    bytes: &mut [u8],
    classes: &mut [u8],
) -> (usize, usize) {
    let (mut at, mut to) = (0, 0);
    while let (Some(text), Some(folded), Some(kinds)) = (
        input[at..].first_chunk::<WINDOW_AND_END>(),
        bytes[to..].first_chunk_mut::<WINDOW_AND_END>(),
        classes[to..].first_chunk_mut::<WINDOW_AND_END>(),
    ) {
        for i in 0..WINDOW {
            folded[i] = text[i].to_ascii_lowercase();
            kinds[i] = ascii_class(text[i]);
        }
        // SAFETY: the caller has the instruction set; so below.
        let others = unsafe { L::others(text) };
        if others.count_ones() >= DENSE {
            // SAFETY: as above.
            let (read, written, is_whole) = unsafe { fold_dense::<L>(text, folded, kinds) };
            at += read;
            to += written;
            if !is_whole {
                return (at, to);
            }
            continue;
        }
        let ascii = others.trailing_zeros() as usize;
        at += ascii;
        to += ascii;
        while others != 0 && input.get(at).is_some_and(|&byte| byte >= 0x80) {
            let (read, written) = fold_one(&input[at..], &mut bytes[to..], &mut classes[to..]);
            if read == 0 {
                return (at, to);
            }
            at += read;
            to += written;
        }
    }
    while at < input.len() {
        let (read, written) = fold_one(&input[at..], &mut bytes[to..], &mut classes[to..]);
        if read == 0 {
            break;
        }
        at += read;
        to += written;
    }
    (at, to)
}

/// Folds the characters that begin in a window. Returns the numbers of bytes read and written, and
/// whether these are all of them.
///
/// # Safety
///
/// The processor has the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn fold_dense<L: Lanes>(
    text: &[u8; WINDOW_AND_END],
    bytes: &mut [u8; WINDOW_AND_END],
    classes: &mut [u8; WINDOW_AND_END],
) -> (usize, usize, bool) {
    // SAFETY: the caller has the instruction set.
    let mut leads = unsafe { L::leads(text) };
    let last = 63 - leads.leading_zeros() as usize;
    let mut to = 0;
    while leads != 0 {
        let at = leads.trailing_zeros() as usize;
        leads &= leads - 1;
        let head = text[at..]
            .first_chunk()
            .map_or(0, |head| u32::from_le_bytes(*head));
        let (folded, class, len) = fold_head(head);
        if class == NOT_SIMPLE {
            return (at, to, false);
        }
        if let (Some(bytes), Some(classes)) = (
            bytes[to..].first_chunk_mut(),
            classes[to..].first_chunk_mut(),
        ) {
            *bytes = folded.to_le_bytes();
            *classes = [class; 4];
        }
        to += len;
    }
    (last + utf8_len(text[last]), to, true)
}

/// Folds one character and returns its lengths before and after, or twice 0 if it is not simple. The
/// two slices to write have at least four bytes.
#[inline(always)]
pub(super) fn fold_one(input: &[u8], bytes: &mut [u8], classes: &mut [u8]) -> (usize, usize) {
    let mut head = [0; 4];
    match input.first_chunk() {
        Some(bytes) => head = *bytes,
        None => head[..input.len()].copy_from_slice(input),
    }
    let (folded, class, len) = fold_head(u32::from_le_bytes(head));
    let (Some(to), Some(kinds)) = (bytes.first_chunk_mut(), classes.first_chunk_mut()) else {
        return (0, 0);
    };
    *to = folded.to_le_bytes();
    *kinds = [class; 4];
    if class == NOT_SIMPLE {
        (0, 0)
    } else {
        (utf8_len(head[0]), len)
    }
}

/// Bytes of the character with this first byte.
#[inline(always)]
fn utf8_len(lead: u8) -> usize {
    (lead.leading_ones() as usize).max(1)
}

/// The bytes that the character at the low end of `head` becomes, its class byte or
/// [`NOT_SIMPLE`], and the number of bytes; what is behind so many is undefined.
#[inline(always)]
fn fold_head(head: u32) -> (u32, u8, usize) {
    let lead = head & 0xFF;
    let six = |place: u32| head >> (8 * place) & 0x3F;
    if lead < 0xE0 {
        // No branch: blanks among two-byte letters come as they like.
        let code = if lead >= 0x80 {
            (lead & 0x1F) << 6 | six(1)
        } else {
            lead
        };
        let entry = SMALL[code as usize & 0x7FF];
        return (entry, (entry >> 16) as u8, (entry >> 24) as usize);
    }
    let (code, len) = if lead < 0xF0 {
        ((lead & 0xF) << 12 | six(1) << 6 | six(2), 3)
    } else {
        ((lead & 7) << 18 | six(1) << 12 | six(2) << 6 | six(3), 4)
    };
    let entry = unicode::entry_of(code);
    let class = CLASS_BYTES[usize::from(entry & 15)];
    if entry < 16 {
        (head, class, len)
    } else {
        fold_other(code, entry, class)
    }
}

/// The same for a character of three or four bytes that changes.
fn fold_other(code: u32, entry: u16, class: u8) -> (u32, u8, usize) {
    let c = char::from_u32(code).unwrap_or_default();
    let Action::Becomes(folded) = unicode::action(c, entry) else {
        return (0, NOT_SIMPLE, 0);
    };
    let mut bytes = [0; 4];
    let len = folded.encode_utf8(&mut bytes).len();
    (u32::from_le_bytes(bytes), class, len)
}

/// The bytes of a word of so many bytes among its first 16, in little-endian order.
static LENGTH_MASKS: [[u64; 2]; 17] = {
    let mut masks = [[0; 2]; 17];
    let mut len = 1;
    while len <= 16 {
        let mask = u128::MAX >> (128 - 8 * len);
        masks[len] = [mask as u64, (mask >> 64) as u64];
        len += 1;
    }
    masks
};

#[inline(always)]
pub(super) fn hash(starts: &[u32], ends: &[u32], bytes: &[u8], hashes: &mut [u64]) {
    for ((&start, &end), hash) in starts.iter().zip(ends).zip(hashes) {
        let (start, end) = (start as usize, end as usize);
        let len = end - start;
        *hash = match (LENGTH_MASKS.get(len), bytes.get(start..start + 16)) {
            (Some(mask), Some(head)) => {
                let (low, high) = head.split_at(8);
                let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
                mix(word(low) & mask[0], word(high) & mask[1], len as u64)
            }
            _ => hash_bytes(&bytes[start..end]),
        };
    }
}

#[inline(always)]
pub(super) fn bigrams(last: u64, tokens: &[u64], pairs: &mut [u64]) {
    let mut last = last;
    for (pair, &token) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(tokens) {
        *pair = [token, shingle(last, token, 2)];
        last = token;
    }
}

/// See [`Kernel::collapse`].
///
/// # Safety
///
/// The processor has the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn collapse<L: Lanes>(
    text: &[u8],
    classes: &[u8],
    len: usize,
    after_blank: &mut bool,
    to: &mut [u8],
) -> usize {
    let (mut at, mut written) = (0, 0);
    while at < len {
        let (Some(window), Some(kinds), Some(to)) = (
            text[at..].first_chunk(),
            classes[at..].first_chunk(),
            to[written..].first_chunk_mut(),
        ) else {
            break;
        };
        let there = u64::MAX >> WINDOW.saturating_sub(len - at);
        // SAFETY: the caller has the instruction set; so below.
        let white = unsafe { L::white(kinds) } & there;
        let kept = there & !(white & (white << 1 | u64::from(*after_blank)));
        // SAFETY: as above.
        unsafe { L::collapse(window, kept, white, to) };
        *after_blank = white >> there.count_ones().saturating_sub(1) & 1 == 1;
        written += kept.count_ones() as usize;
        at += WINDOW;
    }
    written
}

/// See [`Kernel::starts`].
///
/// # Safety
///
/// The processor has the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn starts<L: Lanes>(text: &[u8], len: usize, places: &mut [u32]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < len {
        let (Some(window), Some(to)) =
            (text[at..].first_chunk(), places[count..].first_chunk_mut())
        else {
            break;
        };
        let there = u64::MAX >> WINDOW.saturating_sub(len - at);
        // SAFETY: the caller has the instruction set; so below.
        let leads = unsafe { L::leads(window) } & there;
        // SAFETY: as above.
        unsafe { L::places(leads, at as u32, to) };
        count += leads.count_ones() as usize;
        at += WINDOW;
    }
    count
}
