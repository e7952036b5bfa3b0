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
//! them. The k-th start belongs to the k-th end even where tokens overlap, because both go up. Only
//! windows with marks beside Han or kana, or with one of the other scripts, are walked character by
//! character.

use crate::aligned::{Aligned, LINE};

use super::block::{Block, GRAM, HAN, KANA, MARK, PADDING, WORD};
use super::hash::hash_bytes;
use super::kernel::{Kernel, Lanes, WINDOW, WINDOW_AND_END};

/// Longest token in bytes.
pub(crate) const MAX_TOKEN: usize = 4096;
/// Longest cluster of an n-gram in bytes.
pub(crate) const MAX_CLUSTER: usize = MAX_TOKEN / MAX_GRAM;
/// The largest n of the n-grams.
const MAX_GRAM: usize = 4;
/// Tokens after which they are hashed.
const BATCH: usize = 256;
/// Places for borders: a batch, those of one more window and its cuts, and what a kernel writes
/// beyond.
const BORDERS: usize = BATCH + 3 * WINDOW;
/// The n of the kana.
const KANA_GRAM: usize = 3;

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
    starts: [u32; MAX_GRAM],
}

impl Clusters {
    /// Where the clusters of an open run of kana start, as far as they count, in a mask of the window
    /// before `done`; 0 where no run of n-grams is open, `None` where its clusters are not all of
    /// three bytes or not kana.
    #[inline(always)]
    fn kana(&self, run: Run, done: usize) -> Option<u64> {
        if !matches!(run, Run::Grams(_)) {
            return Some(0);
        }
        let last = self.starts[(self.count - 1) % MAX_GRAM];
        let mut leads = 0;
        for back in 0..self.count.min(KANA_GRAM) {
            let start = self.starts[(self.count - 1 - back) % MAX_GRAM];
            if start + 3 * back as u32 != last {
                return None;
            }
            leads |= 1 << ((start as usize + WINDOW).wrapping_sub(done) % WINDOW);
        }
        (run == Run::Grams(KANA) && last as usize + 3 >= done).then_some(leads)
    }

    /// The open run consists of the last of these clusters of three bytes, of which the highest
    /// bit is the last byte of the window at `done`.
    #[inline(always)]
    fn set_kana(&mut self, leads: u128, done: usize) {
        let mut start = 127 - leads.leading_zeros() as usize;
        self.count = 1;
        while self.count < KANA_GRAM && start >= 3 && leads >> (start - 3) & 1 == 1 {
            start -= 3;
            self.count += 1;
        }
        for (number, place) in self.starts.iter_mut().enumerate().take(self.count) {
            *place = (done + start + 3 * number).wrapping_sub(WINDOW) as u32;
        }
    }
}

/// The n-grams that end in a window, if all its clusters are kana of three bytes.
#[derive(Default)]
struct Grams {
    starts: u64,
    /// Starts in the window before.
    starts_before: u64,
    ends: u64,
    /// Starts of clusters in the window before and in this one.
    leads: u128,
    /// Whether a run goes on after the window.
    is_open: bool,
    /// Whether all of it holds: each cluster has three bytes.
    is_plain: bool,
}

impl Grams {
    /// From the clusters of the open run in the window before, the clusters in this one, and the
    /// bytes of both in this one.
    ///
    /// A 3-gram ends where a cluster starts that has three before it, and where a run ends; it
    /// starts three clusters earlier, or with the run.
    #[inline(always)]
    fn of_kana(before: u64, leads: u64, bytes: u64) -> Self {
        let leads = u128::from(leads) << 64 | u128::from(before);
        let upper = |mask: u128| (mask >> 64) as u64;
        let is_plain = upper(leads | leads << 1 | leads << 2) == bytes;
        let run_ends = (bytes << 1 | u64::from(before != 0)) & !bytes;
        // Ends, by the number of clusters before them in their run: at least 3, 2, 1.
        let [one, two, three] = [3, 6, 9].map(|back| upper(leads << back));
        let third = (upper(leads) | run_ends) & one & two & three;
        let second = run_ends & one & two & !three;
        let first = run_ends & one & !two;
        let back = |ends: u64, bytes: u32| (u128::from(ends) << 64) >> bytes;
        let starts = back(third, 9) | back(second, 6) | back(first, 3);
        Self {
            starts: upper(starts),
            starts_before: starts as u64,
            ends: third | second | first,
            leads,
            is_open: bytes >> 63 == 1,
            is_plain,
        }
    }
}

/// Places in a block, in ascending order.
struct Places {
    places: Box<Aligned<[u32; BORDERS]>>,
    count: usize,
}

