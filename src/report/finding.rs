//! What the formats for CI have in common: which pairs they list, and in which words.

use std::fmt::Write as _;
use std::io;

use xxhash_rust::xxh3::xxh3_128;

use crate::record::{File, Kind, Pair, Side, Status};
use crate::report::fields::Ratio;

/// The file that a finding is about, and the one that it is like: the first is the one that is
/// not below a reference.
pub(super) fn sides<'a>(pair: &Pair<'a>) -> (File<'a>, File<'a>) {
    if pair.known == Some(Side::A) {
        (pair.b, pair.a)
    } else {
        (pair.a, pair.b)
    }
}

/// The figures of a pair: `same bytes`, or `distance 5, similarity 0.9472`.
pub(super) fn figures(pair: &Pair<'_>) -> String {
    match (pair.kind, pair.similarity) {
        (Kind::Exact, _) => "same bytes".to_string(),
        (Kind::Near, None) => format!("distance {}", pair.distance),
        (Kind::Near, Some(similarity)) => {
            format!(
                "distance {}, similarity {}",
                pair.distance,
                ratio(similarity)
            )
        }
    }
}

/// What a pair is called: `exact duplicate` or `near-duplicate`.
pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "exact duplicate",
        Kind::Near => "near-duplicate",
    }
}

/// A similarity or containment with four decimals.
pub(super) fn ratio(value: f64) -> String {
    Ratio(value).to_string()
}

/// 32 hex digits that stand for a pair: its two names and nothing else, so that they stay the same
/// while contents and other files change.
pub(super) fn identity(a: &[u8], b: &[u8]) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let joined = [first, b"\0", second].concat();
    format!("{:032x}", xxh3_128(&joined))
}

/// The error for groups in a format that has pairs only.
pub(super) fn pairs_only(format: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("the {format} format lists pairs, not groups"),
    )
}

/// Counts pairs by what the gate says of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) findings: u64,
    known: u64,
    allowed: u64,
    gated: bool,
}

impl Tally {
    /// Counts a pair; says whether it is a finding, which is what the formats list.
    pub(super) fn add(&mut self, pair: &Pair<'_>) -> bool {
        self.gated |= pair.status.is_some();
        match pair.status {
            Some(Status::Known) => self.known += 1,
            Some(Status::Allowed) => self.allowed += 1,
            None | Some(Status::New) => self.findings += 1,
        }
        pair.is_finding()
    }

    /// Whether a gate judged the pairs.
    pub(super) fn is_gated(&self) -> bool {
        self.gated
    }

    /// `3 new near-duplicate pairs (2 known, 1 allowed)`; without a gate `3 near-duplicate pairs`.
    pub(super) fn title(&self) -> String {
        let count = match self.findings {
            0 => "no".to_string(),
            findings => findings.to_string(),
        };
        let new = if self.gated { "new " } else { "" };
        let s = if self.findings == 1 { "" } else { "s" };
        let mut title = format!("{count} {new}near-duplicate pair{s}");
        if self.known + self.allowed > 0 {
            let _ = write!(title, " ({} known, {} allowed)", self.known, self.allowed);
        }
        title
    }
}

/// `1 error`, `2 errors`.
pub(super) fn errors(count: usize) -> String {
    format!("{count} error{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_pair_is_the_same_in_either_order() {
        assert_eq!(identity(b"a", b"b"), identity(b"b", b"a"));
        assert_ne!(identity(b"a", b"b"), identity(b"a", b"c"));
        assert_ne!(identity(b"ab", b"c"), identity(b"a", b"bc"));
        // Frozen: alerts are matched by it across versions.
        assert_eq!(identity(b"a", b"b"), "39797789ed4c7ea0d5a06cd078125351");
    }

    #[test]
    fn the_title_counts_what_the_gate_says() {
        let file = |name: &'static str| File {
            path: Path::new(name),
            links: &[],
        };
        let pair = |status| Pair {
            a: file("a"),
            b: file("b"),
            kind: Kind::Near,
            distance: 1,
            similarity: None,
            containment: None,
            known: None,
            status,
        };
        let mut tally = Tally::default();
        assert_eq!(tally.title(), "no near-duplicate pairs");
        assert!(tally.add(&pair(None)));
        assert_eq!(tally.title(), "1 near-duplicate pair");
        let mut tally = Tally::default();
        assert!(!tally.add(&pair(Some(Status::Known))));
        assert_eq!(
            tally.title(),
            "no new near-duplicate pairs (1 known, 0 allowed)"
        );
        assert!(tally.add(&pair(Some(Status::New))));
        assert!(tally.add(&pair(Some(Status::New))));
        assert!(!tally.add(&pair(Some(Status::Allowed))));
        assert_eq!(
            tally.title(),
            "2 new near-duplicate pairs (1 known, 1 allowed)"
        );
    }
}
