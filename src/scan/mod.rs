//! Options in, pairs out: the only module that knows every stage.
//!
//! ```text
//! read    walk, load and fingerprint every file; contents are never kept
//! corpus  every file once, in path order
//! search  candidates from the index, verified, filtered, ordered
//! emit    pairs or groups into a report
//! ```
//!
//! All work is done in one rayon pool of the size asked for. Nothing that is reported depends on
//! its size, on the order of the roots, or on the CPU.

mod corpus;
mod emit;
mod groups;
mod read;
mod reread;
mod search;

use std::io;
use std::path::{Path, PathBuf};

use rayon::ThreadPoolBuilder;

use crate::error::Error;
use crate::fingerprints;
use crate::observe::{Observer, Stage};
use crate::options::{Options, Source};
use crate::record::{File, Fingerprinted, Outcome, Settings, SkipReason};
use crate::report::Report;
use crate::simhash::Fingerprint;
use crate::walk;

use corpus::Corpus;
use search::Threshold;

/// Finds near-duplicates and reports them.
///
/// The report is opened once everything is read, gets its pairs or groups in the order asked for,
/// and is finished with the outcome that is also returned.
///
/// # Errors
/// What ends a run: an argument that cannot be used, a list of fingerprints that cannot be read, a
/// report that cannot be written ([`Error::Report`]). What concerns one file is in the outcome.
///
/// # Examples
/// ```no_run
/// use simdup::observe::Silent;
/// use simdup::options::{Options, Source, WalkOptions};
/// use simdup::report::json::Json;
/// use simdup::report::Content;
///
/// let walk = WalkOptions { roots: vec!["docs".into()], ..WalkOptions::default() };
/// let options = Options { similarity: Some(0.7), ..Options::new(Source::Files(walk)) };
/// let mut report = Json::new(std::io::stdout(), Content::Pairs);
/// let outcome = simdup::scan::scan(&options, &Silent, &mut report)?;
/// assert!(outcome.failures.is_empty());
/// # Ok::<(), simdup::error::Error>(())
/// ```
pub fn scan(
    options: &Options,
    observer: &dyn Observer,
    report: &mut dyn Report,
) -> Result<Outcome, Error> {
    in_pool(options, || {
        let threshold = Threshold::choose(options, observer)?;
        let Gathered {
            corpus,
            mut outcome,
            roots,
            scheme,
        } = gather(options, observer)?;
        report.settings(&Settings {
            distance: options.distance,
            similarity: options.similarity,
            candidate_distance: threshold.candidate_distance,
            scheme,
            roots,
        })?;
        report.files(&mut (0..corpus.len() as u32).map(|position| corpus.file(position)))?;
        search::search(&corpus, &threshold, options, observer, report, &mut outcome)?;
        report.finish(&outcome)?;
        Ok(outcome)
    })
}

/// Fingerprints files and hands them to `emit` in path order: those with a fingerprint, and those
/// that were left out because they are empty or too short.
///
/// # Errors
/// As [`scan`]; what `emit` says is an [`Error::Report`].
pub fn fingerprint_files(
    options: &Options,
    observer: &dyn Observer,
    emit: &mut (dyn FnMut(&Fingerprinted<'_>) -> io::Result<()> + Send),
) -> Result<Outcome, Error> {
    in_pool(options, || {
        let Gathered {
            corpus, outcome, ..
        } = gather(options, observer)?;
        let mut without = outcome
            .skipped
            .iter()
            .filter(|skip| matches!(skip.reason, SkipReason::Empty | SkipReason::TooShort))
            .map(|skip| skip.path.as_path())
            .peekable();
        for position in 0..corpus.len() as u32 {
            let Some(fingerprint) = corpus.fingerprint(position) else {
                continue;
            };
            let file = corpus.file(position);
            while let Some(path) = without.next_if(|path| *path < file.path) {
                emit(&featureless(path))?;
            }
            emit(&Fingerprinted {
                file,
                fingerprint: Some(Fingerprint(fingerprint)),
                features: corpus.features(position).into(),
            })?;
        }
        for path in without {
            emit(&featureless(path))?;
        }
        Ok(outcome)
    })
}

/// A document without enough features.
fn featureless(path: &Path) -> Fingerprinted<'_> {
    Fingerprinted {
        file: File { path, links: &[] },
        fingerprint: None,
        features: 0,
    }
}

/// What is known once everything is read.
struct Gathered {
    corpus: Corpus,
    outcome: Outcome,
    roots: Vec<PathBuf>,
    scheme: String,
}

/// Reads whatever the source is.
fn gather(options: &Options, observer: &dyn Observer) -> Result<Gathered, Error> {
    observer.stage(Stage::Read, None);
    match &options.source {
        Source::Files(walk_options) => {
            let reading = read::read(walk_options, options, observer)?;
            let (corpus, outcome) = Corpus::from_reading(reading, options.verify);
            let mut roots: Vec<PathBuf> = walk_options
                .roots
                .iter()
                .map(|root| walk::clean(root))
                .collect();
            roots.sort_by(|a, b| walk::path_order(a, b));
            roots.dedup();
            Ok(Gathered {
                corpus,
                outcome,
                roots,
                scheme: options.scheme.id(),
            })
        }
        Source::Fingerprints(lists) => {
            let list = fingerprints::read(lists)?;
            let scheme = list.scheme.clone().unwrap_or_else(|| "unknown".to_string());
            let (corpus, outcome) = Corpus::from_list(list);
            let mut roots = lists.clone();
            roots.sort();
            Ok(Gathered {
                corpus,
                outcome,
                roots,
                scheme,
            })
        }
    }
}

/// Runs `work` in a pool of the size asked for.
fn in_pool<T: Send>(
    options: &Options,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    ThreadPoolBuilder::new()
        .num_threads(options.threads.unwrap_or(0))
        .thread_name(|index| format!("simdup-{index}"))
        .build()
        .map_err(|error| Error::Threads(error.to_string()))?
        .install(work)
}
