//! Results → bytes. One file a format, all behind [`Report`].

pub mod comparison;
pub mod csv;
pub mod fields;
mod finding;
pub mod fingerprints;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod jsonl;
pub mod junit;
pub mod markdown;
pub mod path;
pub mod sarif;
pub mod text;

use std::io;

use crate::record::{File, Group, Outcome, Pair, Settings};

/// What a report is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Pairs.
    Pairs,
    /// Groups.
    Groups,
}

/// A report in some format. The calls come in this order: `settings` once, `files` once,
/// then `pair` or `group`
/// for each result in the documented order, then `finish` once.
///
/// Equal calls give equal bytes: no times, no thread counts, no terminal width.
pub trait Report: Send {
    /// Opens the report.
    ///
    /// # Errors
    /// What the writer says.
    fn settings(&mut self, settings: &Settings) -> io::Result<()>;
    /// Hears of all files that can be in a pair, in path order, before the first result.
    ///
    /// # Errors
    /// What the writer says.
    fn files(&mut self, files: &mut dyn Iterator<Item = File<'_>>) -> io::Result<()> {
        let _ = files;
        Ok(())
    }
    /// Writes one pair.
    ///
    /// # Errors
    /// What the writer says.
    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()>;
    /// Writes one group.
    ///
    /// # Errors
    /// What the writer says.
    fn group(&mut self, group: &Group<'_>) -> io::Result<()>;
    /// Writes what comes last and flushes.
    ///
    /// # Errors
    /// What the writer says.
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()>;
}

#[cfg(test)]
mod snapshots;
