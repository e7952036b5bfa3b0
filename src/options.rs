//! What a run is asked to do, as plain data. The command line turns its arguments into these;
//! nothing here knows a terminal.

use std::path::PathBuf;

use crate::feature::Scheme;

/// Which files a walk yields.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub struct WalkOptions {
    /// Files and folders to start from, as given, in any order; the entries of a list of paths
    /// too. A folder is walked, a file is always yielded.
    pub roots: Vec<PathBuf>,
    /// Also files and folders whose name begins with a dot.
    pub hidden: bool,
    /// Heed no ignore file, and with `hidden` look into `.git` too.
    pub no_ignore: bool,
    /// Globs as ripgrep's `-g`, relative to the working folder: a file must match one of those
    /// without `!` (if there is any), and none with it; the last match decides. They outrank
    /// ignore files and hidden names.
    pub globs: Vec<String>,
    /// Globs of a configuration file; they come before the others.
    pub file_globs: Option<FileGlobs>,
    /// Follow symbolic links.
    pub follow: bool,
    /// Stay on the file system of each root.
    pub one_file_system: bool,
    /// Descend at most so many folders: 1 = the files directly in a root, 0 = only those roots
    /// that are files.
    pub max_depth: Option<usize>,
    /// Paths never yielded (our own output file), compared by name and by file identity. They
    /// need not exist.
    pub exclude: Vec<PathBuf>,
}

/// Globs like [`WalkOptions::globs`], but relative to the folder of the file that they stand in.
#[derive(Debug, Clone)]
pub struct FileGlobs {
    /// The folder.
    pub folder: PathBuf,
    /// The globs, in order.
    pub globs: Vec<String>,
}

/// What becomes of binary files (those with a NUL byte).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Binary {
    /// Left out.
    #[default]
    Skip,
    /// Compared byte for byte only.
    Exact,
    /// Treated as text.
    Text,
}

/// How files become text.
#[derive(Debug, Clone, Copy)]
pub struct LoadOptions {
    /// Binary files.
    pub binary: Binary,
    /// Decode as this instead of UTF-8; a byte order mark always wins.
    pub encoding: Option<&'static encoding_rs::Encoding>,
    /// Smaller files are left out; bytes.
    pub min_size: u64,
    /// Larger files are left out; bytes.
    pub max_size: Option<u64>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            binary: Binary::Skip,
            encoding: None,
            min_size: 1,
            max_size: None,
        }
    }
}

/// Where fingerprints come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// From files below the roots.
    Files(WalkOptions),
    /// From lists of fingerprints; `-` is standard input.
    Fingerprints(Vec<PathBuf>),
}

/// The order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By the first path, then the second.
    #[default]
    Path,
    /// Nearest first, then by path.
    Distance,
    /// Most similar first, then by path.
    Similarity,
}

/// How pairs join into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Link {
    /// Connected components.
    #[default]
    Single,
    /// Every two members are a pair.
    Complete,
}

/// The similarity of the default search.
pub const DEFAULT_SIMILARITY: f64 = 0.7;

/// The distance of the default search where no similarity is computed.
pub const DEFAULT_DISTANCE: u32 = 3;

/// Documents with fewer features are too short to judge, by default.
pub const DEFAULT_MIN_FEATURES: u64 = 1;

/// The default search, for a run that was given neither distance nor similarity: one of the two.
pub fn default_search(verify: bool) -> (Option<u32>, Option<f64>) {
    if verify {
        (None, Some(DEFAULT_SIMILARITY))
    } else {
        (Some(DEFAULT_DISTANCE), None)
    }
}

/// Everything that `scan` and `check` are asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where fingerprints come from.
    pub source: Source,
    /// How files become text.
    pub load: LoadOptions,
    /// The feature scheme.
    pub scheme: Scheme,
    /// Documents with fewer features are too short to judge.
    pub min_features: u64,
    /// Pairs differ in at most so many bits, 0..=64.
    pub distance: Option<u32>,
    /// Pairs have at least this verified similarity, 0 < s <= 1.
    pub similarity: Option<f64>,
    /// Compute similarity and containment.
    pub verify: bool,
    /// Files below these are known; pairs inside are not reported.
    pub references: Vec<PathBuf>,
    /// Report groups instead of pairs.
    pub groups: Option<Link>,
    /// The order of the report.
    pub sort: Sort,
    /// Report only the first so many pairs.
    pub max_pairs: Option<u64>,
    /// Threads; `None` = as many as the machine has.
    pub threads: Option<usize>,
}

impl Options {
    /// The plainest search over a source: scheme `words`, verified, sorted by path, without a
    /// threshold (set `distance` or `similarity`).
    pub fn new(source: Source) -> Self {
        Self {
            source,
            load: LoadOptions::default(),
            scheme: Scheme::default(),
            min_features: DEFAULT_MIN_FEATURES,
            distance: None,
            similarity: None,
            verify: true,
            references: Vec::new(),
            groups: None,
            sort: Sort::Path,
            max_pairs: None,
            threads: None,
        }
    }
}
