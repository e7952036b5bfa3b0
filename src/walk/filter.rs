//! What the walk leaves out on its own account: globs and hidden names (where no ignore rules
//! do it), folders entered before through a link, our own output.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::options::WalkOptions;
use crate::record::FileId;

use super::globs::Globs;
use super::identity::file_id;

/// Names, globs and links.
pub(super) struct Filter {
    globs: Globs,
    hidden: bool,
    /// Folders entered through a link, with the least depth at which that happened. Behind a
    /// lock only because `ignore` asks for a filter that threads can share; never contended.
    entered: Mutex<HashMap<FileId, usize>>,
}

impl Filter {
    pub(super) fn new(options: &WalkOptions) -> Result<Self, Error> {
        Ok(Self {
            globs: Globs::new(options)?,
            hidden: options.hidden,
            entered: Mutex::default(),
        })
    }

    pub(super) fn globs(&self) -> &Globs {
        &self.globs
    }

    /// Whether globs and hidden names let an entry through; a glob that matches outranks a dot. The
    /// path is as the walk meets it.
    pub(super) fn admits(&self, path: &Path, is_folder: bool) -> bool {
        match self.globs.matcher().matched(path, is_folder) {
            ignore::Match::Ignore(_) => false,
            ignore::Match::Whitelist(_) => true,
            ignore::Match::None => self.hidden || !is_hidden(path),
        }
    }

    /// Whether the walk goes on into an entry: false for a folder that was entered before through
    /// another link, at no greater depth.
    pub(super) fn enters(
        &self,
        path: &Path,
        file_type: FileType,
        is_link: bool,
        depth: usize,
    ) -> bool {
        if !is_link || !file_type.is_dir() {
            return true;
        }
        let Ok(metadata) = fs::metadata(path) else {
            return true; // the walker will say what is wrong
        };
        let mut entered = self.entered.lock().unwrap_or_else(PoisonError::into_inner);
        let least = entered
            .entry(file_id(path, &metadata))
            .or_insert(usize::MAX);
        let first = depth < *least;
        *least = depth.min(*least);
        first
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The order in which folders are entered: that of their paths with everything below them, so
/// that the first spelling of a folder is its bytewise least one.
pub(super) fn name_order(a: &OsStr, b: &OsStr) -> Ordering {
    let slashed = |name: &OsStr| {
        let bytes = name.as_encoded_bytes().iter().copied();
        bytes.chain([b'/']).collect::<Vec<u8>>()
    };
    slashed(a).cmp(&slashed(b))
}

/// Files that are never yielded: what this run itself writes. The name counts, because a report
/// is put in place in one step and has a new identity afterwards; the identity counts, because a
/// walk may meet it under another name.
#[derive(Default)]
pub(super) struct Exclude {
    ids: Vec<FileId>,
    names: Vec<OsString>,
    places: Vec<PathBuf>,
}

impl Exclude {
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        let mut exclude = Self::default();
        for path in paths {
            if let Ok(metadata) = fs::metadata(path)
                && metadata.is_file()
            {
                exclude.ids.push(file_id(path, &metadata));
            }
            if let (Some(name), Some(place)) = (path.file_name(), place(path)) {
                exclude.names.push(name.to_os_string());
                exclude.places.push(place);
            }
        }
        exclude
    }

    pub(super) fn contains(&self, path: &Path, inode: Option<u64>) -> bool {
        let suspect = self
            .ids
            .iter()
            .any(|id| inode.is_none_or(|inode| inode == id.inode));
        if suspect
            && fs::metadata(path).is_ok_and(|metadata| self.ids.contains(&file_id(path, &metadata)))
        {
            return true;
        }
        self.names.iter().any(|name| path.file_name() == Some(name))
            && place(path).is_some_and(|place| self.places.contains(&place))
    }
}

/// The folder of a path, resolved, with its last name: the same for every spelling, also when
/// nothing lies there yet.
fn place(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    Some(fs::canonicalize(folder).ok()?.join(name))
}
