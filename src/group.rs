//! Pairs → groups.
//!
//! A group is a connected component of the pair graph, found by union–find while the pairs stream
//! by: memory depends on the number of documents alone. A chain of pairs can connect documents that
//! are far apart, so every group tells its widest distance over **all** pairs of members.
//! [`complete_linkage`] is the stricter kind: every two members of a group are a pair.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

/// Up to so many members, the figures of a group are computed over all pairs of members.
pub const EXACT_MEMBERS: usize = 2_000;

/// Union–find over positions 0..n, usable from several threads at once.
///
/// The root of a tree is its least position (a larger root is always hung below a smaller one), so
/// the result does not depend on the order of the pairs. Parents only ever move towards the root:
/// a stale value read by another thread is still an ancestor.
#[derive(Debug, Default)]
pub struct Components {
    parent: Vec<AtomicU32>,
}

impl Components {
    /// `n` positions, each alone. 4 bytes a position.
    pub fn new(n: usize) -> Self {
        Self {
            parent: (0..n as u32).map(AtomicU32::new).collect(),
        }
    }

    /// Adds a position that is alone, and gives it.
    pub fn add(&mut self) -> u32 {
        let position = self.parent.len() as u32;
        self.parent.push(AtomicU32::new(position));
        position
    }

    fn parent(&self, x: u32) -> u32 {
        self.parent[x as usize].load(Ordering::Relaxed)
    }

    /// The least position that `x` is connected to so far.
    pub fn find(&self, mut x: u32) -> u32 {
        loop {
            let parent = self.parent(x);
            let grandparent = self.parent(parent);
            if parent == grandparent {
                return parent;
            }
            self.parent[x as usize].store(grandparent, Ordering::Relaxed);
            x = grandparent;
        }
    }

    /// Connects `a` and `b`; false when they were connected already.
    pub fn join(&self, a: u32, b: u32) -> bool {
        // Most pairs of a crowded cluster end here: both hang below one root already.
        if self.parent(a) == self.parent(b) {
            return false;
        }
        loop {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                return false;
            }
            let (low, high) = (a.min(b), a.max(b));
            let hung = self.parent[high as usize].compare_exchange(
                high,
                low,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if hung.is_ok() {
                return true;
            }
        }
    }

    /// The number of components of at least two positions.
    pub fn group_count(&self) -> usize {
        let mut joined = vec![false; self.parent.len()];
        for x in 0..self.parent.len() as u32 {
            let root = self.find(x);
            if root != x {
                joined[root as usize] = true;
            }
        }
        joined.into_iter().filter(|&joined| joined).count()
    }

    /// The components of at least two positions: members sorted, groups in the order of their first
    /// members.
    pub fn into_groups(self) -> Vec<Vec<u32>> {
        let n = self.parent.len() as u32;
        let mut size = vec![0_u32; n as usize];
        for x in 0..n {
            size[self.find(x) as usize] += 1;
        }
        // From here on `size` turns into the group's index plus one, at the roots.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for x in 0..n {
            let root = self.find(x) as usize;
            if root == x as usize {
                let members = size[root] as usize;
                size[root] = 0;
                if members > 1 {
                    groups.push(Vec::with_capacity(members));
                    size[root] = groups.len() as u32;
                }
            }
            if size[root] > 0 {
                groups[size[root] as usize - 1].push(x);
            }
        }
        groups
    }
}

/// The connected components that `pairs` make of the positions 0..n; see
/// [`Components::into_groups`] for their order.
pub fn connected_components(
    n: usize,
    pairs: impl IntoIterator<Item = (u32, u32)>,
) -> Vec<Vec<u32>> {
    let components = Components::new(n);
    for (a, b) in pairs {
        components.join(a, b);
    }
    components.into_groups()
}

