//! Fingerprints → all pairs within Hamming distance k.

use std::fmt;
use std::ops::ControlFlow;

use crate::error::Error;

pub mod brute;

/// Two positions whose fingerprints are within the distance asked for. `a < b`; ordered by
/// `(a, b)`, which is path order where positions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// The position that comes first.
    pub a: u32,
    /// The other position.
    pub b: u32,
    /// Hamming distance, 0..=64.
    pub distance: u8,
}

/// What is joined: a fingerprint for each position.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    pub(crate) fingerprints: &'a [u64],
    pub(crate) absent: Vec<u32>,
    pub(crate) apart: Vec<Vec<u32>>,
}

/// More positions than this cannot be joined in one go.
pub const MAX_ITEMS: usize = 1 << 31;

impl<'a> Items<'a> {
    /// The fingerprint of each position; at most [`MAX_ITEMS`].
    ///
    /// # Errors
    /// [`Error::Argument`] when there are more.
    pub fn new(fingerprints: &'a [u64]) -> Result<Self, Error> {
        if fingerprints.len() > MAX_ITEMS {
            return Err(Error::Argument {
                argument: "fingerprints".to_string(),
                message: format!("more than {MAX_ITEMS} cannot be compared in one run"),
            });
        }
        Ok(Self {
            fingerprints,
            absent: Vec::new(),
            apart: Vec::new(),
        })
    }

    /// Positions that have no fingerprint, whatever stands at their place.
    #[must_use]
    pub fn absent(mut self, mut positions: Vec<u32>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        self.absent = positions;
        self
    }

    /// Groups of absent positions whose bytes are equal: they pair among themselves at distance 0
    /// and with nobody else. A position may be in one group only.
    #[must_use]
    pub fn apart(mut self, mut groups: Vec<Vec<u32>>) -> Self {
        for group in &mut groups {
            group.sort_unstable();
            group.dedup();
        }
        groups.retain(|group| group.len() > 1);
        self.apart = groups;
        self
    }
}

/// How pairs are searched. The choice never changes the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Sort, and look at equal neighbours: k = 0 only.
    Sort,
    /// The classic four blocks of 16 bits; above k = 3 with radii.
    FourBlocks,
    /// As many blocks as pay, with radii.
    Blocks,
    /// Compare all with all.
    AllPairs,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::Sort, Self::FourBlocks, Self::Blocks, Self::AllPairs];

    /// The word for it in `SIMDUP_INDEX`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sort => "sort",
            Self::FourBlocks => "four-blocks",
            Self::Blocks => "blocks",
            Self::AllPairs => "all-pairs",
        }
    }

    /// The method that the environment variable `SIMDUP_INDEX` forces, for tests and bug reports.
    ///
    /// # Errors
    /// [`Error::Argument`] for a word that names no method.
    pub fn from_env() -> Result<Option<Self>, Error> {
        let Some(value) = std::env::var_os("SIMDUP_INDEX") else {
            return Ok(None);
        };
        Self::ALL
            .into_iter()
            .find(|method| value == method.as_str())
            .map(Some)
            .ok_or_else(|| Error::Argument {
                argument: "SIMDUP_INDEX".to_string(),
                message: format!(
                    "{}: no such method; known are sort, four-blocks, blocks, all-pairs",
                    value.display()
                ),
            })
    }
}

/// How a [`Join`] works; nothing here changes its result.
#[derive(Debug, Clone, Copy)]
pub struct JoinOptions {
    /// Take this method, where it can serve the distance.
    pub method: Option<Method>,
    /// Bytes that pairs may take while they are put in order.
    pub budget_bytes: usize,
}

impl Default for JoinOptions {
    fn default() -> Self {
        Self {
            method: None,
            budget_bytes: 96 << 20,
        }
    }
}

/// What was chosen and why; [`Display`](fmt::Display) is one line for `--verbose`.
#[derive(Debug, Clone)]
pub struct Plan {
    method: Method,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method.as_str())
    }
}

/// The search for all pairs within a distance.
#[derive(Debug)]
pub struct Join<'a> {
    items: Items<'a>,
    max_distance: u32,
    plan: Plan,
}

impl<'a> Join<'a> {
    /// Prepares the search for pairs that differ in at most `max_distance` bits (inclusive;
    /// above 64 is 64). Works in the ambient rayon pool, here and later.
    pub fn new(items: Items<'a>, max_distance: u32, _options: &JoinOptions) -> Self {
        Self {
            items,
            max_distance: max_distance.min(64),
            plan: Plan {
                method: Method::AllPairs,
            },
        }
    }

    /// What was chosen and why.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Bytes that the prepared search holds (without the caller's fingerprints).
    pub fn memory_usage(&self) -> usize {
        (self.items.absent.len() + self.items.apart.iter().map(Vec::len).sum::<usize>()) * 4
    }

    /// Visits every pair once, in slices, in no special order, from any thread. After a `Break`
    /// no thread begins another slice.
    pub fn for_each_unordered(&self, visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync)) {
        for batch in brute::pairs(&self.items, self.max_distance).chunks(4096) {
            if visit(batch).is_break() {
                return;
            }
        }
    }

    /// Visits enough pairs to connect whatever all pairs connect: as
    /// [`for_each_unordered`](Self::for_each_unordered), but equal fingerprints come as a chain.
    pub fn for_each_link(&self, visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync)) {
        self.for_each_unordered(visit);
    }

    /// Visits all pairs sorted by `(a, b)`, in batches. A batch holds all pairs of the values of
    /// `a` that occur in it. A `Break` ends the search.
    pub fn for_each_batch(&self, visit: &mut dyn FnMut(&mut Vec<Candidate>) -> ControlFlow<()>) {
        let pairs = brute::pairs(&self.items, self.max_distance);
        let mut batch = Vec::new();
        for chunk in pairs.chunk_by(|x, y| x.a == y.a) {
            batch.extend_from_slice(chunk);
            if batch.len() >= 1 << 18 {
                if visit(&mut batch).is_break() {
                    return;
                }
                batch.clear();
            }
        }
        if !batch.is_empty() {
            let _ = visit(&mut batch);
        }
    }
}
