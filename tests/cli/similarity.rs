//! What a distance and a similarity say of a pair, and what they do not.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::util::{Workspace, text};

/// The words of a text.
fn words(seed: u64, count: usize) -> Vec<String> {
    text(seed, count)
        .split_whitespace()
        .map(str::to_string)
        .collect()
}

/// The text with so many words at random places replaced by new ones.
fn replaced(seed: u64, count: usize) -> String {
    let mut words = words(seed, 300);
    let new = self::words(seed + 1_000, count);
    let mut state = seed;
    let mut places = Vec::new();
    while places.len() < count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = (state >> 33) as usize % words.len();
        if !places.contains(&place) {
            words[place].clone_from(&new[places.len()]);
            places.push(place);
        }
    }
    words.join(" ")
}

/// The pairs of a report in JSON, as paths.
fn pairs(report: &Value) -> Vec<(&str, &str)> {
    let pairs = report["pairs"].as_array().unwrap();
    pairs
        .iter()
        .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
        .collect()
}

#[test]
fn schemes_without_a_distance_look_at_every_pair() {
    // Under `classic` a repeated word votes every time, and yet weighs little in the similarity.
    let words: Vec<String> = (0..40).map(|i| format!("w{i}")).collect();
    let a = words.join(" ");
    let space = Workspace::new()
        .file("a", &a)
        .file("b", a + &" w39".repeat(300));
    for search in ["-s 0.3", "-k 64 -s 0.3"] {
        space
            .run(&format!("scan -q --features classic {search}"))
            .status(0)
            .has_pairs(&[("a", "b")]);
    }
}

#[test]
fn fault_a5_short_lines_that_differ_in_a_number() {
    let mut space = Workspace::new();
    for road in 0..10 {
        let line = format!("Road 150{road} lies in county Kent\n");
        space = space.file(road.to_string(), line);
    }
    // Of 6 + 5 features, a line shares 5 + 3 with any other: 8 / (8 + 3 + 3).
    let run = space.run("scan -q -k 64").status(0);
    let similarities: Vec<_> = run.stdout().lines().collect();
    assert_eq!(similarities.len(), 45);
    assert!(similarities.iter().all(|line| line.contains("\t0.5714\t")));
    space.run("scan -q").status(0).stdout_is("");
    let run = space.run("scan -q -k 64 -s 0.57").status(0);
    assert_eq!(run.pairs().len(), 45);
    let run = space
        .run("scan -q -k 64 --min-features 12 --format json")
        .status(0);
    assert_eq!(run.json()["summary"]["skipped"]["too_short"], 10);
    assert_eq!(run.json()["summary"]["pairs"], 0);
}

