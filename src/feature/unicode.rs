//! Code points → what normalisation and tokens need to know about them, from pinned tables.
//!
//! The tables in `tables/` are written by `examples/unicode_tables.rs` from the ICU4X crates 2.4.0,
//! which carry Unicode 18.0.0. They are part of the schemes: a fingerprint depends on them and not
//! on the compiler or on a dependency. The tests hold every code point equal to those crates.
//!
//! Layout, all numbers little-endian:
//!
//! - `action_*`, a two-level table of `u16`, blocks of 64 code points: the low four bits are the
//!   [`Class`], the others the action: 0 = keep, 1 = remove, 2 = joins what is before it,
//!   3 = becomes several characters, or one that is longer in UTF-8 or of another class; from 4 on,
//!   becomes the one character `c + deltas[action - 4]`, which is not longer and of the same class.
//! - `value_*`, a second such table: below 256 the canonical combining class of a character that
//!   stays as it is; else 256 + the offset in `pool` of what it becomes.
//! - `pool`: a length in bytes, then so many bytes of UTF-8: the canonical decomposition of the
//!   character's `NFKC_Casefold` mapping.
//! - `pairs`, sorted `u64`: `second << 42 | first << 21 | composite` for each pair of characters
//!   that canonical composition joins, Hangul aside.
//!
//! Cost: a look-up is two loads; nothing is built at start.

use super::block::CLASS_BYTES;

/// What a character is to the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Separates tokens.
    Separator,
    /// Separates tokens and is `White_Space`.
    White,
    /// Alphabetic, a decimal digit or `_`, and of none of the classes below.
    Word,
    /// General category M; wins over every other class but `White`.
    Mark,
    /// Ideographic and alphabetic, and U+3005.
    Han,
    /// Alphabetic of the scripts Hiragana and Katakana, U+30FC and U+3031..U+3035.
    Kana,
    /// Alphabetic of this script, as the three below.
    Thai,
    Lao,
    Khmer,
    Myanmar,
}

impl Class {
    const ALL: [Self; 16] = [
        Self::Separator,
        Self::White,
        Self::Word,
        Self::Mark,
        Self::Han,
        Self::Kana,
        Self::Thai,
        Self::Lao,
        Self::Khmer,
        Self::Myanmar,
        Self::Separator,
        Self::Separator,
        Self::Separator,
        Self::Separator,
        Self::Separator,
        Self::Separator,
    ];

    /// The class whose number is in the low four bits.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u16) -> Self {
        Self::ALL[usize::from(bits & 15)]
    }
}

/// What normalisation does to a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Becomes this one character, and nothing before it can change that.
    Becomes(char),
    /// Vanishes.
    Remove,
    /// May compose or be reordered with what is before it.
    Joins,
    /// Becomes several characters, or one that is longer or of another class; nothing before it can
    /// change the first.
    Expands,
}

const REMOVE: u16 = 1;
const JOINS: u16 = 2;
const EXPANDS: u16 = 3;
const FIRST_DELTA: u16 = 4;
/// Values below are combining classes.
const FIRST_OFFSET: u16 = 256;
/// Bits of a code point that the blocks of both tables take.
const BLOCK_BITS: u32 = 6;

/// Reads a file of little-endian numbers at compile time.
macro_rules! numbers {
    ($file:literal, $number:ty) => {{
        const BYTES: &[u8] = include_bytes!($file);
        const SIZE: usize = size_of::<$number>();
        const fn read() -> [$number; BYTES.len() / SIZE] {
            let mut numbers = [0; BYTES.len() / SIZE];
            let mut i = 0;
            while i < numbers.len() {
                let mut number = [0; SIZE];
                let mut j = 0;
                while j < SIZE {
                    number[j] = BYTES[i * SIZE + j];
                    j += 1;
                }
                numbers[i] = <$number>::from_le_bytes(number);
                i += 1;
            }
            numbers
        }
        read()
    }};
}

static ACTION_INDEX: [u16; 17_408] = numbers!("tables/action_index.bin", u16);
static ACTION_BLOCKS: [u16; 26_176] = numbers!("tables/action_blocks.bin", u16);
static VALUE_INDEX: [u16; 17_408] = numbers!("tables/value_index.bin", u16);
static VALUE_BLOCKS: [u16; 19_008] = numbers!("tables/value_blocks.bin", u16);
static DELTAS: [i32; 1844] = numbers!("tables/deltas.bin", i32);
static PAIRS: [u64; 961] = numbers!("tables/pairs.bin", u64);
static POOL: &[u8] = include_bytes!("tables/pool.bin");

/// An entry of a two-level table; 0 where the table has none.
#[inline(always)]
fn look_up(index: &[u16], blocks: &[u16], code: u32) -> u16 {
    let block = index
        .get((code >> BLOCK_BITS) as usize)
        .copied()
        .unwrap_or(0);
    let place = usize::from(block) << BLOCK_BITS | (code as usize & ((1 << BLOCK_BITS) - 1));
    blocks.get(place).copied().unwrap_or(0)
}

