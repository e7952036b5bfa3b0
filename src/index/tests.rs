//! Every method, instruction set and way out of the index against [`brute`].

use std::collections::BTreeSet;
use std::sync::Mutex;

use proptest::prelude::*;

use super::*;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A word with exactly so many ones.
    fn ones(&mut self, count: u32) -> u64 {
        let mut word = 0_u64;
        while word.count_ones() < count {
            word |= 1 << (self.next() >> 58);
        }
        word
    }

    /// A word with `count` ones, one in each of as many blocks of equal size (the first `count` of
    /// them where there are more ones than blocks).
    fn one_a_block(&mut self, count: u32, blocks: u32) -> u64 {
        let mut word = 0_u64;
        for block in 0..count.min(64) {
            let width = 64 / blocks;
            let start = (block % blocks) * width;
            word |= 1 << (start + (self.next() >> 32) as u32 % width);
        }
        word
    }
}

/// The kinds of data on which an index can go wrong.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Random,
    Planted,
    OneABlock,
    AllEqual,
    FewCenters,
    Crowded,
    Mixed,
}

const KINDS: [Kind; 7] = [
    Kind::Random,
    Kind::Planted,
    Kind::OneABlock,
    Kind::AllEqual,
    Kind::FewCenters,
    Kind::Crowded,
    Kind::Mixed,
];

/// `n` values of a kind, shuffled.
fn values(kind: Kind, n: usize, k: u32, seed: u64) -> Vec<u64> {
    let mut dice = Dice(seed);
    let centers: Vec<u64> = (0..5).map(|_| dice.next()).collect();
    let mut values: Vec<u64> = Vec::with_capacity(n);
    while values.len() < n {
        let before = values.last().copied();
        let one = match kind {
            Kind::Random => dice.next(),
            // Each second value lies at exactly k or k + 1 from the one before.
            Kind::Planted => match before {
                Some(value) if values.len() % 2 == 1 => {
                    let far = (dice.next() >> 63) as u32;
                    value ^ dice.ones((k + far).min(64))
                }
                _ => dice.next(),
            },
            Kind::OneABlock => match before {
                Some(value) if values.len() % 2 == 1 => {
                    let blocks = [4, 5, k + 1, k.max(1)][values.len() / 2 % 4].clamp(1, 64);
                    let far = (dice.next() >> 63) as u32;
                    value ^ dice.one_a_block(k + far, blocks)
                }
                _ => dice.next(),
            },
            Kind::AllEqual => centers[0],
            Kind::FewCenters => {
                let ones = dice.next() as u32 % 3;
                centers[dice.next() as usize % 5] ^ dice.ones(ones)
            }
            // The upper half hardly varies, the lower one does.
            Kind::Crowded => {
                let high = dice.ones(1) & 0xffff_ffff_0000_0000;
                centers[0] & 0xffff_ffff_0000_0000 ^ high | dice.next() >> 32
            }
            Kind::Mixed => match dice.next() % 4 {
                0 => dice.next(),
                1 => centers[dice.next() as usize % 5],
                2 => centers[dice.next() as usize % 5] ^ dice.ones(k.min(64)),
                _ => values.get(values.len() / 2).map_or(1, |value| value ^ 3),
            },
        };
        values.push(one);
    }
    for index in (1..n).rev() {
        values.swap(index, dice.next() as usize % (index + 1));
    }
    values
}

fn options(method: Option<Method>, level: Level, budget_bytes: usize) -> JoinOptions {
    JoinOptions {
        method,
        level,
        budget_bytes,
    }
}

fn unordered(join: &Join<'_>) -> Vec<Candidate> {
    let all = Mutex::new(Vec::new());
    join.for_each_unordered(&|pairs| {
        all.lock().unwrap().extend_from_slice(pairs);
        ControlFlow::Continue(())
    });
    let mut all = all.into_inner().unwrap();
    all.sort_unstable();
    all
}

fn in_batches(join: &Join<'_>) -> Vec<Candidate> {
    kept_in_batches(join, &|_| true)
}

fn kept_in_batches(join: &Join<'_>, keep: &Keep<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    join.for_each_batch(keep, &mut |batch| {
        assert!(!batch.is_empty());
        if let Some(last) = all.last() {
            assert!(last.a < batch[0].a, "an a is torn apart");
        }
        all.extend_from_slice(batch);
        ControlFlow::Continue(())
    });
    all
}

