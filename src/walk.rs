//! Roots → files, as a stream of paths.
//!
//! With ignore rules the walk is [`ignore::WalkBuilder`]'s, without them [`walkdir`]'s; globs,
//! hidden names, links, depth and file system borders mean the same in both. It runs on one
//! thread and hands out what it finds at once, in no promised order, so that reading can begin
//! while it goes on. Memory: one open folder a level, whatever the number of files. Nothing but
//! folders and ignore files is ever opened.
//!
//! # What is yielded
//!
//! - Every regular file below the roots that no rule keeps out. A root that is a file is yielded
//!   whatever the rules say, and marked `explicit` under every name by which it is met.
//! - FIFOs, sockets and devices, links that are not followed, and links that lead back to a
//!   folder above them are yielded as *skipped*; what could not be read as *failed*.
//! - Entries that rules keep out were not asked for and are not yielded.
//!
//! A file can be yielded more than once: roots overlap, links and hard links meet. Only an opened
//! file tells what it is, so [`distinct`] does that part afterwards. What can be known early is:
//! equal roots are walked once, and a folder reached through links is entered through one link
//! only, by the rules that hold there (with `follow`, folders are read in name order, which makes
//! it the least spelling). So folders that link to one another cost their number, not the number
//! of paths through them.
//!
//! # Ignore rules
//!
//! `.gitignore` of the folder and of all folders above it up to the top of the repository,
//! `.git/info/exclude` and the global excludes file, all only inside a repository; `.ignore`
//! everywhere, and it wins over them. Inside a repository the files are those that
//! `git ls-files -o --exclude-standard` lists with an empty index, with `hidden`; a test holds
//! this on generated trees. `.git` itself is entered only with both `no_ignore` and `hidden`.
//! As in ripgrep, and unlike git:
//!
//! - In a pattern `{a,b}` means `a` or `b`, an unclosed `[` stands for itself, three or more `*`
//!   stay within one name, and in brackets `\]` ends them and `a-c-e` goes on to `e`. Git takes
//!   braces as they are, lets an unclosed `[` match nothing, and so on.
//! - A nested repository is walked, by its own rules and not by those of the outer one; git
//!   lists it as one entry.
//! - A folder with anything named `.git` or `.jj` in it is a repository.
//! - Without `hidden`, a name with a dot that a rule brings back (`!.github`) is yielded.
//! - Patterns of the global excludes file that begin with a slash are relative to the working
//!   folder; `core.excludesFile` and `core.ignoreCase` in the repository's own configuration are
//!   not read; a `.gitignore` that is a symbolic link is.
//!
//! An ignore file that is a FIFO or a device, larger than 1 MiB or with a line of more than 4 KiB
//! has failed, and the folders in which its rules would hold are not walked. One that cannot be read
//! has failed, too, but the walk goes on without its rules. A line that means nothing is
//! [`Found::Odd`].

mod clean;
mod distinct;
mod filter;
mod globs;
mod identity;
mod roots;
mod rules;

#[cfg(test)]
mod git_tests;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::{self, FileType};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use clean::{clean, path_order};
pub use distinct::{Distinct, Met, distinct};
pub use globs::{check_glob, is_tied};
pub use identity::identify;
pub(crate) use identity::{file_id, link_count};

use crate::error::Error;
use crate::options::WalkOptions;
use crate::record::{Failure, SkipReason, Skipped};
use filter::{Exclude, Filter};
use globs::Start;
use roots::Roots;
use rules::Rules;

/// A regular file (or what was one when the walk met it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Cleaned path, as reached from its root.
    pub path: PathBuf,
    /// Named as a root itself. Such a file is scanned whatever its name and size.
    pub explicit: bool,
}

/// What a walk finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A file to read.
    File(Entry),
    /// An entry that is no file to read: special, a link, a cycle.
    Skipped(Skipped),
    /// A root that is not there, a folder that cannot be read, a link that leads nowhere.
    Failed(Failure),
    /// Something that a user may want to know and that changes no exit status.
    Odd {
        /// What it is about.
        path: PathBuf,
        /// For people; lower case, no full stop, without the path.
        message: String,
    },
}

/// Walks the roots and hands everything found to `visit`, which may end the walk.
///
/// # Errors
///
/// [`Error::Argument`] for a glob that cannot be understood, before anything is visited. All
/// other trouble is yielded as [`Found::Failed`] and the walk goes on.
pub fn walk(
    options: &WalkOptions,
    visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), Error> {
    let filter = Arc::new(Filter::new(options)?);
    let mut walk = Walk {
        exclude: Exclude::new(&options.exclude),
        told: HashSet::new(),
        filter,
        visit,
    };
    // A visitor that has had enough is no error.
    let _ = walk.run(options);
    Ok(())
}

