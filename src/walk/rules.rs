//! Ignore files, looked at before the walker opens them.
//!
//! The walker reads whatever bears the name of an ignore file. Behind that name there may be a
//! FIFO, which would block it for good, or a device that never ends. So the ignore files of every
//! folder are looked at first, and a folder with one that must not be opened is not walked: nobody
//! can tell what its rules would keep out. Cost: three `lstat` a folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::record::Failure;

use super::Found;

/// Larger ignore files are not read; bytes. The largest known are of some 100 KB, and a byte of
/// globs may cost the walker a kilobyte.
const MAX_SIZE: u64 = 1 << 20;

/// An ignore file with a longer line is not read; bytes. No path is longer.
const MAX_LINE: usize = 4 << 10;

/// What lies behind the name of an ignore file.
enum Seen {
    /// Nothing, or what does no harm; maybe told.
    Nothing,
    /// What the file holds.
    Bytes(Vec<u8>),
    /// What must not be opened; told.
    Harmful,
}

/// What was seen of ignore files and is not yet told. Behind a lock only because `ignore` asks for
/// a filter that threads can share; never contended.
#[derive(Default)]
pub(super) struct Rules {
    seen: Mutex<Vec<Found>>,
}

impl Rules {
    /// Whether the ignore files of `folder` can be opened without harm; what is wrong with them is
    /// kept for [`take`](Self::take).
    pub(super) fn allow(&self, folder: &Path) -> bool {
        let names = [".ignore", ".gitignore"].map(|name| folder.join(name));
        let mut harmless = true;
        for file in names {
            harmless &= self.look_at(&file);
        }
        harmless && self.look_at_git(folder)
    }

    /// [`allow`](Self::allow) for all folders above `root`, whose rules hold in it as well.
    pub(super) fn allow_above(&self, root: &Path) -> bool {
        let Ok(root) = fs::canonicalize(root) else {
            return true; // the walker will say what is wrong
        };
        root.ancestors().skip(1).all(|folder| self.allow(folder))
    }

