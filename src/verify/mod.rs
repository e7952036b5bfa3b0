//! Candidate pairs → scored pairs: how alike two documents are, exactly.
//!
//! A fingerprint's Hamming distance finds candidates, it does not judge them. Verification reads
//! the files of the candidates again, counts their features exactly, and computes **similarity**
//! (weighted Jaccard: sum of minima over sum of maxima, every feature weighted
//! 1 + ⌊log2 of its exact count⌋) and **containment** (sum of minima over the smaller total).
//!
//! The idea: a feature of weight w is w *elements*, (feature, 1) … (feature, w). The sum of
//! minima of two documents is then the number of elements they share. Documents that have pairs
//! with each other are held together in a `tile`, which numbers the elements in the order in
//! which it meets them; near-duplicates share most of their elements, so their numbers lie in
//! runs, and a document is a short list of 64-bit words. A pair costs one `and` and one
//! population count a word: some 20 ns, where a merge of the features costs a thousand. `plan`
//! chooses the tiles so that a document is read as seldom as possible and memory stays within the
//! budget.
//!
//! `screen` keeps hopeless candidates away before any file is read again, and holds the table
//! from a wanted similarity to the Hamming distance that finds its pairs.

mod features;
mod kernel;
mod numbering;
mod plan;
mod score;
mod screen;
mod tile;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::observe::Observer;
use crate::record::Failure;

pub use features::{FeatureCollector, FeatureSet, damped};
pub use score::{Score, score};
pub use screen::{CandidateDistance, Screen, Sketch, candidate_distance};

use features::Part;
use plan::{Capacity, Plan};
use tile::Tile;

/// Where the features of documents come from: the files, read a second time.
pub trait FeatureSource: Sync {
    /// What a worker keeps between documents: a read buffer, an extractor.
    type Scratch: Default + Send;

    /// Gives all features of `document` to `collector`, which is empty before.
    ///
    /// # Errors
    /// The file vanished, cannot be read, or is not what was fingerprinted. What was collected
    /// until then is thrown away.
    fn collect(
        &self,
        document: u32,
        scratch: &mut Self::Scratch,
        collector: &mut FeatureCollector,
    ) -> Result<(), Failure>;

    /// About the total weight of `document`: the votes it cast when it was fingerprinted. Used
    /// to plan memory; a wrong one costs memory or time, never a wrong score.
    fn weight_hint(&self, document: u32) -> u32;
}

/// How to verify.
#[derive(Debug, Clone, Copy)]
pub struct VerifyOptions {
    /// Pairs of a lower similarity have no score, 0..=1.
    pub min_similarity: Option<f64>,
    /// Memory for the features of documents, over all threads; about so many bytes.
    pub budget_bytes: usize,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            min_similarity: None,
            budget_bytes: 96 << 20,
        }
    }
}

/// Stands in for the shared weight of a pair without a score.
const NONE: u32 = u32::MAX;

/// Parts in which the features of huge documents are compared, at most. Each reads them once more.
const MOST_PARTS: u64 = 1 << 10;

/// Stands in for the total weight of a document that was not read.
const UNREAD: u64 = u64::MAX;

/// What [`verify`] found out: four bytes a pair, eight a document.
#[derive(Debug)]
pub struct Verified<'p> {
    pairs: &'p [(u32, u32)],
    /// The shared weight of each pair, or [`NONE`].
    shared: Vec<u32>,
    /// The total weight of each document, or [`UNREAD`].
    totals: Vec<u64>,
    min_similarity: Option<f64>,
    /// The documents that could not be read again, ascending, and why. No pair of theirs has a
    /// score.
    pub failures: Vec<(u32, Failure)>,
}

impl Verified<'_> {
    /// The score of the pair with this index; `None` where it is below the least similarity
    /// asked for, or where one of the documents failed.
    pub fn score(&self, index: usize) -> Option<Score> {
        let (a, b) = self.pairs[index];
        let (total_a, total_b) = (self.totals[a as usize], self.totals[b as usize]);
        let shared = self.shared[index];
        if shared == NONE || total_a == UNREAD || total_b == UNREAD {
            return None;
        }
        let score = Score::from_shared(shared.into(), total_a, total_b);
        (self.min_similarity)
            .is_none_or(|least| score.similarity >= least)
            .then_some(score)
    }
}

