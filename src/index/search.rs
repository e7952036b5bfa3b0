//! Entries → all pairs within k: runs a strategy on both cores.
//!
//! A block is joined shelf by shelf. With radius 0 the entries of a bucket are compared with each
//! other, and one shelf is held at a time. With a larger radius a bucket is also compared with those
//! whose keys differ in a few bits; two shelves at a time are worked on, so that the buckets that
//! meet lie in the cache.
//!
//! **Crowded buckets.** Two buckets that would take many comparisons are a search of their own, over
//! the bits outside the key, and are planned like the whole: where another block can split them, it
//! does. Each level leaves out the pairs that an earlier block of any level has (its rules), so every
//! pair still comes once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::compare::{Hit, Kernel, Run};
use super::layout::{self, Block, Region, Rule};
use super::method::Method;
use super::partition::{Entries, Partition, Shelf};
use super::plan::{self, Sides, Strategy};

/// Comparisons of one kernel call: bounds the list of hits (1.5 MiB).
const CALL: usize = 1 << 17;
/// Buckets of one kernel call.
const CALL_TASKS: usize = 512;
/// Rows of one kernel call where a long run is compared with itself.
const CALL_ROWS: u32 = 1 << 6;
/// Entries on each side of a tile of the comparison of all pairs: 16 KiB of values.
const TILE: usize = 1 << 11;
/// From so many comparisons on, it is asked whether two buckets are connected already.
const CROWD: usize = 1 << 8;
/// From so many comparisons on, two buckets are planned as a search of their own.
const CROWDED: usize = 1 << 23;
/// Pairs that are handed on at once.
const HANDFUL: usize = 1 << 12;
/// Searches within searches; each takes a key's bits away, so few are ever needed.
const MAX_DEPTH: u32 = 6;

/// A pair by the ids of its entries; `a` is from the first side. In a self-join in any order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdPair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) distance: u32,
}

/// Takes the pairs that a search finds, from any thread. `Break` ends the search.
pub(crate) type Sink<'a> = dyn Fn(&[IdPair]) -> ControlFlow<()> + Sync + 'a;

/// Tells which ids are connected already: ids of the same root are. Roots may change meanwhile.
pub(crate) type Roots<'a> = dyn Fn(u32) -> u32 + Sync + 'a;

/// A search in progress.
pub(crate) struct Search<'a> {
    kernel: &'static Kernel,
    max_distance: u32,
    forced: Option<Method>,
    sink: &'a Sink<'a>,
    roots: Option<&'a Roots<'a>>,
    stopped: AtomicBool,
}

/// Buffers of a thread.
#[derive(Default)]
struct Worker {
    within: Vec<Run>,
    cross: Vec<(Run, Run)>,
    comparisons: usize,
    hits: Vec<Hit>,
    pairs: Vec<IdPair>,
}

/// Two runs of entries that are compared, and what is left out.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    sides: Sides<'a>,
    rules: &'a [Rule],
}

