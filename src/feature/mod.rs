//! (skeleton)

pub mod count;
pub mod hash;

/// Which features a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Token unigrams and bigrams.
    #[default]
    Words,
    /// Shingles of so many tokens, 1..=64.
    WordShingles(u8),
    /// Shingles of so many characters, 1..=64.
    CharShingles(u8),
    /// The tutorial's scheme, for comparison only.
    Classic,
}

/// Takes the features of a document, batch by batch, in scheme order.
pub trait FeatureSink {
    /// Takes the next features; each hash is one occurrence.
    fn features(&mut self, hashes: &[u64]);
}