impl Places {
    fn new() -> Self {
        Self {
            places: Box::new(Aligned([0; BORDERS])),
            count: 0,
        }
    }

    fn push(&mut self, place: usize) {
        self.places[self.count] = place as u32;
        self.count += 1;
    }

    #[inline(always)]
    fn filling(&mut self) -> Filling<'_> {
        Filling {
            places: &mut self.places,
            count: self.count,
        }
    }

    /// See [`Filling::extend`].
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn extend<L: Lanes>(&mut self, mask: u64, base: u32) {
        let mut filling = self.filling();
        // SAFETY: the caller's duty.
        unsafe { filling.extend::<L>(mask, base) };
        self.count = filling.count;
    }

    fn as_slice(&self) -> &[u32] {
        &self.places[..self.count]
    }
}

/// [`Places`] that are being filled, with a count of their own.
struct Filling<'p> {
    places: &'p mut [u32; BORDERS],
    count: usize,
}

impl Filling<'_> {
    /// Adds `base` plus the number of each set bit.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set of `L`.
    #[inline(always)]
    unsafe fn extend<L: Lanes>(&mut self, mask: u64, base: u32) {
        if let Some(to) = self.places[self.count..].first_chunk_mut() {
            // SAFETY: the caller has the instruction set.
            unsafe { L::places(mask, base, to) };
        }
        self.count += mask.count_ones() as usize;
    }
}

/// Where tokens start and end in a block.
pub(crate) struct Scan {
    run: Run,
    clusters: Clusters,
    /// Bytes of the block that are done.
    done: usize,
    /// Whether a window of the open token, or of those that are not hashed yet, may have had no
    /// border: only then one can be too long.
    is_solid: bool,
    /// While `run` is a word or Han token, there is one start more than there are ends.
    starts: Places,
    ends: Places,
}

impl Scan {
    fn new() -> Self {
        Self {
            run: Run::None,
            clusters: Clusters {
                count: 0,
                starts: [0; MAX_GRAM],
            },
            done: 0,
            is_solid: false,
            starts: Places::new(),
            ends: Places::new(),
        }
    }

    /// The starts and ends of the tokens that have both.
    #[inline(always)]
    pub(crate) fn borders(&self) -> (&[u32], &[u32]) {
        let ends = self.ends.as_slice();
        (&self.starts.places[..ends.len()], ends)
    }

    /// Finds borders, window by window, up to `limit` or until there is a batch of them.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set of `L`.
    #[inline(always)]
    pub(crate) unsafe fn windows<L: Lanes>(&mut self, bytes: &[u8], classes: &[u8], limit: usize) {
        loop {
            // SAFETY: the caller has the instruction set; so below.
            unsafe { self.plain_windows::<L>(classes, limit) };
            if self.done >= limit || self.ends.count >= BATCH {
                return;
            }
            let (Some(text), Some(kinds)) = (
                bytes[self.done..].first_chunk::<WINDOW_AND_END>(),
                classes[self.done..].first_chunk::<WINDOW>(),
            ) else {
                return;
            };
            // SAFETY: as above.
            let masks = unsafe { L::masks(kinds) };
            let open = u64::from(matches!(self.run, Run::Word | Run::Han));
            // SAFETY: as above.
            let leads = || unsafe { L::leads(text) };
            let mut grams = Grams::default();
            let mut is_walked =
                masks.mark != 0 && (masks.han != 0 || !matches!(self.run, Run::None | Run::Word));
            if masks.gram != 0 || matches!(self.run, Run::Grams(_)) {
                // SAFETY: as above.
                let kana = unsafe { L::kana(kinds) };
                match self.clusters.kana(self.run, self.done) {
                    Some(before) if masks.mark == 0 && masks.gram == kana => {
                        grams = Grams::of_kana(before, kana & leads(), kana);
                    }
                    _ => is_walked = true,
                }
                is_walked |= !grams.is_plain;
            }
            if is_walked {
                self.walk(leads(), text, kinds, WINDOW.min(limit - self.done));
                continue;
            }
            let in_word = u64::from(self.run == Run::Word);
            let mut in_words = masks.word;
            if masks.mark != 0 {
                // Adding the first bit of a run of marks clears the run: those after a word are in.
                let first = masks.mark & (masks.word << 1 | in_word);
                in_words |= masks.mark & !masks.mark.wrapping_add(first);
            }
            let in_tokens = in_words | masks.han;
            let mut starts = masks.word & !(in_words << 1 | in_word);
            if masks.han != 0 {
                starts |= masks.han & leads();
            }
            let ends = (in_tokens << 1 | open) & (!in_tokens | starts);
            self.is_solid |= starts | ends == 0 && in_tokens != 0;
            let base = self.done as u32;
            // SAFETY: as above, three times.
            unsafe {
                if grams.starts_before != 0 {
                    let before = base.wrapping_sub(WINDOW as u32);
                    self.starts.extend::<L>(grams.starts_before, before);
                }
                self.starts.extend::<L>(starts | grams.starts, base);
                self.ends.extend::<L>(ends | grams.ends, base);
            }
            self.run = match (in_tokens >> 63, masks.han >> 63) {
                (0, _) if grams.is_open => Run::Grams(KANA),
                (0, _) => Run::None,
                (_, 0) => Run::Word,
                _ => Run::Han,
            };
            if grams.is_open {
                self.clusters.set_kana(grams.leads, self.done);
            }
            self.done += WINDOW;
        }
    }

