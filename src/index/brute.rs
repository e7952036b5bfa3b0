//! Every pair, the slow and obvious way: the oracle that all other methods are held to. Never
//! optimise it.

use super::{Candidate, Items};

/// Returns all pairs within `max_distance`, each once with `a < b`, sorted by `(a, b)`.
/// Cost: a comparison for every two positions.
pub fn pairs(items: &Items<'_>, max_distance: u32) -> Vec<Candidate> {
    let n = items.fingerprints.len();
    let mut has_fingerprint = vec![true; n];
    for &position in &items.absent {
        has_fingerprint[position as usize] = false;
    }
    let mut apart_of = vec![None; n];
    for (index, group) in items.apart.iter().enumerate() {
        for &position in group {
            apart_of[position as usize] = Some(index);
        }
    }
    let mut pairs = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            let distance = if has_fingerprint[a] && has_fingerprint[b] {
                (items.fingerprints[a] ^ items.fingerprints[b]).count_ones()
            } else if apart_of[a].is_some() && apart_of[a] == apart_of[b] {
                0
            } else {
                continue;
            };
            if distance <= max_distance {
                pairs.push(Candidate {
                    a: a as u32,
                    b: b as u32,
                    distance: distance as u8,
                });
            }
        }
    }
    pairs
}
