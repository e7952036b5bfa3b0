//! Pairs → jobs: which documents are held together, so that each pair finds both of its own.
//!
//! The pairs are the edges of a graph. A **round** walks it breadth first and fills one slab of
//! documents after the other up to the capacity. A pair with both documents in one slab is done in
//! that round, by the job of that slab; the others wait for the next round, whose graph is
//! thinner. Near-duplicates cling together, so the first round does nearly all of them and a
//! document is read little more than once. A slab begins with a document and its neighbours, so
//! every round does at least one pair, and a graph without any gaps (n documents that are all
//! alike, c of which fit) takes about (n/c)² slabs, as few as any order can have.

use std::collections::VecDeque;

/// The pairs of one round, by job.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// Indices of pairs, job by job, ascending within each.
    indices: Vec<u32>,
    /// Job `j` has `indices[starts[j]..starts[j + 1]]`.
    starts: Vec<u32>,
}

/// How much a job may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    /// Once a slab is so heavy, it ends with its component.
    pub(super) wanted: u64,
    /// A slab ends before it is heavier, unless it has no pair yet.
    pub(super) most: u64,
}

/// In no slab (yet).
const NOWHERE: u32 = u32::MAX;
/// In the queue.
const QUEUED: u32 = u32::MAX - 1;

impl Round {
    /// Plans a round over `waiting`, indices into `pairs`; leaves there what has to wait on. Both
    /// are ascending. `weight` gives about the total weight of a document. Cost: linear.
    pub(super) fn plan(
        pairs: &[(u32, u32)],
        waiting: &mut Vec<u32>,
        weight: impl Fn(u32) -> u32,
        capacity: Capacity,
    ) -> Self {
        let slabs = fill_slabs(pairs, waiting, weight, capacity);
        let slab_of = |index: u32| {
            let (a, b) = pairs[index as usize];
            let slab = slabs.of[a as usize];
            (slab == slabs.of[b as usize]).then_some(slab as usize)
        };
        // A counting sort by slab.
        let mut starts = vec![0_u32; slabs.count + 1];
        for slab in waiting.iter().filter_map(|&index| slab_of(index)) {
            starts[slab + 1] += 1;
        }
        for slab in 0..slabs.count {
            starts[slab + 1] += starts[slab];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; starts[slabs.count] as usize];
        waiting.retain(|&index| {
            if let Some(slab) = slab_of(index) {
                indices[next[slab] as usize] = index;
                next[slab] += 1;
            }
            slab_of(index).is_none()
        });
        // Slabs without pairs of their own are no jobs.
        starts.dedup();
        Self { indices, starts }
    }

    /// How many jobs there are.
    pub(super) fn job_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The indices of the pairs of a job, ascending.
    pub(super) fn pairs_of(&self, job: usize) -> &[u32] {
        &self.indices[self.starts[job] as usize..self.starts[job + 1] as usize]
    }
}

/// The slab of each document.
struct Slabs {
    of: Vec<u32>,
    count: usize,
}

