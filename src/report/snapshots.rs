//! Each format for CI over the same small run, against the files in `tests/snapshots/`, and against
//! the public schemas where there are any. `SNAPSHOTS=overwrite cargo test` writes the files anew.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::{assert_data_eq, file};

use super::csv::Csv;
use super::github::Github;
use super::gitlab::Gitlab;
use super::junit::Junit;
use super::markdown::Markdown;
use super::sarif::Sarif;
use super::{Content, Report};
use crate::anchor::Anchor;
use crate::record::{
    Failure, File, Group, Kind, Member, Outcome, Pair, Settings, Side, Status, Summary,
};

/// Names that hurt: blanks, separators of each format, control characters, no UTF-8.
const NAMES: [&[u8]; 8] = [
    b"docs/a b.md",
    b"docs/a,b:c.md",
    "docs/\u{e9}\u{4e2d}.md".as_bytes(),
    b"docs/\"<q>&'|`%.md",
    b"docs/new\nline\x1b.md",
    b"docs/\xff\xfe.md",
    b"../outside.md",
    b"docs/[x](1)\\.md",
];

fn file(index: usize) -> File<'static> {
    File {
        path: Path::new(OsStr::from_bytes(NAMES[index])),
        links: &[],
    }
}

fn near(a: usize, b: usize, status: Option<Status>) -> Pair<'static> {
    Pair {
        a: file(a),
        b: file(b),
        kind: Kind::Near,
        distance: 5,
        similarity: Some(0.947_21),
        containment: Some(0.981_1),
        known: None,
        status,
    }
}

fn pairs() -> Vec<Pair<'static>> {
    let new = Some(Status::New);
    let exact = Pair {
        kind: Kind::Exact,
        distance: 0,
        similarity: Some(1.0),
        containment: Some(1.0),
        ..near(2, 3, new)
    };
    let unverified = Pair {
        similarity: None,
        containment: None,
        known: Some(Side::A),
        ..near(4, 5, new)
    };
    vec![
        near(0, 1, new),
        exact,
        unverified,
        near(6, 7, new),
        near(0, 2, Some(Status::Known)),
        near(0, 3, Some(Status::Allowed)),
    ]
}

fn settings() -> Settings {
    Settings {
        distance: None,
        similarity: Some(0.7),
        candidate_distance: 18,
        scheme: "words/1".into(),
        roots: vec![PathBuf::from(".")],
    }
}

fn outcome(failures: Vec<Failure>) -> Outcome {
    Outcome {
        summary: Summary {
            errors: failures.len() as u64,
            ..Summary::default()
        },
        failures,
        ..Outcome::default()
    }
}

fn failure() -> Failure {
    Failure {
        path: "docs/se,cret".into(),
        code: "permission_denied",
        message: "permission denied".into(),
        is_file: true,
    }
}

/// The text of a report; the version of simdup is taken out, for it changes.
fn text(
    make: impl FnOnce(&mut Vec<u8>, Anchor, &dyn Fn(&mut dyn Report)),
    fill: &dyn Fn(&mut dyn Report),
) -> String {
    let mut out = Vec::new();
    make(&mut out, Anchor::fixed("/repo", "/repo"), fill);
    let text = String::from_utf8(out).expect("always UTF-8");
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    text.replace(&version, "\"[VERSION]\"")
}

fn full(report: &mut dyn Report) {
    report.settings(&settings()).unwrap();
    for pair in pairs() {
        report.pair(&pair).unwrap();
    }
    report.finish(&outcome(vec![failure()])).unwrap();
}

fn empty(report: &mut dyn Report) {
    report.settings(&settings()).unwrap();
    report.finish(&outcome(Vec::new())).unwrap();
}

fn groups(report: &mut dyn Report) {
    report.settings(&settings()).unwrap();
    for exact in [true, false] {
        let members = [0, 1, 5].map(|index| Member {
            file: file(index),
            representative: index == 1,
        });
        let group = Group {
            files: members.to_vec(),
            kind: Kind::Near,
            max_distance: exact.then_some(7),
            min_similarity: exact.then_some(0.8),
            bounds_exact: exact,
        };
        report.group(&group).unwrap();
    }
    report.finish(&outcome(Vec::new())).unwrap();
}

fn sarif(fill: &dyn Fn(&mut dyn Report)) -> String {
    text(|out, anchor, fill| fill(&mut Sarif::new(out, anchor)), fill)
}

fn github(fill: &dyn Fn(&mut dyn Report)) -> String {
    text(
        |out, anchor, fill| fill(&mut Github::new(out, anchor)),
        fill,
    )
}

fn gitlab(fill: &dyn Fn(&mut dyn Report)) -> String {
    text(
        |out, anchor, fill| fill(&mut Gitlab::new(out, anchor)),
        fill,
    )
}

fn junit(fill: &dyn Fn(&mut dyn Report)) -> String {
    text(|out, anchor, fill| fill(&mut Junit::new(out, anchor)), fill)
}

fn csv(content: Content, fill: &dyn Fn(&mut dyn Report)) -> String {
    text(|out, _, fill| fill(&mut Csv::new(out, content)), fill)
}

fn markdown(content: Content, fill: &dyn Fn(&mut dyn Report)) -> String {
    text(|out, _, fill| fill(&mut Markdown::new(out, content)), fill)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas");
    let text = std::fs::read_to_string(path.join(name)).unwrap();
    // One pattern of the SARIF schema has a stray bracket, which not every dialect takes.
    let text = text.replace("{2}]?$", "{2}\\\\]?$");
    jsonschema::validator_for(&json(&text)).unwrap()
}

