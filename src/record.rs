//! The plain data that every stage and every report speaks of: files, pairs, groups, what was
//! left out, and the summary.

use std::path::{Path, PathBuf};

use crate::simhash::Fingerprint;

/// What the system knows a file by, whatever its names. Equal for all hard links of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// The device (file system) it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A view of a file that takes part in the search, under the one name by which it is reported.
/// Cheap to copy; the names live with whoever runs the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File<'a> {
    /// Lexically cleaned path, as reached from the roots; the bytewise least spelling.
    pub path: &'a Path,
    /// Further names of the same file (hard links), sorted; empty for nearly every file.
    pub links: &'a [PathBuf],
}

/// A file and its fingerprint.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprinted<'a> {
    /// The file.
    pub file: File<'a>,
    /// Its fingerprint; `None` where it has too few features.
    pub fingerprint: Option<Fingerprint>,
    /// The number of its features, with repetitions.
    pub features: u64,
}

/// Whether the two files of a pair have the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The bytes are equal.
    Exact,
    /// The fingerprints are near, the bytes are not known to be equal.
    Near,
}

impl Kind {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

/// The side of a pair that lies below a reference path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first file.
    A,
    /// The second file.
    B,
}

/// What the gate says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Neither in the baseline nor allowed.
    New,
    /// In the baseline.
    Known,
    /// Covered by an allowance.
    Allowed,
}

impl Status {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
            Self::Allowed => "allowed",
        }
    }
}

/// Two files that are near enough. `a.path < b.path`, bytewise.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The file whose path comes first.
    pub a: File<'a>,
    /// The other file.
    pub b: File<'a>,
    /// Equal bytes or not.
    pub kind: Kind,
    /// Hamming distance of the fingerprints, 0..=64; 0 for an exact pair.
    pub distance: u32,
    /// Weighted Jaccard similarity, 0..=1; `None` where it was not computed.
    pub similarity: Option<f64>,
    /// Shared weight over the smaller total, 0..=1; `None` where it was not computed.
    pub containment: Option<f64>,
    /// The side that is known (lies below a reference); only with references.
    pub known: Option<Side>,
    /// The gate's word; only in a gate run.
    pub status: Option<Status>,
}

impl Pair<'_> {
    /// Whether somebody should act on the pair: the gate, if any, neither knows nor allows it.
    pub fn is_finding(&self) -> bool {
        matches!(self.status, None | Some(Status::New))
    }
}

/// A member of a group.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// The file.
    pub file: File<'a>,
    /// True for exactly one member: least sum of Hamming distances, then first path.
    pub representative: bool,
}

/// A connected component of the pair graph, or a clique with complete linkage.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The members in path order; at least two.
    pub files: Vec<Member<'a>>,
    /// `Exact` when all members have the same bytes.
    pub kind: Kind,
    /// Widest Hamming distance over all pairs of members, or a bound.
    pub max_distance: Option<u32>,
    /// Least similarity over all pairs of members, or a bound; `None` where not computed.
    pub min_similarity: Option<f64>,
    /// False when the two figures above are bounds or absent.
    pub bounds_exact: bool,
}

/// Why a file has no fingerprint and yet is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A NUL byte in the (decoded) text.
    Binary,
    /// No bytes, a byte order mark alone, or only blanks.
    Empty,
    /// Fewer features than `--min-features`, or none.
    TooShort,
    /// Not UTF-8, and no encoding was named.
    Undecodable,
    /// Smaller than `--min-size`.
    TooSmall,
    /// Larger than `--max-size`.
    TooLarge,
    /// FIFO, socket or device.
    Special,
    /// A symbolic link that was not followed.
    Symlink,
    /// A symbolic link that leads back to a folder above it.
    SymlinkCycle,
}

impl SkipReason {
    /// Every reason, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Binary,
        Self::Empty,
        Self::TooShort,
        Self::Undecodable,
        Self::TooSmall,
        Self::TooLarge,
        Self::Special,
        Self::Symlink,
        Self::SymlinkCycle,
    ];

    /// The key used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Empty => "empty",
            Self::TooShort => "too_short",
            Self::Undecodable => "undecodable",
            Self::TooSmall => "too_small",
            Self::TooLarge => "too_large",
            Self::Special => "special",
            Self::Symlink => "symlink",
            Self::SymlinkCycle => "symlink_cycle",
        }
    }
}

