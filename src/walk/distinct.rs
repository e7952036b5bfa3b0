//! Paths that were read → files, each once.
//!
//! Roots may overlap, be spelled in two ways or meet through symbolic links and bind mounts; a
//! file may have several names (hard links). All of that shows as equal [`FileId`]s, which are
//! known once a file has been opened; so this runs after reading.
//!
//! Invariant: the result is a function of the *set* of readings. Neither the order of the roots
//! nor that of the walk shows. Cost: O(n log n), in place; paths are resolved on disk only for
//! files that have several names *and* were met more than once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::record::FileId;

use super::clean::path_order;

/// A file that was met and read.
pub trait Met {
    /// Its cleaned path.
    fn path(&self) -> &Path;
    /// What the system knows it by.
    fn id(&self) -> FileId;
    /// How many names (hard links) the system says it has.
    fn link_count(&self) -> u64;
}

/// Files, each once.
#[derive(Debug)]
pub struct Distinct<T> {
    /// The files in path order, each under its bytewise least path.
    pub files: Vec<T>,
    /// Index into `files`, ascending → the file's other names, in path order.
    pub links: Vec<(usize, Vec<PathBuf>)>,
}

/// Keeps each file once, under the bytewise least path it was met by.
///
/// Two paths of one file that lead to the same place are spellings, and all but the least are
/// forgotten. Two that lead to different places are hard links: the least path stays, of every
/// other place the least spelling is listed. A path that cannot be resolved any more counts as a
/// place of its own.
pub fn distinct<T: Met>(mut met: Vec<T>) -> Distinct<T> {
    met.sort_unstable_by(|a, b| {
        a.id()
            .cmp(&b.id())
            .then_with(|| path_order(a.path(), b.path()))
    });
    // Paths of files with several names, each list in path order, the kept one first.
    let mut names: BTreeMap<FileId, Vec<PathBuf>> = BTreeMap::new();
    met.dedup_by(|later, kept| {
        let same = later.id() == kept.id();
        if same && later.link_count().max(kept.link_count()) > 1 {
            names
                .entry(kept.id())
                .or_insert_with(|| vec![kept.path().to_path_buf()])
                .push(later.path().to_path_buf());
        }
        same
    });
    met.sort_unstable_by(|a, b| path_order(a.path(), b.path()));
    let mut links = Vec::new();
    if !names.is_empty() {
        for (index, file) in met.iter().enumerate() {
            let others = names.remove(&file.id()).map(other_places);
            if let Some(others) = others.filter(|others| !others.is_empty()) {
                links.push((index, others));
            }
        }
    }
    Distinct { files: met, links }
}

/// Of paths in order, the first spelling of every place but the first one's.
fn other_places(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut places = BTreeSet::new();
    let mut others = Vec::new();
    for path in paths {
        let place = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let first = places.is_empty();
        if places.insert(place) && !first {
            others.push(path);
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::identity::{file_id, link_count};
    use proptest::prelude::*;
    use std::os::unix::fs::symlink;

    #[derive(Debug, Clone)]
    struct Reading(PathBuf, FileId, u64);

    impl Met for Reading {
        fn path(&self) -> &Path {
            &self.0
        }
        fn id(&self) -> FileId {
            self.1
        }
        fn link_count(&self) -> u64 {
            self.2
        }
    }

    fn read(path: impl Into<PathBuf>) -> Reading {
        let path = path.into();
        let metadata = fs::metadata(&path).unwrap();
        let id = file_id(&path, &metadata);
        Reading(path, id, link_count(&metadata))
    }

    fn summary(met: Vec<Reading>) -> (Vec<PathBuf>, Vec<(usize, Vec<PathBuf>)>) {
        let Distinct { files, links } = distinct(met);
        (files.into_iter().map(|file| file.0).collect(), links)
    }

    #[test]
    fn fault_c1_spellings_of_one_file_are_one_file() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        fs::create_dir(base.join("d")).unwrap();
        fs::write(base.join("d/x"), "x").unwrap();
        symlink("d", base.join("e")).unwrap();
        let met = ["e/x", "d/x", "d/x", "d/../d/x"].map(|path| read(base.join(path)));
        // `.` sorts before every letter.
        assert_eq!(summary(met.to_vec()), (vec![base.join("d/../d/x")], vec![]));
    }

    #[test]
    fn fault_c3_hard_links_are_one_file_in_every_order() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        for folder in ["p", "q"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        fs::write(base.join("p/b"), "x").unwrap();
        fs::hard_link(base.join("p/b"), base.join("q/a")).unwrap();
        fs::hard_link(base.join("p/b"), base.join("p/d")).unwrap();
        fs::write(base.join("p/c"), "x").unwrap();
        symlink("p", base.join("s")).unwrap();
        let paths = ["p/b", "q/a", "p/c", "p/d", "s/b", "s/d", "p/b"];
        let expected = (
            vec![base.join("p/b"), base.join("p/c")],
            vec![(0, vec![base.join("p/d"), base.join("q/a")])],
        );
        for turn in 0..paths.len() {
            let mut met: Vec<_> = paths.iter().map(|path| read(base.join(path))).collect();
            met.rotate_left(turn);
            assert_eq!(summary(met.clone()), expected);
            met.reverse();
            assert_eq!(summary(met), expected);
        }
    }

    #[test]
    fn names_that_vanished_are_places_of_their_own() {
        let id = FileId {
            device: 1,
            inode: 2,
        };
        let met = ["no/b", "no/a", "no/a"].map(|path| Reading(path.into(), id, 2));
        let links = vec![(0, vec![PathBuf::from("no/b")])];
        assert_eq!(summary(met.to_vec()), (vec![PathBuf::from("no/a")], links));
    }

    proptest! {
        /// The obvious twin: a map from identity to the set of paths.
        #[test]
        fn it_groups_by_identity(readings in prop::collection::vec((0u64..8, "[a-c/-]{1,3}"), 0..40)) {
            let met: Vec<_> = readings
                .iter()
                .map(|(inode, path)| Reading(path.into(), FileId { device: 0, inode: *inode }, 1))
                .collect();
            let mut map: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
            for (inode, path) in &readings {
                map.entry(*inode).or_default().insert(path);
            }
            let mut expected: Vec<&str> =
                map.values().filter_map(|paths| paths.first().copied()).collect();
            expected.sort_unstable();
            let (files, links) = summary(met);
            let files: Vec<&str> = files.iter().filter_map(|path| path.to_str()).collect();
            prop_assert_eq!(files, expected);
            prop_assert!(links.is_empty());
        }
    }
}
