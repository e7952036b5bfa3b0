//! Which method for this many fingerprints, this distance and this spread of the data.
//!
//! The cost of a block is that of its partition, of the buckets that are opened, and of the
//! comparisons. The number of comparisons depends on the data: real fingerprints share a key up to
//! thousands of times as often as random ones. So a sample of pairs is drawn, and the share of them
//! that is within the radius in the key is taken where it is worse than the uniform share. The
//! figures choose a method; they do not foretell the time.

use std::fmt;

use super::compare::Kernel;
use super::layout::{self, Block, Region, ball};
use super::method::Method;
use super::partition::Entries;
use crate::cpu::Level;
use crate::feature::hash::mix;

/// Nanoseconds to begin with a block, whatever its size.
const START: f64 = 3_000.0;
/// Nanoseconds to partition an entry by one block.
const PARTITION: f64 = 7.0;
/// Nanoseconds for each bucket of a partition.
const BUCKET: f64 = 1.2;
/// Nanoseconds to open a bucket, or two buckets against each other.
const PROBE: f64 = 12.0;
/// Nanoseconds to hand a pair on, or to see that an earlier block has it.
const HIT: f64 = 20.0;
/// A bucket shorter than this leaves some of the vector lanes idle.
const FULL_BUCKET: f64 = 24.0;
/// Blocks that are tried at most.
const MAX_BLOCKS: u32 = 16;

/// Nanoseconds for a comparison in full vectors.
fn comparison(level: Level) -> f64 {
    match level {
        Level::Portable => 2.4,
        Level::Avx2 => 0.37,
        Level::Avx512 => 0.09,
    }
}

/// What a search does.
#[derive(Debug, Clone)]
pub(crate) enum Strategy {
    /// Nothing: the values are distinct and the distance is 0.
    Nothing,
    /// Compare every two.
    AllPairs,
    /// Join the blocks one after the other.
    Blocks(Vec<Block>),
}

/// A strategy and its expected cost.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) strategy: Strategy,
    /// Nanoseconds on one core.
    cost: f64,
    comparisons: f64,
    /// Nanoseconds that comparing every two would take.
    all_pairs: f64,
    /// How often pairs share the keys, in multiples of random data.
    skew: f64,
}

/// The two sides of a search; one of them twice in a self-join.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) a: Entries<'a>,
    /// `None` in a self-join.
    pub(crate) b: Option<Entries<'a>>,
}

impl Sides<'_> {
    fn entries(&self) -> f64 {
        (self.a.len() + self.b.map_or(0, Entries::len)) as f64
    }

    /// Number of pairs.
    pub(crate) fn pairs(&self) -> f64 {
        let a = self.a.len() as f64;
        self.b.map_or(a * (a - 1.0) / 2.0, |b| a * b.len() as f64)
    }

    /// Differences of some pairs of the input; the more the larger it is.
    fn sample(&self) -> Vec<u64> {
        let b = self.b.unwrap_or(self.a);
        let size = match self.a.len() + b.len() {
            0..2_000 => 32,
            2_000..20_000 => 96,
            20_000..200_000 => 256,
            _ => 512,
        };
        // Places like thrown dice, the same in every run. Places at even distances would miss
        // that neighbours in sorted data share their highest bits.
        let pick = |values: &[u64], index: usize| {
            let hash = mix(index as u64, values.len() as u64, 0);
            values[((u128::from(hash) * values.len() as u128) >> 64) as usize]
        };
        let mut differences = Vec::with_capacity(size * size / 2);
        if self.a.len() == 0 || b.len() == 0 {
            return differences;
        }
        for i in 0..size {
            let x = pick(self.a.values, i);
            for j in 0..i {
                let y = pick(b.values, j);
                if x != y {
                    differences.push(x ^ y);
                }
            }
        }
        differences
    }
}

/// Shares of all pairs.
#[derive(Debug, Clone, Copy)]
struct Shares {
    /// Compared in a block.
    met: f64,
    /// Compared in the block, and within the distance.
    hit: f64,
}

impl Shares {
    /// As in the sample.
    fn of_sample(sample: &[u64], block: &Block, max_distance: u32) -> Self {
        let (mut met, mut hit) = (0_u32, 0_u32);
        for &difference in sample {
            if block.rule().excludes(difference) {
                met += 1;
                hit += u32::from(difference.count_ones() <= max_distance);
            }
        }
        let size = sample.len().max(1) as f64;
        Self {
            met: f64::from(met) / size,
            hit: f64::from(hit) / size,
        }
    }

