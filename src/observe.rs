//! How the library tells of its progress and of things that are not wrong enough to stop. It
//! never prints; whoever wants to print implements [`Observer`].

use std::path::Path;

/// A stage of a run, in the order in which they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Walking folders and fingerprinting what they hold; the two overlap.
    Read,
    /// Looking for pairs.
    Search,
    /// Verifying candidates.
    Verify,
    /// Writing the report.
    Report,
}

/// Receives progress and warnings, from any thread. Every method has an empty default.
pub trait Observer: Sync {
    /// A stage begins, or, told again, goes on with its next batch. `total` is the number of steps
    /// of the stage or batch, where it is known.
    fn stage(&self, stage: Stage, total: Option<u64>) {
        let _ = (stage, total);
    }
    /// `files` more files and `bytes` more bytes are done (stage `Read`), or `files` more steps
    /// of another stage.
    fn advance(&self, files: u64, bytes: u64) {
        let _ = (files, bytes);
    }
    /// Something about `path` that a user may want to know and that changes no exit status.
    fn warn(&self, path: &Path, message: &str) {
        let _ = (path, message);
    }
    /// A line for `--verbose`: a choice that was made, and why.
    fn note(&self, message: &str) {
        let _ = message;
    }
}

/// Hears everything, says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
