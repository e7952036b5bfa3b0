//! Folded text → shingles of N characters.
//!
//! Every run of `White_Space` becomes one U+0020; blanks at both ends are dropped; everything else
//! counts, punctuation too. A text of fewer than N characters is one shingle, one without any is
//! none. The hash is that of the shingle's UTF-8 bytes.
//!
//! A shingle starts at every character and ends N characters on, so that the starts of the
//! characters are the borders of all shingles.

use super::FeatureSink;
use super::block::Block;
use super::hash::hash_bytes;
use super::kernel::{Kernel, WINDOW};

/// Bytes of a block that are collapsed at once.
const PART: usize = 4096;
/// Features that are handed on at once.
const BATCH: usize = 512;

/// Shingles of N characters.
pub(crate) struct Chars {
    kernel: &'static Kernel,
    n: usize,
    /// Collapsed text, up to `len`: between two calls the characters whose shingles are not done,
    /// fewer than N, and a blank if one was last.
    text: Vec<u8>,
    len: usize,
    /// Whether the text before was a blank, which it counts as at its beginning.
    after_blank: bool,
    /// Where the characters of `text` start.
    starts: Vec<u32>,
    batch: Box<[u64; BATCH]>,
    /// Features of the document.
    features: u64,
}

impl Chars {
    pub(crate) fn new(kernel: &'static Kernel, n: u8) -> Self {
        let n = usize::from(n).max(1);
        // What is kept, what is added, and what a kernel reads and writes beyond.
        let size = 4 * (n + 1) + PART + 2 * WINDOW;
        Self {
            kernel,
            n,
            text: vec![0; size],
            len: 0,
            after_blank: true,
            starts: vec![0; size],
            batch: Box::new([0; BATCH]),
            features: 0,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        self.text.capacity() + 4 * self.starts.capacity() + size_of::<[u64; BATCH]>()
    }

    /// Takes the whole block.
    pub(crate) fn take<S: FeatureSink>(&mut self, block: &mut Block, sink: &mut S) {
        block.close();
        let mut at = 0;
        while at < block.len {
            let mut end = block.len.min(at + PART);
            while end < block.len && block.bytes[end] & 0xC0 == 0x80 {
                end -= 1;
            }
            let added = (self.kernel.collapse)(
                &block.bytes[at..],
                &block.classes[at..],
                end - at,
                &mut self.after_blank,
                &mut self.text[self.len..],
            );
            self.len += added;
            self.hash(sink);
            at = end;
        }
        block.len = 0;
    }

    /// Hashes the shingles that are complete. A blank at the end waits: it may be the last.
    fn hash<S: FeatureSink>(&mut self, sink: &mut S) {
        let len = self.len - usize::from(self.ends_with_blank());
        let chars = (self.kernel.starts)(&self.text, len, &mut self.starts);
        let count = (chars + 1).saturating_sub(self.n);
        if count == 0 {
            return;
        }
        self.starts[chars] = len as u32;
        let ends = &self.starts[self.n..=chars];
        for (starts, ends) in self.starts[..count].chunks(BATCH).zip(ends.chunks(BATCH)) {
            let batch = &mut self.batch[..ends.len()];
            (self.kernel.hash)(starts, ends, &self.text, batch);
            sink.features(batch);
        }
        self.features += count as u64;
        let done = self.starts[count] as usize;
        self.text.copy_within(done..self.len, 0);
        self.len -= done;
    }

    fn ends_with_blank(&self) -> bool {
        self.len > 0 && self.text[self.len - 1] == b' '
    }

    /// Ends the document; returns the numbers of its characters and features.
    pub(crate) fn finish<S: FeatureSink>(&mut self, sink: &mut S) -> (u64, u64) {
        let len = self.len - usize::from(self.ends_with_blank());
        let mut features = std::mem::take(&mut self.features);
        let mut chars = features + self.n as u64 - 1;
        if features == 0 {
            chars = (self.kernel.starts)(&self.text, len, &mut self.starts) as u64;
            if chars > 0 {
                sink.features(&[hash_bytes(&self.text[..len])]);
                features = 1;
            }
        }
        self.len = 0;
        self.after_blank = true;
        (chars, features)
    }
}