/// One running walk.
struct Walk<'v> {
    filter: Arc<Filter>,
    exclude: Exclude,
    /// What was told of ignore files.
    told: HashSet<(PathBuf, String)>,
    visit: &'v mut dyn FnMut(Found) -> ControlFlow<()>,
}

impl Walk<'_> {
    fn run(&mut self, options: &WalkOptions) -> ControlFlow<()> {
        let roots = Roots::find(options);
        for failure in roots.failures {
            (self.visit)(Found::Failed(failure))?;
        }
        for (path, file_type) in roots.files {
            let explicit = true;
            self.file(path, file_type, None, explicit)?;
        }
        for folder in &roots.folders {
            // To the walker, `-` alone is standard input.
            let is_dash = folder.as_os_str() == "-";
            let root = if is_dash { Path::new("./-") } else { folder };
            let filter = Arc::clone(&self.filter);
            let start = filter.globs().start(root);
            if options.no_ignore {
                self.plain(&start, options, &roots.explicit)?;
            } else {
                self.ruled(&start, options, &roots.explicit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Walks one folder without ignore files.
    fn plain(
        &mut self,
        start: &Start<'_>,
        options: &WalkOptions,
        explicit: &roots::Explicit,
    ) -> ControlFlow<()> {
        let mut walker = walkdir::WalkDir::new(start.path())
            .follow_links(options.follow)
            .same_file_system(options.one_file_system)
            .max_depth(options.max_depth.unwrap_or(usize::MAX));
        if options.follow {
            walker = walker.sort_by(|a, b| filter::name_order(a.file_name(), b.file_name()));
        }
        let filter = Arc::clone(&self.filter);
        let entries = walker.into_iter().filter_entry(move |entry| {
            entry.depth() == 0
                || (filter.admits(without_dot(entry.path()), entry.file_type().is_dir())
                    && filter.enters(
                        entry.path(),
                        entry.file_type(),
                        entry.path_is_symlink(),
                        entry.depth(),
                    ))
        });
        for entry in entries {
            match entry {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => {
                    let (file_type, inode) = (entry.file_type(), inode_of_plain(&entry));
                    let path = start.spelled(entry.path());
                    let explicit = explicit.contains(&path, inode);
                    self.file(path.into_owned(), file_type, inode, explicit)?;
                }
                Err(error) => {
                    let path = error.path().unwrap_or(start.path());
                    let (deep, cycle) = (error.depth() > 0, error.loop_ancestor().is_some());
                    self.trouble(start, path, deep, cycle, error.io_error())?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Walks one folder by its ignore files.
    fn ruled(
        &mut self,
        start: &Start<'_>,
        options: &WalkOptions,
        explicit: &roots::Explicit,
    ) -> ControlFlow<()> {
        let rules = Arc::new(Rules::default());
        if !(rules.allow_global() && rules.allow_above(start.path()) && rules.allow(start.path())) {
            return self.tell(start, &rules);
        }
        let filter = Arc::clone(&self.filter);
        let looking = Arc::clone(&rules);
        let max_depth = options.max_depth;
        let mut builder = ignore::WalkBuilder::new(start.path());
        builder
            .hidden(!options.hidden)
            .overrides(filter.globs().matcher().clone())
            .follow_links(options.follow)
            .same_file_system(options.one_file_system)
            .max_depth(options.max_depth)
            .filter_entry(move |entry| {
                let Some(file_type) = entry.file_type() else {
                    return true; // standard input alone has none, and it is never asked for
                };
                let (path, depth) = (entry.path(), entry.depth());
                depth == 0
                    || (entry.file_name() != ".git"
                        && filter.enters(path, file_type, entry.path_is_symlink(), depth)
                        && (!file_type.is_dir() || max_depth == Some(depth) || looking.allow(path)))
            });
        if options.follow {
            builder.sort_by_file_name(filter::name_order);
        }
        for entry in builder.build() {
            match &entry {
                Ok(entry) => rules.hear(entry.path(), entry.error()),
                Err(error) => rules.hear(start.path(), Some(error)),
            }
            self.tell(start, &rules)?;
            match entry {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => {
                    let Some(file_type) = entry.file_type() else {
                        continue;
                    };
                    let inode = inode_of_ruled(&entry);
                    let path = start.spelled(entry.path());
                    let explicit = explicit.contains(&path, inode);
                    self.file(path.into_owned(), file_type, inode, explicit)?;
                }
                // Whatever has no depth comes from the ignore files above the root.
                Err(error) if error.depth().is_some() => {
                    let trouble = Trouble::of(error);
                    let Some(trouble) = trouble else { continue };
                    let path = trouble.path.as_deref().unwrap_or(start.path());
                    let io = trouble.io.as_ref().map(root_cause);
                    self.trouble(start, path, trouble.depth > 0, io.is_none(), io)?;
                }
                Err(_) => {}
            }
        }
        self.tell(start, &rules)
    }

    /// Yields what was seen of ignore files.
    fn tell(&mut self, start: &Start<'_>, rules: &Rules) -> ControlFlow<()> {
        for mut found in rules.take() {
            if let Found::Failed(Failure { path, message, .. }) | Found::Odd { path, message } =
                &mut found
            {
                *path = start.spelled(path).into_owned();
                // Roots have folders above them in common.
                if !self.told.insert((path.clone(), message.clone())) {
                    continue;
                }
            }
            (self.visit)(found)?;
        }
        ControlFlow::Continue(())
    }

    /// Yields an entry as what it is; folders yield nothing.
    fn file(
        &mut self,
        path: PathBuf,
        file_type: FileType,
        inode: Option<u64>,
        explicit: bool,
    ) -> ControlFlow<()> {
        if file_type.is_dir() || self.exclude.contains(&path, inode) {
            return ControlFlow::Continue(());
        }
        let found = if file_type.is_file() {
            Found::File(Entry { path, explicit })
        } else {
            let reason = if file_type.is_symlink() {
                SkipReason::Symlink
            } else {
                SkipReason::Special
            };
            Found::Skipped(Skipped { path, reason })
        };
        (self.visit)(found)
    }

    /// Yields an error of the walker: a link in a circle is skipped, all else has failed.
    fn trouble(
        &mut self,
        start: &Start<'_>,
        path: &Path,
        deep: bool,
        cycle: bool,
        error: Option<&io::Error>,
    ) -> ControlFlow<()> {
        let path = without_dot(path);
        let itself = fs::symlink_metadata(path).ok();
        let is_link = itself.as_ref().is_some_and(fs::Metadata::is_symlink);
        // The walkers follow links before they ask the filters.
        if deep && is_link && !self.filter.admits(path, false) {
            return ControlFlow::Continue(());
        }
        let path = &*start.spelled(path);
        let in_circle = error.is_some_and(|error| error.raw_os_error() == Some(libc::ELOOP));
        if cycle || (is_link && in_circle) {
            return (self.visit)(Found::Skipped(Skipped {
                path: path.to_path_buf(),
                reason: SkipReason::SymlinkCycle,
            }));
        }
        let unknown = io::Error::other("cannot be read");
        let error = error.unwrap_or(&unknown);
        let is_file = itself.is_some_and(|metadata| !metadata.is_dir());
        (self.visit)(Found::Failed(Failure::from_io(path, error, is_file)))
    }
}

/// The spelling without the `./` with which a walk of the working folder begins.
fn without_dot(path: &Path) -> &Path {
    match path.strip_prefix(".") {
        Ok(stripped) if !stripped.as_os_str().is_empty() => stripped,
        _ => path,
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // other systems have none
fn inode_of_plain(entry: &walkdir::DirEntry) -> Option<u64> {
    use walkdir::DirEntryExt;
    Some(entry.ino())
}

#[cfg(not(unix))]
fn inode_of_plain(_entry: &walkdir::DirEntry) -> Option<u64> {
    None
}

#[cfg(unix)]
fn inode_of_ruled(entry: &ignore::DirEntry) -> Option<u64> {
    entry.ino()
}

#[cfg(not(unix))]
fn inode_of_ruled(_entry: &ignore::DirEntry) -> Option<u64> {
    None
}

/// An error of `ignore`'s walker, taken apart.
struct Trouble {
    path: Option<PathBuf>,
    depth: usize,
    /// `None` for a circle of links.
    io: Option<io::Error>,
}

impl Trouble {
    /// `None` for what is wrong with the lines of an ignore file.
    fn of(error: ignore::Error) -> Option<Self> {
        use ignore::Error as E;
        match error {
            E::WithPath { path, err } => Some(Self {
                path: Some(path),
                ..Self::of(*err)?
            }),
            E::WithDepth { depth, err } => Some(Self {
                depth,
                ..Self::of(*err)?
            }),
            E::Loop { child, .. } => Some(Self {
                path: Some(child),
                depth: 0,
                io: None,
            }),
            E::Io(error) => Some(Self {
                path: None,
                depth: 0,
                io: Some(error),
            }),
            _ => None,
        }
    }
}

/// The system's own error inside one that `ignore` has wrapped: only that has a number.
fn root_cause(error: &io::Error) -> &io::Error {
    error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<walkdir::Error>())
        .and_then(walkdir::Error::io_error)
        .unwrap_or(error)
}
