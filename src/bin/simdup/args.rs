//! The arguments, as clap sees them: names, values, help. What they mean is in `options.rs`.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, ValueHint};
use encoding_rs::Encoding;
use simdup::feature::Scheme;

use crate::config::{self, Found};
use crate::exit::{self, Exit};
use crate::term;

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
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
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

/// Which files, and how they become text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct FilesArgs {
    /// Files and folders [default: .]
    ///
    /// Folders are walked. A file that is named here is always taken, whatever the ignore rules.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a list, one a line; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// Read more paths from a list, a NUL after each; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath, conflicts_with = "files_from")]
    pub(crate) files0_from: Option<PathBuf>,
    /// Take hidden files and folders too
    #[arg(short = 'H', long)]
    pub(crate) hidden: bool,
    /// Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)
    ///
    /// With --hidden, .git folders are walked too.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Like --no-ignore; -uu: like --no-ignore --hidden
    #[arg(short = 'u', action = clap::ArgAction::Count)]
    pub(crate) unrestricted: u8,
    /// Take only files that match the glob, or with ! before it, only those that do not
    ///
    /// May be given several times; the last glob that matches decides, as in ripgrep.
    #[arg(short = 'g', long, value_name = "G")]
    pub(crate) glob: Vec<String>,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,
    /// Stay on the file system of each PATH
    #[arg(long)]
    pub(crate) one_file_system: bool,
    /// Descend at most N folders; 0 takes the PATHs alone
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,
    /// Leave out files smaller than N bytes; K, M and G stand for powers of 1024
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_size)]
    pub(crate) min_size: u64,
    /// Leave out files larger than N bytes; K, M and G stand for powers of 1024
    #[arg(long, value_name = "N", value_parser = parse_size)]
    pub(crate) max_size: Option<u64>,
    /// What becomes of binary files (those with a NUL byte)
    #[arg(long, value_name = "WHAT", value_enum, default_value = "skip")]
    pub(crate) binary: Binary,
    /// Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8
    ///
    /// A byte order mark always wins.
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
    pub(crate) encoding: Option<&'static Encoding>,
}

/// How documents become features.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct FeatureArgs {
    /// What documents are compared by: words, word:N, char:N or classic
    ///
    /// words: single words and pairs of adjacent words, damped counts. word:N: runs of N words.
    /// char:N: runs of N characters. classic: the scheme of the well-known tutorial, for
    /// comparison only. N is 1 to 64.
    #[arg(long, value_name = "SCHEME", default_value = "words")]
    pub(crate) features: Scheme,
    /// A document with fewer features is too short to judge
    ///
    /// Such a document is paired only with files of the same bytes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) min_features: u64,
}

/// Which pairs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and
    /// verification: 3]
    ///
    /// The classic, fast search. With -s too, both hold.
    #[arg(short = 'k', long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) distance: Option<u32>,
    /// Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]
    ///
    /// The distance up to which fingerprints are looked at follows from S. With -k too, both hold.
    #[arg(short = 's', long, value_name = "S", allow_negative_numbers = true,
          value_parser = parse_similarity, conflicts_with_all = ["no_verify", "from_fingerprints"])]
    pub(crate) similarity: Option<f64>,
    /// Leave out the verified similarity
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Files below PATH are known: pairs inside are not reported; may be given several times
    ///
    /// The files below PATH are scanned too, and every reported pair tells which side is known.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) reference: Vec<PathBuf>,
    /// Read what `simdup fingerprint` printed instead of files; - is standard input
    ///
    /// May be given several times; the lists are joined.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath, conflicts_with_all = [
        "paths", "files_from", "files0_from", "hidden", "no_ignore", "unrestricted", "glob",
        "follow", "one_file_system", "max_depth", "min_size", "max_size", "binary", "encoding",
        "features", "min_features", "reference"])]
    pub(crate) from_fingerprints: Vec<PathBuf>,
    /// Report groups instead of pairs
    #[arg(long)]
    pub(crate) groups: bool,
    /// How pairs join into groups
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value = "single",
        requires = "groups"
    )]
    pub(crate) link: Link,
    /// Order of the pairs; all but path collect them first
    #[arg(
        long,
        value_name = "ORDER",
        value_enum,
        default_value = "path",
        conflicts_with = "groups"
    )]
    pub(crate) sort: Sort,
    /// Report only the first N pairs
    #[arg(long, value_name = "N", conflicts_with = "groups")]
    pub(crate) max_pairs: Option<u64>,
}

