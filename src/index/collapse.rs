//! Fingerprints by position → distinct fingerprints, sorted, each with the positions that have it.
//!
//! A file with thousands of copies must not make the search quadratic: copies are searched as one
//! and told apart again when pairs are written.

use rayon::prelude::*;

use super::Items;
use super::order::BitOrder;
use super::partition::{Entries, Key, Partition, Shelf};

/// Marks an id as a class index; without it, the id is the only position that has the value.
const CLASS: u32 = 1 << 31;

/// Distinct fingerprints, and the positions of each: 12 bytes a value, and 4 bytes a position
/// where several share a value.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    order: BitOrder,
    /// Sorted; their bits are in `order`.
    values: Vec<u64>,
    /// For each value its id: see [`Distinct::positions`].
    ids: Vec<u32>,
    classes: Classes,
}

/// Lists of positions.
#[derive(Debug, Default)]
struct Classes {
    /// Where each list ends in `positions`.
    ends: Vec<u32>,
    positions: Vec<u32>,
}

impl Classes {
    fn push(&mut self, positions: impl Iterator<Item = u32>) {
        self.positions.extend(positions);
        self.ends.push(self.positions.len() as u32);
    }

    fn get(&self, class: usize) -> &[u32] {
        let start = class.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.positions[start as usize..self.ends[class] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|class| self.get(class))
    }
}

impl Distinct {
    /// Sorts and collapses. Cost: a radix partition, then a sort of each small bucket.
    pub(crate) fn new(items: &Items<'_>) -> Self {
        let n = items.fingerprints.len() - items.absent.len();
        // Buckets of some eight values are sorted fast; more than 2^20 of them cost more than
        // they save.
        let bits = n.max(1).ilog2().saturating_sub(3).clamp(1, 20);
        let order = BitOrder::new(items.fingerprints);
        let key = Key::new(u64::MAX, bits);
        let partition = Partition::of_positions(items.fingerprints, &items.absent, &order, key);
        let mut values = vec![0; n];
        let mut ids = vec![0; n];
        let mut shelves = Vec::new();
        let (mut values_left, mut ids_left) = (&mut values[..], &mut ids[..]);
        for shelf in 0..partition.shelf_count() {
            let len = partition.shelf_len(shelf);
            shelves.push((
                shelf,
                values_left.split_off_mut(..len).unwrap_or_default(),
                ids_left.split_off_mut(..len).unwrap_or_default(),
            ));
        }
        let lengths: Vec<usize> = shelves.iter().map(|(_, values, _)| values.len()).collect();
        let collapsed: Vec<(usize, Classes)> = shelves
            .into_par_iter()
            .map_init(
                || (Shelf::default(), Vec::new()),
                |(scratch, sorted), (shelf, values, ids)| {
                    partition.gather(shelf, scratch);
                    collapse(scratch, sorted, values, ids)
                },
            )
            .collect();
        drop(partition);
        // Close the gaps that collapsed values leave behind each shelf.
        let mut classes = Classes::default();
        let (mut start, mut end) = (0, 0);
        for ((kept, of_shelf), len) in collapsed.into_iter().zip(lengths) {
            if start != end {
                values.copy_within(start..start + kept, end);
                ids.copy_within(start..start + kept, end);
            }
            if !of_shelf.ends.is_empty() {
                let offset = classes.ends.len() as u32;
                for id in &mut ids[end..end + kept] {
                    if *id & CLASS != 0 {
                        *id += offset;
                    }
                }
                for positions in of_shelf.iter() {
                    classes.push(positions.iter().copied());
                }
            }
            start += len;
            end += kept;
        }
        values.truncate(end);
        ids.truncate(end);
        if end < n / 2 {
            values.shrink_to_fit();
            ids.shrink_to_fit();
        }
        Self {
            order,
            values,
            ids,
            classes,
        }
    }

    /// The order in which the bits of the entries are.
    pub(crate) fn order(&self) -> &BitOrder {
        &self.order
    }

    /// The distinct fingerprints with their ids, sorted as their bits now are.
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries {
            values: &self.values,
            ids: &self.ids,
        }
    }

    /// The positions that an id stands for, sorted.
    #[inline]
    pub(crate) fn positions<'a>(&'a self, id: &'a u32) -> &'a [u32] {
        if id & CLASS == 0 {
            std::slice::from_ref(id)
        } else {
            self.classes.get((id & !CLASS) as usize)
        }
    }

    /// The positions of each value that several have, sorted.
    pub(crate) fn repeated(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        let classes = 0..self.classes.ends.len();
        classes.into_par_iter().map(|class| self.classes.get(class))
    }

    /// Bytes held.
    pub(crate) fn memory_usage(&self) -> usize {
        self.values.capacity() * 8
            + (self.ids.capacity()
                + self.classes.ends.capacity()
                + self.classes.positions.capacity())
                * 4
    }
}

/// Sorts the buckets of a shelf and writes each distinct value once. Returns how many there are,
/// and the positions of those that several have.
fn collapse(
    shelf: &Shelf,
    sorted: &mut Vec<(u64, u32)>,
    values: &mut [u64],
    ids: &mut [u32],
) -> (usize, Classes) {
    let mut classes = Classes::default();
    let mut kept = 0;
    for bucket in 0..shelf.bucket_count() {
        let run = shelf.bucket(bucket);
        let range = run.start as usize..run.end as usize;
        let entries = shelf.values[range.clone()].iter().copied();
        sorted.clear();
        sorted.extend(entries.zip(shelf.ids[range].iter().copied()));
        sorted.sort_unstable();
        for equal in sorted.chunk_by(|x, y| x.0 == y.0) {
            values[kept] = equal[0].0;
            ids[kept] = if let [(_, position)] = equal {
                *position
            } else {
                classes.push(equal.iter().map(|&(_, position)| position));
                (classes.ends.len() as u32 - 1) | CLASS
            };
            kept += 1;
        }
    }
    (kept, classes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_position_is_found_at_its_value(
            values in proptest::collection::vec(prop_oneof![0_u64..9, any::<u64>()], 0..300),
            gap in 2_usize..20,
        ) {
            let absent = (0..values.len() as u32).filter(|&x| x as usize % gap == 1).collect();
            let items = Items::new(&values).unwrap().absent(absent);
            let distinct = Distinct::new(&items);
            let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (position, &value) in values.iter().enumerate() {
                if position % gap != 1 {
                    expected.entry(distinct.order().apply(value)).or_default().push(position as u32);
                }
            }
            let Entries { values, ids } = distinct.entries();
            let found: Vec<(u64, Vec<u32>)> = values
                .iter()
                .zip(ids)
                .map(|(&value, id)| (value, distinct.positions(id).to_vec()))
                .collect();
            prop_assert_eq!(found, expected.clone().into_iter().collect::<Vec<_>>());
            let repeated: Vec<_> = distinct.repeated().map(<[u32]>::to_vec).collect();
            expected.retain(|_, positions| positions.len() > 1);
            prop_assert_eq!(repeated, expected.into_values().collect::<Vec<_>>());
        }
    }
}
