//! Fingerprints → all pairs within Hamming distance k, exact for every k from 0 to 64.
//!
//! 1. Equal fingerprints are collapsed: copies cost nothing in the search, and are told apart
//!    again when pairs are handed out.
//! 2. A plan chooses between comparing every two and cutting the bits into blocks in which near
//!    pairs must meet (the pigeonhole argument), by a cost model and a sample of the data.
//! 3. The search joins bucket with bucket on all cores, with vector instructions where the processor
//!    has them. Every pair is found once. Crowded buckets are planned again, over the other bits.
//! 4. Pairs leave unordered, for union–find, or in the order of positions, in bounded memory.
//!
//! [`brute`] is the oracle. The method, the instruction set and the number of threads never change
//! the result.

pub mod brute;
mod collapse;
mod compare;
mod layout;
mod method;
mod order;
mod ordered;
mod partition;
mod plan;
mod search;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

pub use self::method::Method;
pub use self::plan::Plan;

use self::collapse::Distinct;
use self::compare::Kernel;
use self::layout::Region;
use self::ordered::Ordered;
use self::plan::Sides;
use self::search::{IdPair, Search, Sink};
use crate::cpu::Level;
use crate::error::Error;

/// Two positions whose fingerprints are within the distance asked for. `a < b`; ordered by
/// `(a, b)`, which is path order where positions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// The position that comes first.
    pub a: u32,
    /// The other position.
    pub b: u32,
    /// Hamming distance, 0..=64.
    pub distance: u8,
}

/// Tells, from any thread, whether a pair is wanted; always the same of the same pair.
pub type Keep<'a> = dyn Fn(&Candidate) -> bool + Sync + 'a;

/// What is joined: a fingerprint for each position.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    pub(crate) fingerprints: &'a [u64],
    pub(crate) absent: Vec<u32>,
    pub(crate) apart: Vec<Vec<u32>>,
}

/// More positions than this cannot be joined in one go.
pub const MAX_ITEMS: usize = 1 << 31;

impl<'a> Items<'a> {
    /// The fingerprint of each position; at most [`MAX_ITEMS`].
    ///
    /// # Errors
    /// [`Error::Argument`] when there are more.
    pub fn new(fingerprints: &'a [u64]) -> Result<Self, Error> {
        if fingerprints.len() > MAX_ITEMS {
            return Err(Error::Argument {
                argument: "fingerprints".to_string(),
                message: format!("more than {MAX_ITEMS} cannot be compared in one run"),
            });
        }
        Ok(Self {
            fingerprints,
            absent: Vec::new(),
            apart: Vec::new(),
        })
    }

    /// Positions that have no fingerprint, whatever stands at their place.
    #[must_use]
    pub fn absent(mut self, mut positions: Vec<u32>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        self.absent = positions;
        self
    }

    /// Groups of absent positions whose bytes are equal: they pair among themselves at distance 0
    /// and with nobody else. A position may be in one group only.
    #[must_use]
    pub fn apart(mut self, mut groups: Vec<Vec<u32>>) -> Self {
        for group in &mut groups {
            group.sort_unstable();
            group.dedup();
        }
        groups.retain(|group| group.len() > 1);
        self.apart = groups;
        self
    }
}

/// How a [`Join`] works; nothing here changes its result.
#[derive(Debug, Clone, Copy)]
pub struct JoinOptions {
    /// Take this method, where it can serve the distance.
    pub method: Option<Method>,
    /// Compare with this instruction set, where the processor has it.
    pub level: Level,
    /// Bytes that pairs may take while they are put in order.
    pub budget_bytes: usize,
}

impl Default for JoinOptions {
    fn default() -> Self {
        Self {
            method: None,
            level: Level::current(),
            budget_bytes: 96 << 20,
        }
    }
}

/// The search for all pairs within a distance.
pub struct Join<'a> {
    items: Items<'a>,
    distinct: Distinct,
    plan: Plan,
    kernel: &'static Kernel,
    method: Option<Method>,
    budget_bytes: usize,
}

/// Pairs that are handed out at once, in no order.
const HANDFUL: usize = 1 << 12;

impl<'a> Join<'a> {
    /// Prepares the search for pairs that differ in at most `max_distance` bits (inclusive; more
    /// than 64 is 64): sorts, collapses and plans. Works in the ambient rayon pool, here and later.
    ///
    /// Cost: some 30 ns a fingerprint, and 24 bytes, of which 12 stay (see
    /// [`memory_usage`](Self::memory_usage)).
    pub fn new(items: Items<'a>, max_distance: u32, options: &JoinOptions) -> Self {
        let max_distance = max_distance.min(64);
        let distinct = Distinct::new(&items);
        let kernel = Kernel::of(options.level);
        let sides = Sides {
            a: distinct.entries(),
            b: None,
        };
        let choice = plan::choose(
            &sides,
            Region::whole(max_distance),
            max_distance,
            kernel,
            options.method,
        );
        let plan = Plan {
            positions: items.fingerprints.len() - items.absent.len(),
            distinct: distinct.entries().len(),
            max_distance,
            level: kernel.level,
            choice,
        };
        Self {
            items,
            distinct,
            plan,
            kernel,
            method: options.method,
            budget_bytes: options.budget_bytes,
        }
    }

