//! Entries → buckets of equal keys.
//!
//! A radix partition in two steps. First, chunks of the input that fit the cache are each sorted by
//! the upper half of the key bits; then one **shelf** (all entries of equal upper bits, from all
//! chunks) at a time is gathered and sorted by the lower half. Nothing is written outside the cache
//! in random order, chunks and shelves are independent of each other, and a caller that needs one
//! shelf at a time never holds them all. Sorted entries need no first step for their highest bits.
//!
//! Cost: some 5 ns and 12 bytes an entry.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::compare::Run;
use super::order::BitOrder;

/// Entries in a chunk: 768 KiB, well inside a second-level cache.
const CHUNK: usize = 1 << 16;

/// Fingerprints and who has them, side by side: `ids[i]` belongs to `values[i]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) values: &'a [u64],
    pub(crate) ids: &'a [u32],
}

impl<'a> Entries<'a> {
    pub(crate) fn len(self) -> usize {
        self.values.len()
    }

    pub(crate) fn slice(self, range: Range<usize>) -> Self {
        Self {
            values: &self.values[range.clone()],
            ids: &self.ids[range],
        }
    }

    fn iter(self) -> impl Iterator<Item = (u64, u32)> + Clone + 'a {
        let ids = self.ids.iter().copied();
        self.values.iter().copied().zip(ids)
    }
}

/// Which bits of a fingerprint make its key: the bits of a mask of at most two runs, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) mask: u64,
    pub(crate) bits: u32,
    upper_shift: u32,
    upper_mask: u64,
    lower_shift: u32,
    lower_mask: u64,
    lower_bits: u32,
}

impl Key {
    /// The key made of the highest bits of `mask`, at most `bits` of them and at most two runs.
    pub(crate) fn new(mask: u64, bits: u32) -> Self {
        let upper = highest_run(mask, bits);
        let lower = highest_run(mask & !upper, bits - upper.count_ones());
        let shift = |run: u64| run.trailing_zeros() & 63;
        Self {
            mask: upper | lower,
            bits: (upper | lower).count_ones(),
            upper_shift: shift(upper),
            upper_mask: upper >> shift(upper),
            lower_shift: shift(lower),
            lower_mask: lower >> shift(lower),
            lower_bits: lower.count_ones(),
        }
    }

    /// The key of a fingerprint, below 2^bits.
    #[inline]
    pub(crate) fn of(&self, value: u64) -> usize {
        let upper = value >> self.upper_shift & self.upper_mask;
        let lower = value >> self.lower_shift & self.lower_mask;
        (upper << self.lower_bits | lower) as usize
    }
}

/// The highest run of ones in the mask, cut to its highest `bits` bits.
fn highest_run(mask: u64, bits: u32) -> u64 {
    if mask == 0 || bits == 0 {
        return 0;
    }
    let zeros = mask.leading_zeros();
    let length = (mask << zeros).leading_ones().min(bits);
    (u64::MAX << (64 - length)) >> zeros
}

/// A chunk, sorted by shelf.
struct Chunk<'a> {
    values: Cow<'a, [u64]>,
    ids: Cow<'a, [u32]>,
    starts: Vec<u32>,
}

impl<'a> Chunk<'a> {
    /// All of the entries, when the key is their highest bits and they are sorted: they lie by
    /// shelf already.
    fn of_sorted(entries: Entries<'a>, key: &Key, shelf_bits: u32) -> Option<Self> {
        let highest = key.mask.leading_ones() == key.bits;
        if !highest || !entries.values.is_sorted() {
            return None;
        }
        let shift = key.bits - shelf_bits;
        let start = |shelf: usize| {
            let before = |value: &u64| key.of(*value) >> shift < shelf;
            entries.values.partition_point(before) as u32
        };
        Some(Self {
            values: Cow::Borrowed(entries.values),
            ids: Cow::Borrowed(entries.ids),
            starts: (0..=1 << shelf_bits).map(start).collect(),
        })
    }

