//! The arguments, as clap sees them: names, values, help. What they mean is in `options.rs`.

mod files;
mod gate;
mod parse;
mod report;
mod run;
mod search;

use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueHint};
use encoding_rs::Encoding;
use simdup::feature::Scheme;

use crate::exit;

pub(crate) use files::{Binary, FilesArgs};
pub(crate) use gate::GateArgs;
pub(crate) use parse::parse;
pub(crate) use report::{CompareFormat, FingerprintFormat, Format, ReportArgs};
pub(crate) use run::{ConfigArgs, RunArgs, When};
pub(crate) use search::{FeatureArgs, Link, SearchArgs, Sort};

/// Finds near-duplicate files.
///
/// Every document gets a 64-bit fingerprint (SimHash); near-duplicates are pairs whose
/// fingerprints differ in few bits.
#[derive(Debug, Parser)]
#[command(
    name = "simdup",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the near-duplicates among files
    ///
    /// Reports all pairs of files below the paths that are near enough. The report goes to
    /// standard output, the summary to standard error.
    #[command(args_override_self = true, after_long_help = exit::help())]
    Scan(Box<ScanArgs>),
    /// Fail when there are new near-duplicates: the gate for CI
    ///
    /// The search of `scan`, judged: pairs that the baseline holds are known, pairs that simdup.toml
    /// allows are allowed, all others are new. The last line on standard error is the verdict.
    #[command(after_long_help = exit::help())]
    Check(Box<CheckArgs>),
    /// Tell how alike two files are
    ///
    /// Prints the verified similarity and a word for it, the containment, the Hamming distance, and
    /// of each file its fingerprint and counts. The word is near-identical from similarity 0.9,
    /// near-duplicate from 0.7, similar from 0.5, related from 0.25, different below; with
    /// --features classic it goes by the distance: near-identical up to 3, very similar up to 10,
    /// related up to 20, different above.
    #[command(args_override_self = true, after_long_help = exit::help())]
    Compare(Box<CompareArgs>),
    /// Print the fingerprints of files
    ///
    /// Prints `<16 hex digits>  <path>` for each document, as sha256sum does; `scan
    /// --from-fingerprints` reads such lines back. Documents without features are left out.
    #[command(args_override_self = true, after_long_help = exit::help())]
    Fingerprint(Box<FingerprintArgs>),
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    ///
    /// To read it: simdup man > simdup.1 && man ./simdup.1
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) features: FeatureArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Format of the report
    #[arg(
        long,
        value_name = "F",
        value_enum,
        default_value = "text",
        help_heading = "Report"
    )]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) scan: ScanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The first file; - is standard input
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub(crate) a: PathBuf,
    /// The other file; - is standard input
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub(crate) b: PathBuf,
    /// What documents are compared by: words, word:N, char:N or classic
    #[arg(long, value_name = "SCHEME", default_value = "words")]
    pub(crate) features: Scheme,
    /// Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8
    ///
    /// A byte order mark always wins.
    #[arg(long, value_name = "E", value_parser = files::parse_encoding)]
    pub(crate) encoding: Option<&'static Encoding>,
    /// Treat binary files (those with a NUL byte) as text
    #[arg(long)]
    pub(crate) text: bool,
    /// Show the lines that differ, too
    #[arg(long)]
    pub(crate) diff: bool,
    /// Format of the report
    #[arg(long, value_name = "F", value_enum, default_value = "text")]
    pub(crate) format: CompareFormat,
    /// Write the report to FILE, whole or not at all; - is standard output
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Colour the diff; NO_COLOR is honoured
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: When,
}

#[derive(Debug, Args)]
pub(crate) struct FingerprintArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) features: FeatureArgs,
    /// Format of the report
    #[arg(
        long,
        value_name = "F",
        value_enum,
        default_value = "text",
        help_heading = "Report"
    )]
    pub(crate) format: FingerprintFormat,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

impl ScanArgs {
    /// Everything that was named to be read, and the configuration file.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let search = &self.search;
        let named = search.from_fingerprints.iter().chain(&search.reference);
        let config = self.config.found.config.iter().map(|config| &config.path);
        self.files
            .inputs()
            .chain(named.chain(config).map(PathBuf::as_path))
    }
}

/// Parses a number that has no upper bound of its own.
fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseIntError| {
        if *error.kind() == IntErrorKind::PosOverflow {
            "too large".to_string()
        } else {
            "not a whole number, 0 or more".to_string()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_tells_the_default_search() {
        use simdup::options::{DEFAULT_DISTANCE, DEFAULT_SIMILARITY};
        let help = Cli::command()
            .find_subcommand_mut("scan")
            .unwrap()
            .render_help()
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let distance = format!("[default without -s and verification: {DEFAULT_DISTANCE}]");
        assert!(help.contains(&distance), "{help}");
        let similarity = format!("[default without -k: {DEFAULT_SIMILARITY}]");
        assert!(help.contains(&similarity), "{help}");
    }
}
