//! Pairs → the number of connected components among them (union–find over file names).

use std::collections::HashMap;
use std::path::PathBuf;

use crate::record::File;

/// Connected components of the files that were joined.
#[derive(Debug, Default)]
pub(super) struct Components {
    ids: HashMap<PathBuf, usize>,
    parents: Vec<usize>,
    merges: usize,
}

impl Components {
    /// Joins the components of two files.
    pub(super) fn join(&mut self, a: File<'_>, b: File<'_>) {
        let (a, b) = (self.id(a), self.id(b));
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents[a.max(b)] = a.min(b);
            self.merges += 1;
        }
    }

    /// How many components there are; each has at least two files.
    pub(super) fn count(&self) -> u64 {
        (self.parents.len() - self.merges) as u64
    }

    fn id(&mut self, file: File<'_>) -> usize {
        if let Some(&id) = self.ids.get(file.path) {
            return id;
        }
        let id = self.parents.len();
        self.ids.insert(file.path.to_path_buf(), id);
        self.parents.push(id);
        id
    }

    fn root(&mut self, mut id: usize) -> usize {
        while self.parents[id] != id {
            self.parents[id] = self.parents[self.parents[id]];
            id = self.parents[id];
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn chains_and_repeats_are_one_component() {
        let file = |name: &'static str| File {
            path: Path::new(name),
            links: &[],
        };
        let mut components = Components::default();
        assert_eq!(components.count(), 0);
        for (a, b) in [("a", "b"), ("c", "d"), ("a", "b"), ("b", "c"), ("x", "y")] {
            components.join(file(a), file(b));
        }
        assert_eq!(components.count(), 2);
    }
}