/// A file that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub reason: SkipReason,
}

/// A file or folder that could not be read, or a line that could not be understood. The run goes
/// on; its exit status tells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// What it happened to.
    pub path: PathBuf,
    /// A word for scripts: `permission_denied`, `not_found`, `changed`, `loop`, `io`…
    pub code: &'static str,
    /// The cause, for people; lower case, no full stop, without the path.
    pub message: String,
    /// True when this was a file of the scan (counted in `Summary::failed`), false for a folder
    /// or for something that is no file.
    pub is_file: bool,
}

impl Failure {
    /// Turns an I/O error into a failure of `path`.
    pub fn from_io(path: &Path, error: &std::io::Error, is_file: bool) -> Self {
        let (code, message) = describe_io(error);
        Self {
            path: path.to_path_buf(),
            code,
            message,
            is_file,
        }
    }
}

/// A stable code and a readable cause for an I/O error, without the operating system's error
/// number (the same fault reads the same on every system).
pub fn describe_io(error: &std::io::Error) -> (&'static str, String) {
    use std::io::ErrorKind as K;
    let fixed = match error.kind() {
        K::NotFound => ("not_found", "no such file or directory"),
        K::PermissionDenied => ("permission_denied", "permission denied"),
        K::IsADirectory => ("is_directory", "is a directory"),
        K::NotADirectory => ("not_a_directory", "a parent is not a directory"),
        _ if error.raw_os_error() == Some(libc::ENAMETOOLONG) => {
            ("invalid_name", "the path, or a part of it, is too long")
        }
        K::InvalidFilename => ("invalid_name", "the file system refuses this name"),
        _ if error.raw_os_error() == Some(libc::ELOOP) => {
            ("loop", "too many levels of symbolic links")
        }
        _ => {
            // "No space left on device (os error 28)" → "no space left on device"
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            let first = text.chars().take(1).flat_map(char::to_lowercase);
            return ("io", first.chain(text.chars().skip(1)).collect());
        }
    };
    (fixed.0, fixed.1.to_string())
}

/// The settings a report opens with: what makes two runs comparable.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `-k`, where given (or the default where it is the search); inclusive.
    pub distance: Option<u32>,
    /// `-s`, where given or the default.
    pub similarity: Option<f64>,
    /// Hamming distance up to which candidates were looked at.
    pub candidate_distance: u32,
    /// Feature scheme and its version, e.g. `words/1`.
    pub scheme: String,
    /// The roots, cleaned and sorted.
    pub roots: Vec<PathBuf>,
}

/// Counts over the whole run; `files == fingerprinted + skipped() + failed`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files met (each once; hard links count once).
    pub files: u64,
    /// Their bytes, as far as they were read.
    pub bytes: u64,
    /// Files that have a fingerprint.
    pub fingerprinted: u64,
    /// Files that could not be read.
    pub failed: u64,
    /// Pairs reported (or, with groups, found and not counted one by one: see `pairs_counted`).
    pub pairs: u64,
    /// Those of them whose bytes are equal.
    pub exact_pairs: u64,
    /// Groups reported, or connected components among the reported pairs.
    pub groups: u64,
    /// Files left out, by reason, in the order of [`SkipReason::ALL`].
    pub skipped: [u64; SkipReason::ALL.len()],
    /// Entries of the error list.
    pub errors: u64,
    /// True when `--max-pairs` cut the report.
    pub truncated: bool,
}

impl Summary {
    /// `3 binary`, `1 too small`: the reasons for which files were left out, for people.
    pub fn left_out(&self) -> Vec<String> {
        SkipReason::ALL
            .iter()
            .zip(self.skipped)
            .filter(|&(_, count)| count > 0)
            .map(|(reason, count)| format!("{count} {}", reason.as_str().replace('_', " ")))
            .collect()
    }

    /// All files left out.
    pub fn skipped_total(&self) -> u64 {
        self.skipped.iter().sum()
    }
}

/// What a run leaves behind beside its pairs.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Files left out, in path order.
    pub skipped: Vec<Skipped>,
    /// What could not be read, in path order.
    pub failures: Vec<Failure>,
    /// The counts.
    pub summary: Summary,
}