    fn new(entries: impl Iterator<Item = (u64, u32)> + Clone, key: &Key, shelf_bits: u32) -> Self {
        let shift = key.bits - shelf_bits;
        let mut starts = vec![0_u32; (1 << shelf_bits) + 1];
        let mut count = 0;
        for (value, _) in entries.clone() {
            starts[key.of(value) >> shift] += 1;
            count += 1;
        }
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        let mut values = vec![0; count];
        let mut ids = vec![0; count];
        for (value, id) in entries {
            let start = &mut starts[key.of(value) >> shift];
            values[*start as usize] = value;
            ids[*start as usize] = id;
            *start += 1;
        }
        // Each start has moved to the end of its shelf, which is the start of the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        Self {
            values: Cow::Owned(values),
            ids: Cow::Owned(ids),
            starts,
        }
    }

    fn shelf(&self, shelf: usize) -> Entries<'_> {
        let range = self.starts[shelf] as usize..self.starts[shelf + 1] as usize;
        Entries {
            values: &self.values[range.clone()],
            ids: &self.ids[range],
        }
    }
}

/// Entries after the first step.
pub(crate) struct Partition<'a> {
    key: Key,
    shelf_bits: u32,
    chunks: Vec<Chunk<'a>>,
}

impl<'a> Partition<'a> {
    /// Partitions entries by their key.
    pub(crate) fn new(entries: Entries<'a>, key: Key) -> Self {
        let shelf_bits = shelf_bits(key);
        if let Some(chunk) = Chunk::of_sorted(entries, &key, shelf_bits) {
            return Self {
                key,
                shelf_bits,
                chunks: vec![chunk],
            };
        }
        let chunks = (0..entries.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let end = ((chunk + 1) * CHUNK).min(entries.len());
                let chunk = entries.slice(chunk * CHUNK..end);
                Chunk::new(chunk.iter(), &key, shelf_bits)
            })
            .collect();
        Self {
            key,
            shelf_bits,
            chunks,
        }
    }

    /// Partitions the fingerprints of positions 0.. that are not in `absent` (sorted), with their
    /// bits put in order; the ids are the positions.
    pub(crate) fn of_positions(
        fingerprints: &[u64],
        absent: &[u32],
        order: &BitOrder,
        key: Key,
    ) -> Self {
        let shelf_bits = shelf_bits(key);
        let chunks = (0..fingerprints.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(fingerprints.len());
                if absent.is_empty() && order.is_identity() {
                    let positions = range.start as u32..;
                    let values = fingerprints[range].iter().copied();
                    Chunk::new(values.zip(positions), &key, shelf_bits)
                } else {
                    let entries = present(fingerprints, absent, order, range);
                    Chunk::new(entries, &key, shelf_bits)
                }
            })
            .collect();
        Self {
            key,
            shelf_bits,
            chunks,
        }
    }

    pub(crate) fn shelf_count(&self) -> usize {
        1 << self.shelf_bits
    }

    /// Number of entries on a shelf.
    pub(crate) fn shelf_len(&self, shelf: usize) -> usize {
        let chunks = self.chunks.iter();
        chunks.map(|chunk| chunk.shelf(shelf).len()).sum()
    }

    /// The second step, for one shelf; `into` is overwritten.
    pub(crate) fn gather(&self, shelf: usize, into: &mut Shelf) {
        let buckets = 1 << (self.key.bits - self.shelf_bits);
        into.starts.clear();
        into.starts.resize(buckets + 1, 0);
        for chunk in &self.chunks {
            for &value in chunk.shelf(shelf).values {
                into.starts[self.key.of(value) & (buckets - 1)] += 1;
            }
        }
        let mut next = 0;
        for start in &mut into.starts {
            next += std::mem::replace(start, next);
        }
        into.values.resize(next as usize, 0);
        into.ids.resize(next as usize, 0);
        for chunk in &self.chunks {
            for (value, id) in chunk.shelf(shelf).iter() {
                let start = &mut into.starts[self.key.of(value) & (buckets - 1)];
                into.values[*start as usize] = value;
                into.ids[*start as usize] = id;
                *start += 1;
            }
        }
        into.starts.rotate_right(1);
        into.starts[0] = 0;
    }
}