    /// As [`windows`](Self::windows), up to the first window that has more than words.
    ///
    /// # Safety
    ///
    /// As [`windows`](Self::windows).
    #[inline(always)]
    unsafe fn plain_windows<L: Lanes>(&mut self, classes: &[u8], limit: usize) {
        let mut in_word = match self.run {
            Run::None => 0,
            Run::Word => 1,
            Run::Han | Run::Grams(_) => return,
        };
        // Kept apart: what is written through a pointer does not make these be read again.
        let (mut done, mut is_solid) = (self.done, self.is_solid);
        let (mut starts, mut ends) = (self.starts.filling(), self.ends.filling());
        while done < limit
            && ends.count < BATCH
            && let Some(kinds) = classes[done..].first_chunk::<WINDOW>()
        {
            // SAFETY: the caller has the instruction set; so below.
            let (words, has_others) = unsafe { L::words(kinds) };
            if has_others {
                break;
            }
            let after_word = words << 1 | in_word;
            let (start, end) = (words & !after_word, after_word & !words);
            is_solid |= start | end == 0 && words != 0;
            // SAFETY: as above, twice.
            unsafe {
                starts.extend::<L>(start, done as u32);
                ends.extend::<L>(end, done as u32);
            }
            in_word = words >> 63;
            done += WINDOW;
        }
        (self.done, self.is_solid) = (done, is_solid);
        (self.starts.count, self.ends.count) = (starts.count, ends.count);
        self.run = if in_word == 1 { Run::Word } else { Run::None };
    }

    /// Finds the borders in the first `len` bytes of a window, character by character.
    fn walk(
        &mut self,
        leads: u64,
        text: &[u8; WINDOW_AND_END],
        classes: &[u8; WINDOW],
        len: usize,
    ) {
        let mut leads = leads & u64::MAX >> (WINDOW - len);
        while leads != 0 {
            let at = leads.trailing_zeros() as usize;
            leads &= leads - 1;
            self.step(classes[at % WINDOW], self.done + at, text[at]);
        }
        self.is_solid = true;
        self.done += len;
    }

