//! (skeleton)

pub mod count;
pub mod hash;

use std::fmt;
use std::str::FromStr;

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