/// The upper half of the key chooses the shelf.
fn shelf_bits(key: Key) -> u32 {
    key.bits / 2
}

/// The fingerprints of the positions of a range that are not in `absent` (sorted), with their bits
/// put in order.
pub(crate) fn present<'a>(
    fingerprints: &'a [u64],
    absent: &'a [u32],
    order: &'a BitOrder,
    range: Range<usize>,
) -> impl Iterator<Item = (u64, u32)> + Clone + 'a {
    let skip = absent.partition_point(|&position| (position as usize) < range.start);
    let mut absent = absent[skip..].iter().copied().peekable();
    range.filter_map(move |position| {
        if absent.peek() == Some(&(position as u32)) {
            absent.next();
            None
        } else {
            Some((order.apply(fingerprints[position]), position as u32))
        }
    })
}

/// All entries of equal upper key bits, sorted by the lower ones.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) values: Vec<u64>,
    pub(crate) ids: Vec<u32>,
    starts: Vec<u32>,
}

impl Shelf {
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries {
            values: &self.values,
            ids: &self.ids,
        }
    }

    pub(crate) fn bucket_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the entries of a lower key are.
    #[inline]
    pub(crate) fn bucket(&self, lower: usize) -> Run {
        Run {
            start: self.starts[lower],
            end: self.starts[lower + 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_takes_the_highest_bits_of_two_runs() {
        let key = Key::new(0xff00_0000_0000_0f0f, 64);
        assert_eq!(key.mask, 0xff00_0000_0000_0f00);
        assert_eq!(key.bits, 12);
        assert_eq!(key.of(0xa500_ffff_ffff_f3ff), 0xa53);
        assert_eq!(Key::new(u64::MAX, 16).of(0x1234 << 48), 0x1234);
        assert_eq!(Key::new(u64::MAX, 64).mask, u64::MAX);
        assert_eq!(Key::new(0, 8).of(u64::MAX), 0);
    }

    proptest! {
        #[test]
        fn buckets_hold_what_has_their_key(
            values in proptest::collection::vec(any::<u64>(), 0..400),
            mask in prop_oneof![any::<u64>(), Just(u64::MAX)],
            bits in 0_u32..12,
        ) {
            let key = Key::new(mask, bits);
            let order = BitOrder::new(&values);
            let absent: Vec<u32> = (0..values.len() as u32).filter(|x| x % 7 == 2).collect();
            let entries: Vec<_> = present(&values, &absent, &order, 0..values.len()).collect();
            let (kept, ids): (Vec<u64>, Vec<u32>) = entries.iter().copied().unzip();
            let given = Entries { values: &kept, ids: &ids };
            let highest = key.mask.leading_ones() == key.bits;
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            let (sorted_values, sorted_ids): (Vec<u64>, Vec<u32>) = sorted.into_iter().unzip();
            let sorted = Entries { values: &sorted_values, ids: &sorted_ids };
            prop_assert_eq!(Chunk::of_sorted(sorted, &key, 0).is_some(), highest);
            for partition in [
                Partition::new(given, key),
                Partition::new(sorted, key),
                Partition::of_positions(&values, &absent, &order, key),
            ] {
                let mut shelf = Shelf::default();
                let mut seen = Vec::new();
                for upper in 0..partition.shelf_count() {
                    partition.gather(upper, &mut shelf);
                    prop_assert_eq!(shelf.values.len(), partition.shelf_len(upper));
                    for lower in 0..shelf.bucket_count() {
                        let run = shelf.bucket(lower);
                        for (value, id) in shelf.entries().slice(run.start as usize..run.end as usize).iter() {
                            prop_assert_eq!(key.of(value), upper * shelf.bucket_count() + lower);
                            seen.push((value, id));
                        }
                    }
                }
                seen.sort_by_key(|&(_, id)| id);
                prop_assert_eq!(&seen, &entries);
            }
        }
    }
}
