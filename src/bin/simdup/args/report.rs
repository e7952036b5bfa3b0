//! What the report looks like and where it goes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Where the report goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// Write the report to FILE, whole or not at all; - is standard output
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Text with raw names and NUL after each field
    #[arg(short = '0', long)]
    pub(crate) null: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line a pair
    Text,
    /// One JSON object
    Json,
    /// A JSON object a line
    Jsonl,
    /// A table for spreadsheets (RFC 4180)
    Csv,
    /// A table for a comment on a pull request
    Markdown,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in GitHub Actions
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit XML, for test results
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// A figure a line
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FingerprintFormat {
    /// A line a document
    Text,
    /// A JSON object a line
    Jsonl,
}

impl Format {
    /// Whether the format is made of findings about single files, and so cannot show groups.
    pub(crate) fn lists_findings(self) -> bool {
        matches!(
            self,
            Self::Sarif | Self::Github | Self::Gitlab | Self::Junit
        )
    }
}
