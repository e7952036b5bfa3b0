//! Pairs → jobs: which documents are held together, so that each pair finds both of its own.
//!
//! The pairs are the edges of a graph. It is walked breadth first, and the documents fill one
//! **slab** after the other. Near-duplicates cling together, so nearly all pairs lie within a
//! slab, and a document is read little more than once.
//!
//! A plan of [`slabs`](Plan::slabs) does the pairs within slabs and leaves the others for another
//! plan, whose graph is thinner. Where that leaves too many, a plan of [`bundles`](Plan::bundles)
//! does all pairs: slabs are half as large, the pairs between two of them are a bundle, and as
//! many bundles as fit are a job. A graph without any gaps (documents that are all alike, n times
//! the capacity) then takes some 2·n² jobs; no plan takes less than n².

use std::collections::VecDeque;

use rayon::slice::ParallelSliceMut as _;

/// Which pairs each job scores.
#[derive(Debug)]
pub(super) struct Plan {
    /// Indices of pairs, job by job, ascending within each.
    indices: Vec<u32>,
    /// Job `j` has `indices[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
}

/// How much a job may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    /// A job that is so heavy takes nothing that shares little with it.
    pub(super) wanted: u64,
    /// A job is not heavier, unless it has a document of more than half of this.
    pub(super) most: u64,
}

/// In no slab (yet).
const NOWHERE: u32 = u32::MAX;
/// In the queue.
const QUEUED: u32 = u32::MAX - 1;

impl Plan {
    /// Plans for the pairs within slabs, of those at the indices `waiting`; leaves there those
    /// that have to wait on. Pairs are sorted, the smaller document first; indices ascend.
    /// `weight` gives about the total weight of a document. Cost: linear.
    pub(super) fn slabs(
        pairs: &[(u32, u32)],
        waiting: &mut Vec<u32>,
        weight: impl Fn(u32) -> u32,
        capacity: Capacity,
    ) -> Self {
        let (slab_of, count) = fill_slabs(pairs, waiting, weight, capacity);
        let slab_of = |index: u32| {
            let (a, b) = pairs[index as usize];
            let slab = slab_of[a as usize];
            (slab == slab_of[b as usize]).then_some(slab as usize)
        };
        // A counting sort by slab.
        let mut starts = vec![0; count + 1];
        for slab in waiting.iter().filter_map(|&index| slab_of(index)) {
            starts[slab + 1] += 1;
        }
        for slab in 0..count {
            starts[slab + 1] += starts[slab];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; starts[count]];
        waiting.retain(|&index| {
            let slab = slab_of(index);
            if let Some(slab) = slab {
                indices[next[slab]] = index;
                next[slab] += 1;
            }
            slab.is_none()
        });
        // A slab without pairs of its own is no job.
        starts.dedup();
        Self { indices, starts }
    }

    /// Plans for all pairs at the indices `waiting`. Cost: that of sorting them.
    pub(super) fn bundles(
        pairs: &[(u32, u32)],
        waiting: Vec<u32>,
        weight: impl Fn(u32) -> u32,
        capacity: Capacity,
    ) -> Self {
        let half = Capacity {
            wanted: u64::MAX,
            most: capacity.most / 2,
        };
        let (slab_of, _) = fill_slabs(pairs, &waiting, &weight, half);
        let bundle_of = |index: u32| {
            let (a, b) = pairs[index as usize];
            let (a, b) = (slab_of[a as usize], slab_of[b as usize]);
            (a.min(b), a.max(b))
        };
        let mut indices = waiting;
        indices.par_sort_unstable_by_key(|&index| (bundle_of(index), index));

        // The job that last took each document, one-based.
        let mut job_of = vec![0_u32; slab_of.len()];
        let mut job = 1;
        let mut starts = vec![0];
        let (mut held, mut done) = (0, 0);
        let mut documents = Vec::new();
        for bundle in indices.chunk_by(|&x, &y| bundle_of(x) == bundle_of(y)) {
            documents.clear();
            documents.extend(
                bundle
                    .iter()
                    .flat_map(|&index| <[u32; 2]>::from(pairs[index as usize])),
            );
            documents.sort_unstable();
            documents.dedup();
            let (mut all, mut new) = (0, 0);
            for &document in &documents {
                let heavy = u64::from(weight(document));
                all += heavy;
                new += if job_of[document as usize] == job {
                    0
                } else {
                    heavy
                };
            }
            let mostly_new = new * 2 > all;
            if done > 0 && (held + new > capacity.most || held > capacity.wanted && mostly_new) {
                starts.push(done);
                job += 1;
                held = all;
            } else {
                held += new;
            }
            for &document in &documents {
                job_of[document as usize] = job;
            }
            done += bundle.len();
        }
        if done > 0 {
            starts.push(done);
        }
        for job in starts.windows(2) {
            indices[job[0]..job[1]].sort_unstable();
        }
        Self { indices, starts }
    }

    /// How many jobs there are.
    pub(super) fn job_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The indices of the pairs of a job, ascending.
    pub(super) fn pairs_of(&self, job: usize) -> &[u32] {
        &self.indices[self.starts[job]..self.starts[job + 1]]
    }
}

