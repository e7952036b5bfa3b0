//! How the run goes, what it tells, and the configuration file.

use clap::{Args, ValueEnum};

use crate::config::Found;

/// More threads than any machine of today has processors only cost time to start.
const MAX_THREADS: usize = 1024;

/// How the run goes and what it tells.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Number of threads; 0 stands for as many as the machine has
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true,
        value_parser = threads
    )]
    pub(crate) threads: usize,
    /// Colour the text report; NO_COLOR is honoured
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: When,
    /// Show the progress on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) progress: When,
    /// No summary, no warnings; errors are still told
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Tell which choices were made and why, and every warning
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// The configuration file.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct ConfigArgs {
    /// Do not read simdup.toml
    ///
    /// It is looked for in the working folder and above it, up to the repository's top. Its globs and
    /// other paths are relative to its own folder. What the command line says wins.
    #[arg(long)]
    pub(crate) no_config: bool,
    /// What was found; its settings are among the arguments already.
    #[arg(skip)]
    pub(crate) found: Found,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// Where a terminal shows it
    Auto,
    /// In any case
    Always,
    /// Never
    Never,
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MAX_THREADS => Ok(threads),
        _ => Err(format!("not a number from 0 to {MAX_THREADS}")),
    }
}
