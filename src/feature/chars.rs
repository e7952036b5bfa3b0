//! Folded text → shingles of N characters.
//!
//! Every run of `White_Space` becomes one U+0020; blanks at both ends are dropped; everything else
//! counts, punctuation too. A text of fewer than N characters is one shingle, one without any is
//! none. The hash is that of the shingle's UTF-8 bytes.

use super::FeatureSink;
use super::block::{Block, WHITE};
use super::hash::hash_bytes;

/// Bytes of collapsed text after which its shingles are hashed.
const FULL: usize = 4096;
/// Features that are handed on at once.
const BATCH: usize = 256;

/// Shingles of N characters.
pub(crate) struct Chars {
    n: usize,
    /// Collapsed text whose shingles are not all done: fewer than N characters between two calls.
    text: Vec<u8>,
    /// Where the characters of `text` start.
    starts: Vec<usize>,
    /// Whether a blank is due before the next character.
    blank: bool,
    batch: Vec<u64>,
    /// Characters of the document.
    pub(crate) len: u64,
}

impl Chars {
    pub(crate) fn new(n: u8) -> Self {
        Self {
            n: usize::from(n).max(1),
            text: Vec::new(),
            starts: Vec::new(),
            blank: false,
            batch: Vec::with_capacity(BATCH),
            len: 0,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        self.text.capacity() + 8 * (self.starts.capacity() + self.batch.capacity())
    }

    /// Takes the whole block.
    pub(crate) fn take<S: FeatureSink>(&mut self, block: &mut Block, sink: &mut S) {
        for at in 0..block.len {
            let byte = block.bytes[at];
            if block.is_lead(at) {
                if block.classes[at] == WHITE {
                    self.blank = self.len > 0;
                    continue;
                }
                if self.blank {
                    self.start();
                    self.text.push(b' ');
                    self.blank = false;
                }
                if self.text.len() >= FULL {
                    self.hash(sink);
                }
                self.start();
            } else if block.classes[at] == WHITE {
                continue;
            }
            self.text.push(byte);
        }
        block.len = 0;
    }

    /// A character starts at the end of the collapsed text.
    fn start(&mut self) {
        self.starts.push(self.text.len());
        self.len += 1;
    }

    /// Hashes the shingles whose characters are complete.
    fn hash<S: FeatureSink>(&mut self, sink: &mut S) {
        self.starts.push(self.text.len());
        let count = self.starts.len().saturating_sub(self.n);
        for borders in self.starts.windows(self.n + 1) {
            let shingle = &self.text[borders[0]..borders[self.n]];
            self.batch.push(hash_bytes(shingle));
            if self.batch.len() == BATCH {
                sink.features(&self.batch);
                self.batch.clear();
            }
        }
        if !self.batch.is_empty() {
            sink.features(&self.batch);
            self.batch.clear();
        }
        self.starts.pop();
        let kept = self.starts.get(count).copied().unwrap_or(self.text.len());
        self.starts.drain(..count.min(self.starts.len()));
        for start in &mut self.starts {
            *start -= kept;
        }
        self.text.drain(..kept);
    }

    /// Ends the document; returns the number of its features.
    pub(crate) fn finish<S: FeatureSink>(&mut self, sink: &mut S) -> u64 {
        let chars = std::mem::take(&mut self.len);
        let n = self.n as u64;
        let features = if chars == 0 {
            0
        } else if chars < n {
            sink.features(&[hash_bytes(&self.text)]);
            1
        } else {
            self.hash(sink);
            chars - n + 1
        };
        self.text.clear();
        self.starts.clear();
        self.blank = false;
        features
    }
}