    /// Takes the character at `at`, which has this class and this first byte.
    #[inline]
    fn step(&mut self, class: u8, at: usize, lead: u8) {
        match (class, self.run) {
            (MARK, Run::Grams(_)) => {
                let start = self.clusters.starts[(self.clusters.count - 1) % MAX_GRAM];
                let len = (lead.leading_ones() as usize).max(1);
                if at + len - start as usize > MAX_CLUSTER {
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
        if self.run == Run::Grams(KANA) {
            KANA_GRAM
        } else {
            MAX_GRAM
        }
    }

    /// A cluster starts here: the n-gram before it is complete.
    #[inline]
    fn start_cluster(&mut self, at: usize) {
        let n = self.gram_len();
        if self.clusters.count >= n {
            self.push_gram(n, at);
        }
        self.clusters.starts[self.clusters.count % MAX_GRAM] = at as u32;
        self.clusters.count += 1;
    }

    /// The last `n` clusters, up to `end`, are a token.
    fn push_gram(&mut self, n: usize, end: usize) {
        let first = (self.clusters.count - n) % MAX_GRAM;
        self.starts.push(self.clusters.starts[first] as usize);
        self.ends.push(end);
    }

    /// Ends the open run.
    #[inline]
    fn close(&mut self, at: usize) {
        match self.run {
            Run::None => {}
            Run::Word | Run::Han => self.ends.push(at),
            Run::Grams(_) => self.push_gram(self.gram_len().min(self.clusters.count), at),
        }
        self.run = Run::None;
    }

    /// The start of the open word or Han token.
    fn open_token(&self) -> Option<usize> {
        match self.run {
            Run::Word | Run::Han => self.starts.as_slice().last().map(|&start| start as usize),
            Run::None | Run::Grams(_) => None,
        }
    }

    /// Cuts the open token where it is already too long.
    fn cut_open(&mut self, block: &Block) {
        let Some(mut start) = self.open_token() else {
            return;
        };
        while self.done - start > MAX_TOKEN {
            start = cut(&block.bytes, start);
            self.ends.push(start);
            self.starts.push(start);
        }
    }

    /// The first byte of the block that is still needed.
    fn needed(&self) -> usize {
        match self.run {
            Run::Grams(_) => {
                let oldest = self.clusters.count.saturating_sub(MAX_GRAM);
                self.clusters.starts[oldest % MAX_GRAM] as usize
            }
            _ => self.open_token().unwrap_or(self.done),
        }
    }

    /// Forgets the tokens that have both borders.
    fn drop_closed(&mut self) {
        let open = self.ends.count..self.starts.count;
        self.starts.count = open.len();
        self.is_solid &= !open.is_empty();
        self.starts.places.copy_within(open, 0);
        self.ends.count = 0;
    }

    /// The first `count` bytes of the block are no more.
    fn drop_front(&mut self, count: usize) {
        self.done -= count;
        let starts = &mut self.starts.places[..self.starts.count];
        for start in starts.iter_mut().chain(&mut self.clusters.starts) {
            *start = start.saturating_sub(count as u32);
        }
    }
}

/// Finds and hashes the tokens of a stream of blocks.
pub(crate) struct Tokens {
    kernel: &'static Kernel,
    scan: Scan,
    /// Hashes of the tokens between the borders.
    hashes: Box<Aligned<[u64; BORDERS]>>,
}

impl Tokens {
    pub(crate) fn new(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            scan: Scan::new(),
            hashes: Box::new(Aligned([0; BORDERS])),
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        size_of_val(&*self.scan.starts.places)
            + size_of_val(&*self.scan.ends.places)
            + size_of_val(&*self.hashes)
    }

    /// Finds the tokens that end in the block and hands their hashes to `take`, in order; leaves in
    /// the block what may belong to later ones. With `is_last` the text is over.
    pub(crate) fn scan(&mut self, block: &mut Block, is_last: bool, mut take: impl FnMut(&[u64])) {
        let whole = self.scan.done + (block.len - self.scan.done) / WINDOW * WINDOW;
        let limit = if is_last { block.len } else { whole };
        if is_last {
            block.close();
        }
        while self.scan.done < limit {
            (self.kernel.windows)(&mut self.scan, &block.bytes, &block.classes, limit);
            self.hash(block, &mut take);
        }
        if is_last {
            // The last window may have gone beyond the text, but nothing is open there.
            self.scan.done = block.len;
            self.scan.close(block.len);
        } else {
            self.scan.cut_open(block);
        }
        self.hash(block, &mut take);
        let mut kept = self.scan.needed();
        if !is_last {
            // In whole lines: windows begin on one, and so does what comes next in plain text.
            kept = kept / LINE * LINE;
        }
        block.drop_front(kept);
        self.scan.drop_front(kept);
    }

    /// Hashes the tokens that have both borders, and hands them on.
    fn hash(&mut self, block: &Block, take: &mut impl FnMut(&[u64])) {
        let (starts, ends) = self.scan.borders();
        if ends.is_empty() {
            return;
        }
        let is_too_long = |(&start, &end)| end - start > MAX_TOKEN as u32;
        if self.scan.is_solid && starts.iter().zip(ends).any(is_too_long) {
            for (&start, &end) in starts.iter().zip(ends) {
                let (mut start, end) = (start as usize, end as usize);
                while end - start > MAX_TOKEN {
                    let border = cut(&block.bytes, start);
                    take(&[hash_bytes(&block.bytes[start..border])]);
                    start = border;
                }
                take(&[hash_bytes(&block.bytes[start..end])]);
            }
        } else {
            const { assert!(PADDING >= 16, "every token has 16 bytes to load") };
            let hashes = &mut self.hashes[..ends.len()];
            (self.kernel.hash)(starts, ends, &block.bytes, hashes);
            take(hashes);
        }
        self.scan.drop_closed();
    }
}

/// Where a token that starts at `start` and is too long is cut.
fn cut(bytes: &[u8], start: usize) -> usize {
    let mut border = start + MAX_TOKEN;
    while !is_lead(bytes[border]) {
        border -= 1;
    }
    border
}

/// Whether a character begins with this byte.
#[inline(always)]
fn is_lead(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