impl<'a> Meeting<'a> {
    fn b(&self) -> Entries<'a> {
        self.sides.b.unwrap_or(self.sides.a)
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        kernel: &'static Kernel,
        max_distance: u32,
        forced: Option<Method>,
        sink: &'a Sink<'a>,
    ) -> Self {
        Self {
            kernel,
            max_distance,
            forced,
            sink,
            roots: None,
            stopped: AtomicBool::new(false),
        }
    }

    /// Leaves out the pairs of crowds that are connected already.
    pub(crate) fn skip_connected(mut self, roots: &'a Roots<'a>) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Finds all pairs: in a self-join every two entries once, else every entry of `a` with every
    /// one of `b`. Entries of equal value count in the latter only; a self-join expects distinct
    /// values. `Break` when the sink ended it.
    pub(crate) fn run(&self, sides: Sides<'_>, strategy: &Strategy) -> ControlFlow<()> {
        self.execute(sides, Region::whole(self.max_distance), strategy, &[], 0);
        if self.stopped() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// As [`run`](Self::run), with the strategy that the plan chooses for these sides.
    pub(crate) fn plan_and_run(&self, sides: Sides<'_>) -> ControlFlow<()> {
        let region = Region::whole(self.max_distance);
        let choice = plan::choose(&sides, region, self.max_distance, self.kernel, self.forced);
        self.run(sides, &choice.strategy)
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn execute(
        &self,
        sides: Sides<'_>,
        region: Region,
        strategy: &Strategy,
        rules: &[Rule],
        depth: u32,
    ) {
        match strategy {
            Strategy::Nothing => {}
            Strategy::AllPairs => self.all_pairs(Meeting { sides, rules }),
            Strategy::Blocks(blocks) => {
                let mut rules = rules.to_vec();
                for block in blocks {
                    if block.radius == 0 {
                        self.join_equal(
                            Meeting {
                                sides,
                                rules: &rules,
                            },
                            region,
                            block,
                            depth,
                        );
                    } else {
                        self.join_near(
                            Meeting {
                                sides,
                                rules: &rules,
                            },
                            region,
                            block,
                            depth,
                        );
                    }
                    rules.push(block.rule());
                }
            }
        }
    }

    /// Compares every two, tile by tile.
    fn all_pairs(&self, meeting: Meeting<'_>) {
        let tiles_of = |n: usize| n.div_ceil(TILE);
        let rows = tiles_of(meeting.sides.a.len());
        let columns = tiles_of(meeting.b().len());
        let tile = |index: usize, n: usize| Run {
            start: (index * TILE) as u32,
            end: ((index + 1) * TILE).min(n) as u32,
        };
        let (n, m) = (meeting.sides.a.len(), meeting.b().len());
        let self_join = meeting.sides.b.is_none();
        (0..rows).into_par_iter().for_each(|row| {
            let first = if self_join { row } else { 0 };
            (first..columns)
                .into_par_iter()
                .for_each_init(Worker::default, |worker, column| {
                    if self.stopped() {
                        return;
                    }
                    if self_join && row == column {
                        self.compare_within(meeting, tile(row, n), worker);
                    } else {
                        self.compare_cross(meeting, tile(row, n), tile(column, m), worker);
                    }
                    self.flush(meeting, worker);
                });
        });
    }

    /// Joins a block of radius 0: each bucket with itself, or with its like on the other side.
    fn join_equal(&self, meeting: Meeting<'_>, region: Region, block: &Block, depth: u32) {
        let a = Partition::new(meeting.sides.a, block.key);
        let b = meeting.sides.b.map(|b| Partition::new(b, block.key));
        let after = region.after(&block.key, 0);
        (0..a.shelf_count()).into_par_iter().for_each_init(
            <(Shelf, Shelf, Worker)>::default,
            |(shelf_a, shelf_b, worker), index| {
                if self.stopped() {
                    return;
                }
                a.gather(index, shelf_a);
                if let Some(b) = &b {
                    b.gather(index, shelf_b);
                }
                let meeting = Meeting {
                    sides: Sides {
                        a: shelf_a.entries(),
                        b: b.is_some().then(|| shelf_b.entries()),
                    },
                    rules: meeting.rules,
                };
                for bucket in 0..shelf_a.bucket_count() {
                    let run = shelf_a.bucket(bucket);
                    if meeting.sides.b.is_some() {
                        let other = shelf_b.bucket(bucket);
                        self.meet(meeting, run, other, after, worker, depth);
                    } else {
                        self.meet_itself(meeting, run, after, worker, depth);
                    }
                }
                self.flush(meeting, worker);
            },
        );
    }

    /// Joins a block with a radius: each bucket with those whose keys are near.
    fn join_near(&self, meeting: Meeting<'_>, region: Region, block: &Block, depth: u32) {
        let shelves = |entries: Entries<'_>| -> Vec<Shelf> {
            let partition = Partition::new(entries, block.key);
            (0..partition.shelf_count())
                .into_par_iter()
                .map(|index| {
                    let mut shelf = Shelf::default();
                    partition.gather(index, &mut shelf);
                    shelf
                })
                .collect()
        };
        let a = shelves(meeting.sides.a);
        let b = meeting.sides.b.map(shelves);
        let self_join = b.is_none();
        let b = b.as_ref().unwrap_or(&a);
        let lower_bits = block.key.bits - a.len().ilog2();
        let upper_words = layout::words(a.len().ilog2(), block.radius);
        let lower_words = layout::words(lower_bits, block.radius);
        let jobs: Vec<(usize, usize)> = (0..a.len())
            .flat_map(|upper| upper_words.iter().map(move |word| (upper, upper ^ word)))
            .filter(|(x, y)| !self_join || x <= y)
            .collect();
        jobs.into_par_iter()
            .for_each_init(Worker::default, |worker, (x, y)| {
                let (shelf_a, shelf_b) = (&a[x], &b[y]);
                if self.stopped() || shelf_a.values.is_empty() || shelf_b.values.is_empty() {
                    return;
                }
                let same_shelf = self_join && x == y;
                let meeting = Meeting {
                    sides: Sides {
                        a: shelf_a.entries(),
                        b: (!same_shelf).then(|| shelf_b.entries()),
                    },
                    rules: meeting.rules,
                };
                let upper_distance = (x ^ y).count_ones();
                for word in &lower_words {
                    let distance = upper_distance + word.count_ones();
                    if distance > block.radius {
                        break;
                    }
                    let after = region.after(&block.key, distance);
                    for bucket in 0..shelf_a.bucket_count() {
                        let run = shelf_a.bucket(bucket);
                        if same_shelf && *word == 0 {
                            self.meet_itself(meeting, run, after, worker, depth);
                        } else if !same_shelf || bucket < bucket ^ word {
                            let other = shelf_b.bucket(bucket ^ word);
                            self.meet(meeting, run, other, after, worker, depth);
                        }
                    }
                }
                self.flush(meeting, worker);
            });
    }

    /// Every two entries of a bucket. Their other bits differ as `after` allows.
    #[inline]
    fn meet_itself(
        &self,
        meeting: Meeting<'_>,
        run: Run,
        after: Region,
        worker: &mut Worker,
        depth: u32,
    ) {
        let comparisons = run.len() * run.len() / 2;
        if run.len() < 2 || (comparisons >= CROWD && self.is_settled(meeting, run, run)) {
        } else if comparisons < CALL {
            worker.within.push(run);
            worker.comparisons += comparisons;
            if worker.comparisons >= CALL || worker.within.len() >= CALL_TASKS {
                self.flush(meeting, worker);
            }
        } else if comparisons >= CROWDED && depth < MAX_DEPTH {
            let sides = Sides {
                a: meeting.sides.a.slice(run.start as usize..run.end as usize),
                b: None,
            };
            self.descend(sides, after, meeting.rules, depth);
        } else {
            self.compare_within(meeting, run, worker);
        }
    }

    /// Every entry of a bucket with every one of another.
    #[inline]
    fn meet(
        &self,
        meeting: Meeting<'_>,
        a: Run,
        b: Run,
        after: Region,
        worker: &mut Worker,
        depth: u32,
    ) {
        let comparisons = a.len() * b.len();
        if comparisons == 0 || (comparisons >= CROWD && self.is_settled(meeting, a, b)) {
        } else if comparisons < CALL {
            worker.cross.push((a, b));
            worker.comparisons += comparisons;
            if worker.comparisons >= CALL || worker.cross.len() >= CALL_TASKS {
                self.flush(meeting, worker);
            }
        } else if comparisons >= CROWDED && depth < MAX_DEPTH {
            let sides = Sides {
                a: meeting.sides.a.slice(a.start as usize..a.end as usize),
                b: Some(meeting.b().slice(b.start as usize..b.end as usize)),
            };
            self.descend(sides, after, meeting.rules, depth);
        } else {
            self.compare_cross(meeting, a, b, worker);
        }
    }

    /// Whether all entries of both runs are connected already, so that their pairs are not wanted.
    fn is_settled(&self, meeting: Meeting<'_>, a: Run, b: Run) -> bool {
        let Some(roots) = self.roots else {
            return false;
        };
        let a = &meeting.sides.a.ids[a.start as usize..a.end as usize];
        let b = &meeting.b().ids[b.start as usize..b.end as usize];
        let Some(root) = a.first().map(|&id| roots(id)) else {
            return true;
        };
        a.iter().chain(b.iter().rev()).all(|&id| roots(id) == root)
    }

    /// Crowded buckets: a search of their own over the bits that are left.
    fn descend(&self, sides: Sides<'_>, region: Region, rules: &[Rule], depth: u32) {
        if self.stopped() {
            return;
        }
        let choice = plan::choose(&sides, region, self.max_distance, self.kernel, None);
        self.execute(sides, region, &choice.strategy, rules, depth + 1);
    }

    /// Compares a long run with itself, in several kernel calls.
    fn compare_within(&self, meeting: Meeting<'_>, run: Run, worker: &mut Worker) {
        self.flush(meeting, worker);
        let mut rest = run;
        while rest.start < rest.end {
            let head = Run {
                start: rest.start,
                end: (rest.start + CALL_ROWS).min(run.end),
            };
            rest.start = head.end;
            worker.within.push(head);
            self.compare_cross(meeting, head, rest, worker);
        }
    }

    /// Compares two long runs, in several kernel calls.
    fn compare_cross(&self, meeting: Meeting<'_>, a: Run, b: Run, worker: &mut Worker) {
        self.flush(meeting, worker);
        let mut columns = b;
        while columns.start < columns.end {
            let tile = Run {
                start: columns.start,
                end: (columns.start + TILE as u32).min(b.end),
            };
            columns.start = tile.end;
            let step = (CALL / tile.len()) as u32;
            let mut rows = a;
            while rows.start < rows.end {
                let head = Run {
                    start: rows.start,
                    end: (rows.start + step).min(a.end),
                };
                rows.start = head.end;
                if !self.is_settled(meeting, head, tile) {
                    worker.cross.push((head, tile));
                    self.flush(meeting, worker);
                }
            }
        }
    }

    /// Runs the kernel over the tasks in hand and hands the pairs on.
    fn flush(&self, meeting: Meeting<'_>, worker: &mut Worker) {
        let (a, b) = (meeting.sides.a, meeting.b());
        worker.comparisons = 0;
        if self.stopped() {
            worker.within.clear();
            worker.cross.clear();
            return;
        }
        if !worker.within.is_empty() {
            let (runs, hits) = (&worker.within, &mut worker.hits);
            (self.kernel.within)(a.values, runs, self.max_distance, hits);
            worker.within.clear();
            self.hand_on(meeting.rules, a, a, worker);
        }
        if !worker.cross.is_empty() {
            let (tasks, hits) = (&worker.cross, &mut worker.hits);
            (self.kernel.cross)(a.values, b.values, tasks, self.max_distance, hits);
            worker.cross.clear();
            self.hand_on(meeting.rules, a, b, worker);
        }
    }

    /// Leaves out what an earlier block has, looks the ids up, and hands the pairs on.
    fn hand_on(&self, rules: &[Rule], a: Entries<'_>, b: Entries<'_>, worker: &mut Worker) {
        for hits in worker.hits.chunks(HANDFUL) {
            for hit in hits {
                let (i, j) = (hit.a as usize, hit.b as usize);
                let difference = a.values[i] ^ b.values[j];
                if rules.iter().any(|rule| rule.excludes(difference)) {
                    continue;
                }
                worker.pairs.push(IdPair {
                    a: a.ids[i],
                    b: b.ids[j],
                    distance: hit.distance,
                });
            }
            if !worker.pairs.is_empty() && !self.stopped() {
                if (self.sink)(&worker.pairs).is_break() {
                    self.stopped.store(true, Ordering::Relaxed);
                }
                worker.pairs.clear();
            }
        }
        worker.hits.clear();
    }
}
