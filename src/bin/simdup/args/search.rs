//! How documents become features, and which pairs are looked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use simdup::feature::Scheme;
use simdup::options::DEFAULT_MIN_FEATURES;

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
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MIN_FEATURES, allow_negative_numbers = true, value_parser = super::whole::<u64>)]
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
    /// The distance up to which fingerprints are looked at follows from S: under `--features words`
    /// and from S = 0.5 on, it keeps at least 99 of 100 such pairs; below, and under other schemes,
    /// all pairs are looked at. With -k too, both hold.
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
    #[arg(long, value_name = "N", conflicts_with = "groups", allow_negative_numbers = true, value_parser = super::whole::<u64>)]
    pub(crate) max_pairs: Option<u64>,
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

fn parse_similarity(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(similarity) if similarity > 0.0 && similarity <= 1.0 => Ok(similarity),
        _ => Err("a number above 0, at most 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities_lie_above_zero_and_up_to_one() {
        assert_eq!(parse_similarity("1"), Ok(1.0));
        assert_eq!(parse_similarity("0.7"), Ok(0.7));
        for text in ["0", "1.1", "-0.5", "NaN", "inf", "", "70%"] {
            assert!(parse_similarity(text).is_err(), "{text}");
        }
    }
}
