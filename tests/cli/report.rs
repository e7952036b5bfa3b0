//! The reports as a reader gets them. The snapshots are renewed with SNAPSHOTS=overwrite.

use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

use crate::util::{Workspace, one_word_changed, raw, text};

/// A folder with something of everything: pairs of both kinds, links, odd names, what is left out,
/// what fails.
fn mixed() -> Workspace {
    let original = text(1, 300);
    let other = text(2, 200);
    Workspace::new()
        .file("docs/a.md", &original)
        .file("docs/b.md", one_word_changed(&original))
        .hard_link("docs/linked.md", "docs/b.md")
        .file("docs/logo.png", b"\x89PNG\0\0")
        .file("docs/blank", " \n")
        .file("other/tab\there", &other)
        .file(raw(b"other/\xff\xfe"), &other)
        .file("other/quote\"back\\slash", &other)
        .file("other/alone", text(3, 50))
}

/// The report with the version replaced, so that a release does not change every snapshot.
fn stable(report: &str) -> String {
    report.replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}

const SCAN: &str = "scan -k 3 --no-verify docs other missing";

#[test]
fn text_report() {
    let run = mixed().run(SCAN).status(2);
    assert_data_eq!(run.stdout(), file!["snapshots/pairs.txt"].raw());
    assert_data_eq!(run.stderr(), file!["snapshots/summary.txt"].raw());
}

#[test]
fn text_report_in_groups() {
    let run = mixed().run(&format!("{SCAN} --groups")).status(2);
    assert_data_eq!(run.stdout(), file!["snapshots/groups.txt"].raw());
}

#[test]
fn text_report_in_colour() {
    let run = mixed().run(&format!("{SCAN} --color always")).status(2);
    assert_data_eq!(run.stdout(), file!["snapshots/pairs-coloured.txt"].raw());
    let run = mixed()
        .run(&format!("{SCAN} --color always --groups"))
        .status(2);
    assert_data_eq!(run.stdout(), file!["snapshots/groups-coloured.txt"].raw());
}

#[test]
fn text_report_with_raw_names() {
    let run = mixed().run(&format!("{SCAN} -0")).status(2);
    let fields: Vec<_> = run.stdout_bytes().split(|&byte| byte == 0).collect();
    assert_eq!(fields.len(), 4 * 4 + 1);
    assert_eq!(fields[2..4], [&b"docs/a.md"[..], b"docs/b.md"]);
    assert_eq!(
        fields[4..8],
        [
            &b"0"[..],
            b"-",
            b"other/quote\"back\\slash",
            b"other/tab\there"
        ]
    );
    assert_eq!(fields[11], b"other/\xff\xfe");
    assert_eq!(fields[16], b"");

    let run = mixed().run(&format!("{SCAN} -0 --groups")).status(2);
    let fields: Vec<_> = run.stdout_bytes().split(|&byte| byte == 0).collect();
    assert_eq!(fields[0], b"2");
    assert_eq!(fields[1], b"near");
    assert_eq!(
        fields[3..7],
        [&b"-"[..], b"docs/a.md", b"docs/a.md", b"docs/b.md"]
    );
    assert_eq!(fields[7..9], [&b"3"[..], b"exact"]);
    assert_eq!(fields.len(), 5 + 2 + 5 + 3 + 1);
}

#[test]
fn json_report() {
    let run = mixed().run(&format!("{SCAN} --format json")).status(2);
    assert_data_eq!(stable(run.stdout()), file!["snapshots/pairs.json"].raw());
    let run = mixed()
        .run(&format!("{SCAN} --format json --groups"))
        .status(2);
    assert_data_eq!(stable(run.stdout()), file!["snapshots/groups.json"].raw());
}

#[test]
fn jsonl_report() {
    let run = mixed().run(&format!("{SCAN} --format jsonl")).status(2);
    assert_data_eq!(stable(run.stdout()), file!["snapshots/pairs.jsonl"].raw());
    let run = mixed()
        .run(&format!("{SCAN} --format jsonl --groups"))
        .status(2);
    assert_data_eq!(stable(run.stdout()), file!["snapshots/groups.jsonl"].raw());
}

