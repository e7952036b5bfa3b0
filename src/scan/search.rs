//! The corpus → accepted pairs, batch by batch in path order, and what becomes of them: they
//! stream into the report, are collected for another order, or join into groups.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::index::{Candidate, Join, JoinOptions, Method};
use crate::observe::{Observer, Stage};
use crate::options::{Options, Sort, Source};
use crate::record::{Failure, Kind, Outcome};
use crate::report::Report;
use crate::verify::{self, Score, Screen, Verified, VerifyOptions};

use super::corpus::Corpus;
use super::emit::{Emitter, Known, ScoredPair};
use super::groups;
use super::reread::Rereader;

/// Candidates that are verified together, at least. A trade of memory (some 50 bytes each) for
/// files read a second time only once.
const VERIFIED_AT_ONCE: usize = 1 << 21;

/// Which pairs are accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threshold {
    /// Hamming distance up to which candidates are looked at; those beyond are lost.
    pub(crate) candidate_distance: u32,
    /// Least verified similarity, if one was asked for.
    pub(crate) min_similarity: Option<f64>,
    /// What drops hopeless candidates before their files are read again. Only where the candidate
    /// distance follows from the similarity: with `-k 64 -s S` all pairs are verified.
    pub(crate) screen: Option<Screen>,
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
                let choice = verify::candidate_distance(options.scheme, similarity);
                observer.note(&choice.to_string());
                choice.distance()
            }
            (None, None) => {
                return Err(Error::Argument {
                    argument: "--distance".to_string(),
                    message: "neither a distance nor a similarity was given".to_string(),
                });
            }
        };
        let screen = options
            .similarity
            .filter(|_| options.distance.is_none())
            .map(|similarity| Screen::new(options.scheme, similarity));
        Ok(Self {
            candidate_distance,
            min_similarity: options.similarity,
            screen,
        })
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
    let join_options = JoinOptions {
        method: Method::from_env()?,
        ..JoinOptions::default()
    };
    let started = Instant::now();
    let join = Join::new(corpus.items()?, threshold.candidate_distance, &join_options);
    observer.note(&join.plan().to_string());
    observer.note(&format!(
        "the index was built in {:.3} s",
        started.elapsed().as_secs_f64()
    ));
    let mut search = Search {
        corpus,
        threshold,
        options,
        observer,
        known: &known,
        failures: BTreeMap::new(),
    };
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

    /// Hands every accepted pair to `visit`, sorted by `(a, b)`, until it breaks.
    pub(crate) fn for_each_pair(
        &mut self,
        join: &Join<'_>,
        visit: &mut dyn FnMut(&ScoredPair) -> ControlFlow<()>,
    ) {
        // Candidates that must be verified wait until there are many: a document is read once for
        // all its pairs that are at hand.
        let mut waiting: Vec<Candidate> = Vec::new();
        let mut flow = ControlFlow::Continue(());
        let started = Instant::now();
        let mut elsewhere = Duration::ZERO;
        let keep = Worth {
            corpus: self.corpus,
            known: self.known,
            screen: self.threshold.screen,
        };
        join.for_each_batch(&|pair| keep.is_worth_a_look(pair), &mut |candidates| {
            let found = Instant::now();
            if self.threshold.screen.is_none() {
                flow = self.accept(candidates, visit);
            } else {
                waiting.extend_from_slice(candidates);
                if waiting.len() >= VERIFIED_AT_ONCE {
                    flow = self.accept(&waiting, visit);
                    waiting.clear();
                }
            }
            elsewhere += found.elapsed();
            flow
        });
        let searching = started.elapsed().saturating_sub(elsewhere).as_secs_f64();
        self.observer
            .note(&format!("the search for candidates took {searching:.3} s"));
        if flow.is_continue() {
            let _ = self.accept(&waiting, visit);
        }
    }

    /// Scores candidates and hands on those that meet the threshold, in their order.
    fn accept(
        &mut self,
        candidates: &[Candidate],
        visit: &mut dyn FnMut(&ScoredPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let corpus = self.corpus;
        let scored = |pair: &Candidate, kind, score| ScoredPair {
            a: pair.a,
            b: pair.b,
            distance: pair.distance,
            kind,
            score,
        };
        let near = |pair: &&Candidate| !corpus.same_bytes(pair.a, pair.b);
        if !self.verifies() {
            return candidates.iter().try_for_each(|pair| {
                let kind = if near(&pair) { Kind::Near } else { Kind::Exact };
                visit(&scored(pair, kind, None))
            });
        }
        let mut documents: Vec<(u32, u32)> = candidates
            .iter()
            .filter(near)
            .map(|pair| self.documents(pair.a, pair.b))
            .collect();
        documents.sort_unstable();
        documents.dedup();
        let scores = self.score(&documents, self.threshold.min_similarity);
        let mut lookup = Lookup::default();
        candidates.iter().try_for_each(|pair| {
            if !near(&pair) {
                return visit(&scored(pair, Kind::Exact, Some(Score::EXACT)));
            }
            let score = lookup.score(&scores, &documents, self.documents(pair.a, pair.b));
            // A file that changed or vanished since it was fingerprinted has no similarity. Its
            // pair stands where the fingerprints alone decide.
            if score.is_some() || self.threshold.min_similarity.is_none() {
                visit(&scored(pair, Kind::Near, score))
            } else {
                ControlFlow::Continue(())
            }
        })
    }

    /// The documents at two positions, smaller number first.
    pub(crate) fn documents(&self, a: u32, b: u32) -> (u32, u32) {
        let (a, b) = (self.corpus.document(a), self.corpus.document(b));
        (a.min(b), a.max(b))
    }

    /// Scores pairs of documents, which come in order and each once, where they are similar enough.
    pub(crate) fn score<'p>(
        &mut self,
        pairs: &'p [(u32, u32)],
        min_similarity: Option<f64>,
    ) -> Verified<'p> {
        self.observer.stage(Stage::Verify, Some(pairs.len() as u64));
        let source = Rereader::new(self.corpus, self.options);
        let options = VerifyOptions {
            min_similarity,
            ..VerifyOptions::default()
        };
        let mut verified = verify::verify(pairs, &source, &options, self.observer);
        self.failures.extend(std::mem::take(&mut verified.failures));
        verified
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
            self.for_each_pair(join, &mut |pair| emitter.pair(pair));
        } else {
            let mut first = FirstPairs::new(self.options.sort, self.options.max_pairs);
            self.for_each_pair(join, &mut |pair| {
                first.add(pair);
                ControlFlow::Continue(())
            });
            self.observer.stage(Stage::Report, None);
            let _ = first
                .into_sorted()
                .iter()
                .try_for_each(|pair| emitter.pair(pair));
        }
        emitter.finish(outcome)
    }
}

