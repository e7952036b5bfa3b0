//! The carry-save positional population count, for registers of any width.
//!
//! ```text
//! for each block of 32 registers:
//!     a tree of 31 full adders turns the block and the planes 1, 2, 4, 8, 16
//!         into the new planes 1, 2, 4, 8, 16 and one carry of weight 32
//!     half adders add the carry to the planes 32, 64, ...
//! the rest, padded with zeros, goes through blocks of 16 registers in the same way
//! the words of each register are added up, half to half
//! ```
//!
//! Zeros change no count, so padding needs no mask. The tree is walked depth first, which keeps at
//! most five carries alive beside the planes: all fit into registers. Cost a register: 31/32 full
//! adders and some log2(registers)/32 half adders.

use super::Counts;

/// Words of the widest register.
pub(super) const MAX_WORDS: usize = 8;

/// A register of `WORDS` words on which logic works bit by bit.
///
/// Values come from [`Register::zero`] and [`Register::load`] alone, whose callers vouch for the
/// processor; that is why the other methods are safe.
pub(super) trait Register: Copy {
    /// Words of a register: 1, 2, 4 or 8.
    const WORDS: usize;

    /// The words of `HALF_BLOCK` registers.
    type HalfBlock: AsMut<[u64]>;

    /// A half block of zeros.
    const ZEROS: Self::HalfBlock;

    /// No bit set.
    ///
    /// # Safety
    ///
    /// The processor must have the instructions that the type is made for.
    unsafe fn zero() -> Self;

    /// Loads `WORDS` words from an address of any alignment.
    ///
    /// # Safety
    ///
    /// - The processor must have the instructions that the type is made for.
    /// - The `WORDS` words at `from` must be readable.
    unsafe fn load(from: *const u64) -> Self;

    /// The words, zeros behind them.
    fn words(self) -> [u64; MAX_WORDS];

    /// The sum of two bits, at every position: `(sum, carry)`.
    fn half_add(self, b: Self) -> (Self, Self);

    /// The sum of three bits, at every position: `(sum, carry)`.
    fn full_add(self, b: Self, c: Self) -> (Self, Self);
}

/// A single word, for short slices.
impl Register for u64 {
    const WORDS: usize = 1;

    type HalfBlock = [u64; HALF_BLOCK];

    const ZEROS: Self::HalfBlock = [0; HALF_BLOCK];

    #[inline(always)]
    unsafe fn zero() -> Self {
        0
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's word is readable.
        unsafe { from.read_unaligned() }
    }

    #[inline(always)]
    fn words(self) -> [u64; MAX_WORDS] {
        [self, 0, 0, 0, 0, 0, 0, 0]
    }

    #[inline(always)]
    fn half_add(self, b: Self) -> (Self, Self) {
        (self ^ b, self & b)
    }

    #[inline(always)]
    fn full_add(self, b: Self, c: Self) -> (Self, Self) {
        let one = self ^ b;
        (one ^ c, self & b | one & c)
    }
}

/// Planes of a run.
const RUN_PLANES: usize = 16;

/// Registers counted before the planes are added to the [`Counts`]: whole blocks, and few enough
/// for `RUN_PLANES` planes.
const RUN: usize = (1 << RUN_PLANES) - BLOCK;

/// Registers of a block.
const BLOCK: usize = 32;

/// Registers of a block at the end.
pub(super) const HALF_BLOCK: usize = 16;

/// Up to so many hashes single words are faster than wider registers, whose words must be added up
/// in the end.
const SHORT: usize = 64;

/// Adds `hashes` to `counts`.
///
/// # Safety
///
/// The processor must have the instructions that `R` is made for.
#[inline(always)]
pub(super) unsafe fn accumulate<R: Register>(counts: &mut Counts, hashes: &[u64]) {
    if hashes.len() <= SHORT {
        // SAFETY: plain words need no particular instruction.
        return unsafe { accumulate_run::<u64>(counts, hashes) };
    }
    for run in hashes.chunks(RUN * R::WORDS) {
        // SAFETY: the caller vouches for the processor.
        unsafe { accumulate_run::<R>(counts, run) }
    }
}

