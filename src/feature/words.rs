//! Token hashes → features of the token schemes.
//!
//! `words`: unigram i, then the bigram that ends at it: t0, t1, (t0 t1), t2, (t1 t2), … A bigram is
//! `shingle(first, second, 2)`. `word:N`: the shingle of each run of N tokens, folded from the left;
//! a document of fewer tokens is one shingle of them all.

use crate::aligned::Aligned;

use super::FeatureSink;
use super::hash::shingle;
use super::kernel::Kernel;

/// Features that are handed on at once.
const BATCH: usize = 512;

/// Unigrams and bigrams.
pub(crate) struct Bigrams {
    kernel: &'static Kernel,
    last: Option<u64>,
    batch: Aligned<[u64; BATCH]>,
    /// Tokens of the document.
    pub(crate) tokens: u64,
}

impl Bigrams {
    pub(crate) fn new(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            last: None,
            batch: Aligned([0; BATCH]),
            tokens: 0,
        }
    }

    /// Takes the next tokens.
    #[inline]
    pub(crate) fn take<S: FeatureSink>(&mut self, tokens: &[u64], sink: &mut S) {
        self.tokens += tokens.len() as u64;
        let mut rest = tokens;
        let Some(mut last) = self.last.or_else(|| {
            let (&first, others) = rest.split_first()?;
            rest = others;
            sink.features(&[first]);
            Some(first)
        }) else {
            return;
        };
        for part in rest.chunks(BATCH / 2) {
            let batch = &mut self.batch[..2 * part.len()];
            (self.kernel.bigrams)(last, part, batch);
            sink.features(batch);
            last = part[part.len() - 1];
        }
        self.last = Some(last);
    }

    /// Ends the document; returns the number of its features.
    pub(crate) fn finish(&mut self) -> u64 {
        self.last = None;
        let tokens = std::mem::take(&mut self.tokens);
        (2 * tokens).saturating_sub(1)
    }
}

/// Shingles of N tokens.
pub(crate) struct Shingles {
    n: usize,
    /// The last tokens, at most N - 1 between two calls.
    window: Vec<u64>,
    batch: Vec<u64>,
    /// Tokens of the document.
    pub(crate) tokens: u64,
}

impl Shingles {
    pub(crate) fn new(n: u8) -> Self {
        Self {
            n: usize::from(n).max(1),
            window: Vec::new(),
            batch: Vec::with_capacity(BATCH),
            tokens: 0,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        8 * (self.window.capacity() + self.batch.capacity())
    }

    /// Takes the next tokens.
    pub(crate) fn take<S: FeatureSink>(&mut self, tokens: &[u64], sink: &mut S) {
        self.tokens += tokens.len() as u64;
        for part in tokens.chunks(BATCH) {
            self.window.extend_from_slice(part);
            self.batch.clear();
            self.batch.extend(self.window.windows(self.n).map(fold));
            if !self.batch.is_empty() {
                sink.features(&self.batch);
            }
            let done = self.window.len().saturating_sub(self.n - 1);
            self.window.drain(..done);
        }
    }

    /// Ends the document; returns the number of its features.
    pub(crate) fn finish<S: FeatureSink>(&mut self, sink: &mut S) -> u64 {
        let tokens = std::mem::take(&mut self.tokens);
        let n = self.n as u64;
        let features = if tokens == 0 {
            0
        } else if tokens < n {
            sink.features(&[fold(&self.window)]);
            1
        } else {
            tokens - n + 1
        };
        self.window.clear();
        features
    }
}

/// The shingle of these tokens, at least one.
fn fold(tokens: &[u64]) -> u64 {
    let mut hash = tokens[0];
    for (n, &next) in (2..).zip(&tokens[1..]) {
        hash = shingle(hash, next, n);
    }
    hash
}
