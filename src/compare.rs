//! Two texts → how alike they are, by every measure there is.
//!
//! The texts are taken piece by piece, as a loader gives them; what is kept of each is its
//! fingerprint and its features. Two texts without features (blanks, punctuation) cannot be
//! judged: they have no fingerprint, no distance and no similarity.

use crate::feature::{Extractor, FeatureSink, Scheme};
use crate::record::Kind;
use crate::simhash::{Fingerprint, Fingerprinter};
use crate::verify::{FeatureCollector, FeatureSet, Score, score};

/// A text on its way to a [`Document`].
pub struct DocumentBuilder {
    extractor: Extractor,
    sinks: Sinks,
    characters: u64,
}

/// Features go both ways.
struct Sinks {
    fingerprinter: Fingerprinter,
    collector: FeatureCollector,
}

impl FeatureSink for Sinks {
    fn features(&mut self, hashes: &[u64]) {
        self.fingerprinter.features(hashes);
        self.collector.features(hashes);
    }
}

impl DocumentBuilder {
    /// An empty text.
    pub fn new(scheme: Scheme) -> Self {
        Self {
            extractor: Extractor::new(scheme),
            sinks: Sinks {
                fingerprinter: Fingerprinter::new(scheme.is_damped()),
                collector: FeatureCollector::new(),
            },
            characters: 0,
        }
    }

    /// Takes the next piece of the text. Where it is cut makes no difference.
    pub fn push(&mut self, text: &str) {
        self.characters += text.chars().count() as u64;
        self.extractor.push(text, &mut self.sinks);
    }

    /// Ends the text.
    pub fn finish(mut self) -> Document {
        let counts = self.extractor.finish(&mut self.sinks);
        Document {
            fingerprint: self.sinks.fingerprinter.finish(),
            characters: self.characters,
            tokens: counts.tokens,
            occurrences: counts.features,
            features: self.sinks.collector.finish(),
        }
    }
}

/// A text, ready to be compared.
#[derive(Debug, Clone)]
pub struct Document {
    /// `None` without features.
    pub fingerprint: Option<Fingerprint>,
    /// Code points of the text.
    pub characters: u64,
    /// Tokens; characters of the collapsed text under `char:N`.
    pub tokens: u64,
    /// Features, each as often as it occurs.
    pub occurrences: u64,
    /// Distinct features and their weights.
    pub features: FeatureSet,
}

impl Document {
    /// The document of a whole text.
    pub fn new(scheme: Scheme, text: &str) -> Self {
        let mut builder = DocumentBuilder::new(scheme);
        builder.push(text);
        builder.finish()
    }
}

/// How alike two documents are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The scheme of their features.
    pub scheme: Scheme,
    /// Equal bytes or not.
    pub kind: Kind,
    /// Hamming distance of the fingerprints, 0..=64; `None` where one is missing, unless the bytes
    /// are equal.
    pub distance: Option<u32>,
    /// Similarity and containment; `None` as the distance.
    pub score: Option<Score>,
    /// Distinct features that both have.
    pub shared_features: u64,
}

impl Comparison {
    /// Compares two documents of one scheme. `equal_bytes` tells that their files are equal.
    ///
    /// # Examples
    /// ```
    /// use simdup::compare::{Comparison, Document};
    /// use simdup::feature::Scheme;
    ///
    /// let a = Document::new(Scheme::Words, "The quick brown fox jumps over the lazy dog");
    /// let b = Document::new(Scheme::Words, "The quick brown fox leaps over the lazy dog");
    /// let comparison = Comparison::new(Scheme::Words, &a, &b, false);
    /// // The total weight of each is 17; one word and its two bigrams are not shared.
    /// assert_eq!(comparison.score.map(|score| score.similarity), Some(14.0 / 20.0));
    /// assert_eq!(comparison.verdict(), "near-duplicate");
    /// ```
    pub fn new(scheme: Scheme, a: &Document, b: &Document, equal_bytes: bool) -> Self {
        let distance = a.fingerprint.zip(b.fingerprint).map(|(a, b)| a.distance(b));
        Self {
            scheme,
            kind: if equal_bytes { Kind::Exact } else { Kind::Near },
            distance: if equal_bytes { Some(0) } else { distance },
            score: if equal_bytes {
                Some(Score::EXACT)
            } else {
                distance.map(|_| score(&a.features, &b.features))
            },
            shared_features: a.features.shared(&b.features),
        }
    }

