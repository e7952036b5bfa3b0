//! Records → the corpus: every file once, in path order, with what the search needs of it.

use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut as _;

use crate::error::Error;
use crate::fingerprints::FingerprintList;
use crate::index::Items;
use crate::load::ContentId;
use crate::names::Names;
use crate::record::{File, FileId, Outcome, SkipReason, Skipped};
use crate::verify::Sketch;
use crate::walk;

use super::read::{Reading, Record, State};

/// The files of a run by position; position = rank of the name, bytewise.
///
/// Only files that can be in a pair have a position: those with a fingerprint, and those without
/// whose bytes may equal another's.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    names: Names,
    /// Further names of hard-linked files, by position, ascending.
    links: Vec<(u32, Vec<PathBuf>)>,
    fingerprints: Vec<u64>,
    /// Features by position, and a document number: equal numbers = equal bytes. Both empty for
    /// fingerprints from a list, where neither is known.
    features: Vec<u32>,
    /// What verification wants to know beforehand, by position; empty where there is none.
    sketches: Vec<Sketch>,
    documents: Vec<u32>,
    /// The documents by number, for the second reading.
    contents: Vec<Content>,
    /// Positions without a fingerprint, ascending.
    absent: Vec<u32>,
}

/// The bytes of a document, and a file that holds them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content {
    hash: [u64; 2],
    len: u64,
    pub(crate) position: u32,
}

impl Content {
    /// The identity of the bytes.
    pub(crate) fn id(&self) -> ContentId {
        let [high, low] = self.hash.map(u128::from);
        ContentId {
            hash: high << 64 | low,
            len: self.len,
        }
    }
}

impl Corpus {
    /// Fingerprints from lists: nothing is known of the bytes.
    pub(crate) fn from_list(list: FingerprintList) -> (Self, Outcome) {
        let skipped = (0..list.without.len()).map(|id| Skipped {
            path: list.without.path(id).to_path_buf(),
            reason: SkipReason::TooShort,
        });
        let mut outcome = Outcome {
            skipped: skipped.collect(),
            ..Outcome::default()
        };
        outcome.summary.fingerprinted = list.names.len() as u64;
        finish_counts(&mut outcome);
        let fingerprints = list
            .fingerprints
            .into_iter()
            .map(|fingerprint| fingerprint.0)
            .collect();
        (
            Self {
                names: list.names,
                fingerprints,
                ..Self::default()
            },
            outcome,
        )
    }

    /// What a reading pass found. Files met under several spellings and hard links become one.
    /// Sketches are kept only where they are wanted.
    pub(crate) fn from_reading(mut reading: Reading, with_sketches: bool) -> (Self, Outcome) {
        let mut outcome = Outcome {
            skipped: unite_by_path(std::mem::take(&mut reading.skipped), |skip| &skip.path),
            failures: unite_by_path(std::mem::take(&mut reading.failures), |fail| &fail.path),
            ..Outcome::default()
        };
        let met = (0..reading.records.len() as u32).map(|index| Met {
            reading: &reading,
            index,
        });
        let walk::Distinct { files, links } = walk::distinct(met.collect());
        let mut order: Vec<u32> = files.into_iter().map(|met| met.index).collect();
        let mut corpus = Self::default();
        let mut links = links.into_iter().peekable();
        let mut position = 0;
        let mut index = 0;
        // From here on `order` holds the records that have a position.
        order.retain(|&record| {
            let links = links.next_if(|&(at, _)| at == index);
            index += 1;
            let record = &reading.records[record as usize];
            outcome.summary.bytes += record.bytes;
            if let State::Skipped { reason, comparable } = record.state {
                let path = reading.names.path(record.name as usize).to_path_buf();
                outcome.skipped.push(Skipped { path, reason });
                if !comparable {
                    return false;
                }
                corpus.absent.push(position);
            } else {
                outcome.summary.fingerprinted += 1;
            }
            (corpus.links).extend(links.map(|(_, others)| (position, others)));
            position += 1;
            true
        });
        finish_counts(&mut outcome);
        let records = || order.iter().map(|&index| &reading.records[index as usize]);
        corpus.fingerprints = records().map(|record| record.fingerprint).collect();
        corpus.features = records().map(|record| record.features).collect();
        if with_sketches {
            corpus.sketches = records().map(|record| record.sketch).collect();
        }
        corpus.number_documents(&order, &reading.records);
        let names = records().map(|record| record.name).collect::<Vec<_>>();
        corpus.names = reading.names;
        corpus.names.reorder(&names);
        (corpus, outcome)
    }