/// What the characters of two bytes with one lead byte become, by the low six bits of the other byte.
pub(crate) struct TwoBytes {
    pub(crate) leads: [u8; 64],
    pub(crate) seconds: [u8; 64],
    /// Class bytes, or [`NOT_SIMPLE`].
    pub(crate) classes: [u8; 64],
}

/// In place of a class byte: the character does not become one character of two bytes, or what is
/// before it matters.
pub(crate) const NOT_SIMPLE: u8 = 0x80;

/// What the characters below U+0800 become: in the low 16 bits their bytes, the first one lowest,
/// above them the class byte or [`NOT_SIMPLE`], then the number of bytes.
pub(crate) static SMALL: [u32; 0x800] = {
    let mut small = [0; 0x800];
    let mut code = 0;
    while code < 0x800 {
        let block = ACTION_INDEX[code >> BLOCK_BITS] as usize;
        let entry = ACTION_BLOCKS[block << BLOCK_BITS | (code & 63)];
        let action = entry >> 4;
        let class = (CLASS_BYTES[(entry & 15) as usize] as u32) << 16;
        let becomes = if action >= FIRST_DELTA {
            (code as u32).wrapping_add_signed(DELTAS[(action - FIRST_DELTA) as usize])
        } else {
            code as u32
        };
        small[code] = if action != 0 && action < FIRST_DELTA {
            (NOT_SIMPLE as u32) << 16
        } else if becomes < 0x80 {
            becomes | class | 1 << 24
        } else {
            0xC0 | becomes >> 6 | (0x80 | becomes & 63) << 8 | class | 2 << 24
        };
        code += 1;
    }
    small
};

/// [`TwoBytes`] by the low five bits of the lead byte.
pub(crate) static TWO_BYTES: [TwoBytes; 32] = {
    let mut tables = [const {
        TwoBytes {
            leads: [0; 64],
            seconds: [0; 64],
            classes: [NOT_SIMPLE; 64],
        }
    }; 32];
    let mut code = 0x80;
    while code < 0x800 {
        let [lead, second, class, len] = SMALL[code].to_le_bytes();
        let table = &mut tables[code >> 6];
        if len == 2 {
            table.leads[code & 63] = lead;
            table.seconds[code & 63] = second;
            table.classes[code & 63] = class;
        }
        code += 1;
    }
    tables
};

/// The class bytes of U+3000 to U+30FF, CJK punctuation and kana, 64 each; [`NOT_SIMPLE`] for those
/// that change or that what is before them matters to.
pub(crate) static KANA_BLOCKS: [[u8; 64]; 4] = {
    let mut blocks = [[NOT_SIMPLE; 64]; 4];
    let mut place = 0;
    while place < 256 {
        let block = ACTION_INDEX[(0x3000 + place) >> BLOCK_BITS] as usize;
        let entry = ACTION_BLOCKS[block << BLOCK_BITS | (place & 63)];
        if entry < 16 {
            blocks[place >> 6][place & 63] = CLASS_BYTES[entry as usize];
        }
        place += 1;
    }
    blocks
};

/// The class and action of a character in one number, see [`action`] and [`Class::from_bits`].
#[inline(always)]
pub(crate) fn entry(c: char) -> u16 {
    look_up(&ACTION_INDEX, &ACTION_BLOCKS, u32::from(c))
}

/// [`entry`] of a code point.
#[inline(always)]
pub(crate) fn entry_of(code: u32) -> u16 {
    look_up(&ACTION_INDEX, &ACTION_BLOCKS, code)
}

/// The class of a character.
pub(crate) fn class(c: char) -> Class {
    Class::from_bits(entry(c))
}

/// The action in the [`entry`] of `c`.
#[inline(always)]
pub(crate) fn action(c: char, entry: u16) -> Action {
    match entry >> 4 {
        0 => Action::Becomes(c),
        REMOVE => Action::Remove,
        JOINS => Action::Joins,
        EXPANDS => Action::Expands,
        delta => {
            let delta = DELTAS[usize::from(delta - FIRST_DELTA)];
            char::from_u32(u32::from(c).wrapping_add_signed(delta))
                .map_or(Action::Expands, Action::Becomes)
        }
    }
}

const HANGUL_S: u32 = 0xAC00;
const HANGUL_L: u32 = 0x1100;
const HANGUL_V: u32 = 0x1161;
const HANGUL_T: u32 = 0x11A7;
const L_COUNT: u32 = 19;
const V_COUNT: u32 = 21;
const T_COUNT: u32 = 28;
const S_COUNT: u32 = L_COUNT * V_COUNT * T_COUNT;

