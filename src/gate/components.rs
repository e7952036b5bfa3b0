//! Pairs of files → the number of groups that they make. The gate knows files by their names alone,
//! and not how many will come.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::group;
use crate::record::File;

/// Connected components of the files that were joined.
#[derive(Debug, Default)]
pub(super) struct Components {
    positions: HashMap<PathBuf, u32>,
    components: group::Components,
}

impl Components {
    /// Joins the components of two files.
    pub(super) fn join(&mut self, a: File<'_>, b: File<'_>) {
        let (a, b) = (self.position(a), self.position(b));
        self.components.join(a, b);
    }

    /// How many components there are; each has at least two files.
    pub(super) fn count(&self) -> u64 {
        self.components.group_count() as u64
    }

    fn position(&mut self, file: File<'_>) -> u32 {
        if let Some(&position) = self.positions.get(file.path) {
            return position;
        }
        let position = self.components.add();
        self.positions.insert(file.path.to_path_buf(), position);
        position
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