/// The slab of each document, and how many slabs there are: walks the graph from the least
/// document on, breadth first.
fn fill_slabs(
    pairs: &[(u32, u32)],
    waiting: &[u32],
    weight: impl Fn(u32) -> u32,
    capacity: Capacity,
) -> (Vec<u32>, usize) {
    let pair_at = |index: &u32| pairs[*index as usize];
    let documents = waiting
        .iter()
        .map(|index| pair_at(index).1 + 1)
        .max()
        .unwrap_or(0);
    let mut slab_of = vec![NOWHERE; documents as usize];
    let mut queue = VecDeque::new();
    let (mut slab, mut filled) = (0, 0_u64);
    // Pairs are sorted, so those of one first document are its neighbours above it. Neighbours
    // below it were there before: they come to it from their own side.
    let neighbours = |document: u32| {
        let from = waiting.partition_point(|index| pair_at(index).0 < document);
        let own = waiting[from..]
            .iter()
            .map(pair_at)
            .take_while(move |&(a, _)| a == document);
        own.map(|(_, b)| b)
    };
    for run in waiting.chunk_by(|x, y| pair_at(x).0 == pair_at(y).0) {
        let (seed, _) = pair_at(&run[0]);
        if slab_of[seed as usize] != NOWHERE {
            continue;
        }
        queue.push_back(seed);
        while let Some(document) = queue.pop_front() {
            let heavy = u64::from(weight(document));
            let begins = slab_of[document as usize] == NOWHERE;
            if filled > 0 && (filled + heavy > capacity.most || begins && filled > capacity.wanted)
            {
                slab += 1;
                filled = 0;
            }
            slab_of[document as usize] = slab;
            filled += heavy;
            for neighbour in neighbours(document) {
                if slab_of[neighbour as usize] == NOWHERE {
                    slab_of[neighbour as usize] = QUEUED;
                    queue.push_back(neighbour);
                }
            }
        }
    }
    (slab_of, slab as usize + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Plans and checks; returns the documents of each job, first of slabs, then of bundles.
    fn jobs(pairs: &[(u32, u32)], weights: &[u32], capacity: Capacity) -> [Vec<Vec<u32>>; 2] {
        let weight = |document: u32| weights[document as usize];
        let mut done = vec![false; pairs.len()];
        let mut check = |plan: &Plan| -> Vec<Vec<u32>> {
            (0..plan.job_count())
                .map(|job| {
                    let indices = plan.pairs_of(job);
                    assert!(!indices.is_empty() && indices.is_sorted());
                    let mut documents = Vec::new();
                    for &index in indices {
                        assert!(!std::mem::replace(&mut done[index as usize], true));
                        let (a, b) = pairs[index as usize];
                        documents.extend([a, b]);
                    }
                    documents.sort_unstable();
                    documents.dedup();
                    let weights = documents.iter().map(|&x| u64::from(weight(x)));
                    assert!(
                        weights.clone().sum::<u64>() <= capacity.most
                            || weights.max() > Some(capacity.most / 2)
                    );
                    documents
                })
                .collect()
        };
        let mut waiting: Vec<u32> = (0..pairs.len() as u32).collect();
        let slabs = check(&Plan::slabs(pairs, &mut waiting, weight, capacity));
        let bundles = check(&Plan::bundles(pairs, waiting, weight, capacity));
        assert!(done.into_iter().all(|done| done));
        [slabs, bundles]
    }

    fn clique(documents: std::ops::Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        documents
            .clone()
            .flat_map(move |a| (a + 1..documents.end).map(move |b| (a, b)))
    }

    #[test]
    fn components_that_fit_are_read_once() {
        let pairs: Vec<_> = (0..10).flat_map(|i| clique(i * 10..i * 10 + 10)).collect();
        let [slabs, bundles] = jobs(
            &pairs,
            &[1; 100],
            Capacity {
                wanted: 25,
                most: 40,
            },
        );
        assert_eq!(
            slabs.iter().map(Vec::len).collect::<Vec<_>>(),
            [30, 30, 30, 10]
        );
        assert!(bundles.is_empty());
    }

    #[test]
    fn a_clique_beyond_the_capacity_takes_each_two_of_its_half_slabs() {
        let pairs: Vec<_> = clique(0..100).collect();
        let [slabs, bundles] = jobs(
            &pairs,
            &[1; 100],
            Capacity {
                wanted: 10,
                most: 10,
            },
        );
        assert_eq!(slabs.len(), 10);
        // There are 190 bundles between 20 half slabs; some are done already.
        assert!((150..=190).contains(&bundles.len()), "{}", bundles.len());
    }

    #[test]
    fn documents_heavier_than_the_capacity_go_two_by_two() {
        let pairs: Vec<_> = clique(0..5).collect();
        let [slabs, bundles] = jobs(
            &pairs,
            &[100; 5],
            Capacity {
                wanted: 10,
                most: 10,
            },
        );
        assert_eq!((slabs.len(), bundles.len()), (0, 10));
    }

    proptest! {
        #[test]
        fn every_pair_is_done_once_within_the_capacity(
            edges in prop::collection::btree_set((0..40_u32, 0..40_u32), 0..200),
            weights in prop::collection::vec(0..20_u32, 40),
            most in 2..60_u64,
            wanted in 1..60_u64,
        ) {
            let pairs: Vec<_> = edges.into_iter().filter(|(a, b)| a < b).collect();
            jobs(&pairs, &weights, Capacity { wanted: wanted.min(most), most });
        }
    }
}