fn methods() -> impl Iterator<Item = Option<Method>> {
    Method::ALL.into_iter().map(Some).chain([None])
}

/// Holds every way out of the index equal to the oracle.
fn check(values: &[u64], k: u32, method: Option<Method>, level: Level, budget: usize) {
    let items = Items::new(values).unwrap();
    let expected = brute::pairs(&items, k);
    let join = Join::new(items, k, &options(method, level, budget));
    let context = || format!("{} of {}, {method:?}, {level:?}", values.len(), join.plan());
    assert!(unordered(&join) == expected, "unordered: {}", context());
    assert!(in_batches(&join) == expected, "in batches: {}", context());
    let keep =
        |pair: &Candidate| !(pair.a + 2 * pair.b + u32::from(pair.distance)).is_multiple_of(3);
    let kept: Vec<_> = expected.into_iter().filter(keep).collect();
    assert!(kept_in_batches(&join, &keep) == kept, "kept: {}", context());
}

#[test]
fn fault_b1_b2_every_distance_and_method_is_exact() {
    for k in 0..=64 {
        for (index, kind) in KINDS.into_iter().enumerate() {
            let values = values(kind, 60 + index * 17, k, u64::from(k));
            for method in methods() {
                check(&values, k, method, Level::current(), 8 << 20);
            }
        }
    }
}

#[test]
fn every_instruction_set_is_exact() {
    for level in Level::available() {
        for kind in KINDS {
            for k in [1, 3, 4, 6, 11, 17, 33] {
                let values = values(kind, 500, k, 7);
                for method in methods() {
                    check(&values, k, method, level, 8 << 20);
                }
            }
        }
    }
}

#[test]
fn all_sizes_are_exact() {
    for n in [0, 1, 2, 3, 5, 9, 31, 64, 257, 1000, 5000] {
        for (kind, k) in [(Kind::Planted, 3), (Kind::OneABlock, 6), (Kind::Random, 12)] {
            let values = values(kind, n, k, n as u64);
            for method in methods() {
                check(&values, k, method, Level::current(), 8 << 20);
            }
        }
    }
}

#[test]
fn crowded_data_is_exact() {
    for (kind, k) in [
        (Kind::Crowded, 3),
        (Kind::Crowded, 7),
        (Kind::FewCenters, 2),
    ] {
        let values = values(kind, 5000, k, 11);
        for method in [Some(Method::FourBlocks), Some(Method::Blocks), None] {
            check(&values, k, method, Level::current(), 8 << 20);
        }
    }
}

#[test]
fn tiny_budgets_give_the_same_pairs() {
    for kind in KINDS {
        for k in [0, 3, 20] {
            let values = values(kind, 700, k, 3);
            for budget in [0, (BATCH_BYTES) + 8 * 500] {
                check(&values, k, None, Level::current(), budget);
            }
        }
    }
}

/// What the index keeps aside for a batch.
const BATCH_BYTES: usize = (1 << 18) * size_of::<Candidate>();

#[test]
fn results_do_not_depend_on_threads() {
    let values = values(Kind::Mixed, 4000, 5, 5);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let join = Join::new(
                Items::new(&values).unwrap(),
                5,
                &options(None, Level::current(), BATCH_BYTES + 80_000),
            );
            (in_batches(&join), join.plan().to_string())
        })
    };
    let expected = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == expected);
    }
}

#[test]
fn pairs_at_k_are_pairs_at_k_plus_1() {
    let values = values(Kind::Mixed, 400, 7, 2);
    let at = |k| -> BTreeSet<Candidate> {
        let items = Items::new(&values).unwrap();
        unordered(&Join::new(items, k, &JoinOptions::default()))
            .into_iter()
            .collect()
    };
    let mut before = at(0);
    for k in 1..=64 {
        let now = at(k);
        assert!(before.is_subset(&now), "{k}");
        before = now;
    }
    assert_eq!(before.len(), 400 * 399 / 2);
}