/// Scores `pairs` of documents, sorted, each with its smaller document first; the number of
/// threads changes no score.
///
/// Runs on the rayon pool it is called in. Every document is read at least once and, where its
/// pairs do not fit into the budget together, more often. Memory: the budget, some 16 bytes a pair
/// and 32 bytes a document. Tells `observer` of the pairs that are done.
pub fn verify<'p, S: FeatureSource>(
    pairs: &'p [(u32, u32)],
    source: &S,
    options: &VerifyOptions,
    observer: &dyn Observer,
) -> Verified<'p> {
    debug_assert!(pairs.is_sorted() && pairs.iter().all(|(a, b)| a < b));
    let documents = pairs
        .iter()
        .map(|&(_, b)| b as usize + 1)
        .max()
        .unwrap_or(0);
    let shared: Vec<_> = pairs.iter().map(|_| AtomicU32::new(NONE)).collect();
    let totals: Vec<_> = (0..documents).map(|_| AtomicU64::new(UNREAD)).collect();
    let failures = Mutex::new(Vec::new());

    let weight = |document| source.weight_hint(document);
    let threads = rayon::current_num_threads().max(1);
    let capacity = capacity(pairs, weight, options.budget_bytes, threads);
    let run_job = |worker: &mut Worker<S::Scratch>, indices: &[u32]| {
        let pairs: Vec<_> = indices.iter().map(|&index| pairs[index as usize]).collect();
        let found = worker.run(&pairs, source, options.min_similarity);
        for (&index, &weight) in indices.iter().zip(&found.shared) {
            let weight = u32::try_from(weight).unwrap_or(NONE);
            shared[index as usize].store(weight, Ordering::Relaxed);
        }
        for (&document, &total) in found.documents.iter().zip(&found.totals) {
            totals[document as usize].store(total, Ordering::Relaxed);
        }
        if let Ok(mut failures) = failures.lock() {
            failures.extend(found.failures);
        }
        observer.advance(indices.len() as u64, 0);
    };
    let run = |plan: &Plan| {
        let shares = plan.job_count() < threads;
        let new_worker = || Worker::<S::Scratch>::new(capacity.most, shares);
        let jobs = 0..plan.job_count();
        if shares {
            let mut worker = new_worker();
            jobs.for_each(|job| run_job(&mut worker, plan.pairs_of(job)));
        } else {
            let jobs = jobs.into_par_iter();
            jobs.for_each_init(new_worker, |worker, job| {
                run_job(worker, plan.pairs_of(job));
            });
        }
    };

    let mut waiting: Vec<u32> = (0..pairs.len() as u32).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        run(&Plan::slabs(pairs, &mut waiting, weight, capacity));
        if waiting.len() > before / 2 {
            run(&Plan::bundles(
                pairs,
                std::mem::take(&mut waiting),
                weight,
                capacity,
            ));
        }
    }

    let mut totals: Vec<u64> = totals.into_iter().map(AtomicU64::into_inner).collect();
    let mut failures = failures.into_inner().unwrap_or_default();
    failures.sort_by_key(|&(document, _)| document);
    failures.dedup_by_key(|&mut (document, _)| document);
    for &(document, _) in &failures {
        totals[document as usize] = UNREAD;
    }
    Verified {
        pairs,
        shared: shared.into_iter().map(AtomicU32::into_inner).collect(),
        totals,
        min_similarity: options.min_similarity,
        failures,
    }
}

/// Jobs that each thread should get, so that none waits long for the last one.
const JOBS_A_THREAD: usize = 4;

