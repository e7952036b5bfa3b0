//! The hot loops of the token schemes, one form per instruction set.
//!
//! [`portable`] is the algorithm; `avx2` is the same compiled for more instructions, with the
//! classes of a window as masks in two loads; `avx512` also folds characters of two bytes (Latin,
//! Greek, Cyrillic, Hebrew, Arabic), Han, Hangul and kana 64 bytes at a time, and compresses masks to positions.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::cpu::Level;

use super::token::Scan;
pub(crate) use portable::WINDOW_AND_END;

/// Bytes of a window: one bit of a mask for each.
pub(crate) const WINDOW: usize = 64;

/// See [`Kernel::fold`].
type Fold = fn(&[u8], &mut [u8], &mut [u8]) -> (usize, usize);
/// See [`Kernel::hash`].
type Hash = fn(&[u32], &[u32], &[u8], &mut [u64]);
/// See [`Kernel::collapse`].
type Collapse = fn(&[u8], &[u8], usize, &mut bool, &mut [u8]) -> usize;

/// One form of the hot loops.
pub(crate) struct Kernel {
    /// Folds simple characters at the head of the first slice: text to the second, class bytes to the
    /// third slice. Returns the numbers of bytes read and written; not more are written. Simple is
    /// what has the action [`Becomes`](super::unicode::Action::Becomes). The slices to write are at least [`WINDOW`] longer than
    /// what is read; what they hold behind the folded text is undefined.
    pub(crate) fold: Fold,
    /// Finds token borders window by window; see [`Scan::windows`].
    pub(crate) windows: fn(&mut Scan, &[u8], &[u8], usize),
    /// Hashes the text between each start and its end; there are as many of all three. Behind each
    /// start the text has at least 16 bytes.
    pub(crate) hash: Hash,
    /// Makes one blank of each run of blanks in so many bytes of text, which have these class bytes,
    /// and writes the text; returns its length. The flag says whether the text ended with a blank
    /// before, and after. All slices are at least [`WINDOW`] longer than the text.
    pub(crate) collapse: Collapse,
    /// Writes where the characters of so many bytes of text start, and returns their number. Both
    /// slices are longer than the text by [`WINDOW_AND_END`].
    pub(crate) starts: fn(&[u8], usize, &mut [u32]) -> usize,
    /// Writes token i and the bigram that ends with it to pair i; the first argument is the token
    /// before the first. There are as many pairs as tokens.
    pub(crate) bigrams: fn(u64, &[u64], &mut [u64]),
}

impl Kernel {
    /// The form for a level that this processor has.
    ///
    /// # Panics
    ///
    /// If it has not.
    pub(crate) fn of(level: Level) -> &'static Self {
        assert!(level.is_available(), "{level:?} is not available");
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => &avx2::KERNEL,
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => &avx512::KERNEL,
            _ => &portable::KERNEL,
        }
    }
}

/// Which bytes of a window have a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Masks {
    pub(crate) word: u64,
    pub(crate) mark: u64,
    pub(crate) han: u64,
    pub(crate) gram: u64,
}

/// The primitives that differ.
pub(crate) trait Lanes {
    /// Which bytes of a window of class bytes are those of word characters, and whether there are
    /// marks, Han or n-gram characters beside them.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn words(classes: &[u8; WINDOW]) -> (u64, bool);

    /// The masks of a window of class bytes.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set of the implementation.
    unsafe fn masks(classes: &[u8; WINDOW]) -> Masks;

    /// Which bytes of a window are not ASCII.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn others(text: &[u8; WINDOW_AND_END]) -> u64;

    /// Which bytes of a window begin a character.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn leads(text: &[u8; WINDOW_AND_END]) -> u64;

    /// Which bytes of a window of class bytes are those of kana.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn kana(classes: &[u8; WINDOW]) -> u64;

    /// Which bytes of a window of class bytes are those of blanks.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn white(classes: &[u8; WINDOW]) -> u64;

    /// Writes the bytes of `text` that `kept` has, in order, those that `white` has as blanks. What
    /// `to` holds behind these is undefined.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn collapse(text: &[u8; WINDOW], kept: u64, white: u64, to: &mut [u8; WINDOW]);