    /// Numbers documents in order of their first position: equal length and equal hash are equal
    /// bytes.
    fn number_documents(&mut self, order: &[u32], records: &[Record]) {
        let key = |position: u32| {
            let record = &records[order[position as usize] as usize];
            (record.bytes, record.hash)
        };
        let mut positions: Vec<u32> = (0..order.len() as u32).collect();
        positions.par_sort_unstable_by_key(|&position| (key(position), position));
        self.documents = vec![0; order.len()];
        for same in positions.chunk_by(|&a, &b| key(a) == key(b)) {
            for &position in same {
                self.documents[position as usize] = same[0];
            }
        }
        for position in 0..order.len() as u32 {
            let first = self.documents[position as usize];
            self.documents[position as usize] = if first == position {
                let (len, hash) = key(position);
                self.contents.push(Content {
                    hash,
                    len,
                    position,
                });
                self.contents.len() as u32 - 1
            } else {
                self.documents[first as usize]
            };
        }
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// The file at a position.
    pub(crate) fn file(&self, position: u32) -> File<'_> {
        let links = self.links.binary_search_by_key(&position, |&(at, _)| at);
        File {
            path: self.path(position),
            links: links.map_or(&[], |at| self.links[at].1.as_slice()),
        }
    }

    /// The name of a position.
    pub(crate) fn path(&self, position: u32) -> &Path {
        self.names.path(position as usize)
    }

    /// The fingerprint of a position; `None` where there is none.
    pub(crate) fn fingerprint(&self, position: u32) -> Option<u64> {
        self.absent
            .binary_search(&position)
            .is_err()
            .then(|| self.fingerprints[position as usize])
    }

    /// The number of features of a position.
    pub(crate) fn features(&self, position: u32) -> u32 {
        self.features[position as usize]
    }

    /// What was kept of the document at a position for its verification. Only there when it was
    /// asked for.
    pub(crate) fn sketch(&self, position: u32) -> Sketch {
        self.sketches[position as usize]
    }

    /// The document at a position.
    pub(crate) fn document(&self, position: u32) -> u32 {
        self.documents[position as usize]
    }

    /// The bytes of a document.
    pub(crate) fn content(&self, document: u32) -> Content {
        self.contents[document as usize]
    }

    /// Whether two positions are known to hold the same bytes.
    pub(crate) fn same_bytes(&self, a: u32, b: u32) -> bool {
        !self.documents.is_empty() && self.document(a) == self.document(b)
    }

    /// What the index joins.
    ///
    /// # Errors
    /// More positions than the index takes.
    pub(crate) fn items(&self) -> Result<Items<'_>, Error> {
        let mut apart: Vec<(u32, u32)> = self
            .absent
            .iter()
            .map(|&at| (self.document(at), at))
            .collect();
        apart.sort_unstable();
        let groups = apart
            .chunk_by(|x, y| x.0 == y.0)
            .filter(|group| group.len() > 1)
            .map(|group| group.iter().map(|&(_, position)| position).collect())
            .collect();
        Ok(Items::new(&self.fingerprints)?
            .absent(self.absent.clone())
            .apart(groups))
    }
}

/// A record, as the walk's de-duplication wants to see it.
struct Met<'a> {
    reading: &'a Reading,
    index: u32,
}

impl Met<'_> {
    fn record(&self) -> &Record {
        &self.reading.records[self.index as usize]
    }
}

impl walk::Met for Met<'_> {
    fn path(&self) -> &Path {
        self.reading.names.path(self.record().name as usize)
    }

    fn id(&self) -> FileId {
        self.record().id
    }

    fn link_count(&self) -> u64 {
        self.record().link_count.into()
    }
}

/// Keeps one entry for each path, however it is spelled: the bytewise least; in path order.
fn unite_by_path<T: Ord>(entries: Vec<T>, path: impl Fn(&T) -> &PathBuf) -> Vec<T> {
    let mut keyed: Vec<(PathBuf, T)> = entries
        .into_iter()
        .map(|entry| {
            (
                std::path::absolute(path(&entry)).unwrap_or_else(|_| path(&entry).clone()),
                entry,
            )
        })
        .collect();
    keyed.sort();
    keyed.dedup_by(|later, earlier| later.0 == earlier.0);
    let mut entries: Vec<T> = keyed.into_iter().map(|(_, entry)| entry).collect();
    entries.sort();
    entries
}

/// Fills the counts that follow from the lists.
fn finish_counts(outcome: &mut Outcome) {
    outcome.skipped.sort();
    let summary = &mut outcome.summary;
    for skip in &outcome.skipped {
        let slot = SkipReason::ALL
            .iter()
            .position(|&reason| reason == skip.reason);
        summary.skipped[slot.unwrap_or_default()] += 1;
    }
    summary.failed = outcome
        .failures
        .iter()
        .filter(|failure| failure.is_file)
        .count() as u64;
    summary.errors = outcome.failures.len() as u64;
    summary.files = summary.fingerprinted + summary.skipped_total() + summary.failed;
}