/// Shares the budget out among the threads, and the work where the budget is ample.
fn capacity(
    pairs: &[(u32, u32)],
    weight: impl Fn(u32) -> u32,
    budget_bytes: usize,
    threads: usize,
) -> Capacity {
    let most = Tile::capacity(budget_bytes / threads);
    let firsts = pairs.chunk_by(|x, y| x.0 == y.0);
    let total: u64 = firsts.map(|run| u64::from(weight(run[0].0))).sum();
    let jobs = if threads == 1 {
        1
    } else {
        threads * JOBS_A_THREAD
    };
    Capacity {
        wanted: total / jobs as u64,
        most,
    }
}

/// What one thread keeps from job to job.
struct Worker<T> {
    tile: Tile,
    scratch: T,
    collector: FeatureCollector,
    /// The weight that the tile should hold.
    most: u64,
    /// Whether other threads are free to help. While they have jobs of their own they must not
    /// be waited for: who waits takes up another job, and another tile.
    shares: bool,
}

/// What a job found.
struct Found {
    /// By pair.
    shared: Vec<u64>,
    /// Ascending.
    documents: Vec<u32>,
    /// By document.
    totals: Vec<u64>,
    failures: Vec<(u32, Failure)>,
}

impl<T: Default> Worker<T> {
    fn new(most: u64, shares: bool) -> Self {
        Self {
            tile: Tile::default(),
            scratch: T::default(),
            collector: FeatureCollector::new(),
            most,
            shares,
        }
    }

    /// Reads the documents of `pairs` and finds what each pair shares. Where the documents are
    /// heavier than a tile should be, this is done part by part of the features, so that two
    /// documents of any size can be compared.
    fn run<S: FeatureSource<Scratch = T>>(
        &mut self,
        pairs: &[(u32, u32)],
        source: &S,
        min_similarity: Option<f64>,
    ) -> Found {
        let mut documents: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let weight: u64 = documents
            .iter()
            .map(|&x| u64::from(source.weight_hint(x)))
            .sum();
        let parts = weight.div_ceil(self.most).clamp(1, MOST_PARTS);
        let mut found = Found {
            shared: vec![0; pairs.len()],
            totals: vec![0; documents.len()],
            documents,
            failures: Vec::new(),
        };
        let mut part = Part {
            start: 0,
            end: Part::WHOLE.end.div_ceil(parts),
        };
        while part.start < part.end {
            self.collector.keep_only(part);
            self.tile.clear(weight / parts);
            let before: u64 = found.totals.iter().sum();
            for (&document, total) in found.documents.iter().zip(&mut found.totals) {
                self.collector.clear();
                match source.collect(document, &mut self.scratch, &mut self.collector) {
                    Ok(()) => *total += self.tile.add(document, &self.collector),
                    Err(failure) => found.failures.push((document, failure)),
                }
            }
            self.tile.close();
            // The totals of a part prove nothing about the whole.
            let min_similarity = min_similarity.filter(|_| part == Part::WHOLE);
            self.tile
                .score(pairs, min_similarity, self.shares, &mut found.shared);
            let held = found.totals.iter().sum::<u64>() - before;
            part = next_part(part, held, self.most);
        }
        found
    }
}

