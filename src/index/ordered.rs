//! All pairs in the order of `(a, b)`, in memory that does not depend on how many there are. Pairs
//! that the caller does not want are dropped as soon as they are found.
//!
//! 1. **A first answer.** The first few positions are compared with all others: a reader who wants
//!    one pair has it at once, and the number of pairs tells how dense they are.
//! 2. **All at once.** Where the pairs are expected to fit the budget, one search finds them all, and
//!    they are sorted.
//! 3. **Range by range.** Where they do not fit, ranges of positions are joined with all the rest,
//!    one after the other. The ranges grow and shrink with the density of the pairs. Should a range
//!    have more pairs than fit, it is cut short: the pairs of its last positions are thrown away, and
//!    these positions come again with the next range.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::collapse::Distinct;
use super::partition::{Entries, present};
use super::plan::Sides;
use super::search::IdPair;
use super::{Candidate, Join, Keep};

/// Pairs that are visited at once, about.
const BATCH: usize = 1 << 18;
/// Pairs that a thread gathers before it takes the lock.
const HANDFUL: usize = 1 << 12;
/// Comparisons of the first answer.
const FIRST_ANSWER: usize = 1 << 23;
/// A range holds at most so many positions, so that a place in it fits a packed pair.
const MAX_RANGE: usize = 1 << 25;

/// A pair in 64 bits whose order is that of `(a, b)`: `a` as a place in the range (25 bits), `b` (32
/// bits), the distance (7 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packed(u64);

impl Packed {
    fn new(place: u32, b: u32, distance: u8) -> Self {
        Self(u64::from(place) << 39 | u64::from(b) << 7 | u64::from(distance))
    }

    fn place(self) -> u32 {
        (self.0 >> 39) as u32
    }

    fn candidate(self, start: u32) -> Candidate {
        Candidate {
            a: start + self.place(),
            b: (self.0 >> 7) as u32,
            distance: (self.0 & 0x7f) as u8,
        }
    }
}

/// What to do when the pairs do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overflow {
    /// Give up: the search will be done otherwise.
    Stop,
    /// Cut the range short.
    Cut,
}

/// Gathers the wanted pairs whose first position lies in a range.
struct Collector<'k> {
    keep: &'k Keep<'k>,
    start: u32,
    /// End of the range; moves down when it is cut short.
    end: AtomicU32,
    capacity: usize,
    overflow: Overflow,
    overflowed: AtomicBool,
    pairs: Mutex<Gathered>,
}

struct Gathered {
    pairs: Vec<Packed>,
    /// Number of pairs at which the range is cut short.
    cut_at: usize,
}

impl<'k> Collector<'k> {
    fn new(keep: &'k Keep<'k>, range: Range<usize>, capacity: usize, overflow: Overflow) -> Self {
        Self {
            keep,
            start: range.start as u32,
            end: AtomicU32::new(range.end as u32),
            capacity,
            overflow,
            overflowed: AtomicBool::new(false),
            pairs: Mutex::new(Gathered {
                pairs: Vec::new(),
                cut_at: capacity,
            }),
        }
    }

    fn end(&self) -> u32 {
        self.end.load(Ordering::Relaxed)
    }

