//! The comparison on AVX-512 with VPOPCNTDQ: eight fingerprints a register.
//!
//! Eight columns stay in a register while the rows pass by, four at a time: four differences, four
//! population counts, their minimum, one test. Rows that pass it are looked at one by one. Loads at
//! the end of a run are masked, so nothing outside the run is read.
//!
//! Room for all possible hits of eight columns is made before the rows pass, so that the loop calls
//! nothing and its constants stay in registers. The lanes that are valid are masked outside the
//! vector registers, as the port for masks is the one that counts bits.

use std::arch::x86_64::{
    __m512i, _mm512_cmple_epu64_mask, _mm512_mask_popcnt_epi64, _mm512_maskz_loadu_epi64,
    _mm512_min_epu32, _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_xor_si512,
};

use super::{Hit, Run};
use crate::cpu::Level;

/// Fingerprints in a register.
const LANES: usize = 8;

/// See [`Kernel::cross`](super::Kernel).
pub(super) fn cross(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>) {
    assert!(Level::Avx512.is_available());
    // SAFETY: the processor has every instruction set of the level, which was checked just now.
    unsafe { cross_tasks(a, b, tasks, k, hits) }
}

/// See [`Kernel::within`](super::Kernel).
pub(super) fn within(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>) {
    assert!(Level::Avx512.is_available());
    // SAFETY: the processor has every instruction set of the level, which was checked just now.
    unsafe { within_runs(values, runs, k, hits) }
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn cross_tasks(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>) {
    let limit = _mm512_set1_epi64(i64::from(k));
    for &(rows, columns) in tasks {
        let start = (rows.start, columns.start);
        let rows = rows.of(a);
        for (at, columns) in (start.1..).step_by(LANES).zip(columns.of(b).chunks(LANES)) {
            let (lanes, valid) = load(columns);
            rows_against(rows, start.0, lanes, valid, at, limit, hits);
        }
    }
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn within_runs(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>) {
    let limit = _mm512_set1_epi64(i64::from(k));
    for &run in runs {
        let run_values = run.of(values);
        for (before, columns) in (0..).step_by(LANES).zip(run_values.chunks(LANES)) {
            let at = run.start + before as u32;
            let (lanes, valid) = load(columns);
            let rows = &run_values[..before];
            rows_against(rows, run.start, lanes, valid, at, limit, hits);
            diagonal(columns, lanes, valid, at, limit, hits);
        }
    }
}

/// Loads up to eight values; the mask tells which lanes hold one.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(values: &[u64]) -> (__m512i, u8) {
    let valid = u8::MAX >> (LANES - values.len().min(LANES));
    // SAFETY: the mask has a bit for each of the first `values.len()` lanes at most, so nothing
    // behind the slice is read.
    let lanes = unsafe { _mm512_maskz_loadu_epi64(valid, values.as_ptr().cast()) };
    (lanes, valid)
}

/// Number of bits in which the row differs from each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn distances(row: u64, lanes: __m512i) -> __m512i {
    _mm512_popcnt_epi64(_mm512_xor_si512(
        _mm512_set1_epi64(row.cast_signed()),
        lanes,
    ))
}

/// Compares all rows with the lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn rows_against(
    rows: &[u64],
    first_row: u32,
    lanes: __m512i,
    valid: u8,
    first_lane: u32,
    limit: __m512i,
    hits: &mut Vec<Hit>,
) {
    let mut room = Room::new(hits, rows.len());
    let (groups, rest) = rows.as_chunks::<4>();
    let mut at = first_row;
    for group in groups {
        let [d0, d1, d2, d3] = group.map(|row| distances(row, lanes));
        let least = _mm512_min_epu32(_mm512_min_epu32(d0, d1), _mm512_min_epu32(d2, d3));
        if _mm512_cmple_epu64_mask(least, limit) & valid != 0 {
            for (a, distances) in (at..).zip([d0, d1, d2, d3]) {
                let mask = _mm512_cmple_epu64_mask(distances, limit) & valid;
                room.push(a, distances, mask, first_lane);
            }
        }
        at += 4;
    }
    for (a, &row) in (at..).zip(rest) {
        let distances = distances(row, lanes);
        let mask = _mm512_cmple_epu64_mask(distances, limit) & valid;
        room.push(a, distances, mask, first_lane);
    }
}

/// Compares the values of a register with each other: row i with the lanes behind i.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn diagonal(rows: &[u64], lanes: __m512i, valid: u8, at: u32, limit: __m512i, hits: &mut Vec<Hit>) {
    // Lanes up to the row's own count as farther than any limit.
    let far = _mm512_set1_epi64(65);
    let of_row = |row: usize| {
        let behind = valid & (0xfe_u8 << row);
        let difference = _mm512_xor_si512(_mm512_set1_epi64(rows[row].cast_signed()), lanes);
        _mm512_mask_popcnt_epi64(far, behind, difference)
    };
    let mut least = far;
    for row in 0..rows.len() {
        least = _mm512_min_epu32(least, of_row(row));
    }
    if _mm512_cmple_epu64_mask(least, limit) != 0 {
        let mut room = Room::new(hits, rows.len());
        for row in 0..rows.len() {
            let distances = of_row(row);
            let mask = _mm512_cmple_epu64_mask(distances, limit);
            room.push(at + row as u32, distances, mask, at);
        }
    }
}

/// Room at the end of a list for the hits of some rows with the lanes of a register.
struct Room<'v> {
    hits: &'v mut Vec<Hit>,
    /// Rows that may still come: there is room for `LANES` hits of each.
    rows: usize,
}

impl<'v> Room<'v> {
    #[inline]
    fn new(hits: &'v mut Vec<Hit>, rows: usize) -> Self {
        hits.reserve(rows * LANES);
        Self { hits, rows }
    }

    /// Appends a hit for each lane of the mask.
    #[inline]
    #[target_feature(enable = "avx512f,bmi1,popcnt")]
    fn push(&mut self, a: u32, distances: __m512i, mut mask: u8, first_lane: u32) {
        if mask == 0 {
            return;
        }
        debug_assert!(self.rows > 0);
        self.rows = self.rows.wrapping_sub(1);
        // SAFETY: both types are 64 bytes without padding or invalid values.
        let distances: [u64; LANES] = unsafe { std::mem::transmute(distances) };
        let mut len = self.hits.len();
        let start = self.hits.as_mut_ptr();
        while mask != 0 {
            let lane = mask.trailing_zeros();
            mask &= mask - 1;
            let hit = Hit {
                a,
                b: first_lane + lane,
                distance: distances[lane as usize & (LANES - 1)] as u32,
            };
            // SAFETY: `new` made room for `LANES` hits of each row, every row is pushed once at
            // most, and a mask has `LANES` bits; so `len` is below the capacity.
            unsafe { start.add(len).write(hit) };
            len += 1;
        }
        // SAFETY: the elements up to `len` were written, and `len` is within the capacity as above.
        unsafe { self.hits.set_len(len) };
    }
}