#[test]
fn the_json_summary_adds_up() {
    let run = mixed().run(&format!("{SCAN} --format json")).status(2);
    let report = run.json();
    let summary = &report["summary"];
    let number = |value: &Value| value.as_u64().unwrap();
    let skipped: u64 = summary["skipped"]
        .as_object()
        .unwrap()
        .values()
        .map(number)
        .sum();
    assert_eq!(
        number(&summary["files"]),
        number(&summary["fingerprinted"]) + skipped + number(&summary["failed"])
    );
    let length = |key: &str| report[key].as_array().unwrap().len() as u64;
    assert_eq!(number(&summary["pairs"]), length("pairs"));
    assert_eq!(number(&summary["errors"]), length("errors"));
    assert_eq!(skipped, length("skipped"));
    let exact = report["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["kind"] == "exact");
    assert_eq!(number(&summary["exact_pairs"]), exact.count() as u64);
}

#[test]
fn the_lines_of_jsonl_are_the_fields_of_json() {
    let space = mixed();
    let whole = space.run(&format!("{SCAN} --format json")).json();
    let lines = space.run(&format!("{SCAN} --format jsonl")).json_lines();
    let of_type = |wanted: &str| -> Vec<Value> {
        lines
            .iter()
            .filter(|line| line["type"] == wanted)
            .map(|line| {
                let mut line = line.as_object().unwrap().clone();
                line.remove("type");
                Value::Object(line)
            })
            .collect()
    };
    assert_eq!(Value::Array(of_type("pair")), whole["pairs"]);
    assert_eq!(Value::Array(of_type("skipped")), whole["skipped"]);
    assert_eq!(Value::Array(of_type("error")), whole["errors"]);
    assert_eq!(of_type("summary"), [whole["summary"].clone()]);
    let settings = &of_type("settings")[0];
    assert_eq!(settings["schema"], whole["schema"]);
    assert_eq!(settings["tool"], whole["tool"]);
    assert_eq!(settings["distance"], whole["settings"]["distance"]);
    assert_eq!(lines[0]["type"], "settings");
    assert_eq!(lines.last().unwrap()["type"], "summary");
}

#[test]
fn fault_f12_a_report_without_pairs_says_so() {
    let space = Workspace::new()
        .file("a", text(1, 300))
        .file("b", text(2, 300));
    let bytes = 2 * text(1, 300).len();
    space
        .run("scan -k 3 --no-verify")
        .status(0)
        .stdout_is("")
        .stderr_is(&format!("simdup: 2 files, {bytes} bytes, no pairs\n"));
    let run = space.run("scan -k 3 --no-verify --format json").status(0);
    let report = run.json();
    for key in ["pairs", "skipped", "errors"] {
        assert_eq!(report[key], json!([]));
    }
    let run = space.run("scan -k 3 --groups --format json").status(0);
    assert_eq!(run.json()["groups"], json!([]));
}

#[test]
fn the_summary_names_every_reason_that_left_something_out() {
    let space = Workspace::new()
        .file("binary", b"a\0b")
        .file("blank", " ")
        .file("dots", "...")
        .file("large", text(1, 3000))
        .symlink("link", "blank")
        .file("small", "a")
        .file("undecodable", [0xff; 40]);
    let run = space.run("scan -k 3 --min-size 1 --max-size 4K").status(0);
    assert!(
        run.stderr().contains(
            "simdup: left out: 1 binary, 1 empty, 1 too short, 1 undecodable, 1 too large, 1 symlink\n"
        ),
        "{}",
        run.stderr()
    );
}

#[test]
fn quiet_leaves_standard_error_to_errors() {
    mixed()
        .run(&format!("{SCAN} -q"))
        .status(2)
        .stderr_is("simdup: missing: no such file or directory\n");
    mixed().run("scan -k 3 -q docs").status(0).stderr_is("");
}

#[test]
fn many_errors_of_one_kind_are_counted() {
    let space = Workspace::new();
    let paths: Vec<_> = (0..30)
        .map(|number| format!("missing-{number:02}"))
        .collect();
    let run = space.run(&format!("scan -q {}", paths.join(" "))).status(2);
    assert_eq!(run.stderr().lines().count(), 11);
    assert!(
        run.stderr().ends_with(
            "simdup: no such file or directory: 20 more; -v and --format json name all\n"
        )
    );
    let run = space.run(&format!("scan -v {}", paths.join(" "))).status(2);
    assert!(run.stderr().contains("missing-29"));
}
