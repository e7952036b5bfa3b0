//! The corpus → accepted pairs, batch by batch in path order, and what becomes of them: they
//! stream into the report, are collected for another order, or join into groups.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::error::Error;
use crate::index::{Candidate, Join, JoinOptions, Method};
use crate::observe::{Observer, Stage};
use crate::options::{Options, Sort, Source};
use crate::record::{Failure, Kind, Outcome};
use crate::report::Report;
use crate::verify::{self, Score, VerifyOptions};

use super::corpus::Corpus;
use super::emit::{Emitter, Known, ScoredPair};
use super::groups;
use super::reread::Rereader;

/// Which pairs are accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threshold {
    /// Hamming distance up to which candidates are looked at; those beyond are lost.
    pub(crate) candidate_distance: u32,
    /// Least verified similarity, if one was asked for.
    pub(crate) min_similarity: Option<f64>,
}

impl Threshold {
    /// Turns what was asked for into what is looked at. With a distance and a similarity both
    /// hold; with a similarity alone the candidate distance follows from it.
    ///
    /// # Errors
    /// Neither was given.
    pub(crate) fn choose(options: &Options, observer: &dyn Observer) -> Result<Self, Error> {
        let candidate_distance = match (options.distance, options.similarity) {
            (Some(distance), _) => distance.min(64),
            (None, Some(similarity)) => {
                let _ = observer;
                if similarity >= 0.9 { 11 } else if similarity >= 0.8 { 16 } else { 18 }
            }
            (None, None) => {
                return Err(Error::Argument {
                    argument: "--distance".to_string(),
                    message: "neither a distance nor a similarity was given".to_string(),
                });
            }
        };
        Ok(Self { candidate_distance, min_similarity: options.similarity })
    }
}

/// Searches, and reports what was found; adds counts and failures to the outcome.
///
/// # Errors
/// A method forced by `SIMDUP_INDEX` that does not exist, or a report that cannot be written.
pub(crate) fn search(
    corpus: &Corpus,
    threshold: &Threshold,
    options: &Options,
    observer: &dyn Observer,
    report: &mut dyn Report,
    outcome: &mut Outcome,
) -> Result<(), Error> {
    observer.stage(Stage::Search, None);
    let known = known(corpus, options);
    let join_options = JoinOptions { method: Method::from_env()?, ..JoinOptions::default() };
    let join = Join::new(corpus.items()?, threshold.candidate_distance, &join_options);
    observer.note(&join.plan().to_string());
    let mut search = Search { corpus, threshold, options, observer, known: &known, failures: BTreeMap::new() };
    match options.groups {
        Some(link) => groups::report(&mut search, &join, link, report, outcome)?,
        None => search.report_pairs(&join, report, outcome)?,
    }
    for (_, failure) in search.failures {
        outcome.summary.errors += 1;
        outcome.failures.push(failure);
    }
    outcome.failures.sort();
    Ok(())
}

/// What the stages of a search share.
pub(crate) struct Search<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) threshold: &'a Threshold,
    pub(crate) options: &'a Options,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) known: &'a Known,
    /// Documents that could not be read a second time.
    failures: BTreeMap<u32, Failure>,
}