/// What tells early that a candidate can be no pair.
struct Worth<'a> {
    corpus: &'a Corpus,
    known: &'a Known,
    screen: Option<Screen>,
}

impl Worth<'_> {
    /// Whether a candidate can become a pair, as far as can be told without reading a file.
    fn is_worth_a_look(&self, pair: &Candidate) -> bool {
        if self.known.contains(pair.a) && self.known.contains(pair.b) {
            return false;
        }
        let Some(screen) = &self.screen else {
            return true;
        };
        screen.keeps(
            pair.distance.into(),
            self.corpus.sketch(pair.a),
            self.corpus.sketch(pair.b),
        ) || self.corpus.same_bytes(pair.a, pair.b)
    }
}

/// Finds scores by documents. Asked in ascending order it does not search.
#[derive(Default)]
pub(crate) struct Lookup {
    next: usize,
}

impl Lookup {
    /// The score of a pair of documents; `None` where it is too low or could not be computed.
    pub(crate) fn score(
        &mut self,
        scores: &Verified<'_>,
        pairs: &[(u32, u32)],
        documents: (u32, u32),
    ) -> Option<Score> {
        let at = if pairs.get(self.next) == Some(&documents) {
            self.next
        } else {
            pairs.binary_search(&documents).ok()?
        };
        self.next = at + 1;
        scores.score(at)
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
        let wanted =
            max_pairs.map(|max| usize::try_from(max).unwrap_or(usize::MAX).saturating_add(1));
        Self {
            sort,
            wanted,
            pairs: Vec::new(),
        }
    }

    fn add(&mut self, pair: &ScoredPair) {
        self.pairs.push(*pair);
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
            Sort::Distance => self
                .pairs
                .sort_unstable_by_key(|pair| (pair.distance, pair.a, pair.b)),
            Sort::Similarity => self.pairs.sort_unstable_by(|x, y| {
                similarity(y)
                    .total_cmp(&similarity(x))
                    .then((x.a, x.b).cmp(&(y.a, y.b)))
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
    let absolute =
        |path: &std::path::Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
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
                references
                    .iter()
                    .any(|reference| path.starts_with(reference))
            })
            .collect(),
    )
}
