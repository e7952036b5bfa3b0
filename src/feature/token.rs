//! Folded text → tokens, as hashes.
//!
//! A *word* is a maximal run of `Word` and `Mark` characters that does not begin with a `Mark`. In
//! scripts that are written without blanks a *cluster* is a character and the `Mark`s that follow
//! it: each Han cluster is a token, and a run of clusters of one of the other classes gives its
//! overlapping n-grams of clusters (kana n = 3, Thai, Lao, Khmer and Myanmar n = 4), or one token
//! where it is shorter. A `Mark` after a separator is dropped.
//!
//! **Bounds.** A word or Han token of more than [`MAX_TOKEN`] bytes is cut into tokens of as many
//! whole characters as fit; a `Mark` that would make a cluster of an n-gram longer than
//! [`MAX_CLUSTER`] bytes is a cluster of its own.
//!
//! **Windows.** The classes of 64 bytes become bit masks; the borders of the tokens are the edges in
//! them. The k-th start belongs to the k-th end even where tokens overlap, because both go up.

use super::block::{Block, GRAM, HAN, MARK, PADDING, WORD};
use super::hash::{hash_bytes, hash_short};

/// Longest token in bytes.
pub(crate) const MAX_TOKEN: usize = 4096;
/// Longest cluster of an n-gram in bytes.
pub(crate) const MAX_CLUSTER: usize = MAX_TOKEN / MAX_GRAM;
/// The largest n of the n-grams.
const MAX_GRAM: usize = 4;
/// Bytes of a window.
const WINDOW: usize = 64;
/// Token borders after which they are hashed.
const BATCH: usize = 256;
/// The most borders that a window adds.
const SLACK: usize = WINDOW + 1;
/// Class byte of the kana.
const KANA: u8 = GRAM | 0x20;

/// What the text before a window ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    /// Nothing that could go on.
    None,
    Word,
    Han,
    /// Clusters with this class byte.
    Grams(u8),
}

/// The clusters of a run of n-grams so far.
struct Clusters {
    /// Number of clusters.
    count: usize,
    /// Where the last of them start; cluster i is at `i % MAX_GRAM`.
    starts: [usize; MAX_GRAM],
}

/// Finds the tokens of a stream of blocks.
pub(crate) struct Tokens {
    run: Run,
    clusters: Clusters,
    /// Bytes of the block that are done.
    done: usize,
    /// Borders in the block; while `run` is a word or Han token, there is one start more.
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// Hashes of the tokens between the borders.
    hashes: Vec<u64>,
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Self {
            run: Run::None,
            clusters: Clusters {
                count: 0,
                starts: [0; MAX_GRAM],
            },
            done: 0,
            starts: Vec::with_capacity(BATCH + SLACK),
            ends: Vec::with_capacity(BATCH + SLACK),
            hashes: Vec::with_capacity(BATCH + SLACK),
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        8 * (self.starts.capacity() + self.ends.capacity() + self.hashes.capacity())
    }

    /// Finds the tokens that end in the block and hands their hashes to `take`, in order; leaves in
    /// the block what may belong to later ones. With `is_last` the text is over.
    pub(crate) fn scan(&mut self, block: &mut Block, is_last: bool, mut take: impl FnMut(&[u64])) {
        if is_last {
            block.close();
        }
        while self.done + WINDOW <= block.len || (is_last && self.done < block.len) {
            self.window(block);
            if self.ends.len() >= BATCH {
                self.hash(block, &mut take);
            }
        }
        if is_last {
            self.close(block.len);
        } else {
            self.cut_open(block);
        }
        self.hash(block, &mut take);
        let kept = if is_last { block.len } else { self.needed() };
        block.drop_front(kept);
        self.done = if is_last { 0 } else { self.done - kept };
        for start in self.starts.iter_mut().chain(&mut self.clusters.starts) {
            *start = start.saturating_sub(kept);
        }
    }

    /// Finds the borders in the next window.
    fn window(&mut self, block: &Block) {
        let end = (self.done + WINDOW).min(block.len);
        for at in self.done..end {
            if block.is_lead(at) {
                self.step(block.classes[at], at, block);
            }
        }
        self.done = end;
    }