/// Groups in which every two members are a pair, made greedily from `pairs`, **best pair first**;
/// each pair comes once. Two groups become one when the pair in hand connects them and all their
/// members pair with one another. Members are sorted, groups in the order of their first members;
/// documents that found no partner are in no group.
///
/// A pair that cannot join its two groups never will, as groups only grow; so one pass is enough.
/// Cost: O(p log p) for p pairs, and memory for the pairs.
pub fn complete_linkage(pairs: &[(u32, u32)]) -> Vec<Vec<u32>> {
    // A group is known by one of its members, its root. `between[g][h]` counts the pairs between
    // the groups g and h.
    let mut root: HashMap<u32, u32> = HashMap::new();
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut between: HashMap<u32, HashMap<u32, usize>> = HashMap::new();
    for &(a, b) in pairs {
        for (x, y) in [(a, b), (b, a)] {
            root.insert(x, x);
            members.entry(x).or_insert_with(|| vec![x]);
            *between.entry(x).or_default().entry(y).or_default() += 1;
        }
    }
    for (a, b) in pairs {
        let (g, h) = (root[a], root[b]);
        if g == h {
            continue;
        }
        if between[&g].get(&h) != Some(&(members[&g].len() * members[&h].len())) {
            continue;
        }
        // The group with fewer neighbours moves into the other.
        let (keep, go) = if between[&g].len() >= between[&h].len() {
            (g, h)
        } else {
            (h, g)
        };
        let moved = members.remove(&go).unwrap_or_default();
        for &x in &moved {
            root.insert(x, keep);
        }
        members.entry(keep).or_default().extend(moved);
        let mut neighbours: Vec<(u32, usize)> = between
            .remove(&go)
            .unwrap_or_default()
            .into_iter()
            .collect();
        neighbours.sort_unstable();
        for (other, count) in neighbours {
            let of_other = between.entry(other).or_default();
            of_other.remove(&go);
            if other != keep {
                *of_other.entry(keep).or_default() += count;
                *between.entry(keep).or_default().entry(other).or_default() += count;
            }
        }
    }
    let mut groups: Vec<Vec<u32>> = members
        .into_values()
        .filter(|members| members.len() > 1)
        .collect();
    for members in &mut groups {
        members.sort_unstable();
    }
    groups.sort_unstable();
    groups
}

/// A group and what is known of it from the fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Positions of the members, sorted; at least two.
    pub members: Vec<u32>,
    /// The member with the least sum of Hamming distances to the others, the first of several.
    pub representative: u32,
    /// The widest distance over all pairs of members; above [`EXACT_MEMBERS`] an upper bound.
    pub max_distance: Option<u32>,
    /// Whether `max_distance` is exact.
    pub bounds_exact: bool,
}

impl Group {
    /// Describes the group of these members. `fingerprint` gives the fingerprint of a position;
    /// a member without one has equal bytes with all the others, so its distances are 0.
    ///
    /// Cost: 64 steps a member for the representative, and a comparison for every two different
    /// fingerprints up to [`EXACT_MEMBERS`].
    pub fn new(members: Vec<u32>, fingerprint: impl Fn(u32) -> Option<u64>) -> Self {
        let values: Option<Vec<u64>> = members.iter().map(|&x| fingerprint(x)).collect();
        let Some(values) = values else {
            return Self {
                representative: members[0],
                members,
                max_distance: Some(0),
                bounds_exact: true,
            };
        };
        let center = center(&values);
        let bounds_exact = values.len() <= EXACT_MEMBERS;
        let max_distance = if bounds_exact {
            widest(&values)
        } else {
            widest_bound(&values, values[center])
        };
        Self {
            representative: members[center],
            members,
            max_distance: Some(max_distance),
            bounds_exact,
        }
    }
}

/// Describes groups in parallel; see [`Group::new`].
pub fn describe(
    groups: Vec<Vec<u32>>,
    fingerprint: impl Fn(u32) -> Option<u64> + Sync,
) -> Vec<Group> {
    groups
        .into_par_iter()
        .map(|members| Group::new(members, &fingerprint))
        .collect()
}

/// Index of the value with the least sum of distances to all, the first of several.
///
/// The sum is taken bit by bit: a value with a 1 differs there from all that have a 0. So it costs
/// 64 steps a value, not a step for every two values.
fn center(values: &[u64]) -> usize {
    let mut ones = [0_u64; 64];
    for value in values {
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += value >> bit & 1;
        }
    }
    let n = values.len() as u64;
    let sum = |value: u64| -> u64 {
        let of_bit = |(bit, &count): (usize, &u64)| {
            if value >> bit & 1 == 1 {
                n - count
            } else {
                count
            }
        };
        ones.iter().enumerate().map(of_bit).sum()
    };
    let least = values
        .iter()
        .enumerate()
        .min_by_key(|(_, value)| sum(**value));
    least.map_or(0, |(index, _)| index)
}

/// The widest distance between two of the values.
fn widest(values: &[u64]) -> u32 {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut widest = 0;
    for (index, a) in distinct.iter().enumerate() {
        for b in &distinct[index + 1..] {
            widest = widest.max((a ^ b).count_ones());
        }
    }
    widest
}