    /// The share of equal bits in the fingerprints, (64 - distance) / 64.
    pub fn bit_similarity(&self) -> Option<f64> {
        self.distance
            .map(|distance| f64::from(64 - distance) / 64.0)
    }

    /// A word for the whole.
    ///
    /// By the similarity: `near-identical` from 0.9, `near-duplicate` from 0.7 (the limit of the
    /// default search), `similar` from 0.5, `related` from 0.25, `different` below. Under
    /// [`Scheme::Classic`] by the distance, with the words of its tutorial: `near-identical` up
    /// to 3, `very similar` up to 10, `related` up to 20, `different` above.
    pub fn verdict(&self) -> &'static str {
        let (Some(score), Some(distance)) = (self.score, self.distance) else {
            return "too short to judge";
        };
        match (self.kind, self.scheme, score.similarity) {
            (Kind::Exact, ..) => "identical",
            (_, Scheme::Classic, _) => match distance {
                0..=3 => "near-identical",
                4..=10 => "very similar",
                11..=20 => "related",
                _ => "different",
            },
            (.., 0.9..) => "near-identical",
            (.., 0.7..) => "near-duplicate",
            (.., 0.5..) => "similar",
            (.., 0.25..) => "related",
            _ => "different",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(scheme: Scheme, a: &str, b: &str) -> Comparison {
        let [a, b] = [a, b].map(|text| Document::new(scheme, text));
        Comparison::new(scheme, &a, &b, false)
    }

    #[test]
    fn counts_are_those_of_the_whole_text_however_it_is_cut() {
        let mut builder = DocumentBuilder::new(Scheme::Words);
        for piece in ["Ein gr", "ünes ", "Haus, ein grünes"] {
            builder.push(piece);
        }
        let document = builder.finish();
        assert_eq!((document.characters, document.tokens), (27, 5));
        // ein, grünes, haus; ein grünes, grünes haus, haus ein.
        assert_eq!((document.occurrences, document.features.len()), (9, 6));
        let whole = Document::new(Scheme::Words, "Ein grünes Haus, ein grünes");
        assert_eq!(document.fingerprint, whole.fingerprint);
        assert_eq!(document.features, whole.features);
    }

    #[test]
    fn texts_without_features_are_too_short_to_judge() {
        for (a, b) in [("", ""), ("...", "!?"), ("...", "some words here")] {
            let comparison = compare(Scheme::Words, a, b);
            assert_eq!((comparison.distance, comparison.score), (None, None));
            assert_eq!(comparison.verdict(), "too short to judge");
        }
    }

    #[test]
    fn equal_bytes_are_identical_whatever_they_are() {
        let document = Document::new(Scheme::Words, "...");
        let comparison = Comparison::new(Scheme::Words, &document, &document, true);
        assert_eq!(
            (comparison.distance, comparison.score),
            (Some(0), Some(Score::EXACT))
        );
        assert_eq!(comparison.verdict(), "identical");
    }

    #[test]
    fn every_limit_belongs_to_the_better_word() {
        let verdict = |scheme, similarity, distance| {
            let score = Some(Score {
                similarity,
                containment: 1.0,
            });
            Comparison {
                scheme,
                kind: Kind::Near,
                distance: Some(distance),
                score,
                shared_features: 0,
            }
            .verdict()
        };
        let words = |similarity| verdict(Scheme::Words, similarity, 40);
        assert_eq!(
            [1.0, 0.9, 0.89, 0.7, 0.69, 0.5, 0.49, 0.25, 0.24].map(words),
            [
                "near-identical",
                "near-identical",
                "near-duplicate",
                "near-duplicate",
                "similar",
                "similar",
                "related",
                "related",
                "different"
            ]
        );
        let classic = |distance| verdict(Scheme::Classic, 0.1, distance);
        assert_eq!(
            [0, 3, 4, 10, 11, 20, 21, 64].map(classic),
            [
                "near-identical",
                "near-identical",
                "very similar",
                "very similar",
                "related",
                "related",
                "different",
                "different"
            ]
        );
    }

    /// The tutorial's example pair differs in one word of four; it is said to be 1 bit apart.
    #[test]
    fn the_tutorials_pair_is_not_one_bit_apart() {
        let (a, b) = ("The quick brown fox", "The quick brown dog");
        assert_eq!(compare(Scheme::Classic, a, b).distance, Some(13));
        let words = compare(Scheme::Words, a, b);
        assert_eq!(words.shared_features, 5);
        assert_eq!(words.score.map(|score| score.similarity), Some(5.0 / 9.0));
        assert_eq!(words.verdict(), "similar");
    }
}
