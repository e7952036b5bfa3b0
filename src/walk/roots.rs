//! Roots as given → files and folders to start from.

use std::collections::HashSet;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::options::WalkOptions;
use crate::record::{Failure, FileId};

use super::clean::{clean, path_order};
use super::identity::file_id;

/// The roots, cleaned, each once, by what they are. Links are followed: whoever names one means
/// what it leads to.
pub(super) struct Roots {
    /// Roots that are no folders, in path order.
    pub(super) files: Vec<(PathBuf, FileType)>,
    /// Roots that are folders, in path order.
    pub(super) folders: Vec<PathBuf>,
    /// Roots that are not there.
    pub(super) failures: Vec<Failure>,
    /// The files, for a walk that meets them again.
    pub(super) explicit: Explicit,
}

impl Roots {
    pub(super) fn find(options: &WalkOptions) -> Self {
        let mut paths: Vec<PathBuf> = options.roots.iter().map(|root| clean(root)).collect();
        paths.sort_unstable_by(|a, b| path_order(a, b));
        paths.dedup();
        let mut roots = Self {
            files: Vec::new(),
            folders: Vec::new(),
            failures: Vec::new(),
            explicit: Explicit::default(),
        };
        let mut seen = HashSet::new();
        let has_globs = !options.globs.is_empty() || options.file_globs.is_some();
        for path in paths {
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    // Another spelling of a folder finds the same files under greater names; but
                    // globs may tell the spellings apart.
                    if seen.insert(file_id(&path, &metadata)) || has_globs {
                        roots.folders.push(path);
                    }
                }
                Ok(metadata) => {
                    roots.explicit.insert(file_id(&path, &metadata));
                    roots.files.push((path, metadata.file_type()));
                }
                Err(error) => {
                    let is_file = false; // nothing there, or no telling what
                    let failure = Failure::from_io(&path, &error, is_file);
                    roots.failures.push(failure);
                }
            }
        }
        if roots.folders.is_empty() {
            roots.explicit = Explicit::default(); // nothing can meet them again
        }
        roots
    }
}

/// The identities of files that were named as roots.
#[derive(Default)]
pub(super) struct Explicit {
    ids: HashSet<FileId>,
    inodes: HashSet<u64>,
}

impl Explicit {
    fn insert(&mut self, id: FileId) {
        self.ids.insert(id);
        self.inodes.insert(id.inode);
    }

    /// Whether the file at `path` is one of them. Asks the system only where the number that the
    /// walk has for free leaves a doubt.
    pub(super) fn contains(&self, path: &Path, inode: Option<u64>) -> bool {
        !self.ids.is_empty()
            && inode.is_none_or(|inode| self.inodes.contains(&inode))
            && fs::metadata(path).is_ok_and(|metadata| self.ids.contains(&file_id(path, &metadata)))
    }
}
