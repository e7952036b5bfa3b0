//! The gate's word: what was counted, what follows from it, and how a baseline changed.

use std::fmt;
use std::path::PathBuf;

use super::baseline::Baseline;
use crate::report::path::Escaped;

/// What the gate counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs that are neither known nor allowed.
    pub new: u64,
    /// Pairs in the baseline.
    pub known: u64,
    /// Pairs that an allowance covers.
    pub allowed: u64,
    /// Pairs that touch no changed file.
    pub unjudged: u64,
}

/// The gate's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing that is not allowed.
    Pass,
    /// More new pairs than allowed.
    Fail,
    /// Something was not looked at, so nothing can be said.
    Incomplete,
}

impl Judgement {
    /// The whole rule.
    pub fn of(complete: bool, new: u64, max_new: u64) -> Self {
        if !complete {
            Self::Incomplete
        } else if new > max_new {
            Self::Fail
        } else {
            Self::Pass
        }
    }
}

/// The gate's word and what it rests on; displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The word.
    pub judgement: Judgement,
    /// What was counted.
    pub counts: Counts,
    /// New pairs that were accepted at most.
    pub max_new: u64,
    /// Whether only pairs of changed files were judged.
    pub narrowed: bool,
    /// Where no file took part in the search: what became of them.
    pub nothing_compared: Option<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        if self.judgement == Judgement::Incomplete {
            f.write_str("check incomplete, no verdict")?;
            if counts.new == 0 {
                return Ok(());
            }
            f.write_str("; so far ")?;
        }
        match counts.new {
            0 => f.write_str("no new near-duplicate pairs")?,
            1 => f.write_str("1 new near-duplicate pair")?,
            new => write!(f, "{new} new near-duplicate pairs")?,
        }
        if self.max_new > 0 {
            write!(f, ", at most {} accepted", self.max_new)?;
        }
        write!(f, " ({} known, {} allowed", counts.known, counts.allowed)?;
        if self.narrowed {
            write!(f, ", {} without a changed file", counts.unjudged)?;
        }
        f.write_str(")")?;
        match &self.nothing_compared {
            Some(why) => write!(f, "; nothing was compared ({why})"),
            None => Ok(()),
        }
    }
}

/// A new baseline and how it differs from the old one; displayed as one line.
#[derive(Debug)]
pub struct Update {
    /// The baseline to be written.
    pub baseline: Baseline,
    /// Where it belongs.
    pub path: PathBuf,
    /// Pairs that the old one did not hold.
    pub added: usize,
    /// Pairs that only the old one held.
    pub removed: usize,
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.baseline.pairs.len();
        write!(
            f,
            "{}: {known} known {} ({} added, {} removed)",
            Escaped(&self.path),
            if known == 1 { "pair" } else { "pairs" },
            self.added,
            self.removed
        )
    }
}
