//! The self-join: all pairs within k among random fingerprints, one in twenty of them a planted
//! near-duplicate. `cargo bench --bench index`. One thread, so that figures compare.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdup::index::{Items, Join, JoinOptions, Method};

/// A small generator of pseudo-random numbers (splitmix64): the data is the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// Every twentieth fingerprint is another one with up to `k` bits changed.
fn fingerprints(n: usize, k: u64) -> Vec<u64> {
    let mut random = Random(1);
    let mut values = Vec::with_capacity(n);
    while values.len() < n {
        let mut value = random.next();
        if values.len() % 20 == 19 {
            value = values[value as usize % values.len()];
            for _ in 0..random.next() % (k + 1) {
                value ^= 1 << (random.next() >> 58);
            }
        }
        values.push(value);
    }
    values
}

/// Finds all pairs and counts them: sorting, collapsing and planning included.
fn count(values: &[u64], k: u32, method: Option<Method>) -> u64 {
    let items = Items::new(values).expect("few enough");
    let options = JoinOptions {
        method,
        ..JoinOptions::default()
    };
    let pairs = AtomicU64::new(0);
    Join::new(items, k, &options).for_each_unordered(&|found| {
        pairs.fetch_add(found.len() as u64, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    pairs.into_inner()
}

fn self_join(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    let mut group = criterion.benchmark_group("self_join");
    group.sample_size(10);
    for n in [10_000, 100_000, 1_000_000] {
        for k in [3, 6, 8, 10] {
            let values = fingerprints(n, u64::from(k));
            if n == 10_000 {
                let all_pairs = count(&values, k, Some(Method::AllPairs));
                assert_eq!(count(&values, k, None), all_pairs);
            }
            group.throughput(Throughput::Elements(n as u64));
            group.bench_function(BenchmarkId::new(format!("k{k}"), n), |bencher| {
                bencher.iter(|| pool.install(|| count(black_box(&values), k, None)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, self_join);
criterion_main!(benches);
