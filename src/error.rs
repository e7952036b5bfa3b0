//! Errors that end a run. What concerns one file only is a [`Failure`](crate::record::Failure).

use std::io;
use std::path::PathBuf;

use crate::report::path::Escaped;

/// An error that ends the run. Each variant names the path or the argument.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument that cannot be used.
    #[error("{argument}: {message}")]
    Argument {
        /// The option or argument, as the user wrote it.
        argument: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// A file that the run depends on could not be read.
    #[error("{}: {message}", Escaped(path))]
    Input {
        /// The file.
        path: PathBuf,
        /// What failed, with a line number where there is one.
        message: String,
        /// The cause, where the system gave one.
        source: Option<io::Error>,
    },
    /// The report could not be written.
    #[error("report: {0}")]
    Report(#[from] io::Error),
    /// The thread pool could not be started.
    #[error("threads: {0}")]
    Threads(String),
}
