//! Paths → records: the walk runs on one worker of the pool and hands batches of entries to the
//! others, which load and fingerprint them. Contents are never kept.
//!
//! Where enough batches wait, the walking worker reads, too; with one thread it always does. What
//! comes back is in no order: [`Corpus`](super::corpus::Corpus) sorts it.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::feature::Extractor;
use crate::load::{Loader, TextSink, Verdict};
use crate::names::Names;
use crate::observe::Observer;
use crate::options::{Binary, Options, WalkOptions};
use crate::record::{Failure, FileId, SkipReason, Skipped};
use crate::simhash::Fingerprinter;
use crate::verify::Sketch;
use crate::walk::{self, Entry, Found};

/// Entries handed to a worker at once: enough to make the hand-over free, few enough to share
/// the end of the work.
const BATCH: usize = 64;

/// Batches that may wait for each worker beside the one that walks; then that one reads, too.
const MAX_WAITING: usize = 32;

/// What is known of a file after it was read: 80 bytes, for there may be millions.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: FileId,
    /// Halves of the xxh3-128 of its bytes, where all of them were read.
    pub(crate) hash: [u64; 2],
    /// So many bytes of it were read.
    pub(crate) bytes: u64,
    pub(crate) fingerprint: u64,
    /// For screening candidates; only where a similarity was asked for.
    pub(crate) sketch: Sketch,
    /// Index of the name among those of the reading.
    pub(crate) name: u32,
    pub(crate) link_count: u32,
    pub(crate) features: u32,
    pub(crate) state: State,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It has a fingerprint.
    Fingerprinted,
    /// Left out of the fingerprint search; `comparable` = its content id is known, so that equal
    /// bytes still make an exact pair.
    Skipped {
        reason: SkipReason,
        comparable: bool,
    },
}

/// Everything a reading pass leaves behind, in no order.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) names: Names,
    pub(crate) records: Vec<Record>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) failures: Vec<Failure>,
}

impl Reading {
    /// Takes over what a batch found.
    fn add(&mut self, mut batch: Batch) {
        self.failures.append(&mut batch.failures);
        for (mut record, path) in batch.records.into_iter().zip(batch.paths) {
            record.name = self.names.len() as u32;
            match self.names.push(path.as_os_str().as_bytes()) {
                Ok(()) => self.records.push(record),
                Err(error) => {
                    self.failures.push(Failure {
                        path,
                        code: "too_many",
                        message: error.to_string(),
                        is_file: true,
                    });
                }
            }
        }
    }
}

/// The tools of one worker, reused from batch to batch.
struct Worker {
    loader: Loader,
    text: TextPath,
}

/// Text → features → votes.
struct TextPath {
    extractor: Extractor,
    fingerprinter: Fingerprinter,
}

impl TextSink for TextPath {
    fn text(&mut self, piece: &str) {
        self.extractor.push(piece, &mut self.fingerprinter);
    }
}

impl Worker {
    fn new(options: &Options) -> Self {
        Self {
            loader: Loader::new(options.load),
            text: TextPath {
                extractor: Extractor::new(options.scheme),
                fingerprinter: Fingerprinter::new(options.scheme.is_damped())
                    .with_second(wants_second(options)),
            },
        }
    }

