//! Scores the search against labelled sets of files.
//!
//! ```text
//! cargo run --release --example accuracy -- [--features SCHEME] SET...
//! ```
//!
//! A SET is a folder with the files in `docs/` and their labels: `pairs.tsv` (a, b, 1 or 0), where
//! pairs that are not listed do not count, or `clusters.tsv` (file, cluster), where every pair within
//! a cluster is a near-duplicate and no other is. `fixtures/labelled/` has four of them. SCHEME is as
//! for `simdup scan`; without it, `words`.
//!
//! Prints a table of precision, recall and F1 for each set: first of the pairs whose fingerprints lie
//! within distance k (`-k K --no-verify`), then of those whose verified similarity is at least s. The
//! latter come from one search at the least s, which for every scheme verifies all pairs; `-s S`
//! itself may miss one of a hundred of them, as docs/ACCURACY.md tells. The same files give the same
//! tables.

mod gold;
mod search;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use simdup::feature::Scheme;

use gold::Gold;
use search::{Threshold, search};

const USAGE: &str = "usage: accuracy [--features SCHEME] SET...";

/// The widest distance of the first table.
const MAX_DISTANCE: u32 = 16;

/// The similarities of the second table, in hundredths: whole numbers do not drift.
const SIMILARITIES: std::ops::RangeInclusive<u32> = 40..=95;

fn main() -> ExitCode {
    let result = arguments().and_then(|(scheme, sets)| {
        let mut out = io::stdout().lock();
        sets.iter().try_for_each(|set| table(set, scheme, &mut out))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nobody is left to tell if this fails too.
            let _ = writeln!(io::stderr(), "accuracy: {message}");
            ExitCode::from(2)
        }
    }
}

/// The scheme and the sets that the command line names.
fn arguments() -> Result<(Scheme, Vec<PathBuf>), String> {
    let mut scheme = Scheme::default();
    let mut sets = Vec::new();
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--features" {
            let name = arguments.next().ok_or(USAGE)?;
            scheme = name
                .to_string_lossy()
                .parse()
                .map_err(|error| format!("--features: {error}"))?;
        } else if argument.to_string_lossy().starts_with('-') {
            return Err(format!("unknown option {}\n{USAGE}", argument.display()));
        } else {
            sets.push(PathBuf::from(argument));
        }
    }
    if sets.is_empty() {
        return Err(USAGE.to_string());
    }
    Ok((scheme, sets))
}

/// Writes both tables of a set.
fn table(set: &Path, scheme: Scheme, out: &mut dyn Write) -> Result<(), String> {
    let gold = Gold::read(set)?;
    let docs = set.join("docs");
    let near = search(&docs, scheme, Threshold::Distance(MAX_DISTANCE))?;
    let least = f64::from(*SIMILARITIES.start()) / 100.0;
    let similar = search(&docs, scheme, Threshold::Similarity(least))?;

    let write = |out: &mut dyn Write| -> io::Result<()> {
        writeln!(out, "{}: {scheme}, {gold}", set.display())?;
        writeln!(out, "    k  precision  recall      F1     found")?;
        for k in 0..=MAX_DISTANCE {
            let found = near.iter().filter(|found| found.distance <= k);
            let found: Vec<_> = found.map(|found| &found.names).collect();
            let count = found.len();
            writeln!(out, "{k:5}  {}  {count:8}", gold.score(found))?;
        }
        writeln!(out, "    s  precision  recall      F1     found")?;
        for hundredths in SIMILARITIES.step_by(5) {
            let s = f64::from(hundredths) / 100.0;
            let found = similar
                .iter()
                .filter(|found| found.similarity.is_some_and(|value| value >= s));
            let found: Vec<_> = found.map(|found| &found.names).collect();
            let count = found.len();
            writeln!(out, "{s:5.2}  {}  {count:8}", gold.score(found))?;
        }
        Ok(())
    };
    write(out).map_err(|error| format!("standard output: {error}"))
}
