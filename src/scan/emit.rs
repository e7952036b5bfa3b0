//! Scored pairs → the report: counts, the limit on pairs, connected components.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::group::Components;
use crate::record::{File, Kind, Outcome, Pair, Side};
use crate::report::Report;
use crate::verify::Score;

use super::corpus::Corpus;

/// A pair that is near enough, by position; `a < b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredPair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) distance: u8,
    pub(crate) kind: Kind,
    pub(crate) score: Option<Score>,
}

/// Which positions lie below a reference.
#[derive(Debug, Default)]
pub(crate) struct Known(pub(crate) Vec<bool>);

impl Known {
    /// Whether the position is known.
    pub(crate) fn contains(&self, position: u32) -> bool {
        self.0.get(position as usize).copied().unwrap_or(false)
    }

    /// The known side of a pair, if one is.
    fn side(&self, a: u32, b: u32) -> Option<Side> {
        match (self.contains(a), self.contains(b)) {
            (true, false) => Some(Side::A),
            (false, true) => Some(Side::B),
            _ => None,
        }
    }
}

/// Writes pairs, counting them.
pub(crate) struct Emitter<'a> {
    corpus: &'a Corpus,
    known: &'a Known,
    /// The first file of the last pair, often that of the next.
    first: Option<(u32, File<'a>)>,
    report: &'a mut dyn Report,
    remaining: Option<u64>,
    components: Components,
    failed: Option<std::io::Error>,
    pairs: u64,
    exact_pairs: u64,
    truncated: bool,
}

impl<'a> Emitter<'a> {
    /// An emitter that writes at most `max_pairs` pairs.
    pub(crate) fn new(
        corpus: &'a Corpus,
        known: &'a Known,
        report: &'a mut dyn Report,
        max_pairs: Option<u64>,
    ) -> Self {
        Self {
            corpus,
            known,
            first: None,
            report,
            remaining: max_pairs,
            components: Components::new(corpus.len()),
            failed: None,
            pairs: 0,
            exact_pairs: 0,
            truncated: false,
        }
    }

    /// Writes a pair. Breaks when nothing more shall come: the limit is reached (and this pair is
    /// the first beyond it) or the report failed.
    pub(crate) fn pair(&mut self, pair: &ScoredPair) -> ControlFlow<()> {
        if self.remaining == Some(0) {
            self.truncated = true;
            return ControlFlow::Break(());
        }
        let a = match self.first {
            Some((position, file)) if position == pair.a => file,
            _ => self.corpus.file(pair.a),
        };
        self.first = Some((pair.a, a));
        let written = self.report.pair(&Pair {
            a,
            b: self.corpus.file(pair.b),
            kind: pair.kind,
            distance: pair.distance.into(),
            similarity: pair.score.map(|score| score.similarity),
            containment: pair.score.map(|score| score.containment),
            known: self.known.side(pair.a, pair.b),
            status: None,
        });
        if let Err(error) = written {
            self.failed = Some(error);
            return ControlFlow::Break(());
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        self.pairs += 1;
        self.exact_pairs += u64::from(pair.kind == Kind::Exact);
        self.components.join(pair.a, pair.b);
        ControlFlow::Continue(())
    }

    /// Adds the counts to the outcome.
    ///
    /// # Errors
    /// What the report said, if it failed.
    pub(crate) fn finish(self, outcome: &mut Outcome) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(Error::Report(error));
        }
        let summary = &mut outcome.summary;
        summary.pairs = self.pairs;
        summary.exact_pairs = self.exact_pairs;
        summary.groups = self.components.group_count() as u64;
        summary.truncated = self.truncated;
        Ok(())
    }
}