/// What may pass.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct GateArgs {
    /// The known pairs [default: simdup-baseline.json, if there is one]
    ///
    /// The default is looked for in the working folder and above it, up to the repository's top.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the baseline: what is there now is known from now on
    #[arg(long)]
    pub(crate) update_baseline: bool,
    /// Judge only pairs with a file that has changed since the revision REV parted from HEAD
    ///
    /// Committed, staged, unstaged or untracked; all files are still compared.
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<OsString>,
    /// Judge only pairs with one of these files; takes all arguments up to the next option
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub(crate) changed: Vec<PathBuf>,
    /// Judge only pairs with a file of this list, a line or a NUL each; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) changed_from: Option<PathBuf>,
    /// Accept up to N new pairs [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_new: Option<u64>,
}

/// The configuration file.
/// More threads than any machine of today has processors only cost time to start.
const MAX_THREADS: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MAX_THREADS => Ok(threads),
        _ => Err(format!("not a number from 0 to {MAX_THREADS}")),
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct ConfigArgs {
    /// Do not read simdup.toml
    ///
    /// It is looked for in the working folder and above it, up to the repository's top. What the
    /// command line says wins.
    #[arg(long)]
    pub(crate) no_config: bool,
    /// What was found; its settings are among the arguments already.
    #[arg(skip)]
    pub(crate) found: Found,
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Binary {
    /// Left out
    Skip,
    /// Compared byte for byte
    Exact,
    /// Treated as text
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Link {
    /// Every two members are connected by a chain of pairs
    Single,
    /// Every two members are a pair
    Complete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// By path
    Path,
    /// Nearest first, then by path
    Distance,
    /// Most similar first, then by path
    Similarity,
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

impl Format {
    /// Whether the format is made of findings about single files, and so cannot show groups.
    pub(crate) fn lists_findings(self) -> bool {
        matches!(
            self,
            Self::Sarif | Self::Github | Self::Gitlab | Self::Junit
        )
    }
}

/// Parses the command line. Whatever ends here (help, version, a mistake) has been printed.
pub(crate) fn parse() -> Result<Command, Exit> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let matches = Cli::command()
        .try_get_matches_from(&arguments)
        .map_err(|error| print(&error))?;
    let (arguments, found) = config::add(arguments, &matches).map_err(|error| {
        term::error(&error.to_string());
        Exit::Error
    })?;
    let mut command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => return Err(print(&error)),
    };
    match &mut command {
        Command::Scan(args) => args.config.found = found,
        Command::Check(args) => args.scan.config.found = found,
        _ => {}
    }
    Ok(command)
}

/// Prints help to standard output, and mistakes to standard error in the form of all errors.
fn print(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                term::error(&format!(
                    "standard output: {}",
                    simdup::record::describe_io(&error).1
                ));
                Exit::Error
            }
            _ => Exit::Done,
        };
    }
    let mut text = error.render().to_string();
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && error.kind() == ErrorKind::InvalidSubcommand
        && Path::new(word).exists()
    {
        text = format!("{word}: no such command\ndid you mean `simdup scan {word}`?");
    }
    match text.strip_prefix("error: ") {
        Some(text) => term::error(text.trim_end()),
        None if error.kind() == ErrorKind::InvalidSubcommand => term::error(&text),
        None => drop(error.print()),
    }
    Exit::Error
}

fn parse_similarity(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(similarity) if similarity > 0.0 && similarity <= 1.0 => Ok(similarity),
        _ => Err("a number above 0, at most 1".into()),
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|count| count.checked_mul(1 << shift))
        .ok_or_else(|| "a number of bytes, with K, M or G after it for powers of 1024".into())
}

fn parse_encoding(label: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(label.as_bytes())
        .ok_or_else(|| "no encoding of this name; try a label of the web, such as utf-16le, windows-1252 or koi8-r".into())
}

impl FilesArgs {
    /// Everything that was named to be read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let lists = self.files_from.iter().chain(&self.files0_from);
        self.paths.iter().chain(lists).map(PathBuf::as_path)
    }
}

impl ScanArgs {
    /// Everything that was named to be read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let lists = self.search.from_fingerprints.iter().map(PathBuf::as_path);
        self.files.inputs().chain(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn sizes_have_binary_suffixes() {
        assert_eq!(parse_size("0"), Ok(0));
        assert_eq!(parse_size("12"), Ok(12));
        assert_eq!(parse_size("3k"), Ok(3072));
        assert_eq!(parse_size("2M"), Ok(2 << 20));
        assert_eq!(parse_size("1G"), Ok(1 << 30));
        for text in [
            "",
            "K",
            "-1",
            "1.5M",
            "1T",
            "99999999999999999999",
            "99999999999999999G",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn similarities_lie_above_zero_and_up_to_one() {
        assert_eq!(parse_similarity("1"), Ok(1.0));
        assert_eq!(parse_similarity("0.7"), Ok(0.7));
        for text in ["0", "1.1", "-0.5", "NaN", "inf", "", "70%"] {
            assert!(parse_similarity(text).is_err(), "{text}");
        }
    }
}
