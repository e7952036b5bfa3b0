//! A stretch of folded text with the class of each byte, between the fold and the tokens.

use crate::aligned::AlignedBytes;

use super::token::MAX_TOKEN;
use super::unicode::Class;

/// Folded bytes after which the fold makes way for the tokens. Text, classes and token borders of
/// a block stay in the first-level cache.
const FULL: usize = 12 << 10;
/// Bytes beyond the text that may be read and written: a whole window, whatever its alignment.
pub(crate) const PADDING: usize = 128;
// Else a block with one token would neither empty nor fill.
const _: () = assert!(FULL > MAX_TOKEN + PADDING);

/// Class byte of a `Word` character, on each of its bytes; all others likewise.
pub(crate) const WORD: u8 = 1;
/// Class byte of a `Mark`.
pub(crate) const MARK: u8 = 2;
/// Class byte of a `Han` character.
pub(crate) const HAN: u8 = 4;
/// Set in the class bytes of those whose tokens are n-grams; the high bits tell them apart.
pub(crate) const GRAM: u8 = 8;
/// Class byte of `Kana`.
pub(crate) const KANA: u8 = GRAM | 0x20;
/// Class byte of `White`; a `Separator` has 0.
pub(crate) const WHITE: u8 = 16;

/// The class byte of each class number.
pub(crate) const CLASS_BYTES: [u8; 16] = {
    let mut bytes = [0; 16];
    bytes[Class::White as usize] = WHITE;
    bytes[Class::Word as usize] = WORD;
    bytes[Class::Mark as usize] = MARK;
    bytes[Class::Han as usize] = HAN;
    bytes[Class::Kana as usize] = KANA;
    bytes[Class::Thai as usize] = GRAM | 0x40;
    bytes[Class::Lao as usize] = GRAM | 0x60;
    bytes[Class::Khmer as usize] = GRAM | 0x80;
    bytes[Class::Myanmar as usize] = GRAM | 0xA0;
    bytes
};

/// Folded text and its class bytes. `bytes` and `classes` are as long as each other, and at least
/// [`PADDING`] longer than the text.
pub(crate) struct Block {
    pub(crate) bytes: AlignedBytes,
    pub(crate) classes: AlignedBytes,
    /// Length of the text.
    pub(crate) len: usize,
}

impl Block {
    pub(crate) fn new() -> Self {
        Self {
            bytes: AlignedBytes::new(FULL + PADDING),
            classes: AlignedBytes::new(FULL + PADDING),
            len: 0,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        self.bytes.memory_usage() + self.classes.memory_usage()
    }

    /// Bytes that fit before the block is full.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        FULL.saturating_sub(self.len)
    }

    /// Where the next bytes and their class bytes go: the room and [`PADDING`].
    #[inline]
    pub(crate) fn tail(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.bytes[self.len..], &mut self.classes[self.len..])
    }

    /// Appends a character where there is room.
    #[inline(always)]
    pub(crate) fn put(&mut self, c: char, class: u8) {
        let mut utf8 = [0; 4];
        c.encode_utf8(&mut utf8);
        let (bytes, classes) = self.tail();
        if let (Some(bytes), Some(classes)) = (bytes.first_chunk_mut(), classes.first_chunk_mut()) {
            *bytes = utf8;
            *classes = [class; 4];
        }
        self.len += c.len_utf8();
    }

    /// Takes the last character off.
    pub(crate) fn pop(&mut self) {
        self.len -= 1;
        while self.bytes[self.len] & 0xC0 == 0x80 {
            self.len -= 1;
        }
    }

    /// Appends a character; grows where one segment is longer than a block.
    pub(crate) fn push(&mut self, c: char, class: u8) {
        let end = self.len + c.len_utf8();
        if end + PADDING > self.bytes.len() {
            let longer = self.bytes.len() * 2;
            self.bytes.grow(longer);
            self.classes.grow(longer);
        }
        c.encode_utf8(&mut self.bytes[self.len..end]);
        self.classes[self.len..end].fill(class);
        self.len = end;
    }

    /// Forgets the first `count` bytes.
    pub(crate) fn drop_front(&mut self, count: usize) {
        self.bytes.copy_within(count..self.len, 0);
        self.classes.copy_within(count..self.len, 0);
        self.len -= count;
    }

    /// Marks the window behind the text as separators.
    pub(crate) fn close(&mut self) {
        self.classes[self.len..self.len + PADDING].fill(0);
    }
}
