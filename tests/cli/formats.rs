//! The reports for CI, made by the program.

use crate::repository::{Repository, document, verdict, words_changed};
use crate::util::Workspace;

/// A folder with a pair, `a.md` and `b.md`.
fn pair() -> Workspace {
    Workspace::new()
        .file("a.md", document(1))
        .file("b.md", words_changed(&document(1), 3))
}

#[test]
fn fault_f5_reports_are_the_same_from_every_root() {
    let repository = Repository::new();
    repository.write("docs/a b.md", &document(1));
    repository.write("src/c.md", &document(1));
    let results = |line: &str| {
        let run = repository.workspace.bash(line).status(1);
        run.json()["runs"][0]["results"].clone()
    };
    let check = "simdup check -s 0.7 --format sarif";
    let plain = results(check);
    let location = &plain[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], "docs/a%20b.md");
    assert_eq!(location["uriBaseId"], "%SRCROOT%");
    assert_eq!(results(&format!("{check} $PWD")), plain);
    assert_eq!(results(&format!("{check} docs src")), plain);
    assert_eq!(results(&format!("{check} ./src $PWD/docs/")), plain);
    assert_eq!(results(&format!("cd docs && {check} ..")), plain);
}

#[test]
fn fault_f6_reports_are_utf8_in_every_locale() {
    let name = "d\u{e9}j\u{e0} \u{4e2d}.md";
    let folder = Workspace::new()
        .file(name, document(1))
        .file("z.md", document(1));
    let formats = [
        "text", "json", "jsonl", "csv", "markdown", "sarif", "github", "gitlab", "junit",
    ];
    for format in formats {
        let run = |locale: &str| {
            let output = folder
                .command()
                .args(["check", "-s", "0.7", "--format", format])
                .env("LC_ALL", locale)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1));
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        let plain = run("C");
        assert_eq!(plain, run("en_US.ISO-8859-1"));
        let shown = plain.contains(name) || plain.contains("d%C3%A9j%C3%A0%20%E4%B8%AD.md");
        assert!(shown, "{format}: {plain}");
    }
}

#[test]
fn fault_f10_reports_name_the_version_of_the_program() {
    let folder = pair();
    let version = folder
        .run("--version")
        .status(0)
        .stdout()
        .trim()
        .to_string();
    let version = version.strip_prefix("simdup ").unwrap();
    let sarif = folder.run("check --format sarif").json();
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["version"], version);
    let json = folder.run("check --format json").json();
    assert_eq!(json["tool"]["version"], version);
}

#[test]
fn sarif_results_survive_edits_and_are_told_apart() {
    let folder = pair().file("c.md", document(1));
    let identities = |folder: &Workspace| -> Vec<String> {
        let json = folder.run("check -s 0.7 --format sarif").json();
        let results = json["runs"][0]["results"].as_array().unwrap();
        let key = "primaryLocationLineHash";
        results
            .iter()
            .map(|result| {
                result["partialFingerprints"][key]
                    .as_str()
                    .unwrap()
                    .to_string()
            })
            .collect()
    };
    let before = identities(&folder);
    assert_eq!(before.len(), 3);
    assert!(before[0] != before[1] && before[1] != before[2] && before[0] != before[2]);
    let folder = folder
        .file("a.md", words_changed(&document(1), 5))
        .file("zz/new.md", document(9));
    assert_eq!(identities(&folder), before);
}

#[test]
fn the_report_can_go_to_a_file_that_is_no_document() {
    let folder = pair();
    for _ in 0..2 {
        let run = folder
            .run("check -s 0.7 --format gitlab -o report.json")
            .status(1);
        assert_eq!(
            verdict(&run),
            "1 new near-duplicate pair (0 known, 0 allowed)"
        );
    }
    assert!(folder.read("report.json").contains("\"near-duplicate\""));
}
