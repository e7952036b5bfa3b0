//! (skeleton)

/// Which features a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Token unigrams and bigrams.
    #[default]
    Words,
}