/// Calls `put` with each character of the canonical decomposition of `c`'s `NFKC_Casefold`
/// mapping, and its canonical combining class.
pub(crate) fn decompose(c: char, mut put: impl FnMut(char, u8)) {
    let syllable = u32::from(c).wrapping_sub(HANGUL_S);
    if syllable < S_COUNT {
        let parts = [
            HANGUL_L + syllable / (V_COUNT * T_COUNT),
            HANGUL_V + syllable / T_COUNT % V_COUNT,
            HANGUL_T + syllable % T_COUNT,
        ];
        let count = if parts[2] == HANGUL_T { 2 } else { 3 };
        for part in parts.into_iter().take(count).filter_map(char::from_u32) {
            put(part, 0);
        }
        return;
    }
    let value = value(c);
    if value < FIRST_OFFSET {
        put(c, value as u8);
        return;
    }
    let offset = usize::from(value - FIRST_OFFSET);
    let from = offset + 1;
    let text = POOL
        .get(from..from + usize::from(POOL[offset]))
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default();
    for part in text.chars() {
        put(part, self::value(part) as u8);
    }
}

fn value(c: char) -> u16 {
    look_up(&VALUE_INDEX, &VALUE_BLOCKS, u32::from(c))
}

/// The character that canonical composition makes of two.
pub(crate) fn compose(first: char, second: char) -> Option<char> {
    let (a, b) = (u32::from(first), u32::from(second));
    if a.wrapping_sub(HANGUL_L) < L_COUNT && b.wrapping_sub(HANGUL_V) < V_COUNT {
        let pair = (a - HANGUL_L) * V_COUNT + b - HANGUL_V;
        return char::from_u32(HANGUL_S + pair * T_COUNT);
    }
    let syllable = a.wrapping_sub(HANGUL_S);
    let last = b.wrapping_sub(HANGUL_T);
    if syllable < S_COUNT && syllable.is_multiple_of(T_COUNT) && (1..T_COUNT).contains(&last) {
        return char::from_u32(a + last);
    }
    let key = u64::from(b) << 21 | u64::from(a);
    let place = PAIRS.binary_search_by_key(&key, |pair| pair >> 21).ok()?;
    char::from_u32((PAIRS[place] & 0x1F_FFFF) as u32)
}

#[cfg(test)]
mod tests {
    use icu_normalizer::properties::{
        CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed,
        CanonicalDecompositionBorrowed, Decomposed,
    };
    use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
    use icu_properties::CodePointSetData;
    use icu_properties::props::ChangesWhenNfkcCasefolded;

    use super::super::naive;
    use super::*;

    fn all_chars() -> impl Iterator<Item = char> {
        (0..=0x10_FFFF).filter_map(char::from_u32)
    }

    #[test]
    fn classes_are_those_of_the_pinned_crates() {
        for c in all_chars() {
            assert_eq!(class(c), naive::class(c), "{c:?}");
        }
    }

    #[test]
    fn mappings_are_those_of_the_pinned_crates() {
        let nfd = DecomposingNormalizerBorrowed::new_nfd();
        let nfc = ComposingNormalizerBorrowed::new_nfc();
        let combining = CanonicalCombiningClassMapBorrowed::new();
        let changes = CodePointSetData::new::<ChangesWhenNfkcCasefolded>();
        for c in all_chars() {
            let mapped = naive::nfkc_casefold(c);
            assert_eq!(mapped.chars().ne([c]), changes.contains(c), "{c:?}");
            let mut parts = String::new();
            decompose(c, |part, class| {
                parts.push(part);
                assert_eq!(class, combining.get_u8(part), "{part:?} in {c:?}");
            });
            assert_eq!(parts, nfd.normalize(&mapped), "{c:?}");
            let starts = parts.chars().next().map(naive::starts_a_segment);
            match action(c, entry(c)) {
                Action::Remove => assert_eq!(mapped, "", "{c:?}"),
                Action::Joins => assert_eq!(starts, Some(false), "{c:?}"),
                Action::Expands => assert_eq!(starts, Some(true), "{c:?}"),
                Action::Becomes(one) => {
                    assert_eq!(starts, Some(true), "{c:?}");
                    assert_eq!(mapped, one.to_string(), "{c:?}");
                    assert_eq!(nfc.normalize(&mapped), mapped, "{c:?}");
                    assert!(one.len_utf8() <= c.len_utf8(), "{c:?}");
                    assert_eq!(naive::class(one), naive::class(c), "{c:?}");
                }
            }
        }
    }

    #[test]
    fn compositions_are_those_of_the_pinned_crates() {
        let decomposition = CanonicalDecompositionBorrowed::new();
        let composition = CanonicalCompositionBorrowed::new();
        let mut count = 0;
        for c in all_chars() {
            if let Decomposed::Expansion(first, second) = decomposition.decompose(c) {
                let composed = composition.compose(first, second);
                assert_eq!(compose(first, second), composed, "{c:?}");
                let hangul = u32::from(c).wrapping_sub(HANGUL_S) < S_COUNT;
                count += usize::from(composed == Some(c) && !hangul);
            }
        }
        assert_eq!(count, PAIRS.len(), "no pair beyond those");
    }
}
