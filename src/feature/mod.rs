//! Text → hashed features.
//!
//! ```text
//! pieces of text ─fold→ folded bytes and their classes ─token→ token hashes ─words→ features
//!                                                      └─chars→ features
//! ```
//!
//! The text is put into `NFKC_Casefold` in a stream ([`fold`](self)), the borders of its tokens are
//! found in the classes of the folded bytes, each token is hashed, and the scheme makes features of
//! the token hashes. The result does not depend on how the text is cut into pieces. Memory is bounded
//! whatever the text: nothing is kept but one block of folded text. `docs/FINGERPRINT.md` states all
//! of it exactly.

mod block;
mod chars;
mod classic;
pub mod count;
mod fold;
pub mod hash;
mod kernel;
#[cfg(test)]
mod naive;
mod token;
mod unicode;
mod words;

use std::fmt;
use std::str::FromStr;

use crate::cpu::Level;

use block::Block;
use chars::Chars;
use classic::Classic;
use fold::Folder;
use kernel::Kernel;
use token::Tokens;
use unicode::Class;
use words::{Bigrams, Shingles};

/// The longest shingle.
pub const MAX_SHINGLE: u8 = 64;

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

impl Scheme {
    /// The scheme's name and version, as reports state it: `words/1`, `word:3/1`, `char:5/1`,
    /// `classic/1`. Fingerprints of different ids cannot be compared.
    pub fn id(self) -> String {
        format!("{self}/{}", self.version())
    }

    /// The scheme with this [`Scheme::id`].
    ///
    /// # Errors
    ///
    /// The id is not that of a scheme, or of another version of one.
    pub fn from_id(id: &str) -> Result<Self, ParseSchemeError> {
        let error = || ParseSchemeError(id.to_owned());
        let (name, version) = id.rsplit_once('/').ok_or_else(error)?;
        let scheme: Self = name.parse().map_err(|_| error())?;
        if version == scheme.version().to_string() && scheme.to_string() == name {
            Ok(scheme)
        } else {
            Err(error())
        }
    }

    /// Whether counts are damped. If not, each occurrence of a feature is one vote.
    pub fn is_damped(self) -> bool {
        self != Self::Classic
    }

    /// Goes up with every change that changes a fingerprint.
    fn version(self) -> u32 {
        match self {
            Self::Words | Self::WordShingles(_) | Self::CharShingles(_) | Self::Classic => 1,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words => f.write_str("words"),
            Self::WordShingles(n) => write!(f, "word:{n}"),
            Self::CharShingles(n) => write!(f, "char:{n}"),
            Self::Classic => f.write_str("classic"),
        }
    }
}

/// A text that names no scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown feature scheme '{0}': use words, word:N, char:N or classic, with N from 1 to 64")]
pub struct ParseSchemeError(String);

impl FromStr for Scheme {
    type Err = ParseSchemeError;

    fn from_str(text: &str) -> Result<Self, ParseSchemeError> {
        let n = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let n = digits.parse().ok().filter(|_| plain);
            n.filter(|n| (1..=MAX_SHINGLE).contains(n))
        };
        let scheme = match text.split_once(':') {
            None if text == "words" => Some(Self::Words),
            None if text == "classic" => Some(Self::Classic),
            Some(("word", digits)) => n(digits).map(Self::WordShingles),
            Some(("char", digits)) => n(digits).map(Self::CharShingles),
            _ => None,
        };
        scheme.ok_or_else(|| ParseSchemeError(text.to_owned()))
    }
}

/// Takes the features of a document, batch by batch, in scheme order.
pub trait FeatureSink {
    /// Takes the next features; each hash is one occurrence.
    fn features(&mut self, hashes: &[u64]);
}

/// What an [`Extractor`] counted in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextCounts {
    /// Tokens; characters of the collapsed text under [`Scheme::CharShingles`].
    pub tokens: u64,
    /// Occurrences of features.
    pub features: u64,
    /// Whether no character but blanks was there.
    pub blank: bool,
}