/// Walks the graph of the waiting pairs from the least document on, breadth first.
fn fill_slabs(
    pairs: &[(u32, u32)],
    waiting: &[u32],
    weight: impl Fn(u32) -> u32,
    capacity: Capacity,
) -> Slabs {
    let documents = waiting.iter().map(|&index| pairs[index as usize].1 + 1).max().unwrap_or(0);
    let mut slabs = Slabs { of: vec![NOWHERE; documents as usize], count: 0 };
    let mut queue = VecDeque::new();
    // The weight and the number of documents of the slab being filled.
    let (mut filled, mut held) = (0_u64, 0);
    // Pairs are sorted, so those of one first document are its neighbours above it. Neighbours
    // below come to it from their own side, or begin a walk before it.
    let first_of = |index: &u32| pairs[*index as usize].0;
    let neighbours = |document: u32| {
        let from = waiting.partition_point(|index| first_of(index) < document);
        waiting[from..].iter().take_while(move |&index| first_of(index) == document).map(|&index| pairs[index as usize].1)
    };
    let mut seeds = waiting.chunk_by(|x, y| first_of(x) == first_of(y)).map(|run| first_of(&run[0]));
    let mut seed = seeds.next();
    while let Some(document) = queue.pop_front().or(seed) {
        if Some(document) == seed {
            seed = seeds.next();
        }
        if slabs.of[document as usize] < QUEUED {
            continue;
        }
        let heavy = u64::from(weight(document));
        let begins = slabs.of[document as usize] == NOWHERE;
        if held > 1 && filled + heavy > capacity.most || begins && filled > capacity.wanted {
            // This document opens the next slab, its own neighbours first.
            slabs.count += 1;
            (filled, held) = (0, 0);
            for document in queue.drain(..) {
                slabs.of[document as usize] = NOWHERE;
            }
        }
        slabs.of[document as usize] = slabs.count as u32;
        filled += heavy;
        held += 1;
        for neighbour in neighbours(document) {
            if slabs.of[neighbour as usize] == NOWHERE {
                slabs.of[neighbour as usize] = QUEUED;
                queue.push_back(neighbour);
            }
        }
    }
    slabs.count += 1;
    slabs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs all rounds; returns the documents of each job.
    fn rounds(pairs: &[(u32, u32)], weights: &[u32], capacity: Capacity) -> Vec<Vec<u32>> {
        let mut waiting: Vec<u32> = (0..pairs.len() as u32).collect();
        let mut done = vec![false; pairs.len()];
        let mut jobs = Vec::new();
        while !waiting.is_empty() {
            let before = waiting.len();
            let weight = |document: u32| weights[document as usize];
            let round = Round::plan(pairs, &mut waiting, weight, capacity);
            assert!(waiting.len() < before && waiting.is_sorted());
            for job in 0..round.job_count() {
                let indices = round.pairs_of(job);
                assert!(!indices.is_empty() && indices.is_sorted());
                let mut documents = Vec::new();
                for &index in indices {
                    assert!(!std::mem::replace(&mut done[index as usize], true));
                    let (a, b) = pairs[index as usize];
                    documents.extend([a, b]);
                }
                documents.sort_unstable();
                documents.dedup();
                let total: u64 = documents.iter().map(|&x| u64::from(weight(x))).sum();
                assert!(total <= capacity.most || documents.len() == 2);
                jobs.push(documents);
            }
        }
        assert!(done.into_iter().all(|done| done));
        jobs
    }

    fn clique(documents: std::ops::Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        documents.clone().flat_map(move |a| (a + 1..documents.end).map(move |b| (a, b)))
    }

    #[test]
    fn components_that_fit_are_read_once() {
        let pairs: Vec<_> = (0..10).flat_map(|i| clique(i * 10..i * 10 + 10)).collect();
        let jobs = rounds(&pairs, &[1; 100], Capacity { wanted: 25, most: 40 });
        assert_eq!(jobs.iter().map(Vec::len).collect::<Vec<_>>(), [30, 30, 30, 10]);
    }

    #[test]
    fn a_clique_beyond_the_capacity_takes_about_the_square_of_the_ratio() {
        let pairs: Vec<_> = clique(0..100).collect();
        let jobs = rounds(&pairs, &[1; 100], Capacity { wanted: 10, most: 10 });
        // 4,950 pairs, at most 45 a job.
        assert!((110..330).contains(&jobs.len()), "{}", jobs.len());
    }

    #[test]
    fn documents_heavier_than_the_capacity_go_two_by_two() {
        let pairs: Vec<_> = clique(0..5).collect();
        let jobs = rounds(&pairs, &[100; 5], Capacity { wanted: 10, most: 10 });
        assert_eq!(jobs.len(), 10);
    }

    proptest! {
        #[test]
        fn every_pair_is_done_once_within_the_capacity(
            edges in prop::collection::btree_set((0..40_u32, 0..40_u32), 0..200),
            weights in prop::collection::vec(0..20_u32, 40),
            most in 1..60_u64,
            wanted in 1..60_u64,
        ) {
            let pairs: Vec<_> = edges.into_iter().filter(|(a, b)| a < b).collect();
            rounds(&pairs, &weights, Capacity { wanted: wanted.min(most), most });
        }
    }
}
