//! The hot loops in plain Rust. The other forms are built from these.

use super::super::hash::{hash_bytes, hash_short, shingle};
use super::super::token::Scan;
use super::{Kernel, Lanes, Masks, WINDOW, ascii_class};

pub(super) static KERNEL: Kernel = Kernel {
    fold: |input, bytes, classes| fold_ascii::<16>(input, bytes, classes),
    folds_two_bytes: false,
    // SAFETY: `Portable` needs no instruction set.
    windows: |scan, bytes, classes, len| unsafe { scan.windows::<Portable>(bytes, classes, len) },
    hash,
    bigrams,
};

struct Portable;

impl Lanes for Portable {
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
            if part & 0x0E0E_0E0E_0E0E_0E0E != 0 {
                masks.mark |= low_bits(part >> 1) << (8 * i);
                masks.han |= low_bits(part >> 2) << (8 * i);
                masks.gram |= low_bits(part >> 3) << (8 * i);
            }
        }
        masks
    }

    #[inline(always)]
    unsafe fn leads(text: &[u8; WINDOW]) -> u64 {
        let mut leads = 0;
        for (i, part) in text.as_chunks::<8>().0.iter().enumerate() {
            let part = u64::from_le_bytes(*part);
            leads |= low_bits(!(part >> 7) | part >> 6) << (8 * i);
        }
        leads
    }

    #[inline(always)]
    unsafe fn places(mask: u64, base: u32, places: &mut [u32; WINDOW]) {
        let mut mask = mask;
        for place in places {
            if mask == 0 {
                return;
            }
            *place = base + mask.trailing_zeros();
            mask &= mask - 1;
        }
    }
}

/// The lowest bits of eight bytes, side by side.
#[inline(always)]
fn low_bits(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Folds ASCII, `N` bytes at a time; the loop over them becomes vector instructions.
#[inline(always)]
pub(super) fn fold_ascii<const N: usize>(
    input: &[u8],
    bytes: &mut [u8],
    classes: &mut [u8],
) -> usize {
    let mut at = 0;
    for part in input.as_chunks::<N>().0 {
        let high = part.iter().fold(0, |all, byte| all | byte);
        if high >= 0x80 {
            break;
        }
        let (Some(bytes), Some(classes)) = (
            bytes[at..].first_chunk_mut::<N>(),
            classes[at..].first_chunk_mut::<N>(),
        ) else {
            break;
        };
        for i in 0..N {
            bytes[i] = part[i].to_ascii_lowercase();
            classes[i] = ascii_class(part[i]);
        }
        at += N;
    }
    for &byte in &input[at..] {
        if byte >= 0x80 {
            break;
        }
        bytes[at] = byte.to_ascii_lowercase();
        classes[at] = ascii_class(byte);
        at += 1;
    }
    at
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
pub(super) fn hash(scan: &Scan, bytes: &[u8], hashes: &mut Vec<u64>) {
    let (starts, ends) = scan.borders();
    hashes.extend(starts.iter().zip(ends).map(|(&start, &end)| {
        let (start, end) = (start as usize, end as usize);
        match (LENGTH_MASKS.get(end - start), bytes[start..].first_chunk()) {
            (Some(mask), Some(head)) => {
                let head = u128::from_le_bytes(*head);
                let low = head as u64 & mask[0];
                let high = (head >> 64) as u64 & mask[1];
                hash_short(u128::from(high) << 64 | u128::from(low), end - start)
            }
            _ => hash_bytes(&bytes[start..end]),
        }
    }));
}

#[inline(always)]
pub(super) fn bigrams(last: u64, tokens: &[u64], pairs: &mut [u64]) {
    let mut last = last;
    for (pair, &token) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(tokens) {
        *pair = [token, shingle(last, token, 2)];
        last = token;
    }
}
