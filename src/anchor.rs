//! Paths as reached from the command line → names relative to one folder.
//!
//! A report that another program reads, a baseline and a glob in a configuration file all speak of
//! files below one folder (the repository's top, the baseline's own folder). However a file was
//! reached (`.`, an absolute root, `../docs`), it has one name there, with `/` between the parts.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Names files relative to one folder.
#[derive(Debug, Clone)]
pub struct Anchor {
    /// The working folder, absolute; relative paths start here.
    working: PathBuf,
    /// The folder that names are relative to, absolute.
    folder: PathBuf,
}

impl Anchor {
    /// Names relative to `folder`; an empty path is the working folder.
    ///
    /// # Errors
    /// `folder` or the working folder does not exist.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let working = std::env::current_dir()?;
        let folder = working.join(folder).canonicalize()?;
        Ok(Self { working, folder })
    }

    /// Names relative to the top of the repository that the working folder lies in, or to the
    /// working folder itself where there is no repository.
    ///
    /// # Errors
    /// The working folder does not exist.
    pub fn repository() -> io::Result<Self> {
        let working = std::env::current_dir()?;
        let folder = repository_top(&working).map_or_else(|| working.clone(), Path::to_path_buf);
        Self::new(&folder)
    }

    /// An anchor between two absolute, cleaned folders, without a look at the disk.
    #[cfg(test)]
    pub(crate) fn fixed(working: &str, folder: &str) -> Self {
        Self {
            working: PathBuf::from(working),
            folder: PathBuf::from(folder),
        }
    }

    /// The folder that names are relative to, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `path` from the root of the file system, without `.` and `..`.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let path = clean(&self.working.join(path));
        if path.starts_with(&self.folder) || path.starts_with(&self.working) {
            return path;
        }
        // An absolute root may reach the folder over a symbolic link (`/tmp` on some systems).
        if path.is_dir() {
            return path.canonicalize().unwrap_or(path);
        }
        match (path.parent().map(Path::canonicalize), path.file_name()) {
            (Some(Ok(parent)), Some(name)) => parent.join(name),
            _ => path,
        }
    }

    /// The name of `path` if it lies in the folder; the folder itself is `.`.
    pub fn inside(&self, path: &Path) -> Option<Vec<u8>> {
        let path = self.absolute(path);
        let rest = path.strip_prefix(&self.folder).ok()?;
        Some(joined(rest.components()))
    }

    /// The name of `path`: relative, with leading `..` where it lies outside the folder.
    pub fn name(&self, path: &Path) -> Vec<u8> {
        let path = self.absolute(path);
        let shared = path
            .components()
            .zip(self.folder.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up = self.folder.components().skip(shared);
        joined(
            up.map(|_| Component::ParentDir)
                .chain(path.components().skip(shared)),
        )
    }
}

/// The nearest folder at or above `folder` (absolute) that holds `.git`.
pub fn repository_top(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .find(|above| above.join(".git").symlink_metadata().is_ok())
}

/// A name from [`Anchor`] as a path.
pub fn as_path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// An absolute path without `.` and `..`, without a look at the disk.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

fn joined<'a>(components: impl Iterator<Item = Component<'a>>) -> Vec<u8> {
    let parts: Vec<&[u8]> = components
        .map(|component| component.as_os_str().as_bytes())
        .collect();
    if parts.is_empty() {
        b".".to_vec()
    } else {
        parts.join(&b'/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name_however_it_was_reached() {
        let anchor = Anchor::fixed("/repo/docs", "/repo");
        for path in [
            "a.md",
            "./a.md",
            "../docs/a.md",
            "/repo/docs/a.md",
            "/repo/./x/../docs/a.md",
        ] {
            assert_eq!(anchor.name(Path::new(path)), b"docs/a.md", "{path}");
            assert_eq!(anchor.inside(Path::new(path)).unwrap(), b"docs/a.md");
        }
        assert_eq!(anchor.name(Path::new("..")), b".");
        assert_eq!(anchor.inside(Path::new("/repo")).unwrap(), b".");
    }

    #[test]
    fn a_file_outside_is_named_over_parents() {
        let anchor = Anchor::fixed("/repo/docs", "/repo/docs");
        assert_eq!(anchor.name(Path::new("../src/a")), b"../src/a");
        assert_eq!(anchor.name(Path::new("/other/a")), b"../../other/a");
        assert_eq!(anchor.inside(Path::new("../src/a")), None);
        assert_eq!(anchor.inside(Path::new("/repo/docs2/a")), None);
    }

    #[test]
    fn names_keep_bytes_that_are_no_text() {
        let anchor = Anchor::fixed("/r", "/r");
        let name = anchor.name(as_path(b"d/\xff\xfe"));
        assert_eq!(name, b"d/\xff\xfe");
    }

    #[test]
    fn a_root_over_a_symbolic_link_has_the_same_names() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        std::fs::write(real.join("a"), "x").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let anchor = Anchor::new(&real).unwrap();
        assert_eq!(anchor.name(&link.join("a")), b"a");
        assert_eq!(anchor.name(&link), b".");
        assert_eq!(Anchor::new(&link).unwrap().name(&real.join("a")), b"a");
    }

    #[test]
    fn the_top_is_the_nearest_folder_with_git_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("repo/docs/deep");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir(dir.path().join("repo/.git")).unwrap();
        assert_eq!(
            repository_top(&inner),
            Some(dir.path().join("repo").as_path())
        );
        assert_ne!(repository_top(dir.path()), Some(dir.path()));
    }
}