/// Adds at most `RUN` registers full of hashes to `counts`.
///
/// # Safety
///
/// The processor must have the instructions that `R` is made for.
#[inline(always)]
unsafe fn accumulate_run<R: Register>(counts: &mut Counts, hashes: &[u64]) {
    // SAFETY: the caller vouches for the processor.
    let mut planes = Planes(unsafe { [R::zero(); RUN_PLANES] });
    let mut registers = 0;

    let mut blocks = hashes.chunks_exact(BLOCK * R::WORDS);
    for block in &mut blocks {
        // SAFETY: the caller vouches for the processor; the block has 32 registers.
        let carry = unsafe { planes.add_32(block.as_ptr()) };
        registers += BLOCK;
        planes.propagate(5, carry, registers);
    }
    for rest in blocks.remainder().chunks(HALF_BLOCK * R::WORDS) {
        let mut padded = R::ZEROS;
        let padded = padded.as_mut();
        padded[..rest.len()].copy_from_slice(rest);
        // SAFETY: the caller vouches for the processor; `padded` has 16 registers.
        let carry = unsafe { planes.add_16(padded.as_ptr()) };
        registers += HALF_BLOCK;
        planes.propagate(4, carry, registers);
    }

    let mut sums = [0; RUN_PLANES + MAX_WORDS.ilog2() as usize];
    let in_use = planes.add_up(registers, &mut sums);
    counts.add(&sums[..in_use], hashes.len() as u64);
}

/// Bit p of the counts of a run, for each position of a register.
struct Planes<R>([R; RUN_PLANES]);

/// `add_N` adds N registers to the planes below N and returns the carry, whose weight is N.
///
/// # Safety
///
/// - The processor must have the instructions that `R` is made for.
/// - The N registers at `from` must be readable.
impl<R: Register> Planes<R> {
    #[inline(always)]
    fn add(&mut self, plane: usize, a: R, b: R) -> R {
        let (sum, carry) = self.0[plane].full_add(a, b);
        self.0[plane] = sum;
        carry
    }

    #[inline(always)]
    unsafe fn add_2(&mut self, from: *const u64) -> R {
        // SAFETY: the caller's two registers.
        let (a, b) = unsafe { (R::load(from), R::load(from.add(R::WORDS))) };
        self.add(0, a, b)
    }

    #[inline(always)]
    unsafe fn add_4(&mut self, from: *const u64) -> R {
        // SAFETY: the caller's registers, two and two.
        let (a, b) = unsafe { (self.add_2(from), self.add_2(from.add(2 * R::WORDS))) };
        self.add(1, a, b)
    }

    #[inline(always)]
    unsafe fn add_8(&mut self, from: *const u64) -> R {
        // SAFETY: the caller's registers, four and four.
        let (a, b) = unsafe { (self.add_4(from), self.add_4(from.add(4 * R::WORDS))) };
        self.add(2, a, b)
    }

    #[inline(always)]
    unsafe fn add_16(&mut self, from: *const u64) -> R {
        // SAFETY: the caller's registers, eight and eight.
        let (a, b) = unsafe { (self.add_8(from), self.add_8(from.add(8 * R::WORDS))) };
        self.add(3, a, b)
    }

    #[inline(always)]
    unsafe fn add_32(&mut self, from: *const u64) -> R {
        // SAFETY: the caller's registers, sixteen and sixteen.
        let (a, b) = unsafe { (self.add_16(from), self.add_16(from.add(16 * R::WORDS))) };
        self.add(4, a, b)
    }

    /// Adds `carry` to plane `first` and on, up to the length of `registers`, the number of
    /// registers counted so far, `carry` included.
    #[inline(always)]
    fn propagate(&mut self, first: usize, mut carry: R, registers: usize) {
        let in_use = (registers.ilog2() + 1) as usize;
        for plane in &mut self.0[first..in_use] {
            (*plane, carry) = plane.half_add(carry);
        }
    }

    /// Adds up the words of each register: the bit-sliced sums for the 64 bits of a hash. Returns
    /// how many planes of `sums` may have a bit set.
    #[inline(always)]
    fn add_up<const N: usize>(self, registers: usize, sums: &mut [u64; N]) -> usize {
        let mut in_use = registers.checked_ilog2().map_or(0, |log| log as usize + 1);
        if R::WORDS == 1 {
            for (sum, plane) in sums.iter_mut().zip(&self.0[..in_use]) {
                *sum = plane.words()[0];
            }
            return in_use;
        }
        let mut words = [[0; MAX_WORDS]; N];
        for (words, plane) in words.iter_mut().zip(&self.0[..in_use]) {
            *words = plane.words();
        }
        let mut width = R::WORDS;
        while width > 1 {
            width /= 2;
            let mut carry = [0; MAX_WORDS];
            for words in &mut words[..in_use] {
                for i in 0..width {
                    let (a, b, c) = (words[i], words[i + width], carry[i]);
                    words[i] = a ^ b ^ c;
                    carry[i] = a & b | (a ^ b) & c;
                }
            }
            words[in_use] = carry;
            in_use += 1;
        }
        for (sum, words) in sums.iter_mut().zip(&words[..in_use]) {
            *sum = words[0];
        }
        in_use
    }
}