/// The part that comes after one that was so heavy, where `most` fits; empty after the last one. The
/// hints may have been wrong: votes of features that the fingerprint's table forgot count again and
/// again.
fn next_part(part: Part, held: u64, most: u64) -> Part {
    let width = part.end - part.start;
    let fitting = (width as f64 * most as f64 / held.max(1) as f64) as u64;
    // The last part may have been narrower than any other.
    let width = fitting.min(width * 16).max(Part::WHOLE.end / MOST_PARTS);
    Part {
        start: part.end,
        end: (part.end + width).min(Part::WHOLE.end),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::feature::FeatureSink;
    use crate::observe::Silent;

    /// Documents as lists of features; those in `broken` cannot be read.
    struct Lists {
        documents: Vec<Vec<u64>>,
        broken: Vec<u32>,
    }

    impl FeatureSource for Lists {
        type Scratch = ();

        fn collect(
            &self,
            document: u32,
            (): &mut (),
            collector: &mut FeatureCollector,
        ) -> Result<(), Failure> {
            collector.features(&self.documents[document as usize]);
            if self.broken.contains(&document) {
                let error = std::io::Error::from(std::io::ErrorKind::NotFound);
                return Err(Failure::from_io(Path::new("gone"), &error, true));
            }
            Ok(())
        }

        fn weight_hint(&self, document: u32) -> u32 {
            self.documents[document as usize].len() as u32
        }
    }

    fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
        // Spread, so that every part has some.
        let feature = (0..300_u64).prop_map(|feature| feature.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        prop::collection::vec(prop::collection::vec(feature, 0..200), 2..24)
    }

    fn all_pairs(n: usize) -> Vec<(u32, u32)> {
        let n = n as u32;
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .collect()
    }

    proptest! {
        #[test]
        fn parts_follow_each_other_to_the_end(
            first in 1..=Part::WHOLE.end,
            held in prop::collection::vec(0..10_000_000_u64, 1..50),
            most in 1..3_000_000_u64,
        ) {
            let mut part = Part { start: 0, end: first };
            let mut count = 0;
            for &held in held.iter().cycle() {
                let next = next_part(part, held, most);
                prop_assert_eq!(next.start, part.end);
                prop_assert!(next.end <= Part::WHOLE.end);
                if next.start == next.end {
                    prop_assert_eq!(part.end, Part::WHOLE.end);
                    break;
                }
                part = next;
                count += 1;
                prop_assert!(count <= MOST_PARTS);
            }
        }

        #[test]
        fn scores_equal_the_definition_in_any_budget(
            documents in documents(),
            budget_bytes in prop::sample::select(vec![2_000, 20_000, 200_000, 1 << 26]),
            keep in prop::collection::vec(any::<bool>(), 276),
        ) {
            let mut pairs = all_pairs(documents.len());
            let mut keep = keep.into_iter();
            pairs.retain(|_| keep.next().unwrap_or(true));
            let source = Lists { documents, broken: Vec::new() };
            let options = VerifyOptions { min_similarity: None, budget_bytes };
            let verified = verify(&pairs, &source, &options, &Silent);
            for (index, &(a, b)) in pairs.iter().enumerate() {
                let lists = &source.documents;
                let expected = score::naive(&lists[a as usize], &lists[b as usize]);
                let found = verified.score(index).unwrap();
                prop_assert!((found.similarity - expected.similarity).abs() < 1e-12);
                prop_assert!((found.containment - expected.containment).abs() < 1e-12);
            }
        }

        #[test]
        fn the_least_similarity_drops_what_is_below_and_nothing_else(
            documents in documents(),
            least in 0.05..0.95_f64,
        ) {
            let pairs = all_pairs(documents.len());
            let source = Lists { documents, broken: Vec::new() };
            let all = verify(&pairs, &source, &VerifyOptions::default(), &Silent);
            let options = VerifyOptions { min_similarity: Some(least), ..VerifyOptions::default() };
            let some = verify(&pairs, &source, &options, &Silent);
            for index in 0..pairs.len() {
                let expected = all.score(index).filter(|score| score.similarity >= least);
                prop_assert_eq!(some.score(index), expected);
            }
        }
    }

    #[test]
    fn a_document_that_failed_is_told_once_and_has_no_score() {
        let documents = vec![vec![1, 2, 3]; 6];
        let source = Lists {
            documents,
            broken: vec![4, 1],
        };
        let pairs = all_pairs(6);
        let options = VerifyOptions {
            budget_bytes: 300,
            ..VerifyOptions::default()
        };
        let verified = verify(&pairs, &source, &options, &Silent);
        let failed: Vec<u32> = verified
            .failures
            .iter()
            .map(|&(document, _)| document)
            .collect();
        assert_eq!(failed, [1, 4]);
        for (index, (a, b)) in pairs.iter().enumerate() {
            let whole = ![1, 4].contains(a) && ![1, 4].contains(b);
            assert_eq!(
                verified.score(index),
                whole.then_some(Score::EXACT),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn nothing_to_verify_is_no_error() {
        let source = Lists {
            documents: Vec::new(),
            broken: Vec::new(),
        };
        let verified = verify(&[], &source, &VerifyOptions::default(), &Silent);
        assert!(verified.failures.is_empty());
    }
}
