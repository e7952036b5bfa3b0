//! Accepted pairs → groups: components join while the pairs stream by, so the pairs are never held
//! (complete linkage must hold them); then each group is measured over all pairs of its members.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::group::{Components, EXACT_MEMBERS, Group, complete_linkage};
use crate::index::Join;
use crate::observe::Stage;
use crate::options::Link;
use crate::record::{self, Kind, Member, Outcome};
use crate::report::Report;

use super::emit::ScoredPair;
use super::search::{Lookup, Search};

/// Pairs of members that are scored at once: as many as the largest measured group has.
const SCORED_AT_ONCE: usize = EXACT_MEMBERS * (EXACT_MEMBERS - 1) / 2;

/// Finds and reports groups, in the order of their first members.
///
/// # Errors
/// A report that cannot be written.
pub(super) fn report(
    search: &mut Search<'_>,
    join: &Join<'_>,
    link: Link,
    report: &mut dyn Report,
    outcome: &mut Outcome,
) -> Result<(), Error> {
    let found = find(search, join, link, outcome);
    // Where members are verified, that is what takes time; groups are written on the way.
    let verifies = search.verifies();
    if !verifies {
        search
            .observer
            .stage(Stage::Report, Some(found.len() as u64));
    }
    outcome.summary.groups = found.len() as u64;
    let mut found = found.into_iter().peekable();
    while found.peek().is_some() {
        let mut members = Vec::new();
        let mut pairs = 0;
        while let Some(next) = found.next_if(|next| {
            members.is_empty() || pairs + measured_pairs(next.len()) <= SCORED_AT_ONCE
        }) {
            pairs += measured_pairs(next.len());
            members.push(next);
        }
        for group in measure(search, members) {
            if !verifies {
                search.observer.advance(1, 0);
            }
            report.group(&group)?;
        }
    }
    Ok(())
}

/// The pairs of a group that are measured: all up to [`EXACT_MEMBERS`], above it none.
fn measured_pairs(members: usize) -> usize {
    if members <= EXACT_MEMBERS {
        members * (members - 1) / 2
    } else {
        0
    }
}

/// The members of every group; counts the pairs that made them.
fn find(
    search: &mut Search<'_>,
    join: &Join<'_>,
    link: Link,
    outcome: &mut Outcome,
) -> Vec<Vec<u32>> {
    match link {
        Link::Single if search.threshold.min_similarity.is_none() => connect(search, join, outcome),
        Link::Single => {
            let components = Components::new(search.corpus.len());
            search.for_each_pair(join, &mut |pair| {
                count(pair, outcome);
                components.join(pair.a, pair.b);
                ControlFlow::Continue(())
            });
            components.into_groups()
        }
        Link::Complete => {
            let mut all = Vec::new();
            search.for_each_pair(join, &mut |pair| {
                count(pair, outcome);
                all.push(*pair);
                ControlFlow::Continue(())
            });
            // Best pair first: the most similar where that is known, else the nearest.
            let dissimilarity =
                |pair: &ScoredPair| pair.score.map_or(2.0, |score| 1.0 - score.similarity);
            all.sort_unstable_by(|x, y| {
                dissimilarity(x)
                    .total_cmp(&dissimilarity(y))
                    .then((x.distance, x.a, x.b).cmp(&(y.distance, y.a, y.b)))
            });
            let pairs: Vec<(u32, u32)> = all.iter().map(|pair| (pair.a, pair.b)).collect();
            complete_linkage(&pairs)
        }
    }
}

/// Components where the fingerprints alone decide: the pairs come in any order, from all threads.
fn connect(search: &Search<'_>, join: &Join<'_>, outcome: &mut Outcome) -> Vec<Vec<u32>> {
    let (corpus, known) = (search.corpus, search.known);
    let components = Components::new(corpus.len());
    let (pairs, exact_pairs) = (AtomicU64::new(0), AtomicU64::new(0));
    join.for_each_unordered(&|candidates| {
        let (mut some, mut exact) = (0, 0);
        for pair in candidates {
            if known.contains(pair.a) && known.contains(pair.b) {
                continue;
            }
            some += 1;
            exact += u64::from(pair.distance == 0 && corpus.same_bytes(pair.a, pair.b));
            components.join(pair.a, pair.b);
        }
        pairs.fetch_add(some, Ordering::Relaxed);
        exact_pairs.fetch_add(exact, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    outcome.summary.pairs = pairs.into_inner();
    outcome.summary.exact_pairs = exact_pairs.into_inner();
    components.into_groups()
}

/// Adds a pair to the counts.
fn count(pair: &ScoredPair, outcome: &mut Outcome) {
    outcome.summary.pairs += 1;
    outcome.summary.exact_pairs += u64::from(pair.kind == Kind::Exact);
}

/// Measures groups over all pairs of their members.
fn measure<'a>(search: &mut Search<'a>, groups: Vec<Vec<u32>>) -> Vec<record::Group<'a>> {
    let corpus = search.corpus;
    let groups: Vec<Group> = groups
        .into_iter()
        .map(|members| Group::new(members, |position| corpus.fingerprint(position)))
        .collect();
    let least = if search.verifies() {
        least_similarities(search, &groups)
    } else {
        vec![None; groups.len()]
    };
    groups
        .iter()
        .zip(least)
        .map(|(group, min_similarity)| {
            let first = group.members[0];
            let exact = group
                .members
                .iter()
                .all(|&member| corpus.same_bytes(first, member));
            record::Group {
                files: group
                    .members
                    .iter()
                    .map(|&member| Member {
                        file: corpus.file(member),
                        representative: member == group.representative,
                    })
                    .collect(),
                kind: if exact { Kind::Exact } else { Kind::Near },
                max_distance: group.max_distance,
                min_similarity,
                bounds_exact: group.bounds_exact,
            }
        })
        .collect()
}

/// The least similarity among all pairs of members, for each group; `None` for groups that are
/// too large, or where a member could not be read again.
fn least_similarities(search: &mut Search<'_>, groups: &[Group]) -> Vec<Option<f64>> {
    let documents: Vec<Vec<u32>> = groups
        .iter()
        .map(|group| {
            let mut documents: Vec<u32> = group
                .members
                .iter()
                .map(|&member| search.corpus.document(member))
                .collect();
            documents.sort_unstable();
            documents.dedup();
            documents
        })
        .collect();
    let measured = |index: usize| groups[index].members.len() <= EXACT_MEMBERS;
    let mut pairs: Vec<(u32, u32)> = (0..groups.len())
        .filter(|&index| measured(index))
        .flat_map(|index| pairs_of(&documents[index]))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let scores = search.score(&pairs, None);
    let mut lookup = Lookup::default();
    (0..groups.len())
        .map(|index| {
            if !measured(index) {
                return None;
            }
            pairs_of(&documents[index]).try_fold(1.0, |least: f64, pair| {
                Some(least.min(lookup.score(&scores, &pairs, pair)?.similarity))
            })
        })
        .collect()
}

/// All pairs of a sorted list, smaller one first.
fn pairs_of(documents: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    documents
        .iter()
        .enumerate()
        .flat_map(|(index, &a)| documents[index + 1..].iter().map(move |&b| (a, b)))
}