    fn overflowed(&self) -> bool {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// Takes a pair, `a < b`, into the handful of a thread.
    fn push(&self, handful: &mut Vec<Packed>, a: u32, b: u32, distance: u8) -> ControlFlow<()> {
        if a >= self.start && a < self.end() && (self.keep)(&Candidate { a, b, distance }) {
            handful.push(Packed::new(a - self.start, b, distance));
            if handful.len() >= HANDFUL {
                return self.take(handful);
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes a handful.
    fn take(&self, handful: &mut Vec<Packed>) -> ControlFlow<()> {
        let mut gathered = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        if self.overflowed() {
            // The range may have been cut short since these pairs were looked at.
            let places = self.end() - self.start;
            handful.retain(|pair| pair.place() < places);
        }
        gathered.pairs.append(handful);
        if gathered.pairs.len() <= gathered.cut_at {
            return ControlFlow::Continue(());
        }
        self.overflowed.store(true, Ordering::Relaxed);
        if self.overflow == Overflow::Stop {
            return ControlFlow::Break(());
        }
        // Keep about half. At least the first position stays, with all its pairs.
        let half = gathered.pairs.len() / 2;
        let (_, middle, _) = gathered.pairs.select_nth_unstable(half);
        let places = middle.place().max(1);
        self.end.store(self.start + places, Ordering::Relaxed);
        gathered.pairs.retain(|pair| pair.place() < places);
        gathered.cut_at = self.capacity.max(gathered.pairs.len() * 2);
        ControlFlow::Continue(())
    }

    /// The pairs in order, and the end of the range to which they are complete.
    fn finish(self) -> (Vec<Packed>, u32) {
        let gathered = self.pairs.into_inner();
        let pairs = gathered.unwrap_or_else(PoisonError::into_inner).pairs;
        (sort(pairs), self.end.into_inner())
    }
}

/// Sorts pairs: first into buckets by their place, then each bucket, which fits the cache.
fn sort(mut pairs: Vec<Packed>) -> Vec<Packed> {
    let places = pairs.iter().map(|pair| pair.place()).max().unwrap_or(0) as usize + 1;
    let wanted = (pairs.len() / 256).clamp(1, 1 << 14);
    let shift = (places / wanted).checked_ilog2().unwrap_or(0);
    let buckets = (places >> shift) + 1;
    if pairs.len() < 1 << 14 || buckets < 8 {
        pairs.par_sort_unstable();
        return pairs;
    }
    let bucket_of = |pair: &Packed| (pair.place() >> shift) as usize;
    let mut ends = vec![0_usize; buckets];
    for pair in &pairs {
        ends[bucket_of(pair)] += 1;
    }
    let mut next = 0;
    for end in &mut ends {
        next += std::mem::replace(end, next);
    }
    let mut sorted = vec![Packed(0); pairs.len()];
    for pair in pairs {
        let end = &mut ends[bucket_of(&pair)];
        sorted[*end] = pair;
        *end += 1;
    }
    let mut rest = &mut sorted[..];
    let mut parts = Vec::with_capacity(buckets);
    let mut start = 0;
    for end in ends {
        parts.extend(rest.split_off_mut(..end - start));
        start = end;
    }
    parts.into_par_iter().for_each(<[Packed]>::sort_unstable);
    sorted
}

/// The entries that still have positions behind a start, and so may be in pairs to come.
struct Others<'d> {
    distinct: &'d Distinct,
    /// Those left after the last advance, if there was one.
    left: Option<(Vec<u64>, Vec<u32>)>,
}

impl<'d> Others<'d> {
    fn new(distinct: &'d Distinct) -> Self {
        Self {
            distinct,
            left: None,
        }
    }

    /// Drops what has no position at `start` or behind it. Starts must not decrease.
    fn advance(&mut self, start: u32) {
        if start == 0 {
            return;
        }
        let all = self.distinct.entries();
        let (values, ids) = self
            .left
            .get_or_insert_with(|| (all.values.to_vec(), all.ids.to_vec()));
        let mut kept = 0;
        for index in 0..ids.len() {
            if self.distinct.positions(&ids[index]).last() >= Some(&start) {
                values[kept] = values[index];
                ids[kept] = ids[index];
                kept += 1;
            }
        }
        values.truncate(kept);
        ids.truncate(kept);
    }

    fn entries(&self) -> Entries<'_> {
        match &self.left {
            None => self.distinct.entries(),
            Some((values, ids)) => Entries { values, ids },
        }
    }
}

/// The pairs of one join, in order.
pub(super) struct Ordered<'j, 'a> {
    join: &'j Join<'a>,
    keep: &'j Keep<'j>,
    /// Pairs that fit the budget.
    capacity: usize,
}

impl<'j, 'a> Ordered<'j, 'a> {
    pub(super) fn new(join: &'j Join<'a>, keep: &'j Keep<'j>) -> Self {
        let of_batch = BATCH * size_of::<Candidate>();
        let budget = join.budget_bytes.saturating_sub(of_batch);
        Self {
            join,
            keep,
            // Twice: sorting needs a copy.
            capacity: (budget / size_of::<Packed>() / 2).max(64),
        }
    }

    /// Visits all pairs in batches; see [`Join::for_each_batch`].
    pub(super) fn visit(
        &self,
        visit: &mut dyn FnMut(&[Candidate]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let n = self.join.items.fingerprints.len();
        let distinct = self.join.distinct.entries().len().max(1);
        let mut batch = Vec::new();
        let first = (FIRST_ANSWER / distinct).clamp(1, 1 << 10).min(n);
        let mut start = 0;
        let mut rows = first;
        let mut may_take_all = true;
        let mut others = Others::new(&self.join.distinct);
        while start < n {
            let left = n - start;
            if may_take_all && left <= MAX_RANGE && (n <= first || left <= rows) {
                may_take_all = false;
                let collector = Collector::new(self.keep, start..n, self.capacity, Overflow::Stop);
                self.collect_all(&collector);
                if !collector.overflowed() {
                    let (pairs, _) = collector.finish();
                    return hand_out(&pairs, start as u32, &mut batch, visit);
                }
                rows = (left / 16).max(1);
            }
            rows = rows.min(left).min(MAX_RANGE);
            let collector =
                Collector::new(self.keep, start..start + rows, self.capacity, Overflow::Cut);
            others.advance(start as u32);
            self.collect_range(&collector, others.entries());
            let (pairs, end) = collector.finish();
            hand_out(&pairs, start as u32, &mut batch, visit)?;
            // A range that was cut short has wasted work: no longer one comes next. Else the ranges
            // grow as the pairs allow.
            let taken = end as usize - start;
            let fitting = self.fitting_rows(taken, pairs.len());
            rows = match (taken < rows, may_take_all) {
                (true, _) => fitting.min(taken),
                (false, false) => fitting.min(taken.saturating_mul(4)),
                // Too few to tell; should they not fit, that is soon seen.
                (false, true) if pairs.len() < 64 => usize::MAX,
                // A later position has fewer partners behind it: half as many on average.
                (false, true) => fitting.saturating_mul(4),
            };
            start = end as usize;
        }
        ControlFlow::Continue(())
    }

    /// How many positions have pairs for half the budget, when some had so many pairs.
    fn fitting_rows(&self, rows: usize, pairs: usize) -> usize {
        let half = self.capacity as u64 / 2;
        let fit = (rows as u64 * half).checked_div(pairs as u64);
        fit.map_or(usize::MAX, |fit| (fit as usize).max(1))
    }

    /// Collects what the whole search finds.
    fn collect_all(&self, collector: &Collector<'_>) {
        let sink = |pairs: &[IdPair]| {
            let mut handful = Vec::new();
            for pair in pairs {
                let distance = pair.distance as u8;
                for &a in self.join.distinct.positions(&pair.a) {
                    for &b in self.join.distinct.positions(&pair.b) {
                        collector.push(&mut handful, a.min(b), a.max(b), distance)?;
                    }
                }
            }
            collector.take(&mut handful)
        };
        if self.join.run(&self.join.search(&sink)).is_break() {
            return;
        }
        let _ = self.join.for_each_equal(|positions| {
            let mut handful = Vec::new();
            for (index, &a) in positions.iter().enumerate() {
                for &b in &positions[index + 1..] {
                    collector.push(&mut handful, a, b, 0)?;
                }
            }
            collector.take(&mut handful)
        });
    }

    /// Collects the pairs of the collector's range, by joining its positions with all the rest.
    fn collect_range(&self, collector: &Collector<'_>, others: Entries<'_>) {
        let range = collector.start as usize..collector.end() as usize;
        let items = &self.join.items;
        let rows = present(
            items.fingerprints,
            &items.absent,
            self.join.distinct.order(),
            range.clone(),
        );
        let (values, ids): (Vec<u64>, Vec<u32>) = rows.unzip();
        let sink = |pairs: &[IdPair]| {
            let mut handful = Vec::new();
            for pair in pairs {
                let positions = self.join.distinct.positions(&pair.b);
                let behind = positions.partition_point(|&b| b <= pair.a);
                for &b in &positions[behind..] {
                    collector.push(&mut handful, pair.a, b, pair.distance as u8)?;
                }
            }
            collector.take(&mut handful)
        };
        let search = self.join.search(&sink);
        let _ = search.plan_and_run(Sides {
            a: Entries {
                values: &values,
                ids: &ids,
            },
            b: Some(others),
        });
        let mut handful = Vec::new();
        for positions in &items.apart {
            let first = positions.partition_point(|&a| (a as usize) < range.start);
            for (index, &a) in positions.iter().enumerate().skip(first) {
                if a >= collector.end() {
                    break;
                }
                for &b in &positions[index + 1..] {
                    let _ = collector.push(&mut handful, a, b, 0);
                }
            }
        }
        let _ = collector.take(&mut handful);
    }
}

/// Hands sorted pairs to the visitor, all of an `a` in one batch.
fn hand_out(
    mut pairs: &[Packed],
    start: u32,
    batch: &mut Vec<Candidate>,
    visit: &mut dyn FnMut(&[Candidate]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while !pairs.is_empty() {
        let last = pairs[pairs.len().min(BATCH) - 1].place();
        let end = pairs.partition_point(|pair| pair.place() <= last);
        batch.clear();
        batch.extend(pairs[..end].iter().map(|pair| pair.candidate(start)));
        pairs = &pairs[end..];
        visit(batch)?;
    }
    ControlFlow::Continue(())
}