#[test]
fn fault_b4_the_extreme_distances() {
    let values = [5, 5, !5, 7];
    let pairs = |k| {
        let items = Items::new(&values).unwrap();
        in_batches(&Join::new(items, k, &JoinOptions::default()))
    };
    assert_eq!(
        pairs(0),
        [Candidate {
            a: 0,
            b: 1,
            distance: 0
        }]
    );
    assert_eq!(pairs(63).len(), 4);
    assert_eq!(pairs(64).len(), 6);
    assert_eq!(pairs(65), pairs(64));
}

#[test]
fn fault_b8_copies_do_not_make_the_search_quadratic() {
    // 200,000 copies are 2 · 10^10 pairs; the first ones come at once, and as links they are few.
    let values = vec![42; 200_000];
    let join = Join::new(Items::new(&values).unwrap(), 3, &JoinOptions::default());
    assert_eq!(join.plan().distinct, 1);
    let mut seen = 0;
    join.for_each_batch(&|_| true, &mut |batch| {
        assert_eq!(
            batch[0],
            Candidate {
                a: 0,
                b: 1,
                distance: 0
            }
        );
        seen += batch.len();
        ControlFlow::Break(())
    });
    assert!((199_999..4_000_000).contains(&seen));
    let links = Mutex::new(0);
    join.for_each_link(&|x| x, &|pairs| {
        *links.lock().unwrap() += pairs.len();
        ControlFlow::Continue(())
    });
    assert_eq!(links.into_inner().unwrap(), 199_999);
}

#[test]
fn fault_b9_a_break_ends_the_search() {
    // 3,000 values within a few bits: four million pairs.
    let values = values(Kind::Crowded, 3000, 20, 1);
    let join = Join::new(
        Items::new(&values).unwrap(),
        20,
        &options(None, Level::current(), BATCH_BYTES + (1 << 20)),
    );
    let mut batches = 0;
    join.for_each_batch(&|_| true, &mut |_| {
        batches += 1;
        if batches == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(batches, 2);
    let slices = Mutex::new(0);
    join.for_each_unordered(&|_| {
        *slices.lock().unwrap() += 1;
        ControlFlow::Break(())
    });
    assert!(slices.into_inner().unwrap() <= rayon::current_num_threads());
}

#[test]
fn documents_without_fingerprint_pair_by_their_bytes_alone() {
    let values = [0, 9, 0, 0, 0, 8, 0];
    let items = Items::new(&values)
        .unwrap()
        .absent(vec![6, 0, 3, 2])
        .apart(vec![vec![6, 0], vec![2], vec![]]);
    let expected = [
        Candidate {
            a: 0,
            b: 6,
            distance: 0,
        },
        Candidate {
            a: 1,
            b: 5,
            distance: 1,
        },
        Candidate {
            a: 4,
            b: 5,
            distance: 1,
        },
    ];
    assert_eq!(brute::pairs(&items, 1), expected);
    for method in methods() {
        for budget in [0, 1 << 30] {
            let options = options(method, Level::current(), budget);
            let join = Join::new(items.clone(), 1, &options);
            assert_eq!(unordered(&join), expected);
            assert_eq!(in_batches(&join), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_data_is_exact(
        kind in 0..KINDS.len(),
        n in 0_usize..1200,
        k in 0_u32..=64,
        seed in any::<u64>(),
        method in 0..=Method::ALL.len(),
        level in 0..Level::available().len(),
        budget in 0_usize..(8 << 20),
    ) {
        let values = values(KINDS[kind], n, k, seed);
        let method = Method::ALL.get(method).copied();
        check(&values, k, method, Level::available()[level], budget);
    }

    #[test]
    fn links_connect_what_pairs_connect(
        kind in 0..KINDS.len(),
        n in 0_usize..500,
        k in 0_u32..12,
        seed in any::<u64>(),
    ) {
        let values = values(KINDS[kind], n, k, seed);
        let items = Items::new(&values).unwrap();
        let pairs = brute::pairs(&items, k);
        let join = Join::new(items, k, &JoinOptions::default());
        let components = crate::group::Components::new(n);
        join.for_each_link(&|x| components.find(x), &|pairs| {
            for pair in pairs {
                components.join(pair.a, pair.b);
            }
            ControlFlow::Continue(())
        });
        let all = pairs.iter().map(|pair| (pair.a, pair.b));
        prop_assert_eq!(
            components.into_groups(),
            crate::group::connected_components(n, all)
        );
    }
}
