//! How much the searches find, held to what they are known to find.

use std::collections::HashSet;
use std::path::Path;

use simdup::feature::Scheme;
use simdup::options::{DEFAULT_DISTANCE, DEFAULT_SIMILARITY};

use self::gold::Gold;
use self::search::{Threshold, search};

#[path = "../../examples/accuracy/gold.rs"]
mod gold;
#[path = "../../examples/accuracy/search.rs"]
mod search;

/// Scores a search over a set of `fixtures/labelled` and holds it to a measured precision and recall.
#[track_caller]
fn holds(set: &str, scheme: Scheme, threshold: Threshold, precision: f64, recall: f64) {
    let set = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/labelled")
        .join(set);
    let found = search(&set.join("docs"), scheme, threshold).unwrap();
    let gold = Gold::read(&set).unwrap();
    let score = gold.score(found.iter().map(|found| &found.names));
    let picture = format!("{}: {gold}: precision, recall, F1 {score}", set.display());
    assert!(score.precision() >= precision - 0.005, "{picture}");
    assert!(score.recall() >= recall - 0.01, "{picture}");
}

#[test]
fn the_default_search_keeps_its_precision_and_recall() {
    let threshold = Threshold::Similarity(DEFAULT_SIMILARITY);
    for (set, recall) in [
        ("code", 0.947),
        ("html", 1.0),
        ("licences", 0.985),
        ("noisy", 0.333),
    ] {
        holds(set, Scheme::Words, threshold, 1.0, recall);
    }
    holds("noisy", Scheme::CharShingles(4), threshold, 1.0, 0.681);
}

#[test]
fn the_nearest_fingerprints_keep_their_precision_and_recall() {
    let threshold = Threshold::Distance(DEFAULT_DISTANCE);
    for (set, recall) in [
        ("code", 0.367),
        ("html", 0.714),
        ("licences", 0.205),
        ("noisy", 0.010),
    ] {
        holds(set, Scheme::Words, threshold, 1.0, recall);
    }
    holds("noisy", Scheme::CharShingles(4), threshold, 1.0, 0.090);
}

/// Over the four sets together: some have fewer than a hundred such pairs, where one counts for
/// more than a hundredth.
#[test]
fn a_similarity_finds_nearly_all_that_verifying_every_pair_does() {
    const SIMILARITIES: [f64; 5] = [0.5, 0.6, 0.7, 0.8, 0.9];
    let mut found_of = SIMILARITIES.map(|_| (0, 0));
    for set in ["code", "html", "licences", "noisy"] {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/labelled")
            .join(set)
            .join("docs");
        // Below 0.5, every pair is verified.
        let all = search(&docs, Scheme::Words, Threshold::Similarity(0.4)).unwrap();
        for (least, (found_sum, all_sum)) in SIMILARITIES.into_iter().zip(&mut found_of) {
            let similar = all
                .iter()
                .filter(|found| found.similarity.is_some_and(|value| value >= least));
            let similar: HashSet<_> = similar.map(|found| &found.names).collect();
            let found = search(&docs, Scheme::Words, Threshold::Similarity(least)).unwrap();
            for found in &found {
                assert!(similar.contains(&found.names), "{:?}", found.names);
            }
            *found_sum += found.len();
            *all_sum += similar.len();
        }
    }
    for (found, all) in found_of {
        assert!(found * 100 >= all * 98, "{found_of:?}");
    }
}

#[test]
fn distances_and_similarities_of_a_search_lie_within_its_threshold() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/labelled/html/docs");
    let near = search(&docs, Scheme::Words, Threshold::Distance(3)).unwrap();
    assert!(near.iter().all(|found| found.distance <= 3));
    assert!(near.iter().all(|found| found.similarity.is_none()));
    let similar = search(&docs, Scheme::Words, Threshold::Similarity(0.7)).unwrap();
    assert!(
        similar
            .iter()
            .all(|found| found.similarity.is_some_and(|value| value >= 0.7))
    );
}