impl Search<'_> {
    /// Whether bytes are at hand that similarities can be computed from.
    pub(crate) fn verifies(&self) -> bool {
        self.options.verify && matches!(self.options.source, Source::Files(_))
    }

    /// Hands every accepted pair to `visit`, sorted by `(a, b)`, batch by batch.
    pub(crate) fn for_each_batch(
        &mut self,
        join: &Join<'_>,
        visit: &mut dyn FnMut(&[ScoredPair]) -> ControlFlow<()>,
    ) {
        let mut accepted = Vec::new();
        join.for_each_batch(&mut |candidates| {
            candidates.retain(|pair| !(self.known.contains(pair.a) && self.known.contains(pair.b)));
            accepted.clear();
            self.accept(candidates, &mut accepted);
            visit(&accepted)
        });
    }

    /// Scores candidates and keeps those that meet the threshold, in their order.
    fn accept(&mut self, candidates: &[Candidate], accepted: &mut Vec<ScoredPair>) {
        let kind = |pair: &Candidate| {
            if self.corpus.same_bytes(pair.a, pair.b) { Kind::Exact } else { Kind::Near }
        };
        if !self.verifies() {
            accepted.extend(candidates.iter().map(|pair| ScoredPair {
                a: pair.a,
                b: pair.b,
                distance: pair.distance,
                kind: kind(pair),
                score: None,
            }));
            return;
        }
        let documents: Vec<Option<(u32, u32)>> = candidates
            .iter()
            .map(|pair| (kind(pair) == Kind::Near).then(|| self.documents(pair.a, pair.b)))
            .collect();
        let scores = self.score(documents.iter().flatten().copied().collect());
        for (pair, documents) in candidates.iter().zip(&documents) {
            let score = match documents {
                None => Some(Score::EXACT),
                Some(documents) => scores.get(*documents),
            };
            // A file that changed or vanished since it was fingerprinted has no similarity. Its
            // pair stands where the fingerprints alone decide.
            let wanted = score.is_some() || self.threshold.min_similarity.is_none();
            if wanted {
                accepted.push(ScoredPair {
                    a: pair.a,
                    b: pair.b,
                    distance: pair.distance,
                    kind: kind(pair),
                    score,
                });
            }
        }
    }

    /// The documents at two positions, smaller number first.
    pub(crate) fn documents(&self, a: u32, b: u32) -> (u32, u32) {
        let (a, b) = (self.corpus.document(a), self.corpus.document(b));
        (a.min(b), a.max(b))
    }

    /// Scores pairs of documents that meet the threshold, each once.
    fn score(&mut self, pairs: Vec<(u32, u32)>) -> Scores {
        self.score_from(pairs, self.threshold.min_similarity)
    }

    /// Scores pairs of documents, however low, each once.
    pub(crate) fn score_all(&mut self, pairs: Vec<(u32, u32)>) -> Scores {
        self.score_from(pairs, None)
    }

    fn score_from(&mut self, mut pairs: Vec<(u32, u32)>, min_similarity: Option<f64>) -> Scores {
        pairs.sort_unstable();
        pairs.dedup();
        self.observer.stage(Stage::Verify, Some(pairs.len() as u64));
        let source = Rereader::new(self.corpus, self.options);
        let verify_options = VerifyOptions { min_similarity, ..VerifyOptions::default() };
        let verified = verify::verify(&pairs, &source, &verify_options, self.observer);
        let scores = (0..pairs.len()).map(|index| verified.score(index)).collect();
        self.failures.extend(verified.failures);
        Scores { pairs, scores }
    }

    /// Reports pairs in the order asked for.
    fn report_pairs(
        &mut self,
        join: &Join<'_>,
        report: &mut dyn Report,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let mut emitter = Emitter::new(self.corpus, self.known, report, self.options.max_pairs);
        if self.options.sort == Sort::Path {
            self.for_each_batch(join, &mut |pairs| pairs.iter().try_for_each(|pair| emitter.pair(pair)));
        } else {
            let mut first = FirstPairs::new(self.options.sort, self.options.max_pairs);
            self.for_each_batch(join, &mut |pairs| {
                first.add(pairs);
                ControlFlow::Continue(())
            });
            self.observer.stage(Stage::Report, None);
            let _ = first.into_sorted().iter().try_for_each(|pair| emitter.pair(pair));
        }
        emitter.finish(outcome)
    }
}

/// Scores by pair of documents.
pub(crate) struct Scores {
    pairs: Vec<(u32, u32)>,
    scores: Vec<Option<Score>>,
}

impl Scores {
    /// The score of a pair; `None` where it is too low or could not be computed.
    pub(crate) fn get(&self, documents: (u32, u32)) -> Option<Score> {
        let at = self.pairs.binary_search(&documents).ok()?;
        self.scores[at]
    }
}

/// Collects pairs for an order other than by path; holds at most twice as many as are wanted.
struct FirstPairs {
    sort: Sort,
    /// One more than `--max-pairs`, so that the emitter learns that there are more.
    wanted: Option<usize>,
    pairs: Vec<ScoredPair>,
}

impl FirstPairs {
    fn new(sort: Sort, max_pairs: Option<u64>) -> Self {
        let wanted = max_pairs.map(|max| usize::try_from(max).unwrap_or(usize::MAX).saturating_add(1));
        Self { sort, wanted, pairs: Vec::new() }
    }

    fn add(&mut self, pairs: &[ScoredPair]) {
        self.pairs.extend_from_slice(pairs);
        if let Some(wanted) = self.wanted
            && self.pairs.len() / 2 > wanted
        {
            self.sort();
            self.pairs.truncate(wanted);
        }
    }

    fn sort(&mut self) {
        let similarity = |pair: &ScoredPair| pair.score.map_or(-1.0, |score| score.similarity);
        match self.sort {
            Sort::Path => self.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b)),
            Sort::Distance => self.pairs.sort_unstable_by_key(|pair| (pair.distance, pair.a, pair.b)),
            Sort::Similarity => self.pairs.sort_unstable_by(|x, y| {
                similarity(y).total_cmp(&similarity(x)).then((x.a, x.b).cmp(&(y.a, y.b)))
            }),
        }
    }

    fn into_sorted(mut self) -> Vec<ScoredPair> {
        self.sort();
        self.pairs
    }
}

/// Marks the positions that lie below a reference, however either is spelled.
fn known(corpus: &Corpus, options: &Options) -> Known {
    if options.references.is_empty() {
        return Known::default();
    }
    let absolute = |path: &std::path::Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let references: Vec<_> = options
        .references
        .iter()
        .flat_map(|path| [Some(absolute(path)), path.canonicalize().ok()])
        .flatten()
        .collect();
    Known(
        (0..corpus.len() as u32)
            .map(|position| {
                let path = absolute(corpus.path(position));
                references.iter().any(|reference| path.starts_with(reference))
            })
            .collect(),
    )
}
