//! Pairs and groups: exactness, order, limits.

use std::fmt::Write as _;

use serde_json::json;

use crate::util::{Workspace, text};

/// A list of fingerprints, named by their numbers.
fn list(values: &[u64]) -> String {
    let mut list = String::new();
    for (number, value) in values.iter().enumerate() {
        writeln!(list, "{value:016x}  {number:05}").unwrap();
    }
    list
}

/// Values that look random.
fn random(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        })
        .collect()
}

/// The value with `count` bits flipped, spread as far apart as they can be.
fn spread(value: u64, count: usize) -> u64 {
    (0..count).fold(value, |value, bit| value ^ 1 << (bit * 64 / count))
}

#[test]
fn fault_b1_and_b2_pairs_equal_those_of_all_comparisons() {
    let base = random(1, 200);
    let mut values = base.clone();
    for (number, value) in base.iter().enumerate() {
        values.push(spread(*value, number % 17));
    }
    let space = Workspace::new().file("list", list(&values));
    for k in [0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 20, 64] {
        let mut expected = String::new();
        for (a, x) in values.iter().enumerate() {
            for (b, y) in values.iter().enumerate().skip(a + 1) {
                let distance = (x ^ y).count_ones();
                if distance <= k {
                    writeln!(expected, "{distance}\t-\t{a:05}\t{b:05}").unwrap();
                }
            }
        }
        space
            .run(&format!("scan -q -k {k} --from-fingerprints list"))
            .status(0)
            .stdout_is(&expected);
    }
}

#[test]
fn fault_b4_the_ends_of_the_range_are_allowed_and_what_lies_beyond_is_named() {
    let space = Workspace::new().file("list", list(&[0, 0, 1, u64::MAX]));
    let scan = |k: &str| space.run(&format!("scan -q -k {k} --from-fingerprints list"));
    scan("0").status(0).stdout_is("0\t-\t00000\t00001\n");
    assert_eq!(scan("64").status(0).pairs().len(), 6);
    for k in ["65", "-1", "x", "1.5"] {
        scan(k).status(2).stdout_is("").stderr_has("--distance");
    }
    for s in ["0", "1.1", "-1", "x"] {
        space
            .run(&format!("scan -s {s}"))
            .status(2)
            .stdout_is("")
            .stderr_has("--similarity");
    }
}

#[test]
fn fault_b11_equal_runs_give_equal_bytes() {
    let mut space = Workspace::new();
    for number in 0..100 {
        let text = text(number / 4, 100 + (number % 4) as usize);
        space = space.file(format!("{}/{number}", number % 7), text);
    }
    let first = space
        .run("scan -k 8 --no-verify -q --format json 0 1 2 3 4 5 6")
        .status(0);
    assert!(first.json()["summary"]["pairs"].as_u64().unwrap() > 50);
    for round in 0..20 {
        let threads = [1, 2, 8, 16][round % 4];
        let roots = ["3 0 6 1 5 2 4", "6 5 4 3 2 1 0"][round % 2];
        let run = space.run(&format!(
            "scan -k 8 --no-verify -q --format json -j {threads} {roots}"
        ));
        assert_eq!(run.stdout(), first.stdout());
    }
}

#[test]
fn pairs_come_in_the_order_that_was_asked_for() {
    let values = [0, 0b111, 0b11, 0b1];
    let space = Workspace::new().file("list", list(&values));
    let scan = "scan -q -k 3 --from-fingerprints list";
    let path = "3\t-\t00000\t00001\n2\t-\t00000\t00002\n1\t-\t00000\t00003\n\
                1\t-\t00001\t00002\n2\t-\t00001\t00003\n1\t-\t00002\t00003\n";
    let distance = "1\t-\t00000\t00003\n1\t-\t00001\t00002\n1\t-\t00002\t00003\n\
                    2\t-\t00000\t00002\n2\t-\t00001\t00003\n3\t-\t00000\t00001\n";
    space.run(scan).status(0).stdout_is(path);
    space
        .run(&format!("{scan} --sort path"))
        .status(0)
        .stdout_is(path);
    space
        .run(&format!("{scan} --sort distance"))
        .status(0)
        .stdout_is(distance);
}

#[test]
fn a_cut_report_says_so() {
    let space = Workspace::new().file("list", list(&[7; 10]));
    let scan = "scan -k 3 --from-fingerprints list --max-pairs";
    let run = space
        .run(&format!("{scan} 2"))
        .status(0)
        .stdout_is("0\t-\t00000\t00001\n0\t-\t00000\t00002\n");
    assert!(run.stderr().contains("truncated"));
    let run = space.run(&format!("{scan} 2 -q --format json")).status(0);
    assert_eq!(run.json()["summary"]["truncated"], true);
    assert_eq!(run.json()["summary"]["pairs"], 2);
    let run = space.run(&format!("{scan} 45 -q --format json")).status(0);
    assert_eq!(run.json()["summary"]["truncated"], false);
    let run = space
        .run("scan -k 3 --from-fingerprints list --max-pairs 1 --sort distance -q --format json")
        .status(0);
    assert_eq!(run.json()["pairs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_chain_shows_itself_in_the_widest_distance_of_its_group() {
    let chain: Vec<u64> = (0..6).map(|links| (1 << (3 * links)) - 1).collect();
    let space = Workspace::new().file("list", list(&chain));
    let run = space
        .run("scan -q -k 3 --groups --format json --from-fingerprints list")
        .status(0);
    let report = run.json();
    assert_eq!(report["pairs"], json!(null));
    let group = &report["groups"][0];
    assert_eq!(group["files"].as_array().unwrap().len(), 6);
    assert_eq!(group["max_distance"], 15);
    assert_eq!(group["min_similarity"], json!(null));
    assert_eq!(group["kind"], "near");
    let representatives = group["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["representative"] == true)
        .map(|file| file["path"].as_str().unwrap());
    assert_eq!(representatives.collect::<Vec<_>>(), ["00002"]);
}

#[test]
fn a_file_alone_is_no_group() {
    let space = Workspace::new()
        .file("a", text(1, 300))
        .file("b", text(2, 300));
    space
        .run("scan -k 3 --no-verify --groups -q")
        .status(0)
        .stdout_is("");
    space
        .run("scan -k 3 --no-verify --groups -q a")
        .status(0)
        .stdout_is("");
}