    /// What was seen since the last call.
    pub(super) fn take(&self) -> Vec<Found> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *seen)
    }

    /// [`allow`](Self::allow) for the user's own ignore file, which counts in every repository.
    pub(super) fn allow_global(&self) -> bool {
        ignore::gitignore::gitconfig_excludes_path().is_none_or(|file| self.look_at(&file))
    }

    /// `.git/info/exclude`, and what is read on the way to it where `.git` is a file that says
    /// where the repository lies: the walker's own steps.
    fn look_at_git(&self, folder: &Path) -> bool {
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Ok(metadata) if metadata.is_dir() => self.look_at(&git.join("info/exclude")),
            Ok(metadata) if metadata.is_file() => self.look_behind(&git),
            _ => true, // the walker opens nothing else
        }
    }

    fn look_behind(&self, git: &Path) -> bool {
        let line = match self.first_line(git) {
            Ok(line) => line,
            Err(harmless) => return harmless,
        };
        let Some(repository) = line.strip_prefix("gitdir: ") else {
            return true;
        };
        let link = Path::new(repository).join("commondir");
        let common = match self.first_line(&link) {
            Ok(line) if line.starts_with('.') => Path::new(repository).join(line),
            Ok(line) => PathBuf::from(line),
            Err(harmless) => return harmless,
        };
        self.look_at(&common.join("info/exclude"))
    }

    /// The first line of a file on the way to a repository; else whether the file does no harm.
    fn first_line(&self, file: &Path) -> Result<String, bool> {
        let bytes = match self.open(file) {
            Seen::Bytes(bytes) => bytes,
            Seen::Nothing => return Err(true),
            Seen::Harmful => return Err(false),
        };
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        std::str::from_utf8(line).map(str::to_string).map_err(|_| {
            self.see(Found::Odd {
                path: file.to_path_buf(),
                message: "not UTF-8, so the exclude file of the repository does not count"
                    .to_string(),
            });
            true
        })
    }

    /// Whether an ignore file can be read without harm.
    fn look_at(&self, file: &Path) -> bool {
        match self.open(file) {
            Seen::Nothing => true,
            Seen::Bytes(bytes) => self.look_into(file, &bytes),
            Seen::Harmful => false,
        }
    }

    /// Reads a file if it is a regular one of sensible size. A folder of that name is no ignore
    /// file and does no harm, and to link one to `/dev/null` is a custom.
    fn open(&self, file: &Path) -> Seen {
        let itself = match fs::symlink_metadata(file) {
            Ok(itself) => itself,
            Err(error) => {
                // Of a folder whose path is too long the walker tells.
                let is_known =
                    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                        || error.raw_os_error() == Some(libc::ENAMETOOLONG);
                if !is_known {
                    self.unreadable(file, &error);
                }
                return Seen::Nothing;
            }
        };
        let metadata = if itself.is_symlink() {
            match fs::metadata(file) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.unreadable(file, &error);
                    return Seen::Nothing;
                }
            }
        } else {
            itself
        };
        if metadata.is_dir() {
            Seen::Nothing
        } else if metadata.is_file() {
            if metadata.len() > MAX_SIZE {
                return self.harmful(file, "is larger than 1 MiB");
            }
            match fs::read(file) {
                Ok(bytes) => Seen::Bytes(bytes),
                Err(error) => {
                    self.unreadable(file, &error);
                    Seen::Nothing
                }
            }
        } else if fs::canonicalize(file).is_ok_and(|real| real == Path::new("/dev/null")) {
            Seen::Nothing
        } else {
            self.harmful(file, "is no regular file")
        }
    }

    fn harmful(&self, file: &Path, fault: &str) -> Seen {
        self.see(Found::Failed(Failure {
            path: file.to_path_buf(),
            code: "ignore_file",
            message: format!(
                "this ignore file {fault}, so the folders in which it counts were not walked \
                 (--no-ignore walks them without any ignore files)"
            ),
            is_file: false,
        }));
        Seen::Harmful
    }

    /// Such a file does no harm, but its rules are lost. A link that leads nowhere has none.
    fn unreadable(&self, file: &Path, error: &io::Error) {
        self.see(if error.kind() == ErrorKind::NotFound {
            Found::Odd {
                path: file.to_path_buf(),
                message: "this ignore file is a link that leads nowhere".into(),
            }
        } else {
            let is_file = false; // read for its rules, not for its text
            Found::Failed(Failure::from_io(file, error, is_file))
        });
    }

    /// Whether the lines are short enough. Tells of those that are no text, which the walker passes
    /// over without a word.
    fn look_into(&self, file: &Path, bytes: &[u8]) -> bool {
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            if line.len() > MAX_LINE {
                self.harmful(file, "has a line of more than 4,096 bytes");
                return false;
            }
            if std::str::from_utf8(line).is_err() {
                self.see(Found::Odd {
                    path: file.to_path_buf(),
                    message: useless(number, "it is not UTF-8"),
                });
            }
        }
        true
    }

    /// Takes note of what the walker could not understand in the ignore files of `folder`.
    pub(super) fn hear(&self, folder: &Path, error: Option<&ignore::Error>) {
        if let Some(error) = error {
            self.note(folder, None, error);
        }
    }

    fn note(&self, path: &Path, line: Option<u64>, error: &ignore::Error) {
        use ignore::Error as E;
        match error {
            E::Partial(errors) => errors.iter().for_each(|error| self.note(path, line, error)),
            E::WithLineNumber { line, err } => self.note(path, Some(*line), err),
            E::WithPath { path, err } => self.note(path, line, err),
            E::WithDepth { err, .. } => self.note(path, line, err),
            E::Glob { err, .. } => self.see(Found::Odd {
                path: path.to_path_buf(),
                message: match line {
                    Some(line) => useless(line, err),
                    None => format!("the ignore files of this folder do not count: {err}"),
                },
            }),
            _ => {} // trouble with the files themselves was seen before
        }
    }

    fn see(&self, found: Found) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(found);
    }
}

fn useless(line: u64, cause: &str) -> String {
    format!("line {line} of this ignore file does not count: {cause}")
}