    /// Writes `base` plus the number of each set bit, in order and modulo 2^32. What `places` holds behind these
    /// is undefined.
    ///
    /// # Safety
    ///
    /// As [`Lanes::masks`].
    unsafe fn places(mask: u64, base: u32, places: &mut [u32; WINDOW]);
}

/// What ASCII characters fold to, and their class bytes.
pub(crate) static ASCII: ([u8; 128], [u8; 128]) = {
    let mut folded = [0; 128];
    let mut classes = [0; 128];
    let mut code = 0_u8;
    while code < 128 {
        folded[code as usize] = code.to_ascii_lowercase();
        classes[code as usize] = ascii_class(code);
        code += 1;
    }
    (folded, classes)
};

/// The class byte of an ASCII character.
#[inline(always)]
const fn ascii_class(byte: u8) -> u8 {
    use super::block::{WHITE, WORD};

    // No branches: a loop over this becomes vector instructions.
    let letter = ((byte | 0x20).wrapping_sub(b'a') < 26) as u8;
    let digit = (byte.wrapping_sub(b'0') < 10) as u8;
    let word = letter | digit | (byte == b'_') as u8;
    let white = (byte.wrapping_sub(b'\t') < 5) as u8 | (byte == b' ') as u8;
    (word * WORD) | (white * WHITE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::block::{CLASS_BYTES, PADDING};
    use super::super::unicode::{self, Class};
    use super::*;

    #[test]
    fn ascii_is_folded_as_the_tables_say() {
        for code in 0..128_u8 {
            let c = char::from(code);
            let entry = unicode::entry(c);
            let folded = char::from(ASCII.0[usize::from(code)]);
            assert_eq!(unicode::action(c, entry), unicode::Action::Becomes(folded));
            assert_eq!(
                ASCII.1[usize::from(code)],
                CLASS_BYTES[Class::from_bits(entry) as usize]
            );
        }
    }

    #[test]
    fn every_level_folds_every_simple_character() {
        let mut text = String::new();
        let mut folded = String::new();
        let mut classes = Vec::new();
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let entry = unicode::entry(c);
            if let unicode::Action::Becomes(one) = unicode::action(c, entry) {
                text.push(c);
                folded.push(one);
                let class = CLASS_BYTES[Class::from_bits(entry) as usize];
                classes.resize(folded.len(), class);
            }
        }
        for level in Level::available() {
            let mut to = vec![0; text.len() + PADDING];
            let mut kinds = to.clone();
            let lens = (Kernel::of(level).fold)(text.as_bytes(), &mut to, &mut kinds);
            assert_eq!(lens, (text.len(), folded.len()), "{level:?}");
            assert!(to[..folded.len()] == *folded.as_bytes(), "{level:?}");
            assert!(kinds[..folded.len()] == classes, "{level:?}");
        }
    }

    proptest! {
        #[test]
        fn every_level_folds_as_the_tables_say(
            head in "[ -~\n]{0,140}",
            body in "[ -~äÖÿĀŁжЖЁѐΣα\u{301}\u{AD}\u{5D0}\u{640}\u{23A}\u{A0}中か々ー、，한国々㈱ꭰ😀𝐀豈]{0,200}",
            cut in 0_usize..200,
        ) {
            let text = head + &body;
            let cut = text.floor_char_boundary(cut);
            for level in Level::available() {
                let kernel = Kernel::of(level);
                for text in [&text[..cut], &text[cut..]] {
                    let mut bytes = vec![0; text.len() + PADDING];
                    let mut classes = bytes.clone();
                    let (read, written) = (kernel.fold)(text.as_bytes(), &mut bytes, &mut classes);
                    prop_assert!(text.is_char_boundary(read));
                    let (mut at, mut to) = (0, 0);
                    for c in text.chars() {
                        let entry = unicode::entry(c);
                        let unicode::Action::Becomes(folded) = unicode::action(c, entry) else { break };
                        prop_assert!(at < read, "{:?} stops early at {}", level, at);
                        let folded = folded.to_string();
                        let end = to + folded.len();
                        prop_assert_eq!(&bytes[to..end], folded.as_bytes());
                        let class = CLASS_BYTES[Class::from_bits(entry) as usize];
                        prop_assert!(classes[to..end].iter().all(|&byte| byte == class));
                        at += c.len_utf8();
                        to = end;
                    }
                    prop_assert_eq!((at, to), (read, written));
                }
            }
        }
    }
}
