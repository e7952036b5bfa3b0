//! Runs of fingerprints → the pairs of them that are within k: the inner loop of the index.
//!
//! A table of kernels, one for each instruction set, all with the same result up to the order of
//! the hits. [`portable`] is the oracle of the others.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::cpu::Level;

/// A run `start..end` of a slice of fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Run {
    /// Number of fingerprints.
    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    fn of(self, values: &[u64]) -> &[u64] {
        &values[self.start as usize..self.end as usize]
    }
}

/// Two fingerprints within the distance, by their places in the two slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) distance: u32,
}

/// Compares each fingerprint of the first run with each of the second, for all the tasks.
type Cross = fn(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>);
/// Compares every two fingerprints of a run, for all the runs; in a hit, `a < b`.
type Within = fn(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>);

/// The comparison for one instruction set. Hits are appended, in no special order.
pub(crate) struct Kernel {
    pub(crate) level: Level,
    pub(crate) cross: Cross,
    pub(crate) within: Within,
}

/// Every kernel, worst first.
static KERNELS: &[Kernel] = &[
    Kernel {
        level: Level::Portable,
        cross: portable::cross,
        within: portable::within,
    },
    #[cfg(target_arch = "x86_64")]
    Kernel {
        level: Level::Avx2,
        cross: avx2::cross,
        within: avx2::within,
    },
    #[cfg(target_arch = "x86_64")]
    Kernel {
        level: Level::Avx512,
        cross: avx512::cross,
        within: avx512::within,
    },
];

impl Kernel {
    /// The kernel of a level, or the portable one where the processor lacks it.
    pub(crate) fn of(level: Level) -> &'static Self {
        let available = level.is_available();
        KERNELS
            .iter()
            .find(|kernel| available && kernel.level == level)
            .unwrap_or(&KERNELS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of which many are near each other.
    fn values(n: usize, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        let center = next();
        (0..n)
            .map(|_| match next() >> 62 {
                0 => next(),
                1 => center ^ (1 << (next() >> 58)),
                2 => center ^ (1 << (next() >> 58)) ^ (1 << (next() >> 58)),
                _ => center ^ (next() & next() & next()),
            })
            .collect()
    }

    fn all(n: usize) -> Run {
        Run {
            start: 0,
            end: n as u32,
        }
    }

    fn kernels() -> impl Iterator<Item = &'static Kernel> {
        KERNELS.iter().filter(|kernel| kernel.level.is_available())
    }

    #[test]
    fn every_level_has_its_kernel() {
        for level in Level::available() {
            assert_eq!(Kernel::of(level).level, level);
        }
    }

    #[test]
    fn cross_matches_naive_at_all_lengths() {
        let (a, b) = (values(80, 1), values(80, 2));
        for kernel in kernels() {
            for (n, m) in (0..40).flat_map(|n| (0..40).map(move |m| (n, m))).chain([
                (80, 80),
                (3, 80),
                (80, 3),
            ]) {
                let k = (n * 7 + m) as u32 % 65;
                // Misaligned on purpose: the runs start at 1 where there is room.
                let run = |n: usize| {
                    let start = u32::from(n % 2 == 1 && n < 80);
                    Run {
                        start,
                        end: start + n as u32,
                    }
                };
                let (ra, rb) = (run(n), run(m));
                let mut expected = Vec::new();
                for i in ra.start..ra.end {
                    for j in rb.start..rb.end {
                        let distance = (a[i as usize] ^ b[j as usize]).count_ones();
                        if distance <= k {
                            expected.push(Hit {
                                a: i,
                                b: j,
                                distance,
                            });
                        }
                    }
                }
                let mut hits = Vec::new();
                (kernel.cross)(&a, &b, &[(ra, rb)], k, &mut hits);
                hits.sort_unstable();
                assert_eq!(hits, expected, "{:?} {n} {m} {k}", kernel.level);
            }
        }
    }

    #[test]
    fn within_matches_naive_at_all_lengths() {
        for kernel in kernels() {
            for n in 0..100 {
                for k in [0, 1, 3, 10, 31, 32, 63, 64] {
                    let values = values(n, n as u64);
                    let mut expected = Vec::new();
                    for a in 0..n as u32 {
                        for b in a + 1..n as u32 {
                            let distance = (values[a as usize] ^ values[b as usize]).count_ones();
                            if distance <= k {
                                expected.push(Hit { a, b, distance });
                            }
                        }
                    }
                    let mut hits = Vec::new();
                    (kernel.within)(&values, &[all(n)], k, &mut hits);
                    hits.sort_unstable();
                    assert_eq!(hits, expected, "{:?} {n} {k}", kernel.level);
                }
            }
        }
    }

    #[test]
    fn all_bits_differ_at_distance_64() {
        for kernel in kernels() {
            let (a, b) = (vec![0; 9], vec![u64::MAX; 11]);
            for (k, count) in [(63, 0), (64, 99)] {
                let mut hits = Vec::new();
                (kernel.cross)(&a, &b, &[(all(9), all(11))], k, &mut hits);
                assert_eq!(hits.len(), count);
                assert!(hits.iter().all(|hit| hit.distance == 64));
            }
        }
    }

    #[test]
    fn several_tasks_add_up() {
        let values = values(60, 5);
        let runs = [all(7), Run { start: 7, end: 7 }, Run { start: 9, end: 60 }];
        for kernel in kernels() {
            let mut together = Vec::new();
            (kernel.within)(&values, &runs, 9, &mut together);
            let mut apart = Vec::new();
            for run in runs {
                (kernel.within)(&values, &[run], 9, &mut apart);
            }
            assert_eq!(together, apart);
        }
    }
}
