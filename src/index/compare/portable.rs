//! The comparison in plain Rust: the oracle of the others.

use super::{Hit, Run};

/// Fingerprints that are tested at once; one branch for all of them.
const GROUP: usize = 8;

/// See [`Kernel::cross`](super::Kernel).
pub(super) fn cross(a: &[u64], b: &[u64], tasks: &[(Run, Run)], k: u32, hits: &mut Vec<Hit>) {
    for &(rows, columns) in tasks {
        for (i, &row) in (rows.start..).zip(rows.of(a)) {
            compare(i, row, columns.start, columns.of(b), k, hits);
        }
    }
}

/// See [`Kernel::within`](super::Kernel).
pub(super) fn within(values: &[u64], runs: &[Run], k: u32, hits: &mut Vec<Hit>) {
    for run in runs {
        let mut rest = run.of(values);
        for i in run.start..run.end {
            let row = rest[0];
            rest = &rest[1..];
            compare(i, row, i + 1, rest, k, hits);
        }
    }
}

/// Compares one fingerprint with a run that starts at place `start`.
fn compare(a: u32, row: u64, start: u32, columns: &[u64], k: u32, hits: &mut Vec<Hit>) {
    for (b, group) in (start..).step_by(GROUP).zip(columns.chunks(GROUP)) {
        let least = group.iter().map(|value| (value ^ row).count_ones()).min();
        if least.is_none_or(|least| least > k) {
            continue;
        }
        for (b, value) in (b..).zip(group) {
            let distance = (value ^ row).count_ones();
            if distance <= k {
                hits.push(Hit { a, b, distance });
            }
        }
    }
}
