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
    /// What screens candidates, by position; empty where it was not asked for.
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
    pub(crate) id: ContentId,
    pub(crate) position: u32,
}

impl Corpus {
    /// Fingerprints from lists: nothing is known of the bytes.
    pub(crate) fn from_list(list: FingerprintList) -> (Self, Outcome) {
        let mut outcome = Outcome::default();
        outcome.skipped = (0..list.without.len())
            .map(|id| Skipped {
                path: list.without.path(id).to_path_buf(),
                reason: SkipReason::TooShort,
            })
            .collect();
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
    pub(crate) fn from_reading(reading: Reading) -> (Self, Outcome) {
        let Reading {
            names,
            records,
            skipped,
            failures,
        } = reading;
        let met = records
            .into_iter()
            .map(|record| Met {
                names: &names,
                record,
            })
            .collect();
        let walk::Distinct { files, links } = walk::distinct(met);
        let mut outcome = Outcome {
            skipped: unite_by_path(skipped, |skip| &skip.path),
            failures: unite_by_path(failures, |failure| &failure.path),
            ..Outcome::default()
        };

        let mut corpus = Self::default();
        let mut links = links.into_iter().peekable();
        let mut kept = Vec::with_capacity(files.len());
        let mut contents = Vec::with_capacity(files.len());
        for (index, Met { record, .. }) in files.into_iter().enumerate() {
            outcome.summary.bytes += record.bytes;
            let links = links.next_if(|&(at, _)| at == index);
            if let State::Skipped { reason, .. } = record.state {
                let path = names.path(record.name as usize).to_path_buf();
                outcome.skipped.push(Skipped { path, reason });
            }
            let comparable = !matches!(
                record.state,
                State::Skipped {
                    comparable: false,
                    ..
                }
            );
            let Some(content) = record.content.filter(|_| comparable) else {
                continue;
            };
            let position = kept.len() as u32;
            if record.state == State::Fingerprinted {
                outcome.summary.fingerprinted += 1;
            } else {
                corpus.absent.push(position);
            }
            corpus
                .links
                .extend(links.map(|(_, others)| (position, others)));
            corpus.fingerprints.push(record.fingerprint);
            corpus.features.push(record.features);
            corpus.sketches.extend(record.sketch);
            contents.push(content);
            kept.push(record.name);
        }
        finish_counts(&mut outcome);
        corpus.names = names;
        corpus.names.reorder(&kept);
        corpus.number_documents(&contents);
        (corpus, outcome)
    }

    /// Numbers documents in order of their first position: equal length and equal hash are equal
    /// bytes.
    fn number_documents(&mut self, contents: &[ContentId]) {
        let mut positions: Vec<u32> = (0..contents.len() as u32).collect();
        positions.par_sort_unstable_by_key(|&position| (contents[position as usize], position));
        self.documents = vec![0; contents.len()];
        for same in positions.chunk_by(|&a, &b| contents[a as usize] == contents[b as usize]) {
            for &position in same {
                self.documents[position as usize] = same[0];
            }
        }
        for position in 0..contents.len() as u32 {
            let first = self.documents[position as usize];
            self.documents[position as usize] = if first == position {
                self.contents.push(Content {
                    id: contents[position as usize],
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

    /// What was kept of the document at a position for screening. Only there when it was asked for.
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

/// A record under its name, as the walk's de-duplication wants to see it.
struct Met<'a> {
    names: &'a Names,
    record: Record,
}

impl walk::Met for Met<'_> {
    fn path(&self) -> &Path {
        self.names.path(self.record.name as usize)
    }

    fn id(&self) -> FileId {
        self.record.id
    }

    fn link_count(&self) -> u64 {
        self.record.link_count.into()
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