    /// As in random data, where hits are rare.
    fn uniform(block: &Block) -> Self {
        Self {
            met: ball(block.key.bits, block.radius) / f64::from(block.key.bits).exp2(),
            hit: 0.0,
        }
    }
}

/// Cost and comparisons of a block when these shares of all pairs are met in it.
fn cost_of_block(sides: &Sides<'_>, block: &Block, shares: Shares, comparison: f64) -> (f64, f64) {
    let buckets = f64::from(block.key.bits).exp2();
    let neighbours = ball(block.key.bits, block.radius);
    let probes = match sides.b {
        Some(_) => buckets * neighbours,
        None => buckets * f64::midpoint(neighbours, 1.0),
    };
    let smaller = sides
        .b
        .map_or(sides.a.len(), |b| b.len().min(sides.a.len()));
    let full = (sides.entries() / buckets / FULL_BUCKET).clamp(0.05, 1.0);
    // No more buckets can be opened than there are entries for.
    let probes = probes.min(smaller as f64 * neighbours);
    let comparisons = sides.pairs() * shares.met;
    let cost = START
        + sides.entries() * PARTITION
        + buckets * BUCKET
        + probes * PROBE
        + comparisons * comparison / full
        + sides.pairs() * shares.hit * HIT;
    (cost, comparisons)
}

/// Chooses how to search a region, for pairs within `max_distance` in all bits.
pub(crate) fn choose(
    sides: &Sides<'_>,
    region: Region,
    max_distance: u32,
    kernel: &Kernel,
    forced: Option<Method>,
) -> Choice {
    let comparison = comparison(kernel.level);
    let all_pairs = sides.pairs() * comparison + 100.0;
    let mut best = Choice {
        strategy: Strategy::AllPairs,
        cost: all_pairs,
        comparisons: sides.pairs(),
        all_pairs,
        skew: 1.0,
    };
    if sides.b.is_none() && (region.distance == 0 || sides.a.len() < 2) {
        best.strategy = Strategy::Nothing;
        return best;
    }
    let most = region.distance + 1;
    let counts = match forced {
        Some(Method::AllPairs) => return best,
        Some(Method::FourBlocks) => 4.min(most)..=4.min(most),
        Some(Method::Sort | Method::Blocks) | None => 1..=MAX_BLOCKS.min(most),
    };
    // Random data is the best case, so its cost is a lower bound.
    let mut layouts: Vec<(f64, Vec<Block>)> = counts
        .filter_map(|count| region.cut(count))
        .map(|blocks| {
            let blocks = blocks.into_iter();
            let (costs, blocks): (Vec<f64>, _) = blocks
                .map(|(mask, radius)| best_key(sides, mask, radius, comparison))
                .unzip();
            (costs.iter().sum(), blocks)
        })
        .collect();
    layouts.sort_by(|x, y| x.0.total_cmp(&y.0));
    if matches!(forced, Some(Method::FourBlocks | Method::Blocks)) {
        best.cost = f64::INFINITY;
    }
    let mut sample = None;
    for (least, blocks) in layouts {
        if least >= best.cost {
            break;
        }
        let sample = sample.get_or_insert_with(|| {
            let sample = sides.sample();
            // The comparison of all pairs hands on each of them, too.
            let near = |difference: &&u64| difference.count_ones() <= max_distance;
            let near = sample.iter().filter(near).count() as f64 / sample.len().max(1) as f64;
            best.cost += sides.pairs() * near * HIT;
            sample
        });
        let mut choice = Choice {
            cost: 0.0,
            comparisons: 0.0,
            skew: 1.0,
            ..best.clone()
        };
        for block in &blocks {
            let uniform = Shares::uniform(block);
            let mut shares = Shares::of_sample(sample, block, max_distance);
            shares.met = shares.met.max(uniform.met);
            let (cost, comparisons) = cost_of_block(sides, block, shares, comparison);
            choice.cost += cost;
            choice.comparisons += comparisons;
            choice.skew = choice.skew.max(shares.met / uniform.met);
        }
        if choice.cost < best.cost {
            choice.strategy = Strategy::Blocks(blocks);
            best = choice;
        }
    }
    best
}