    /// Reads and fingerprints one file.
    fn read(&mut self, entry: Entry, options: &Options, out: &mut Batch) {
        let loaded = match self
            .loader
            .load(&entry.path, entry.explicit, &mut self.text)
        {
            Ok(loaded) => loaded,
            Err(failure) => {
                self.text.extractor.finish(&mut self.text.fingerprinter);
                self.text.fingerprinter.finish();
                out.failures.push(failure);
                return;
            }
        };
        let counts = self.text.extractor.finish(&mut self.text.fingerprinter);
        let voted = self.text.fingerprinter.finish_voted();
        let fingerprint = voted.map(|voted| voted.fingerprint);
        out.replaced += loaded.replaced;
        let skip = |reason, comparable| State::Skipped {
            reason,
            comparable: comparable && loaded.content.is_some(),
        };
        let empty_pairs = options.load.min_size == 0;
        let state = match (loaded.verdict, fingerprint) {
            (Verdict::Text, Some(_)) if counts.features >= options.min_features => {
                State::Fingerprinted
            }
            (Verdict::Text, None) if counts.blank => skip(SkipReason::Empty, empty_pairs),
            (Verdict::Text, _) => skip(SkipReason::TooShort, true),
            (Verdict::Empty, _) => skip(SkipReason::Empty, empty_pairs),
            (Verdict::Binary, _) => skip(SkipReason::Binary, options.load.binary == Binary::Exact),
            (Verdict::Undecodable, _) => skip(SkipReason::Undecodable, true),
            (Verdict::TooSmall, _) => skip(SkipReason::TooSmall, false),
            (Verdict::TooLarge, _) => skip(SkipReason::TooLarge, false),
            (Verdict::Special, _) => skip(SkipReason::Special, false),
        };
        out.bytes += loaded.bytes_read;
        out.paths.push(entry.path);
        let sketch = voted.map_or(Sketch::default(), |voted| Sketch {
            second: voted.second.0,
            votes: u32::try_from(voted.votes).unwrap_or(u32::MAX),
        });
        let hash = loaded.content.map_or(0, |content| content.hash);
        out.records.push(Record {
            id: loaded.stat.id,
            hash: [(hash >> 64) as u64, hash as u64],
            bytes: loaded.bytes_read,
            fingerprint: fingerprint.map_or(0, |fingerprint| fingerprint.0),
            sketch,
            name: 0,
            link_count: u32::try_from(loaded.stat.link_count).unwrap_or(u32::MAX),
            features: u32::try_from(counts.features).unwrap_or(u32::MAX),
            state,
        });
    }
}

/// Whether a second fingerprint is needed, to screen candidates: only where their distance follows
/// from a similarity.
fn wants_second(options: &Options) -> bool {
    options.verify && options.similarity.is_some() && options.distance.is_none()
}

/// What one batch adds to the reading; `records[i]` is of the file `paths[i]`.
#[derive(Default)]
struct Batch {
    paths: Vec<PathBuf>,
    records: Vec<Record>,
    failures: Vec<Failure>,
    bytes: u64,
    replaced: u64,
}

/// Walks the roots and reads every file found. Must run inside the pool that shall do the work.
///
/// # Errors
/// An argument that the walk cannot use (a bad glob).
pub(crate) fn read(
    walk_options: &WalkOptions,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Reading, crate::error::Error> {
    let reading = Mutex::new(Reading::default());
    let workers: Mutex<Vec<Worker>> = Mutex::default();
    let replaced = AtomicU64::new(0);
    // The walk is faster than reading: without a limit all paths of a large tree would wait.
    let waiting = AtomicUsize::new(0);
    let max_waiting = (rayon::current_num_threads() - 1) * MAX_WAITING;
    let process = |entries: Vec<Entry>| {
        let mut worker = lock(&workers).pop().unwrap_or_else(|| Worker::new(options));
        let mut batch = Batch::default();
        let count = entries.len() as u64;
        for entry in entries {
            worker.read(entry, options, &mut batch);
        }
        lock(&workers).push(worker);
        observer.advance(count, batch.bytes);
        replaced.fetch_add(batch.replaced, Ordering::Relaxed);
        lock(&reading).add(batch);
    };
    let mut skipped = Vec::new();
    let mut failures = Vec::new();
    rayon::scope(|scope| {
        let (process, waiting) = (&process, &waiting);
        let mut entries = Vec::with_capacity(BATCH);
        let walked = walk::walk(walk_options, &mut |found| {
            match found {
                Found::File(entry) => entries.push(entry),
                Found::Skipped(skip) => skipped.push(skip),
                Found::Failed(failure) => failures.push(failure),
                Found::Odd { path, message } => observer.warn(&path, &message),
            }
            if entries.len() == BATCH {
                let full = std::mem::replace(&mut entries, Vec::with_capacity(BATCH));
                if waiting.load(Ordering::Relaxed) < max_waiting {
                    waiting.fetch_add(1, Ordering::Relaxed);
                    scope.spawn(move |_| {
                        waiting.fetch_sub(1, Ordering::Relaxed);
                        process(full);
                    });
                } else {
                    process(full);
                }
            }
            ControlFlow::Continue(())
        });
        process(entries);
        walked
    })?;
    let mut reading = reading
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    reading.skipped = skipped;
    reading.failures.append(&mut failures);
    let replaced = replaced.into_inner();
    if replaced > 0 {
        observer.note(&if replaced == 1 {
            "1 sequence that means nothing in its encoding was read as a separator".to_string()
        } else {
            format!(
                "{replaced} sequences that mean nothing in their encodings were read as separators"
            )
        });
    }
    Ok(reading)
}

/// Locks, whoever panicked before: the panic itself ends the run through rayon.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