/// Turns the text of one document after the other into features.
///
/// # Examples
///
/// ```
/// use simdup::feature::{Extractor, FeatureSink, Scheme};
///
/// struct Collect(Vec<u64>);
///
/// impl FeatureSink for Collect {
///     fn features(&mut self, hashes: &[u64]) {
///         self.0.extend_from_slice(hashes);
///     }
/// }
///
/// let mut extractor = Extractor::new(Scheme::Words);
/// let mut sink = Collect(Vec::new());
/// extractor.push("Straße und ", &mut sink);
/// extractor.push("Haus", &mut sink);
/// let counts = extractor.finish(&mut sink);
/// assert_eq!((counts.tokens, counts.features), (3, 5));
///
/// let mut other = Collect(Vec::new());
/// extractor.push("STRASSE, UND HAUS!", &mut other);
/// extractor.finish(&mut other);
/// assert_eq!(sink.0, other.0);
/// ```
pub struct Extractor {
    scheme: Scheme,
    folder: Folder,
    block: Block,
    stage: Stage,
    /// Whether a character other than a blank was there.
    has_text: bool,
}

/// What comes after the fold, by scheme.
enum Stage {
    Words(Tokens, Box<Bigrams>),
    Shingles(Tokens, Shingles),
    Chars(Chars),
    Classic(Classic),
}

impl Extractor {
    /// An extractor with buffers of its own, for any number of documents.
    pub fn new(scheme: Scheme) -> Self {
        Self::with_level(scheme, Level::current())
    }

    /// An extractor that uses this instruction set; the features are the same under each.
    ///
    /// # Panics
    ///
    /// If the processor does not have it.
    pub fn with_level(scheme: Scheme, level: Level) -> Self {
        let kernel = Kernel::of(level);
        Self {
            scheme,
            folder: Folder::new(kernel),
            block: Block::new(),
            stage: match scheme {
                Scheme::Words => Stage::Words(Tokens::new(kernel), Box::new(Bigrams::new(kernel))),
                Scheme::WordShingles(n) => Stage::Shingles(Tokens::new(kernel), Shingles::new(n)),
                Scheme::CharShingles(n) => Stage::Chars(Chars::new(kernel, n)),
                Scheme::Classic => Stage::Classic(Classic::new()),
            },
            has_text: false,
        }
    }

    /// The scheme of the features.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Takes the next piece of the document's text, and hands features to `sink` as they become
    /// known. Where the text is cut into pieces makes no difference.
    pub fn push<S: FeatureSink>(&mut self, text: &str, sink: &mut S) {
        if !self.has_text {
            self.has_text = text.chars().any(|c| unicode::class(c) != Class::White);
        }
        if let Stage::Classic(classic) = &mut self.stage {
            classic.take(text, sink);
            return;
        }
        let mut rest = text;
        loop {
            let taken = self.folder.fold(rest, &mut self.block);
            rest = &rest[taken..];
            if rest.is_empty() {
                return;
            }
            self.empty_block(false, sink);
        }
    }

    /// Ends the document: hands its last features to `sink`, and is ready for the next document.
    pub fn finish<S: FeatureSink>(&mut self, sink: &mut S) -> TextCounts {
        self.folder.finish(&mut self.block);
        self.empty_block(true, sink);
        let (tokens, features) = match &mut self.stage {
            Stage::Words(_, bigrams) => (bigrams.tokens, bigrams.finish()),
            Stage::Shingles(_, shingles) => (shingles.tokens, shingles.finish(sink)),
            Stage::Chars(chars) => chars.finish(sink),
            Stage::Classic(classic) => {
                let features = classic.finish(sink);
                (features.div_ceil(3), features)
            }
        };
        let has_text = std::mem::take(&mut self.has_text);
        TextCounts {
            tokens,
            features,
            blank: !has_text,
        }
    }

    /// Bytes of the buffers.
    pub fn memory_usage(&self) -> usize {
        let stage = match &self.stage {
            Stage::Words(tokens, bigrams) => tokens.memory_usage() + size_of_val(&**bigrams),
            Stage::Shingles(tokens, shingles) => tokens.memory_usage() + shingles.memory_usage(),
            Stage::Chars(chars) => chars.memory_usage(),
            Stage::Classic(classic) => classic.memory_usage(),
        };
        size_of_val(self) + self.folder.memory_usage() + self.block.memory_usage() + stage
    }

    /// Makes features of the folded text.
    fn empty_block<S: FeatureSink>(&mut self, is_last: bool, sink: &mut S) {
        let block = &mut self.block;
        match &mut self.stage {
            Stage::Words(tokens, bigrams) => {
                tokens.scan(block, is_last, |hashes| bigrams.take(hashes, sink));
            }
            Stage::Shingles(tokens, shingles) => {
                tokens.scan(block, is_last, |hashes| shingles.take(hashes, sink));
            }
            Stage::Chars(chars) => chars.take(block, sink),
            Stage::Classic(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