/// The key of a block with the number of bits that is best for random data, and its cost.
fn best_key(sides: &Sides<'_>, mask: u64, radius: u32, comparison: f64) -> (f64, Block) {
    let key_of = |bits| layout::key(mask, bits);
    let widest = key_of(u32::MAX).bits;
    (1..=widest)
        .map(|bits| {
            let block = Block {
                key: key_of(bits),
                radius,
            };
            let (cost, _) = cost_of_block(sides, &block, Shares::uniform(&block), comparison);
            (cost, block)
        })
        .min_by(|x, y| x.0.total_cmp(&y.0))
        .unwrap_or((
            f64::INFINITY,
            Block {
                key: key_of(0),
                radius,
            },
        ))
}

/// What was chosen and why; [`Display`](fmt::Display) is one line for `--verbose`.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) positions: usize,
    pub(crate) distinct: usize,
    pub(crate) max_distance: u32,
    pub(crate) level: Level,
    pub(crate) choice: Choice,
}

impl Plan {
    /// The method that was chosen.
    pub fn method(&self) -> Method {
        match &self.choice.strategy {
            Strategy::Nothing => Method::Sort,
            Strategy::AllPairs => Method::AllPairs,
            Strategy::Blocks(blocks) => {
                let classic = |block: &Block| block.radius == 0;
                if blocks.len() == 4 && blocks.iter().all(classic) {
                    Method::FourBlocks
                } else {
                    Method::Blocks
                }
            }
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} fingerprints, {} distinct, distance {}: ",
            self.positions, self.distinct, self.max_distance
        )?;
        let choice = &self.choice;
        match &choice.strategy {
            Strategy::Nothing => return f.write_str("sorted, equal neighbours are the pairs"),
            Strategy::AllPairs => f.write_str("all pairs compared")?,
            Strategy::Blocks(blocks) => {
                let list = |of: fn(&Block) -> u32| {
                    let numbers: Vec<String> =
                        blocks.iter().map(|block| of(block).to_string()).collect();
                    numbers.join(",")
                };
                write!(
                    f,
                    "{} blocks, keys of {} bits, radii {}",
                    blocks.len(),
                    list(|block| block.key.bits),
                    list(|block| block.radius)
                )?;
            }
        }
        write!(
            f,
            ", {} kernel; some {:.2e} comparisons, {:.2e} s expected (all pairs: {:.2e} s; keys meet {:.0} times as often as in random data)",
            self.level.name(),
            choice.comparisons,
            choice.cost * 1e-9,
            choice.all_pairs * 1e-9,
            choice.skew
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(n: usize) -> Vec<u64> {
        (0..n as u64)
            .map(|x| {
                x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(23)
                    .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            })
            .collect()
    }

    fn plan(values: &[u64], distance: u32) -> Strategy {
        let ids = vec![0; values.len()];
        let sides = Sides {
            a: Entries { values, ids: &ids },
            b: None,
        };
        let kernel = Kernel::of(Level::Portable);
        choose(&sides, Region::whole(distance), distance, kernel, None).strategy
    }

    #[test]
    fn few_or_far_means_all_pairs() {
        assert!(matches!(plan(&random(100), 3), Strategy::AllPairs));
        assert!(matches!(plan(&random(50_000), 40), Strategy::AllPairs));
        assert!(matches!(plan(&random(50_000), 64), Strategy::AllPairs));
    }

    #[test]
    fn many_and_near_means_blocks() {
        let Strategy::Blocks(blocks) = plan(&random(100_000), 3) else {
            panic!("no blocks");
        };
        assert!(blocks.iter().all(|block| block.radius == 0));
        assert!(matches!(plan(&random(100_000), 8), Strategy::Blocks(_)));
    }

    #[test]
    fn distance_0_needs_no_search() {
        assert!(matches!(plan(&random(1000), 0), Strategy::Nothing));
    }

    #[test]
    fn blocks_that_everybody_shares_do_not_pay() {
        // Only the lowest 16 bits vary: no layout of whole blocks splits this well.
        let values: Vec<u64> = (0..20_000).collect();
        assert!(matches!(plan(&values, 8), Strategy::AllPairs));
    }
}
