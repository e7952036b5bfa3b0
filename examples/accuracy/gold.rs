//! The labels of a set, and how a search scores against them.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Two files by their paths below `docs/`, the lesser first.
pub(crate) type Names = (PathBuf, PathBuf);

/// Puts two paths in order.
pub(crate) fn names(a: &Path, b: &Path) -> Names {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    (a.to_path_buf(), b.to_path_buf())
}

/// What people, or the way the set was made, say about its pairs.
pub(crate) struct Gold {
    positives: HashSet<Names>,
    /// `None`: every pair that is not positive is negative. Otherwise pairs that are in neither set
    /// are not judged.
    negatives: Option<HashSet<Names>>,
}

impl Gold {
    /// Reads the labels of the set in this folder: `pairs.tsv` (a, b, 1 or 0) if some line there is
    /// labelled 0, else `clusters.tsv` (file, cluster), where all pairs within a cluster are positive
    /// and all others negative. Lines that begin with `#` and further columns are left out.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub(crate) fn read(set: &Path) -> Result<Self, String> {
        let mut positives = HashSet::new();
        let mut negatives = HashSet::new();
        for [a, b, label] in rows(&set.join("pairs.tsv"), true)? {
            match label.as_str() {
                "1" => positives.insert(names(a.as_ref(), b.as_ref())),
                "0" => negatives.insert(names(a.as_ref(), b.as_ref())),
                _ => false,
            };
        }
        if !negatives.is_empty() {
            return Ok(Self {
                positives,
                negatives: Some(negatives),
            });
        }
        let mut clusters: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for [file, cluster, _] in rows(&set.join("clusters.tsv"), false)? {
            clusters.entry(cluster).or_default().push(file);
        }
        let mut positives = HashSet::new();
        for files in clusters.values() {
            for (i, a) in files.iter().enumerate() {
                for b in &files[i + 1..] {
                    positives.insert(names(a.as_ref(), b.as_ref()));
                }
            }
        }
        Ok(Self {
            positives,
            negatives: None,
        })
    }

    /// Judges the pairs that a search has found.
    pub(crate) fn score<'a>(&self, found: impl IntoIterator<Item = &'a Names>) -> Score {
        let mut score = Score {
            hits: 0,
            errors: 0,
            positives: self.positives.len(),
        };
        for pair in found {
            if self.positives.contains(pair) {
                score.hits += 1;
            } else if self.negatives.as_ref().is_none_or(|set| set.contains(pair)) {
                score.errors += 1;
            }
        }
        score
    }
}

impl fmt::Display for Gold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} positive pairs, ", self.positives.len())?;
        match &self.negatives {
            Some(negatives) => write!(f, "{} negative pairs", negatives.len()),
            None => f.write_str("all others negative"),
        }
    }
}

/// The first three columns of a table; those that a line lacks are empty.
fn rows(path: &Path, may_be_missing: bool) -> Result<Vec<[String; 3]>, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if may_be_missing && error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.contains('\t')).map(|line| {
        let mut cells = line.split('\t').map(|cell| {
            let cell = cell.strip_prefix("docs/").unwrap_or(cell);
            cell.to_string()
        });
        [(); 3].map(|()| cells.next().unwrap_or_default())
    });
    Ok(rows.collect())
}

/// How well a search did on the pairs that are labelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Score {
    /// Positive pairs found.
    hits: usize,
    /// Negative pairs found.
    errors: usize,
    /// All positive pairs.
    positives: usize,
}

impl Score {
    /// The share of right pairs among those found and labelled; 1 where there are none.
    pub(crate) fn precision(self) -> f64 {
        ratio(self.hits, self.hits + self.errors)
    }

    /// The share of positive pairs that were found; 1 where there are none.
    pub(crate) fn recall(self) -> f64 {
        ratio(self.hits, self.positives)
    }

    /// The harmonic mean of both.
    fn f1(self) -> f64 {
        // 2PR / (P + R), without a division by zero.
        ratio(2 * self.hits, self.hits + self.errors + self.positives)
    }
}

/// Precision, recall, F1.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (precision, recall) = (self.precision(), self.recall());
        write!(f, "{precision:9.3}  {recall:6.3}  {:6.3}", self.f1())
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}
