//! `simdup fingerprint`, and lists of fingerprints in place of files.

use serde_json::json;

use crate::util::{Workspace, one_word_changed, text};

fn space() -> Workspace {
    let original = text(1, 300);
    Workspace::new()
        .file("docs/a", &original)
        .file("docs/b", one_word_changed(&original))
        .file("docs/copy", &original)
        .file("docs/dots", "...")
        .file("docs/other", text(2, 300))
}

#[test]
fn a_line_a_document_in_path_order() {
    let run = space().run("fingerprint docs").status(0);
    let lines: Vec<_> = run.stdout().lines().collect();
    let names: Vec<_> = lines.iter().map(|line| &line[16..]).collect();
    assert_eq!(
        names,
        ["  docs/a", "  docs/b", "  docs/copy", "  docs/other"]
    );
    for line in &lines {
        assert!(
            line[..16]
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        );
    }
    assert_eq!(lines[0][..16], lines[2][..16]);
    assert_ne!(lines[0][..16], lines[3][..16]);
    assert!(
        run.stderr()
            .contains("4 fingerprints\nsimdup: left out: 1 too short\n")
    );
}

#[test]
fn lines_of_json_begin_with_the_settings() {
    let run = space().run("fingerprint -q --format jsonl docs").status(0);
    let lines = run.json_lines();
    assert_eq!(
        lines[0],
        json!({
            "type": "settings", "schema": 1,
            "tool": {"name": "simdup", "version": env!("CARGO_PKG_VERSION")},
            "scheme": "words/1"
        })
    );
    assert!(
        run.stdout()
            .starts_with("{\"type\":\"settings\",\"schema\":1,")
    );
    let documents: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "fingerprint")
        .collect();
    assert_eq!(documents.len(), 5);
    assert_eq!(documents[0]["path"], "docs/a");
    assert_eq!(documents[0]["fingerprint"].as_str().unwrap().len(), 16);
    assert!(documents[0]["features"].as_u64().unwrap() > 300);
    assert_eq!(documents[3]["path"], "docs/dots");
    assert_eq!(documents[3]["fingerprint"], json!(null));
    assert_eq!(lines.last().unwrap()["type"], "summary");
}

#[test]
fn a_list_gives_the_pairs_of_the_files() {
    let space = space();
    let files = space.run("scan -q -k 3 --no-verify docs").status(0);
    assert!(files.stdout().starts_with("0\t-\tdocs/a\tdocs/copy\n") || files.pairs().len() > 1);
    for options in ["", "-0", "--format jsonl"] {
        space
            .run(&format!("fingerprint -q {options} docs -o list"))
            .status(0);
        space
            .run("scan -q -k 3 --from-fingerprints list")
            .status(0)
            .stdout_is(files.stdout());
    }
    let list = space.run("fingerprint -q docs");
    space
        .run_with_input("scan -q -k 3 --from-fingerprints -", list.stdout_bytes())
        .status(0)
        .stdout_is(files.stdout());
}

#[test]
fn pairs_of_lists_are_near_and_have_no_similarity() {
    let space = Workspace::new().file("list", "0000000000000001  a\n0000000000000001  b\n");
    let run = space
        .run("scan -q --format json --from-fingerprints list")
        .status(0);
    let report = run.json();
    assert_eq!(
        report["pairs"],
        json!([{
            "a": "a", "b": "b", "kind": "near", "distance": 0,
            "similarity": null, "containment": null
        }])
    );
    assert_eq!(report["settings"]["distance"], 3);
    assert_eq!(report["summary"]["files"], 2);
    assert_eq!(report["summary"]["fingerprinted"], 2);
}

#[test]
fn lists_of_several_machines_are_joined() {
    let space = Workspace::new()
        .file(
            "here",
            "0000000000000001  here/z\n00000000000000ff  here/y\n",
        )
        .file("there", "0000000000000003  there/a\n");
    space
        .run("scan -q -k 3 --from-fingerprints there --from-fingerprints here")
        .status(0)
        .stdout_is("1\t-\there/z\tthere/a\n");
}

#[test]
fn the_scheme_of_a_list_is_that_of_the_report() {
    let space = space();
    space
        .run("fingerprint -q --features word:3 --format jsonl docs -o list")
        .status(0);
    let run = space
        .run("scan -q --format json --from-fingerprints list")
        .status(0);
    assert_eq!(run.json()["settings"]["scheme"], "word:3/1");
    assert_eq!(run.json()["summary"]["skipped"]["too_short"], 1);
}

#[test]
fn hard_links_and_exact_copies_have_a_line_each_file() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("a", &text)
        .hard_link("b", "a")
        .file("c", &text);
    let run = space.run("fingerprint -q --format jsonl").status(0);
    let lines = run.json_lines();
    assert_eq!(lines[1]["path"], "a");
    assert_eq!(lines[1]["links"], json!(["b"]));
    assert_eq!(lines[2]["path"], "c");
}
