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
    distance: Option<u32>,
}

/// (similarity, distance) of the scheme `words`: with candidates within the distance at least
/// 99 % of the pairs that are so similar are found. Measured; see docs/ACCURACY.md.
const WORDS: [(f64, u32); 5] = [(0.5, 21), (0.6, 18), (0.7, 18), (0.8, 16), (0.9, 11)];

/// The candidate distance for pairs of at least this similarity under this scheme.
pub fn candidate_distance(scheme: Scheme, similarity: f64) -> CandidateDistance {
    let table: &[(f64, u32)] = match scheme {
        Scheme::Words => &WORDS,
        Scheme::WordShingles(_) | Scheme::CharShingles(_) | Scheme::Classic => &[],
    };
    // The row at or below the similarity: what finds pairs of 0.7 finds those of 0.75.
    let row = table.iter().rev().find(|&&(least, _)| least <= similarity);
    CandidateDistance { scheme, similarity, distance: row.map(|&(_, distance)| distance) }
}

impl CandidateDistance {
    /// Inclusive; 64 where every pair is a candidate.
    pub fn distance(&self) -> u32 {
        self.distance.unwrap_or(64)
    }
}

impl fmt::Display for CandidateDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.distance {
            Some(distance) => write!(
                f,
                "similarity {}: candidates within distance {distance}, which keeps at least 99 % of the pairs",
                self.similarity
            ),
            None => write!(
                f,
                "similarity {}: no distance is known to keep 99 % of the pairs under the scheme {}, so all pairs are verified",
                self.similarity, self.scheme
            ),
        }
    }
}

/// What is known of a document without reading it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sketch {
    /// Its second fingerprint.
    pub second: u64,
    /// The votes it cast: about its total weight.
    pub votes: u32,
}

/// Drops candidates that are hopeless, before any file is read again.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Least ratio of votes.
    ratio: f64,
    /// Greatest sum of the distances of both fingerprints.
    both: u32,
}

impl Screen {
    /// A screen for pairs of at least this similarity under this scheme.
    pub fn new(scheme: Scheme, similarity: f64) -> Self {
        let distance = candidate_distance(scheme, similarity).distance;
        Self { ratio: similarity * VOTES_SLACK, both: distance.map_or(128, |distance| 2 * distance - 2) }
    }

    /// Whether a candidate at Hamming distance `distance` may be similar enough.
    pub fn keeps(&self, distance: u32, a: Sketch, b: Sketch) -> bool {
        let (less, more) = (a.votes.min(b.votes), a.votes.max(b.votes));
        f64::from(less) >= self.ratio * f64::from(more)
            && distance + (a.second ^ b.second).count_ones() <= self.both
    }
}

/// Votes are counted in a table that forgets, so they may exceed the total weight; similar
/// documents exceed theirs alike.
const VOTES_SLACK: f64 = 0.95;
