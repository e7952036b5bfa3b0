//! Text → features and text → fingerprint, default scheme, in bytes of text a second, beside a plain
//! program that does the same. The texts are those of fixtures/, in documents of some 16 KiB; the
//! Russian and the Chinese ones are short and are repeated, the others are not.
//! `cargo bench --bench text`.

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdup::cpu::Level;
use simdup::feature::{Extractor, FeatureSink, Scheme};
use simdup::simhash::Fingerprinter;
use xxhash_rust::xxh3::xxh3_64;

/// Length of a document in bytes, about.
const DOCUMENT: usize = 16 << 10;
/// Documents of a text.
const DOCUMENTS: usize = 16;

const TEXTS: [(&str, &str); 5] = [
    ("english", "labelled/licences/docs"),
    ("code", "code"),
    ("html", "web"),
    ("russian", "prose/russian"),
    ("chinese", "prose/chinese"),
];

/// Appends the text of all files below a folder, in the order of their names.
fn gather(folder: &Path, text: &mut String) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("fixtures are there")
        .map(|entry| entry.expect("fixtures are readable").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            gather(&path, text);
        } else {
            text.push_str(&fs::read_to_string(path).expect("fixtures are UTF-8"));
        }
    }
}

/// Documents from the files of a folder, repeated as often as needed.
fn documents(folder: &str) -> Vec<String> {
    let mut text = String::new();
    gather(&Path::new("fixtures").join(folder), &mut text);
    let mut texts = text.chars().cycle();
    let document = |_| {
        let mut document = String::new();
        while document.len() < DOCUMENT {
            document.extend(texts.by_ref().take(64));
        }
        document
    };
    (0..DOCUMENTS).map(document).collect()
}

/// Takes features and does nothing.
struct Sink;

impl FeatureSink for Sink {
    fn features(&mut self, hashes: &[u64]) {
        black_box(hashes);
    }
}

/// The default scheme as one writes it down: words in lower case, a hash map of counts, damped
/// weights, a loop over 64 bits.
fn naive(text: &str) -> u64 {
    let text = text.to_lowercase();
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let mut last = None;
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.is_empty() {
            continue;
        }
        let hash = xxh3_64(word.as_bytes());
        *counts.entry(hash).or_default() += 1;
        if let Some(last) = last.replace(hash) {
            let pair: [u64; 2] = [last, hash];
            let bigram = xxh3_64(&pair.map(u64::to_le_bytes).concat());
            *counts.entry(bigram).or_default() += 1;
        }
    }
    let mut votes = [0_i64; 64];
    for (hash, count) in counts {
        let weight = i64::from(count.ilog2() + 1);
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 {
                weight
            } else {
                -weight
            };
        }
    }
    (0..64)
        .filter(|&bit| votes[bit] > 0)
        .map(|bit| 1 << bit)
        .sum()
}

fn text(c: &mut Criterion) {
    for (name, folder) in TEXTS {
        let documents = documents(folder);
        let bytes = documents.iter().map(String::len).sum::<usize>() as u64;
        let mut group = c.benchmark_group(format!("text/{name}"));
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function("naive", |b| {
            b.iter(|| {
                documents
                    .iter()
                    .fold(0, |all, text| all ^ naive(black_box(text)))
            });
        });
        for level in Level::available() {
            group.bench_function(BenchmarkId::new("features", level.name()), |b| {
                let mut extractor = Extractor::with_level(Scheme::Words, level);
                b.iter(|| {
                    for text in &documents {
                        extractor.push(black_box(text), &mut Sink);
                        let counts = extractor.finish(&mut Sink);
                        assert!(counts.features > 0);
                    }
                });
            });
            group.bench_function(BenchmarkId::new("fingerprint", level.name()), |b| {
                let mut extractor = Extractor::with_level(Scheme::Words, level);
                let mut fingerprinter = Fingerprinter::new(true).with_level(level);
                b.iter(|| {
                    for text in &documents {
                        extractor.push(black_box(text), &mut fingerprinter);
                        extractor.finish(&mut fingerprinter);
                        assert!(fingerprinter.finish().is_some());
                    }
                });
            });
        }
        group.finish();
    }
}

fn schemes(c: &mut Criterion) {
    let documents = documents("prose/english");
    let bytes = documents.iter().map(String::len).sum::<usize>() as u64;
    let mut group = c.benchmark_group("scheme");
    group.throughput(Throughput::Bytes(bytes));
    for scheme in [
        Scheme::Words,
        Scheme::WordShingles(3),
        Scheme::CharShingles(5),
        Scheme::Classic,
    ] {
        group.bench_function(scheme.to_string(), |b| {
            let mut extractor = Extractor::new(scheme);
            b.iter(|| {
                for text in &documents {
                    extractor.push(black_box(text), &mut Sink);
                    extractor.finish(&mut Sink);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, text, schemes);
criterion_main!(benches);
