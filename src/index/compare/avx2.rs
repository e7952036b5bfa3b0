//! The comparison on AVX2: four fingerprints a register.
//!
//! There is no population count for vectors: the counts of both half bytes come from a table of 16
//! bytes by shuffle (Muła, Kurz and Lemire 2018, "Faster population counts using AVX2
//! instructions"), and a sum of absolute differences adds eight bytes up. Otherwise as on AVX-512.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpgt_epi64,
    _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_pd, _mm256_sad_epu8, _mm256_set1_epi8,
    _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi16, _mm256_xor_si256,
};

use super::{Hit, Run};
use crate::cpu::Level;

/// Fingerprints in a register.
const LANES: usize = 4;

/// See [`Kernel::cross`](super::Kernel).
pub(super) fn cross(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>) {
    assert!(Level::Avx2.is_available());
    // SAFETY: the processor has every instruction set of the level, which was checked just now.
    unsafe { cross_tasks(a, b, tasks, k, hits) }
}

/// See [`Kernel::within`](super::Kernel).
pub(super) fn within(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>) {
    assert!(Level::Avx2.is_available());
    // SAFETY: the processor has every instruction set of the level, which was checked just now.
    unsafe { within_runs(values, runs, k, hits) }
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
fn cross_tasks(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>) {
    for &(rows, columns) in tasks {
        let first_row = rows.start;
        let rows = rows.of(a);
        let (full, rest) = columns.of(b).as_chunks::<LANES>();
        let mut at = columns.start;
        for lanes in full {
            rows_against(rows, first_row, lanes, at, k, hits);
            at += LANES as u32;
        }
        for (a, &row) in (first_row..).zip(rows) {
            one_by_one(a, row, at, rest, k, hits);
        }
    }
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
fn within_runs(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>) {
    for &run in runs {
        let run_values = run.of(values);
        let (full, rest) = run_values.as_chunks::<LANES>();
        let mut before = 0;
        for lanes in full {
            let at = run.start + before as u32;
            rows_against(&run_values[..before], run.start, lanes, at, k, hits);
            for (row, &value) in lanes.iter().enumerate() {
                let row_at = at + row as u32;
                one_by_one(row_at, value, row_at + 1, &lanes[row + 1..], k, hits);
            }
            before += LANES;
        }
        let at = run.start + before as u32;
        for (row, &value) in run_values[..before].iter().enumerate() {
            one_by_one(run.start + row as u32, value, at, rest, k, hits);
        }
        for (row, &value) in rest.iter().enumerate() {
            let row_at = at + row as u32;
            one_by_one(row_at, value, row_at + 1, &rest[row + 1..], k, hits);
        }
    }
}

/// Compares all rows with four columns.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn rows_against(
    rows: &[u64],
    first_row: u32,
    columns: &[u64; LANES],
    first_column: u32,
    k: u32,
    hits: &mut Vec<Hit>,
) {
    // SAFETY: the array has exactly the 32 bytes that are read; no alignment is needed.
    let lanes = unsafe { _mm256_loadu_si256(columns.as_ptr().cast()) };
    let above = _mm256_set1_epi64x(i64::from(k) + 1);
    let (groups, rest) = rows.as_chunks::<4>();
    let mut at = first_row;
    for group in groups {
        let [d0, d1, d2, d3] = group.map(|row| distances(row, lanes));
        let least = _mm256_min_epu8(_mm256_min_epu8(d0, d1), _mm256_min_epu8(d2, d3));
        if near(least, above) != 0 {
            for (a, &row) in (at..).zip(group) {
                one_by_one(a, row, first_column, columns, k, hits);
            }
        }
        at += 4;
    }
    for (a, &row) in (at..).zip(rest) {
        if near(distances(row, lanes), above) != 0 {
            one_by_one(a, row, first_column, columns, k, hits);
        }
    }
}

/// The lanes whose count is less than `above`, as a mask.
#[inline]
#[target_feature(enable = "avx2")]
fn near(counts: __m256i, above: __m256i) -> i32 {
    _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(above, counts)))
}

/// Number of bits in which the row differs from each lane; fits a byte.
#[inline]
#[target_feature(enable = "avx2")]
fn distances(row: u64, lanes: __m256i) -> __m256i {
    let counts_of_half_bytes = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3,
        3, 4,
    );
    let low_half = _mm256_set1_epi8(0x0f);
    let difference = _mm256_xor_si256(_mm256_set1_epi64x(row.cast_signed()), lanes);
    let low = _mm256_and_si256(difference, low_half);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(difference), low_half);
    let bytes = _mm256_add_epi8(
        _mm256_shuffle_epi8(counts_of_half_bytes, low),
        _mm256_shuffle_epi8(counts_of_half_bytes, high),
    );
    _mm256_sad_epu8(bytes, _mm256_setzero_si256())
}

/// Compares a row with a few columns, without vectors.
#[inline]
#[target_feature(enable = "popcnt")]
fn one_by_one(a: u32, row: u64, first_column: u32, columns: &[u64], k: u32, hits: &mut Vec<Hit>) {
    for (b, value) in (first_column..).zip(columns) {
        let distance = (value ^ row).count_ones();
        if distance <= k {
            hits.push(Hit { a, b, distance });
        }
    }
}