    /// Takes the character at `at`, which has this class byte.
    fn step(&mut self, class: u8, at: usize, block: &Block) {
        match (class, self.run) {
            (MARK, Run::Grams(_)) => {
                let start = self.clusters.starts[(self.clusters.count - 1) % MAX_GRAM];
                let len = lead_len(block.bytes[at]);
                if at + len - start > MAX_CLUSTER {
                    self.start_cluster(at);
                }
            }
            (MARK, _) | (WORD, Run::Word) => {}
            (WORD, _) => {
                self.close(at);
                self.starts.push(at);
                self.run = Run::Word;
            }
            (HAN, _) => {
                self.close(at);
                self.starts.push(at);
                self.run = Run::Han;
            }
            (class, run) if class & GRAM != 0 => {
                if run != Run::Grams(class) {
                    self.close(at);
                    self.run = Run::Grams(class);
                    self.clusters.count = 0;
                }
                self.start_cluster(at);
            }
            _ => self.close(at),
        }
    }

    /// The n of the n-grams of the open run.
    fn gram_len(&self) -> usize {
        if self.run == Run::Grams(KANA) { 3 } else { 4 }
    }

    /// A cluster starts here: the n-gram before it is complete.
    fn start_cluster(&mut self, at: usize) {
        let n = self.gram_len();
        if self.clusters.count >= n {
            self.push_gram(n, at);
        }
        self.clusters.starts[self.clusters.count % MAX_GRAM] = at;
        self.clusters.count += 1;
    }

    /// The last `n` clusters, up to `end`, are a token.
    fn push_gram(&mut self, n: usize, end: usize) {
        let first = (self.clusters.count - n) % MAX_GRAM;
        self.starts.push(self.clusters.starts[first]);
        self.ends.push(end);
    }

    /// Ends the open run.
    fn close(&mut self, at: usize) {
        match self.run {
            Run::None => {}
            Run::Word | Run::Han => self.ends.push(at),
            Run::Grams(_) => self.push_gram(self.gram_len().min(self.clusters.count), at),
        }
        self.run = Run::None;
    }

    /// Cuts the open token where it is already too long.
    fn cut_open(&mut self, block: &Block) {
        if let (Run::Word | Run::Han, Some(&start)) = (self.run, self.starts.last()) {
            let mut start = start;
            while self.done - start > MAX_TOKEN {
                start = cut(block, start);
                self.ends.push(start);
                self.starts.push(start);
            }
        }
    }

    /// The first byte of the block that is still needed.
    fn needed(&self) -> usize {
        match self.run {
            Run::None => self.done,
            Run::Word | Run::Han => self.starts.last().copied().unwrap_or(self.done),
            Run::Grams(_) => {
                let oldest = self.clusters.count.saturating_sub(MAX_GRAM);
                self.clusters.starts[oldest % MAX_GRAM]
            }
        }
    }

    /// Hashes the tokens that have both borders, and hands them on.
    fn hash(&mut self, block: &Block, take: &mut impl FnMut(&[u64])) {
        self.hashes.clear();
        for (&start, &end) in self.starts.iter().zip(&self.ends) {
            let mut start = start;
            while end - start > MAX_TOKEN {
                let border = cut(block, start);
                self.hashes.push(hash_token(block, start, border));
                start = border;
            }
            self.hashes.push(hash_token(block, start, end));
        }
        self.starts.drain(..self.ends.len());
        self.ends.clear();
        if !self.hashes.is_empty() {
            take(&self.hashes);
        }
    }
}

/// Where a token that starts at `start` and is too long is cut.
fn cut(block: &Block, start: usize) -> usize {
    let mut border = start + MAX_TOKEN;
    while !block.is_lead(border) {
        border -= 1;
    }
    border
}

/// Bytes of the character with this lead byte.
fn lead_len(lead: u8) -> usize {
    (lead.leading_ones() as usize).max(1)
}

/// Hash of the token between two borders.
#[inline(always)]
fn hash_token(block: &Block, start: usize, end: usize) -> u64 {
    const _: () = assert!(PADDING >= 16);
    let len = end - start;
    if len > 16 {
        return hash_bytes(&block.bytes[start..end]);
    }
    let mut head = [0; 16];
    head.copy_from_slice(&block.bytes[start..start + 16]);
    let unused = 128 - 8 * len as u32;
    let padded = u128::from_le_bytes(head) & (u128::MAX >> unused);
    hash_short(padded, len)
}
