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

/// Larger ignore files are not read; bytes. The largest known are of some 100 KB.
const MAX_SIZE: u64 = 16 << 20;

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

    /// `.git/info/exclude`, and what is read on the way to it where `.git` is a file that says
    /// where the repository lies: the walker's own steps.
    fn look_at_git(&self, folder: &Path) -> bool {
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Ok(metadata) if metadata.is_dir() => self.look_at(&git.join("info/exclude")),
            Ok(metadata) if metadata.is_file() => {
                if !self.look_at(&git) {
                    return false;
                }
                let Some(line) = first_line(&git) else {
                    return true;
                };
                let Some(repository) = line.strip_prefix("gitdir: ") else {
                    return true;
                };
                let link = Path::new(repository).join("commondir");
                if !self.look_at(&link) {
                    return false;
                }
                let Some(line) = first_line(&link) else {
                    return true;
                };
                let common = if line.starts_with('.') {
                    Path::new(repository).join(line)
                } else {
                    PathBuf::from(line)
                };
                self.look_at(&common.join("info/exclude"))
            }
            _ => true, // the walker opens nothing else
        }
    }

    /// Whether one file can be opened without harm: it is not there, or it is a regular file of
    /// sensible size. A folder of that name is no ignore file and does no harm.
    fn look_at(&self, file: &Path) -> bool {
        let Ok(itself) = fs::symlink_metadata(file) else {
            return true;
        };
        let metadata = if itself.is_symlink() {
            match fs::metadata(file) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.unreadable(file, &error);
                    return true;
                }
            }
        } else {
            itself
        };
        if metadata.is_dir() {
            return true;
        }
        let fault = if !metadata.is_file() {
            "is no regular file"
        } else if metadata.len() > MAX_SIZE {
            "is larger than 16 MiB"
        } else {
            match fs::read(file) {
                Ok(bytes) => self.look_into(file, &bytes),
                Err(error) => self.unreadable(file, &error),
            }
            return true;
        };
        self.see(Found::Failed(Failure {
            path: file.to_path_buf(),
            code: "ignore_file",
            message: format!(
                "this ignore file {fault}, so the folders in which it counts were not walked \
                 (--no-ignore walks them without any ignore files)"
            ),
            is_file: false,
        }));
        false
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

    /// The walker passes over lines that are no text without a word.
    fn look_into(&self, file: &Path, bytes: &[u8]) {
        if std::str::from_utf8(bytes).is_ok() {
            return;
        }
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            if std::str::from_utf8(line).is_err() {
                self.see(Found::Odd {
                    path: file.to_path_buf(),
                    message: useless(number, "it is not UTF-8"),
                });
            }
        }
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

/// The first line of a file that was looked at.
fn first_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(fs::read(file).ok()?).ok()?;
    Some(text.lines().next()?.to_string())
}

fn useless(line: u64, cause: &str) -> String {
    format!("line {line} of this ignore file does not count: {cause}")
}
