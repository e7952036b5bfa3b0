//! Pairs → jobs: which documents are held together, so that each pair finds both of its own.
//!
//! Documents that are linked by pairs form components. Small components share a job, as many as
//! fit. A component that is too large is cut into slabs of half the capacity, and each two slabs
//! with pairs between them are a job.

/// Which pairs each job scores.
#[derive(Debug)]
pub(super) struct Plan {
    /// Indices of pairs, grouped by job, ascending within each.
    indices: Vec<u32>,
    /// Job `j` has `indices[starts[j]..starts[j + 1]]`.
    starts: Vec<u32>,
}

/// Finds the root of `x`, halving the path.
fn find(parents: &mut [u32], mut x: u32) -> u32 {
    while parents[x as usize] != x {
        parents[x as usize] = parents[parents[x as usize] as usize];
        x = parents[x as usize];
    }
    x
}

impl Plan {
    /// Plans for tiles that hold a total weight of `capacity`; `weight` gives about that of a
    /// document. Cost: near linear in pairs and documents.
    pub(super) fn new(pairs: &[(u32, u32)], weight: impl Fn(u32) -> u32, capacity: u64) -> Self {
        let documents = pairs.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap_or(0);
        let mut parents: Vec<u32> = (0..documents).collect();
        for &(a, b) in pairs {
            let (a, b) = (find(&mut parents, a), find(&mut parents, b));
            // The least document is the root.
            parents[a.max(b) as usize] = a.min(b);
        }
        let mut touched = vec![false; documents as usize];
        for &(a, b) in pairs {
            touched[a as usize] = true;
            touched[b as usize] = true;
        }
        let roots: Vec<u32> = (0..documents).map(|x| find(&mut parents, x)).collect();
        drop(parents);

        let mut order: Vec<u32> = (0..documents).filter(|&x| touched[x as usize]).collect();
        order.sort_by_key(|&x| roots[x as usize]);

        // Slabs: whole components while they fit, else parts of one component.
        let mut slab_of = vec![0_u32; documents as usize];
        let mut slab = 0;
        let mut filled = 0_u64;
        for component in order.chunk_by(|&x, &y| roots[x as usize] == roots[y as usize]) {
            let size: u64 = component.iter().map(|&x| u64::from(weight(x))).sum();
            if filled > 0 && filled + size > capacity {
                slab += 1;
                filled = 0;
            }
            if size <= capacity {
                for &x in component {
                    slab_of[x as usize] = slab;
                }
                filled += size;
                continue;
            }
            for &x in component {
                let size = u64::from(weight(x));
                if filled > 0 && filled + size > capacity / 2 {
                    slab += 1;
                    filled = 0;
                }
                slab_of[x as usize] = slab;
                filled += size;
            }
            slab += 1;
            filled = 0;
        }

        let job_of = |&(a, b): &(u32, u32)| {
            let (a, b) = (slab_of[a as usize], slab_of[b as usize]);
            (a.min(b), a.max(b))
        };
        let mut indices: Vec<u32> = (0..pairs.len() as u32).collect();
        indices.sort_by_key(|&index| job_of(&pairs[index as usize]));
        let mut starts = vec![0];
        let same_job =
            |&x: &u32, &y: &u32| job_of(&pairs[x as usize]) == job_of(&pairs[y as usize]);
        for job in indices.chunk_by(same_job) {
            starts.push(starts[starts.len() - 1] + job.len() as u32);
        }
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

    /// The documents of these pairs, ascending.
    pub(super) fn documents_of(&self, job: usize, pairs: &[(u32, u32)]) -> Vec<u32> {
        let mut documents: Vec<u32> = (self.pairs_of(job).iter())
            .flat_map(|&index| <[u32; 2]>::from(pairs[index as usize]))
            .collect();
        documents.sort_unstable();
        documents.dedup();
        documents
    }
}
