//! A wanted similarity → the Hamming distance of its candidates, and which of them are worth
//! reading.

use std::fmt;

use crate::feature::Scheme;

/// Up to which Hamming distance pairs of a similarity are looked for, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateDistance {
    scheme: Scheme,
    similarity: f64,
    /// `None`: every pair is a candidate.
    row: Option<Row>,
}

/// Where the pairs of a similarity are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    /// The similarity.
    least: f64,
    /// Hamming distance of their fingerprints, at most.
    distance: u32,
    /// Sum of that and of the distance of their second fingerprints, at most.
    both: u32,
}

/// The scheme `words`: on each of five sets of files at least 99 % of the pairs that are so similar
/// keep both limits. Measured; see docs/ACCURACY.md and docs/MEASUREMENTS.md.
const WORDS: [Row; 5] = [
    Row {
        least: 0.5,
        distance: 23,
        both: 42,
    },
    Row {
        least: 0.6,
        distance: 20,
        both: 36,
    },
    Row {
        least: 0.7,
        distance: 19,
        both: 35,
    },
    Row {
        least: 0.8,
        distance: 18,
        both: 31,
    },
    Row {
        least: 0.9,
        distance: 12,
        both: 19,
    },
];

/// The candidate distance for pairs of at least this similarity under this scheme.
pub fn candidate_distance(scheme: Scheme, similarity: f64) -> CandidateDistance {
    let table: &[Row] = match scheme {
        Scheme::Words => &WORDS,
        Scheme::WordShingles(_) | Scheme::CharShingles(_) | Scheme::Classic => &[],
    };
    // The row at or below the similarity: where pairs of 0.7 are, there are those of 0.75.
    let row = table
        .iter()
        .rev()
        .find(|row| row.least <= similarity)
        .copied();
    CandidateDistance {
        scheme,
        similarity,
        row,
    }
}

impl CandidateDistance {
    /// Inclusive; 64 where every pair is a candidate.
    pub fn distance(&self) -> u32 {
        self.row.map_or(64, |row| row.distance)
    }
}

impl fmt::Display for CandidateDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "similarity {}: ", self.similarity)?;
        match self.row {
            Some(Row { distance, .. }) => {
                write!(
                    f,
                    "candidates lie within distance {distance}, which keeps at least 99 % of such pairs"
                )
            }
            None => write!(
                f,
                "under {} no distance is known to keep 99 % of such pairs; all pairs are candidates",
                self.scheme
            ),
        }
    }
}

/// What is known of a document without reading it again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Its second fingerprint.
    pub second: u64,
    /// The votes it cast: about its total weight.
    pub votes: u32,
}

/// Drops candidates that are hopeless, before any file is read again. About half of those within
/// the candidate distance go, and with them most of the reading.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Least ratio of votes; 0 where every pair is a candidate.
    ratio: f64,
    /// Greatest sum of the distances of both fingerprints.
    both: u32,
}

/// Votes are counted in a table that forgets, so they may exceed the total weight a little under
/// `words`; under other schemes they need not even be near it.
const VOTES_SLACK: f64 = 0.95;

impl Screen {
    /// A screen for pairs of at least this similarity under this scheme.
    pub fn new(scheme: Scheme, similarity: f64) -> Self {
        let row = candidate_distance(scheme, similarity).row;
        Self {
            ratio: if row.is_some() {
                similarity * VOTES_SLACK
            } else {
                0.0
            },
            both: row.map_or(128, |row| row.both),
        }
    }

    /// Whether a candidate at Hamming distance `distance` may be similar enough.
    #[inline]
    pub fn keeps(&self, distance: u32, a: Sketch, b: Sketch) -> bool {
        let (less, more) = (a.votes.min(b.votes), a.votes.max(b.votes));
        f64::from(less) >= self.ratio * f64::from(more)
            && distance + (a.second ^ b.second).count_ones() <= self.both
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_hold_from_their_similarity_up() {
        let distance = |similarity| candidate_distance(Scheme::Words, similarity).distance();
        assert_eq!(
            [0.5, 0.59, 0.6, 0.7, 0.85, 0.9, 1.0].map(distance),
            [23, 23, 20, 19, 18, 12, 12]
        );
        assert!(WORDS.is_sorted_by(|x, y| x.least < y.least
            && x.distance >= y.distance
            && x.both >= y.both));
    }

    #[test]
    fn without_a_row_every_pair_is_a_candidate() {
        for (scheme, similarity) in [
            (Scheme::Words, 0.49),
            (Scheme::CharShingles(4), 0.9),
            (Scheme::Classic, 0.9),
        ] {
            let choice = candidate_distance(scheme, similarity);
            assert_eq!(choice.distance(), 64);
            assert!(
                choice.to_string().ends_with("all pairs are candidates"),
                "{choice}"
            );
            let screen = Screen::new(scheme, similarity);
            let sketch = |second, votes| Sketch { second, votes };
            assert!(screen.keeps(64, sketch(0, 10), sketch(u64::MAX, 1_000)));
        }
    }

    proptest! {
        #[test]
        fn votes_that_are_total_weights_drop_no_pair_that_is_similar_enough(
            shared in 1..10_000_u32,
            a in 0..10_000_u32,
            b in 0..10_000_u32,
            second: u64,
        ) {
            let similarity = f64::from(shared) / f64::from(shared + a + b);
            let sketch = |rest| Sketch { second, votes: shared + rest };
            prop_assert!(Screen::new(Scheme::Words, similarity).keeps(0, sketch(a), sketch(b)));
        }
    }
}
