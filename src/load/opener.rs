//! Opening files folder by folder.
//!
//! The kernel looks up every part of a path each time. Files come folder by folder, so from the
//! second one of a folder on they are opened relative to it: one part instead of all.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// The longest path that Linux takes, in bytes.
#[cfg(target_os = "linux")]
const MAX_PATH: usize = libc::PATH_MAX as usize - 1;

/// Opens files to read, one after the other.
#[derive(Debug, Default)]
pub(super) struct Opener {
    /// Where the last file lay, up to its last slash.
    #[cfg(target_os = "linux")]
    path: Vec<u8>,
    /// That folder, once it had a second file.
    #[cfg(target_os = "linux")]
    handle: Option<rustix::fd::OwnedFd>,
}

impl Opener {
    /// Opens what is at `path` in a way that never waits.
    ///
    /// # Errors
    ///
    /// What the system says of the path.
    pub(super) fn open(&mut self, path: &Path) -> io::Result<File> {
        #[cfg(target_os = "linux")]
        if let Some(file) = self.open_relative(path) {
            return Ok(file);
        }
        open_path(path)
    }

    /// Opens a file of the folder of the one before; `None` where it is none, or anything goes
    /// wrong: the path itself tells what.
    #[cfg(target_os = "linux")]
    fn open_relative(&mut self, path: &Path) -> Option<File> {
        use std::os::unix::ffi::OsStrExt as _;

        use rustix::fs::{CWD, Mode, OFlags, openat};

        let path = path.as_os_str().as_bytes();
        let (folder, name) = path.split_at(memchr::memrchr(b'/', path)? + 1);
        if folder != self.path {
            self.path.clear();
            self.path.extend_from_slice(folder);
            self.handle = None;
            return None;
        }
        // What is too long as a path is so for every file of a folder, not only for the first.
        if name.is_empty() || path.len() > MAX_PATH {
            return None;
        }
        let folder = if let Some(handle) = &self.handle {
            handle
        } else {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let handle = openat(CWD, folder, flags, Mode::empty()).ok()?;
            self.handle.insert(handle)
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat(folder, name, flags, Mode::empty()).ok();
        if file.is_none() {
            // It may have been the last descriptor that the process can have.
            self.handle = None;
        }
        file.map(File::from)
    }
}

/// Opens what is at `path` in a way that never waits.
fn open_path(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read as _;

    #[test]
    fn files_of_changing_folders_are_those_of_their_paths() {
        let temp = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for folder in ["a", "b", "a/c", "."] {
            fs::create_dir_all(temp.path().join(folder)).unwrap();
            for name in ["x", "y", "z"] {
                let path = temp.path().join(folder).join(name);
                fs::write(&path, path.to_str().unwrap()).unwrap();
                paths.push(path);
            }
        }
        let mut opener = Opener::default();
        // In turn through all folders, then folder by folder.
        for path in (0..3)
            .flat_map(|i| paths.iter().skip(i).step_by(3))
            .chain(&paths)
        {
            let mut text = String::new();
            let mut file = opener.open(path).unwrap();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(Path::new(&text), path);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_path_that_is_too_long_is_so_for_every_file() {
        use rustix::fs::{CWD, Mode, OFlags, openat};

        let temp = tempfile::tempdir().unwrap();
        let mut folder = temp.path().to_path_buf();
        while folder.as_os_str().len() < MAX_PATH - 10 {
            let left = MAX_PATH - 5 - folder.as_os_str().len();
            folder.push("d".repeat(left.min(200)));
        }
        fs::create_dir_all(&folder).unwrap();
        let handle = openat(CWD, &folder, OFlags::DIRECTORY, Mode::empty()).unwrap();
        let left = MAX_PATH - folder.as_os_str().len() - 1;
        let mut opener = Opener::default();
        for turn in ["a", "b", "c"] {
            for len in [left, left + 1] {
                let name = turn.repeat(len);
                let flags = OFlags::CREATE | OFlags::WRONLY;
                openat(&handle, name.as_str(), flags, Mode::RUSR).unwrap();
                let opened = opener.open(&folder.join(&name));
                let error = opened.err().and_then(|error| error.raw_os_error());
                let expected = (len > left).then_some(libc::ENAMETOOLONG);
                assert_eq!(error, expected, "{turn}, {len} bytes");
            }
        }
    }

    #[test]
    fn the_path_decides_where_a_folder_has_gone() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("old"), "").unwrap();
        let mut opener = Opener::default();
        for _ in 0..3 {
            opener.open(&folder.join("old")).unwrap();
        }
        fs::rename(&folder, temp.path().join("moved")).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("new"), "").unwrap();
        opener.open(&folder.join("new")).unwrap();
        let error = opener.open(&folder.join("none")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        fs::create_dir(folder.join("sub")).unwrap();
        for odd in ["sub/", "sub/.", "sub/.."] {
            assert!(
                opener
                    .open(&folder.join(odd))
                    .unwrap()
                    .metadata()
                    .unwrap()
                    .is_dir()
            );
        }
        assert!(opener.open(Path::new("")).is_err());
    }
}
