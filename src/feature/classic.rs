//! Text → features of a widely copied tutorial, for comparison only.
//!
//! The scheme is that of a JavaScript program: `toLowerCase`, every character but ASCII letters,
//! digits and `_` is a blank, words of one character are dropped; unigrams of weight 1 and bigrams
//! "first second" of weight 2, hashed with 64-bit FNV-1a (Fowler, Noll and Vo 1991). A text in
//! another script than Latin has no words. Two characters beyond ASCII have a lower case that holds
//! ASCII: U+212A (k) and U+0130 (i and U+0307).
//!
//! FNV-1a takes one character after the other, so that a word of any length needs no memory.

use super::FeatureSink;

const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0100_0000_01B3;
/// Features that are handed on at once, about.
const BATCH: usize = 256;

/// The state of the scheme between two pieces of text.
pub(crate) struct Classic {
    /// Hash of the last word and a blank.
    last: Option<u64>,
    /// Hash of the open word so far.
    word: u64,
    /// Hash of the bigram that the open word closes, so far.
    bigram: u64,
    /// Characters of the open word, at most 2.
    len: u8,
    batch: Vec<u64>,
    /// Words of the document.
    words: u64,
}

impl Classic {
    pub(crate) fn new() -> Self {
        Self {
            last: None,
            word: OFFSET,
            bigram: OFFSET,
            len: 0,
            batch: Vec::with_capacity(BATCH + 3),
            words: 0,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        8 * self.batch.capacity()
    }

    /// Takes the next piece of text.
    pub(crate) fn take<S: FeatureSink>(&mut self, text: &str, sink: &mut S) {
        for c in text.chars() {
            match c {
                'a'..='z' | '0'..='9' | '_' => self.letter(c as u8),
                'A'..='Z' => self.letter(c.to_ascii_lowercase() as u8),
                '\u{212A}' => self.letter(b'k'),
                '\u{130}' => {
                    self.letter(b'i');
                    self.end_word(sink);
                }
                _ => self.end_word(sink),
            }
        }
    }

    fn letter(&mut self, letter: u8) {
        self.word = step(self.word, letter);
        self.bigram = step(self.bigram, letter);
        self.len = (self.len + 1).min(2);
    }

    fn end_word<S: FeatureSink>(&mut self, sink: &mut S) {
        if self.len == 2 {
            self.words += 1;
            self.batch.push(self.word);
            if self.last.is_some() {
                self.batch.extend([self.bigram; 2]);
            }
            if self.batch.len() >= BATCH {
                sink.features(&self.batch);
                self.batch.clear();
            }
            self.last = Some(step(self.word, b' '));
        }
        self.len = 0;
        self.word = OFFSET;
        self.bigram = self.last.unwrap_or(OFFSET);
    }

    /// Ends the document; returns the number of its features.
    pub(crate) fn finish<S: FeatureSink>(&mut self, sink: &mut S) -> u64 {
        self.end_word(sink);
        if !self.batch.is_empty() {
            sink.features(&self.batch);
            self.batch.clear();
        }
        self.last = None;
        self.bigram = OFFSET;
        let words = std::mem::take(&mut self.words);
        (3 * words).saturating_sub(2)
    }
}

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(PRIME)
}