    /// What was chosen and why.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Bytes that the prepared search holds, without the caller's fingerprints. A search takes 12 to
    /// 24 bytes more for each distinct fingerprint while it runs, and the budget.
    pub fn memory_usage(&self) -> usize {
        let apart: usize = self.items.apart.iter().map(Vec::capacity).sum();
        self.distinct.memory_usage() + (self.items.absent.capacity() + apart) * 4
    }

    /// Visits every pair once, in slices, in no special order, from any thread. After a `Break` the
    /// search ends; slices that other threads have in hand may still come.
    ///
    /// Memory does not depend on the number of pairs.
    pub fn for_each_unordered(&self, visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync)) {
        let sink = |pairs: &[IdPair]| {
            let mut handful = Vec::with_capacity(pairs.len());
            for pair in pairs {
                for &a in self.distinct.positions(&pair.a) {
                    for &b in self.distinct.positions(&pair.b) {
                        push(&mut handful, a, b, pair.distance, visit)?;
                    }
                }
            }
            finish(&handful, visit)
        };
        if self.run(&self.search(&sink)).is_break() {
            return;
        }
        let _ = self.for_each_equal(|positions| {
            let mut handful = Vec::new();
            for (index, &a) in positions.iter().enumerate() {
                for &b in &positions[index + 1..] {
                    push(&mut handful, a, b, 0, visit)?;
                }
            }
            finish(&handful, visit)
        });
    }

    /// Visits enough pairs to connect whatever all pairs connect, as
    /// [`for_each_unordered`](Self::for_each_unordered) does. Of several equal fingerprints only the
    /// first position pairs with others, and they themselves come as a chain. Crowds whose members
    /// are connected already are not even compared: `root` tells, of equal roots for positions that
    /// are connected by pairs visited so far (a union–find's `find`); it is called from any thread.
    pub fn for_each_link(
        &self,
        root: &(dyn Fn(u32) -> u32 + Sync),
        visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync),
    ) {
        let first = |id: u32| self.distinct.positions(&id)[0];
        let sink = |pairs: &[IdPair]| {
            let mut handful = Vec::with_capacity(pairs.len());
            for pair in pairs {
                push(
                    &mut handful,
                    first(pair.a),
                    first(pair.b),
                    pair.distance,
                    visit,
                )?;
            }
            finish(&handful, visit)
        };
        let root_of_id = |id| root(first(id));
        let search = self.search(&sink).skip_connected(&root_of_id);
        if self.run(&search).is_break() {
            return;
        }
        let _ = self.for_each_equal(|positions| {
            let mut handful = Vec::new();
            for link in positions.windows(2) {
                push(&mut handful, link[0], link[1], 0, visit)?;
            }
            finish(&handful, visit)
        });
    }

    /// Visits all pairs that `keep` keeps, sorted by `(a, b)`, in batches. A batch holds all those
    /// of each `a` that occurs in it, some 262,144 pairs in all unless one `a` has more. The first
    /// answer comes soon, a `Break` ends the search at once. `keep` is asked of every pair, maybe
    /// more than once, before the pairs are put in order: what it drops takes no memory.
    ///
    /// Memory: the budget, and what the search needs; a single `a` whose pairs exceed the budget
    /// is held all the same.
    pub fn for_each_batch(
        &self,
        keep: &Keep<'_>,
        visit: &mut dyn FnMut(&[Candidate]) -> ControlFlow<()>,
    ) {
        let _ = Ordered::new(self, keep).visit(visit);
    }

    /// A search that hands its pairs to the sink.
    fn search<'s>(&self, sink: &'s Sink<'s>) -> Search<'s> {
        Search::new(self.kernel, self.plan.max_distance, self.method, sink)
    }

    /// Finds every two distinct fingerprints that are near.
    fn run(&self, search: &Search<'_>) -> ControlFlow<()> {
        let sides = Sides {
            a: self.distinct.entries(),
            b: None,
        };
        search.run(sides, &self.plan.choice.strategy)
    }

    /// Visits each list of positions that are equal: by fingerprint, or without one by bytes.
    fn for_each_equal(&self, visit: impl Fn(&[u32]) -> ControlFlow<()> + Sync) -> ControlFlow<()> {
        let stopped = AtomicBool::new(false);
        let lists = self.distinct.repeated();
        let apart = self.items.apart.par_iter().map(Vec::as_slice);
        lists.chain(apart).for_each(|positions| {
            if !stopped.load(Ordering::Relaxed) && visit(positions).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
        });
        if stopped.into_inner() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Adds the pair of two positions, in whichever order they come, to a handful.
fn push(
    handful: &mut Vec<Candidate>,
    a: u32,
    b: u32,
    distance: u32,
    visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    handful.push(Candidate {
        a: a.min(b),
        b: a.max(b),
        distance: distance as u8,
    });
    if handful.len() < HANDFUL {
        return ControlFlow::Continue(());
    }
    let flow = visit(handful);
    handful.clear();
    flow
}

/// Visits what is left of a handful.
fn finish(
    handful: &[Candidate],
    visit: &(dyn Fn(&[Candidate]) -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    if handful.is_empty() {
        ControlFlow::Continue(())
    } else {
        visit(handful)
    }
}

#[cfg(test)]
mod tests;