/// The rows of docs/ACCURACY.md on edits of so many words of 300.
#[test]
fn fault_a8_recall_falls_with_the_edits_as_documented() {
    const SEEDS: u64 = 20;
    let documented = include_str!("../../docs/ACCURACY.md");
    let mut rows = String::new();
    for percent in [1, 2, 5, 10] {
        let mut space = Workspace::new();
        for seed in 0..SEEDS {
            space = space
                .file(format!("{seed:02}-a"), words(seed, 300).join(" "))
                .file(format!("{seed:02}-b"), replaced(seed, percent * 3));
        }
        let report = space.run("scan -q -k 64 --format json").status(0).json();
        let found = pairs(&report);
        let is_copy = |&(a, b): &(&str, &str)| a[..2] == b[..2];
        let copies: Vec<_> = report["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&found)
            .filter(|(_, names)| is_copy(names))
            .map(|(pair, _)| pair)
            .collect();
        assert_eq!(copies.len(), SEEDS as usize);
        let distances: Vec<_> = copies
            .iter()
            .map(|pair| pair["distance"].as_u64().unwrap())
            .collect();
        let mean = distances.iter().sum::<u64>() as f64 / SEEDS as f64;
        let least = copies
            .iter()
            .map(|pair| pair["similarity"].as_f64().unwrap())
            .fold(1.0, f64::min);
        write!(rows, "| {percent} % | {mean:.1} |").unwrap();
        for k in [3, 7, 10, 12, 16] {
            let near = distances.iter().filter(|&&distance| distance <= k).count();
            write!(rows, " {:.2} |", near as f64 / SEEDS as f64).unwrap();
        }

        // Verified, the copies are told from all others.
        let run = space.run("scan -q --format json").status(0).json();
        let found = pairs(&run);
        assert!(found.iter().all(is_copy), "{found:?}");
        let share = found.len() as f64 / SEEDS as f64;
        writeln!(rows, " {share:.2} | {least:.2} |").unwrap();
    }
    for row in rows.lines() {
        assert!(documented.contains(row), "docs/ACCURACY.md lacks:\n{rows}");
    }
}

#[test]
fn fault_a13_moved_words_keep_all_others() {
    let space = Workspace::new()
        .file(
            "a",
            "the old ferry leaves the northern harbour every morning before seven bells",
        )
        .file(
            "b",
            "every morning the old ferry leaves the northern harbour before seven bells",
        );
    // Of 11 different words and 11 pairs of them, only two pairs are others: 21 / 25, where the word
    // that is there twice weighs 2.
    space
        .run("scan -q")
        .status(0)
        .stdout_is("5\t0.8400\ta\tb\n");
}

#[test]
fn fault_a20_a_shared_header_counts_as_text() {
    let header = text(1, 400);
    let mut space = Workspace::new();
    for file in 0..10 {
        let own = text(100 + file, 100);
        space = space.file(file.to_string(), format!("{header}{own}"));
    }
    // Four fifths of each are the header. They share it, and 0.8 / (0.8 + 0.2 + 0.2) is the
    // similarity: near the default, and under 0.7 as soon as a file has more of its own.
    let run = space.run("scan -q -k 64 --format json").status(0);
    let report = run.json();
    for pair in report["pairs"].as_array().unwrap() {
        let similarity = pair["similarity"].as_f64().unwrap();
        assert!((similarity - 0.667).abs() < 0.005, "{pair}");
    }
    assert_eq!(report["summary"]["pairs"], 45);
    space.run("scan -q").status(0).stdout_is("");
    let run = space.run("scan -q -k 64 -s 0.66").status(0);
    assert_eq!(run.pairs().len(), 45);
}

/// Six texts of 300 words; each has 40 others than the one before.
fn chain() -> Workspace {
    let mut space = Workspace::new();
    let mut words = words(1, 300);
    for link in 0..6 {
        if link > 0 {
            let new = self::words(100 + link as u64, 40);
            words[(link - 1) * 40..link * 40].clone_from_slice(&new);
        }
        space = space.file(link.to_string(), words.join(" "));
    }
    space
}

#[test]
fn fault_b5_a_chain_tells_its_least_similarity() {
    let space = chain();
    let run = space.run("scan -q -k 64 --format json").status(0).json();
    let all = run["pairs"].as_array().unwrap();
    assert_eq!(all.len(), 15);
    let least = all
        .iter()
        .map(|pair| pair["similarity"].as_f64().unwrap())
        .fold(1.0, f64::min);
    let widest = all
        .iter()
        .map(|pair| pair["distance"].as_u64().unwrap())
        .max();

    let run = space.run("scan -q --groups --format json").status(0).json();
    let groups = run["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0]["files"].as_array().unwrap().len(), 6);
    assert_eq!(groups[0]["min_similarity"].as_f64(), Some(least));
    assert_eq!(groups[0]["max_distance"].as_u64(), widest);
    assert!(least < 0.4);

    let run = space
        .run("scan -q --groups --link complete --format json")
        .status(0)
        .json();
    for group in run["groups"].as_array().unwrap() {
        assert!(group["min_similarity"].as_f64().unwrap() >= 0.7, "{group}");
    }
}

#[test]
fn fault_b6_weak_links_make_no_group_unseen() {
    // Each text shares 30 of its 100 words with the next.
    let mut space = Workspace::new();
    let words = words(1, 200 * 70 + 30);
    for link in 0..200 {
        let part = words[link * 70..link * 70 + 100].join(" ");
        space = space.file(format!("{link:03}"), part);
    }
    space.run("scan -q --groups").status(0).stdout_is("");
    let groups = |link: &str| {
        let run = space
            .run(&format!(
                "scan -q -s 0.15 --groups --link {link} --format json"
            ))
            .status(0);
        run.json()["groups"].as_array().unwrap().clone()
    };
    let single = groups("single");
    assert_eq!(single.len(), 1);
    assert_eq!(single[0]["files"].as_array().unwrap().len(), 200);
    assert_eq!(single[0]["min_similarity"], 0.0);
    for group in groups("complete") {
        assert_eq!(group["files"].as_array().unwrap().len(), 2, "{group}");
        assert!(group["min_similarity"].as_f64().unwrap() >= 0.15, "{group}");
    }
}

#[test]
fn fault_b7_groups_have_members_and_pairs_have_paths() {
    let space = Workspace::new().file("one/a", text(1, 300));
    space.run("scan -q --groups").status(0).stdout_is("");
    let space = space.file("one/b", text(2, 300));
    space.run("scan -q --groups").status(0).stdout_is("");
    let space = space.file("two/a", text(1, 300));
    let run = space.run("scan -q --groups --format json").status(0).json();
    let groups = run["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0]["files"].as_array().unwrap().len(), 2);

    // Of the old and the new, each by its own path.
    let run = space
        .run("scan -q --reference one two --format json")
        .status(0)
        .json();
    assert_eq!(pairs(&run), [("one/a", "two/a")]);
    for path in pairs(&run).into_iter().flat_map(|(a, b)| [a, b]) {
        assert!(space.join(path).is_file(), "{path}");
    }
}

#[test]
fn fault_b12_the_summary_counts_what_is_printed() {
    let space = Workspace::new()
        .file("old/a", text(1, 300))
        .file("old/a2", text(1, 300))
        .file("old/b", replaced(2, 6))
        .file("new/a", text(1, 300))
        .file("new/b", words(2, 300).join(" "))
        .file("new/b2", replaced(2, 3))
        .file("new/c", text(3, 300));
    for arguments in ["old new", "--reference old new"] {
        let run = space
            .run(&format!("scan -q --format json {arguments}"))
            .status(0)
            .json();
        let found = pairs(&run);
        let inside = |&&(a, b): &&(&str, &str)| a.starts_with("old") && b.starts_with("old");
        let expected = usize::from(!arguments.contains("reference"));
        assert_eq!(found.iter().filter(inside).count(), expected, "{found:?}");

        let summary = &run["summary"];
        assert_eq!(summary["files"], 7);
        assert_eq!(summary["fingerprinted"], 7);
        assert_eq!(summary["pairs"], found.len());
        let listed = run["pairs"].as_array().unwrap().iter();
        let exact = listed.filter(|pair| pair["kind"] == "exact").count();
        assert_eq!(summary["exact_pairs"], exact);
        assert_eq!(summary["groups"], 2);
        let members: HashSet<_> = found.iter().flat_map(|&(a, b)| [a, b]).collect();
        assert_eq!(members.len(), 6);
    }
}

#[test]
fn fault_e5_files_that_cannot_be_read_are_no_copies() {
    // Links to themselves: nobody can open them, whatever the rights.
    let space = Workspace::new()
        .symlink("a", "a")
        .symlink("b", "b")
        .symlink("c", "c")
        .file("d", "")
        .file("e", text(1, 300))
        .file("f", text(1, 300));
    for _ in 0..2 {
        let run = space.run("scan -q --format json a b c d e f").status(2);
        let report = run.json();
        assert_eq!(pairs(&report), [("e", "f")]);
        let errors = report["errors"].as_array().unwrap();
        let paths: Vec<_> = errors.iter().map(|error| &error["path"]).collect();
        assert_eq!(paths, ["a", "b", "c"]);
        assert_eq!(report["summary"]["skipped"]["empty"], 1);
    }
}

/// The examples of the well-known tutorial, and what they are under both schemes. It tells of 1 bit
/// between the first two.
#[test]
fn the_tutorials_pairs() {
    let pairs = [
        (
            ["The quick brown fox", "The quick brown dog"],
            "16\t0.5556",
            "13\t-",
        ),
        (
            [
                "The quick brown fox jumps over the lazy dog",
                "The quick brown fox leaps over the lazy dog",
            ],
            "9\t0.7000",
            "10\t-",
        ),
        (
            ["the cat sat on the mat", "the cat sat on a mat"],
            "20\t0.5714",
            "14\t-",
        ),
    ];
    for ([a, b], words, classic) in pairs {
        let space = Workspace::new().file("a", a).file("b", b);
        space
            .run("scan -q -k 64")
            .status(0)
            .stdout_is(&format!("{words}\ta\tb\n"));
        space
            .run("scan -q -k 64 --no-verify --features classic")
            .status(0)
            .stdout_is(&format!("{classic}\ta\tb\n"));
    }
}
