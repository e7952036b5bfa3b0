//! File identities, as far as the system has them.

use std::fs::{self, Metadata};
use std::path::Path;

use crate::record::FileId;

/// The identity of what lies at `path` itself: a symbolic link is not followed. `None` where it
/// cannot be told. For entries that were never opened (special files, links, failures), so that
/// they too can be counted once.
pub fn identify(path: &Path) -> Option<FileId> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some(file_id(path, &metadata))
}

/// The identity of the file that `metadata` describes.
#[cfg(unix)]
pub(crate) fn file_id(_path: &Path, metadata: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    FileId {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

/// The identity of the file that `metadata` describes: where the system gives none, a hash of
/// the resolved path. It tells spellings of one path together; hard links stay separate files.
#[cfg(not(unix))]
pub(crate) fn file_id(path: &Path, _metadata: &Metadata) -> FileId {
    let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    FileId {
        device: 0,
        inode: xxhash_rust::xxh3::xxh3_64(resolved.as_os_str().as_encoded_bytes()),
    }
}

/// How many names the file has.
#[cfg(unix)]
pub(crate) fn link_count(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink()
}

/// How many names the file has, as far as [`file_id`] can tell them together.
#[cfg(not(unix))]
pub(crate) fn link_count(_metadata: &Metadata) -> u64 {
    1
}
