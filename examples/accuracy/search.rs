//! A search whose pairs are kept in memory.

use std::io;
use std::path::{Path, PathBuf};

use simdup::feature::Scheme;
use simdup::observe::Silent;
use simdup::options::{Options, Source, WalkOptions};
use simdup::record::{Group, Outcome, Pair, Settings};
use simdup::report::Report;
use simdup::scan::scan;

use super::gold::{Names, names};

/// A pair that was found.
pub(crate) struct Found {
    /// Its files.
    pub(crate) names: Names,
    /// Hamming distance of the fingerprints.
    pub(crate) distance: u32,
    /// Verified similarity; `None` where it was not asked for.
    pub(crate) similarity: Option<f64>,
}

/// Up to where to look.
#[derive(Clone, Copy)]
pub(crate) enum Threshold {
    /// So many bits, without verification.
    Distance(u32),
    /// Verified pairs of this similarity.
    Similarity(f64),
}

/// Searches all files below `docs`.
///
/// # Errors
/// What ended the search, or the first file that could not be read: a score over the rest would
/// mean nothing.
pub(crate) fn search(
    docs: &Path,
    scheme: Scheme,
    threshold: Threshold,
) -> Result<Vec<Found>, String> {
    let walk = WalkOptions {
        roots: vec![docs.to_path_buf()],
        hidden: true,
        no_ignore: true,
        ..WalkOptions::default()
    };
    let mut options = Options::new(Source::Files(walk));
    options.scheme = scheme;
    match threshold {
        Threshold::Distance(distance) => {
            options.distance = Some(distance);
            options.verify = false;
        }
        Threshold::Similarity(similarity) => options.similarity = Some(similarity),
    }
    let mut collector = Collector {
        docs: docs.to_path_buf(),
        found: Vec::new(),
    };
    let outcome = scan(&options, &Silent, &mut collector).map_err(|error| error.to_string())?;
    match outcome.failures.first() {
        Some(failure) => Err(format!("{}: {}", failure.path.display(), failure.message)),
        None => Ok(collector.found),
    }
}

/// A report that is kept instead of written.
struct Collector {
    docs: PathBuf,
    found: Vec<Found>,
}

impl Collector {
    fn below_docs<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.docs).unwrap_or(path)
    }
}

impl Report for Collector {
    fn settings(&mut self, _: &Settings) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        self.found.push(Found {
            names: names(self.below_docs(pair.a.path), self.below_docs(pair.b.path)),
            distance: pair.distance,
            similarity: pair.similarity,
        });
        Ok(())
    }

    fn group(&mut self, _: &Group<'_>) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: &Outcome) -> io::Result<()> {
        Ok(())
    }
}
