//! The scan end to end over a generated tree: folders of versioned text files, every fourth one an
//! edited copy of its neighbour. `cargo bench --bench scan`.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{self, sink};
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simdup::observe::Silent;
use simdup::options::{Options, Source, WalkOptions};
use simdup::report::jsonl::JsonLines;
use simdup::scan::scan;

const FILES: u64 = 4_000;

/// A small generator of pseudo-random numbers (xorshift64*): the tree is the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % below
    }

    /// A pronounceable word; small numbers are frequent ones.
    fn word(&mut self) -> String {
        let number = self.next(60).pow(2) + self.next(60);
        let mut word = String::new();
        let mut rest = number + 7;
        while rest > 0 {
            word.push(char::from(b"bdfgklmnprstvz"[(rest % 14) as usize]));
            word.push(char::from(b"aeiou"[(rest / 14 % 5) as usize]));
            rest /= 70;
        }
        word
    }
}

/// Writes the tree; returns its bytes.
fn make_tree(root: &Path) -> io::Result<u64> {
    let mut random = Random(88_172_645_463_325_252);
    let mut bytes = 0;
    let mut text = String::new();
    for file in 0..FILES {
        if file % 4 == 3 {
            let at = random.next(text.len() as u64) as usize;
            let at = text[at..].find(' ').map_or(0, |blank| at + blank);
            text.insert_str(at, " an inserted remark ");
        } else {
            text.clear();
            for _ in 0..100 + random.next(2_500) {
                let end = if random.next(12) == 0 { ".\n" } else { " " };
                let _ = write!(text, "{}{end}", random.word());
            }
        }
        let folder = root.join(format!("part{:02}", file / 100));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("file{file:05}.txt")), &text)?;
        bytes += text.len() as u64;
    }
    Ok(bytes)
}

fn scans(criterion: &mut Criterion) {
    let tree = tempfile::tempdir().expect("a temporary folder");
    let bytes = make_tree(tree.path()).expect("the tree can be written");
    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::Bytes(bytes)).sample_size(20);
    for threads in [1, 2] {
        let walk = WalkOptions {
            roots: vec![tree.path().to_path_buf()],
            ..WalkOptions::default()
        };
        let base = Options {
            threads: Some(threads),
            ..Options::new(Source::Files(walk))
        };
        let searches = [
            (
                "k3-no-verify",
                Options {
                    distance: Some(3),
                    verify: false,
                    ..base.clone()
                },
            ),
            (
                "k3",
                Options {
                    distance: Some(3),
                    ..base.clone()
                },
            ),
            (
                "s0.7",
                Options {
                    similarity: Some(0.7),
                    ..base.clone()
                },
            ),
        ];
        for (name, options) in searches {
            group.bench_function(format!("{name}/j{threads}"), |bencher| {
                bencher.iter(|| {
                    let mut report = JsonLines::new(sink());
                    let outcome = scan(&options, &Silent, &mut report).expect("the scan succeeds");
                    assert_eq!(outcome.summary.files, FILES);
                    assert!(
                        outcome.summary.pairs >= FILES / 5,
                        "the edited copies are found"
                    );
                    black_box(outcome.summary.pairs)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, scans);
criterion_main!(benches);
