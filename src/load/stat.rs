//! What the system says of an open file.

use std::fs::Metadata;
use std::path::Path;

use crate::record::FileId;
use crate::walk::{file_id, link_count};

/// What the system says of an open file. Equal before and after reading: it has not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Its stated size in bytes; 0 in `/proc`, whatever can be read.
    pub len: u64,
    /// What the system knows it by.
    pub id: FileId,
    /// How many names (hard links) it has.
    pub link_count: u64,
    /// When its bytes last changed: nanoseconds since 1970, negative before; what does not fit is
    /// the nearest that does (years 1677 and 2262).
    pub modified_ns: i64,
}

impl Stat {
    pub(super) fn of(path: &Path, metadata: &Metadata) -> Self {
        Self {
            len: metadata.len(),
            id: file_id(path, metadata),
            link_count: link_count(metadata),
            modified_ns: modified_ns(metadata),
        }
    }
}

#[cfg(unix)]
fn modified_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata
        .mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.mtime_nsec())
}

#[cfg(not(unix))]
fn modified_ns(metadata: &Metadata) -> i64 {
    let Ok(time) = metadata.modified() else {
        return 0;
    };
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}