/// An upper bound of the widest distance: no two values are further apart than the two that are
/// farthest from the center are from it together, nor than there are bits that vary at all.
fn widest_bound(values: &[u64], center: u64) -> u32 {
    let (mut first, mut second, mut varying) = (0, 0, 0);
    for value in values {
        varying |= value ^ center;
        let distance = (value ^ center).count_ones();
        if distance > first {
            (first, second) = (distance, first);
        } else {
            second = second.max(distance);
        }
    }
    (first + second).min(varying.count_ones())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_values(values: &[u64]) -> Group {
        let members = (0..values.len() as u32).collect();
        Group::new(members, |x| Some(values[x as usize]))
    }

    /// Components by breadth-first search.
    fn components_naive(n: usize, pairs: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut seen = vec![false; n];
        let mut groups = Vec::new();
        for start in 0..n as u32 {
            let mut members = vec![start];
            let mut next = 0;
            if std::mem::replace(&mut seen[start as usize], true) {
                continue;
            }
            while next < members.len() {
                for &(a, b) in pairs {
                    for (x, y) in [(a, b), (b, a)] {
                        if x == members[next] && !std::mem::replace(&mut seen[y as usize], true) {
                            members.push(y);
                        }
                    }
                }
                next += 1;
            }
            members.sort_unstable();
            if members.len() > 1 {
                groups.push(members);
            }
        }
        groups
    }

    /// Complete linkage by looking at all pairs of members.
    fn complete_naive(n: usize, pairs: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let is_pair = |a, b| pairs.contains(&(a, b)) || pairs.contains(&(b, a));
        let mut groups: Vec<Vec<u32>> = (0..n as u32).map(|x| vec![x]).collect();
        for &(a, b) in pairs {
            let at = |x| groups.iter().position(|group| group.contains(&x)).unwrap();
            let (g, h) = (at(a), at(b));
            let all = groups[g]
                .iter()
                .all(|&x| groups[h].iter().all(|&y| is_pair(x, y)));
            if g != h && all {
                let moved = std::mem::take(&mut groups[h]);
                groups[g].extend(moved);
            }
        }
        groups.retain(|group| group.len() > 1);
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort();
        groups
    }

    fn some_pairs() -> impl Strategy<Value = Vec<(u32, u32)>> {
        proptest::collection::hash_set((0_u32..24, 0_u32..24), 0..80).prop_map(|set| {
            let mut pairs: Vec<_> = set.into_iter().filter(|(a, b)| a < b).collect();
            pairs.sort_by_key(|&(a, b)| (a * 7 + b * 11) % 13);
            pairs
        })
    }

    proptest! {
        #[test]
        fn components_match_naive(pairs in some_pairs()) {
            let expected = components_naive(24, &pairs);
            prop_assert_eq!(connected_components(24, pairs.iter().copied()), expected);
        }

        #[test]
        fn complete_linkage_matches_naive(pairs in some_pairs()) {
            prop_assert_eq!(complete_linkage(&pairs), complete_naive(24, &pairs));
        }

        #[test]
        fn group_figures_match_naive(values in proptest::collection::vec(any::<u64>(), 2..40)) {
            let group = of_values(&values);
            let distance = |a: u64, b: u64| (a ^ b).count_ones();
            let sum = |a: u64| values.iter().map(|&b| distance(a, b)).sum::<u32>();
            let least = values.iter().map(|&a| sum(a)).min().unwrap();
            let first = values.iter().position(|&a| sum(a) == least).unwrap();
            prop_assert_eq!(group.representative as usize, first);
            let widest = values.iter().flat_map(|&a| values.iter().map(move |&b| distance(a, b))).max();
            prop_assert_eq!(group.max_distance, widest);
            prop_assert!(group.bounds_exact);
            prop_assert!(widest.unwrap() <= widest_bound(&values, values[first]));
        }
    }

    #[test]
    fn components_do_not_depend_on_threads() {
        let pairs: Vec<(u32, u32)> = (0..20_000_u32)
            .map(|x| (x, x.wrapping_mul(2_654_435_761) % 20_000))
            .collect();
        let expected = connected_components(20_000, pairs.iter().copied());
        let components = Components::new(20_000);
        pairs.par_iter().rev().for_each(|&(a, b)| {
            components.join(a, b);
        });
        assert_eq!(components.into_groups(), expected);
    }

    #[test]
    fn fault_b5_a_chain_shows_its_width() {
        // Each link is 4 bits; the ends are 20 bits apart.
        let values: Vec<u64> = (0..6).map(|link| (1_u64 << (4 * link)) - 1).collect();
        let group = of_values(&values);
        assert_eq!(group.max_distance, Some(20));
        assert_eq!(group.representative, 2);
    }

    #[test]
    fn above_the_limit_the_width_is_a_bound() {
        let values: Vec<u64> = (0..=EXACT_MEMBERS as u64).collect();
        let group = of_values(&values);
        assert!(!group.bounds_exact);
        assert_eq!(group.max_distance, Some(11));
    }

    #[test]
    fn members_without_fingerprint_are_equal() {
        let group = Group::new(vec![3, 5], |_| None);
        assert_eq!((group.representative, group.max_distance), (3, Some(0)));
    }
}
