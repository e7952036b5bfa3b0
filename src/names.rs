//! Very many names in one piece of memory.
//!
//! A `PathBuf` costs 24 bytes and an allocation beside the name itself; here a name costs its bytes,
//! one terminator and a 4-byte start. Names are bytes as the operating system gives them (any byte
//! but NUL); the NUL that ends each one makes the order of the memory the bytewise order of names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Why a name was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name holds a NUL byte.
    #[error("a name with a NUL byte")]
    Nul,
    /// All names together would take more than 4 GiB.
    #[error("more than 4 GiB of names")]
    Full,
}

/// A list of names; a name's id is its place in the list.
#[derive(Debug, Clone, Default)]
pub struct Names {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    /// Whether names no longer lie in memory in their order.
    is_reordered: bool,
}

impl Names {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Bytes of memory that the names take.
    pub fn memory_usage(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * size_of::<u32>()
    }

    /// Adds a name at the end.
    ///
    /// # Errors
    /// [`NameError`]; the list is then as it was.
    pub fn push(&mut self, name: &[u8]) -> Result<(), NameError> {
        if memchr::memchr(0, name).is_some() {
            return Err(NameError::Nul);
        }
        let start = u32::try_from(self.bytes.len()).map_err(|_| NameError::Full)?;
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
        self.starts.push(start);
        Ok(())
    }

    /// The bytes of name `id`.
    ///
    /// # Panics
    /// If there is no such name.
    pub fn bytes(&self, id: usize) -> &[u8] {
        let start = self.starts[id] as usize;
        if !self.is_reordered {
            let next = self.starts.get(id + 1);
            let next = next.map_or(self.bytes.len(), |&next| next as usize);
            return &self.bytes[start..next - 1];
        }
        let rest = &self.bytes[start..];
        &rest[..memchr::memchr(0, rest).unwrap_or(rest.len())]
    }

    /// Name `id` as a path.
    ///
    /// # Panics
    /// If there is no such name.
    pub fn path(&self, id: usize) -> &Path {
        Path::new(OsStr::from_bytes(self.bytes(id)))
    }

    /// The ids in bytewise order of their names, equal names in order of their ids; and whether all
    /// names are different.
    ///
    /// Cost: one pass where the names are in order already; else a sort of 8-byte pieces of the
    /// names, next pieces being fetched only for names that agree so far (multikey sort, Bentley
    /// and Sedgewick 1997), and 16 bytes a name for the time of the sort.
    pub fn order(&self) -> (Vec<u32>, bool) {
        let count = u32::try_from(self.len()).unwrap_or(u32::MAX);
        if (1..self.len()).all(|id| self.bytes(id - 1) < self.bytes(id)) {
            return ((0..count).collect(), true);
        }
        let mut different = true;
        // A piece of a name above its id in one number: sorting numbers takes no branches.
        let mut items: Vec<u128> = (0..count).map(u128::from).collect();
        // Runs of names that agree in their first `depth` bytes. A list instead of recursion: the
        // depth is as long as the longest common beginning, which the input chooses.
        let mut runs = vec![(0..items.len(), 0)];
        while let Some((run, depth)) = runs.pop() {
            let run_items = &mut items[run.clone()];
            for item in run_items.iter_mut() {
                let id = *item as u32;
                *item = u128::from(self.piece(id, depth)) << 32 | u128::from(id);
            }
            run_items.sort_unstable();
            let mut start = run.start;
            for same in run_items.chunk_by(|a, b| a >> 32 == b >> 32) {
                let end = start + same.len();
                if same.len() > 1 {
                    // A piece whose last byte is NUL has reached the end of its name.
                    if (same[0] >> 32).is_multiple_of(256) {
                        different = false;
                    } else {
                        runs.push((start..end, depth + 8));
                    }
                }
                start = end;
            }
        }
        let ids = items.into_iter().map(|item| item as u32).collect();
        (ids, different)
    }

    /// Brings the names into another order: the new name `i` is the old name `order[i]`, which
    /// need not mention every name. The bytes of the others stay in memory.
    ///
    /// # Panics
    /// If `order` holds an id that is none.
    pub fn reorder(&mut self, order: &[u32]) {
        self.starts = order.iter().map(|&id| self.starts[id as usize]).collect();
        self.is_reordered = true;
    }

    /// Bytes `depth..depth + 8` of a name as a big-endian number, zeros after its end. The name is
    /// at least `depth` bytes long.
    fn piece(&self, id: u32, depth: usize) -> u64 {
        const LOW: u64 = 0x0101_0101_0101_0101;
        let start = self.starts[id as usize] as usize + depth;
        let rest = &self.bytes[start..];
        let word = if let Some(eight) = rest.first_chunk() {
            u64::from_le_bytes(*eight)
        } else {
            let mut eight = [0; 8];
            eight[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(eight)
        };
        // The lowest marked byte is the first NUL (Mycroft's test is exact up to there).
        let nul = word.wrapping_sub(LOW) & !word & (LOW << 7);
        let keep = if nul == 0 {
            u64::MAX
        } else {
            (1 << (nul.trailing_zeros() & !7)) - 1
        };
        (word & keep).swap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(list: &[&[u8]]) -> Names {
        let mut names = Names::default();
        for name in list {
            names.push(name).unwrap();
        }
        names
    }

    #[test]
    fn names_come_back_as_they_were() {
        let names = names(&[b"a", b"", b"\xff\xfe", "d\u{e9}j\u{e0}".as_bytes()]);
        assert_eq!(names.len(), 4);
        assert_eq!(names.bytes(1), b"");
        assert_eq!(names.bytes(2), b"\xff\xfe");
        assert_eq!(names.path(0), Path::new("a"));
        assert_eq!(names.path(3), Path::new("d\u{e9}j\u{e0}"));
    }

    #[test]
    fn a_name_with_a_nul_byte_is_refused() {
        let mut names = names(&[b"a"]);
        assert_eq!(names.push(b"b\0c"), Err(NameError::Nul));
        assert_eq!(names.len(), 1);
        assert_eq!(names.bytes(0), b"a");
    }

    #[test]
    fn reordering_moves_and_drops_names() {
        let mut names = names(&[b"x", b"y", b"z"]);
        names.reorder(&[2, 0]);
        assert_eq!(names.len(), 2);
        assert_eq!((names.bytes(0), names.bytes(1)), (&b"z"[..], &b"x"[..]));
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_plain_sort(
            list in prop::collection::vec(
                (prop::sample::select(vec!["", "folder/", "folder/of/many/names/"]), prop::collection::vec(1..=4u8, 0..20)),
                0..60,
            ),
        ) {
            let list: Vec<Vec<u8>> = list.into_iter().map(|(dir, rest)| [dir.as_bytes(), &rest].concat()).collect();
            let mut names = Names::default();
            for name in &list {
                names.push(name).unwrap();
            }
            let mut expected: Vec<u32> = (0..list.len() as u32).collect();
            expected.sort_by_key(|&id| &list[id as usize]);
            let different = expected.windows(2).all(|ids| list[ids[0] as usize] != list[ids[1] as usize]);
            prop_assert_eq!(names.order(), (expected, different));
        }
    }
}