fn assert_valid(name: &str, instance: &Value) {
    let errors: Vec<String> = schema(name)
        .iter_errors(instance)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn sarif_looks_so_and_fits_its_schema() {
    let text = sarif(&full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/sarif.json": Text].raw()
    );
    for text in [text, sarif(&empty)] {
        assert_valid("sarif-2.1.0-rtm.5.json", &json(&text));
    }
    let mut wrong = json(&sarif(&empty));
    wrong["runs"][0]["results"] = "none".into();
    let refuses = !schema("sarif-2.1.0-rtm.5.json").is_valid(&wrong);
    assert!(refuses, "the schema is no formality");
}

#[test]
fn fault_f5_sarif_names_are_the_same_from_everywhere() {
    let uris = |working: &str, a: &str| {
        let mut out = Vec::new();
        let mut report = Sarif::new(&mut out, Anchor::fixed(working, "/repo"));
        report.settings(&settings()).unwrap();
        let pair = Pair {
            a: File {
                path: Path::new(a),
                links: &[],
            },
            b: File {
                path: Path::new("/repo/z.md"),
                links: &[],
            },
            ..near(0, 1, None)
        };
        report.pair(&pair).unwrap();
        report.finish(&outcome(Vec::new())).unwrap();
        let json = json(&String::from_utf8(out).unwrap());
        let result = &json["runs"][0]["results"][0];
        assert_eq!(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "docs/a.md"
        );
        result.clone()
    };
    let plain = uris("/repo", "docs/a.md");
    assert_eq!(plain, uris("/repo", "./docs/a.md"));
    assert_eq!(plain, uris("/repo", "/repo/docs/a.md"));
    assert_eq!(plain, uris("/repo/docs", "a.md"));
    assert_eq!(plain, uris("/repo/src", "../docs/a.md"));
}

#[test]
fn github_commands_look_so() {
    let text = github(&full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/github.txt": Text].raw()
    );
    assert!(
        text.starts_with("::error title=simdup::4 new"),
        "the total first"
    );
    assert!(text.lines().all(|line| line.starts_with("::")));
    assert_eq!(
        github(&empty),
        "::notice title=simdup::no near-duplicate pairs\n"
    );
}

#[test]
fn gitlab_issues_look_so_and_have_the_documented_shape() {
    let text = gitlab(&full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/gitlab.json": Text].raw()
    );
    for text in [text, gitlab(&empty)] {
        assert_valid("gitlab-code-quality.json", &json(&text));
    }
    assert_eq!(gitlab(&empty), "[]\n");
}

#[test]
fn junit_looks_so() {
    let text = junit(&full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/junit.xml": Text].raw()
    );
    let bad = |character: char| character.is_control() && character != '\n';
    assert!(!text.contains(bad), "no character that XML has no form for");
    assert!(junit(&empty).contains("tests=\"1\" failures=\"0\" errors=\"0\""));
}

#[test]
fn csv_looks_so() {
    let text = csv(Content::Pairs, &full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/pairs.csv": Text].raw()
    );
    // The comparison passes over line ends, which are these here.
    assert!(
        text.starts_with(
            "a,b,kind,distance,similarity,containment,known,status,a_bytes,b_bytes\r\n"
        )
    );
    assert!(text.ends_with("\r\n"));
    let grouped = csv(Content::Groups, &groups);
    assert_data_eq!(
        grouped.as_str(),
        file!["../../tests/snapshots/groups.csv": Text].raw()
    );
    assert_eq!(
        csv(Content::Pairs, &empty).lines().count(),
        1,
        "the header alone"
    );
}

#[test]
fn markdown_looks_so() {
    let text = markdown(Content::Pairs, &full);
    assert_data_eq!(
        text.as_str(),
        file!["../../tests/snapshots/pairs.md": Text].raw()
    );
    let grouped = markdown(Content::Groups, &groups);
    assert_data_eq!(
        grouped.as_str(),
        file!["../../tests/snapshots/groups.md": Text].raw()
    );
    assert_eq!(
        markdown(Content::Pairs, &empty),
        "### simdup: no near-duplicate pairs\n"
    );
}

#[test]
fn a_long_markdown_table_ends_in_time_and_says_so() {
    let text = markdown(Content::Pairs, &|report| {
        report.settings(&settings()).unwrap();
        for _ in 0..5000 {
            report.pair(&near(0, 1, None)).unwrap();
        }
        report.finish(&outcome(Vec::new())).unwrap();
    });
    assert!(text.len() < 65_000);
    assert!(text.starts_with("### simdup: 5000 near-duplicate pairs\n"));
    let rows = text.lines().filter(|line| line.starts_with("| `")).count();
    assert!(text.ends_with(&format!("\n{} more are not listed here.\n", 5000 - rows)));
}

#[test]
fn formats_for_findings_refuse_groups() {
    let refuse = |report: &mut dyn Report| {
        report.settings(&settings()).unwrap();
        let group = Group {
            files: Vec::new(),
            kind: Kind::Near,
            max_distance: None,
            min_similarity: None,
            bounds_exact: true,
        };
        let error = report.group(&group).unwrap_err().to_string();
        assert!(error.ends_with("format lists pairs, not groups"), "{error}");
    };
    sarif(&refuse);
    github(&refuse);
    gitlab(&refuse);
    junit(&refuse);
}

#[test]
fn fault_f10_the_version_has_one_source() {
    let mut out = Vec::new();
    empty(&mut Sarif::new(&mut out, Anchor::fixed("/", "/")));
    let json = json(&String::from_utf8(out).unwrap());
    let driver = &json["runs"][0]["tool"]["driver"];
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(driver["semanticVersion"], env!("CARGO_PKG_VERSION"));
}
