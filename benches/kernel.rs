//! Hashes → fingerprint: every vote kernel of this machine beside the 64-step loop, the admission
//! of damped counts, and both together. The throughput is in features.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdup::feature::FeatureSink;
use simdup::feature::count::DampedCounts;
use simdup::feature::hash::mix;
use simdup::simhash::kernel::{Counts, Kernel};
use simdup::simhash::{Fingerprinter, naive};

const LENGTHS: [usize; 9] = [8, 32, 64, 100, 256, 500, 2_048, 10_000, 65_536];

/// Hashes that are all distinct.
fn hashes() -> Vec<u64> {
    (0..65_536).map(|i| mix(i, 0, 0)).collect()
}

/// Hashes as often as words are: few are frequent, many are rare.
fn skewed_hashes() -> Vec<u64> {
    let rank = |i| mix(i, 1, 0) % (1 + mix(i, 2, 0) % 8_192);
    (0..65_536).map(|i| mix(rank(i), 3, 0)).collect()
}

fn kernels(c: &mut Criterion) {
    let hashes = hashes();
    let mut group = c.benchmark_group("kernel");
    for length in LENGTHS {
        let hashes = &hashes[..length];
        group.throughput(Throughput::Elements(length as u64));
        group.bench_function(BenchmarkId::new("naive", length), |b| {
            b.iter(|| naive::fingerprint(black_box(hashes)));
        });
        for kernel in Kernel::available() {
            group.bench_function(BenchmarkId::new(kernel.name(), length), |b| {
                let mut counts = Counts::new();
                b.iter(|| {
                    kernel.accumulate(&mut counts, black_box(hashes));
                    let fingerprint = counts.fingerprint();
                    counts.clear();
                    fingerprint
                });
            });
        }
    }
    group.finish();
}

fn admission(c: &mut Criterion) {
    let hashes = skewed_hashes();
    let mut group = c.benchmark_group("counts");
    for length in LENGTHS {
        let hashes = &hashes[..length];
        group.throughput(Throughput::Elements(length as u64));
        group.bench_function(BenchmarkId::new("admit", length), |b| {
            let mut counts = DampedCounts::new();
            let mut voting = vec![0; length];
            b.iter(|| {
                counts.start_document();
                counts.admit(black_box(hashes), &mut voting)
            });
        });
        group.bench_function(BenchmarkId::new("fingerprint", length), |b| {
            let mut fingerprinter = Fingerprinter::new(true);
            b.iter(|| {
                fingerprinter.features(black_box(hashes));
                fingerprinter.finish()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(600));
    targets = kernels, admission
}
criterion_main!(benches);
