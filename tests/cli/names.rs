//! Odd names come through every report.

use base64::Engine as _;
use serde_json::Value;

use crate::util::{Workspace, raw, text};

/// Names that have broken such reports, in bytewise order.
const ODD: [&[u8]; 12] = [
    b" leading blank",
    b"-x",
    b"a\nb",
    b"a\tb",
    b"a\"b\\c",
    b"a,b",
    b"bell\x07 and \x1b[31mred",
    "\u{e9}".as_bytes(),
    "имя".as_bytes(),
    "👩\u{200d}🚀".as_bytes(),
    b"\xe9",
    b"\xff\xfe",
];

fn space() -> Workspace {
    let text = text(1, 300);
    ODD.iter()
        .fold(Workspace::new(), |space, name| space.file(raw(name), &text))
}

/// The odd names, sorted.
fn sorted() -> Vec<Vec<u8>> {
    let mut names: Vec<_> = ODD.iter().map(|name| name.to_vec()).collect();
    names.sort();
    names
}

#[test]
fn fault_f1_json_is_valid_and_loses_nothing() {
    let space = space();
    for format in ["json", "jsonl"] {
        let run = space
            .run(&format!("scan -k 0 --no-verify -q --format {format}"))
            .status(0);
        let pairs: Vec<Value> = match format {
            "json" => run.json()["pairs"].as_array().unwrap().clone(),
            _ => run
                .json_lines()
                .into_iter()
                .filter(|line| line["type"] == "pair")
                .collect(),
        };
        let name = |pair: &Value, side: &str| match pair.get(format!("{side}_bytes")) {
            Some(bytes) => base64::engine::general_purpose::STANDARD
                .decode(bytes.as_str().unwrap())
                .unwrap(),
            None => pair[side].as_str().unwrap().as_bytes().to_vec(),
        };
        let names = sorted();
        let mut expected = Vec::new();
        for a in 0..names.len() {
            for b in a + 1..names.len() {
                expected.push((names[a].clone(), names[b].clone()));
            }
        }
        let found: Vec<_> = pairs
            .iter()
            .map(|pair| (name(pair, "a"), name(pair, "b")))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn fault_f4_names_survive_the_way_through_a_list_of_fingerprints() {
    let space = space();
    let direct = space.run("scan -k 0 --no-verify -q -0").status(0);
    for options in ["", "-0", "--format jsonl"] {
        space
            .run(&format!("fingerprint -q {options} -o ../list .").replace("../list", ".list"))
            .status(0);
        let joined = space
            .run("scan -k 0 -q -0 --from-fingerprints .list")
            .status(0);
        assert_eq!(joined.stdout_bytes(), direct.stdout_bytes(), "{options}");
    }
}

#[test]
fn text_escapes_what_a_terminal_would_obey() {
    let space = space();
    let run = space.run("fingerprint -q").status(0);
    let names: Vec<_> = run.stdout().lines().map(|line| &line[18..]).collect();
    assert_eq!(
        names,
        [
            " leading blank",
            "-x",
            r"a\tb",
            r"a\nb",
            r#"a"b\\c"#,
            "a,b",
            r"bell\a and \x1b[31mred",
            "é",
            "имя",
            r"\xe9",
            "👩\u{200d}🚀",
            r"\xff\xfe",
        ]
    );
}

#[test]
fn what_hides_or_reorders_a_name_is_escaped_for_people_and_kept_for_programs() {
    let text = text(1, 300);
    let names = [
        "a\u{202e}b",
        "c\u{2066}d",
        "e\u{feff}f",
        "g\u{2028}h",
        "i\u{200f}j",
        "k\u{61c}l",
    ];
    let escaped = [
        r"a\xe2\x80\xaeb",
        r"c\xe2\x81\xa6d",
        r"e\xef\xbb\xbff",
        r"g\xe2\x80\xa8h",
        r"i\xe2\x80\x8fj",
        r"k\xd8\x9cl",
    ];
    let space = names
        .iter()
        .fold(Workspace::new(), |space, name| space.file(name, &text));
    for format in ["text", "markdown"] {
        for groups in ["", "--groups"] {
            let run = space
                .run(&format!("scan -s 1 -q --format {format} {groups}"))
                .status(0);
            for (name, escaped) in names.iter().zip(escaped) {
                let escaped = match format {
                    "markdown" => escaped.replace('\\', "&#92;"),
                    _ => escaped.to_string(),
                };
                assert!(run.stdout().contains(&escaped), "{}", run.stdout());
                assert!(!run.stdout().contains(name), "{}", run.stdout());
            }
        }
    }
    let json = space.run("scan -s 1 -q --format json --groups").json();
    let files = json["groups"][0]["files"].as_array().unwrap();
    assert_eq!(files.len(), names.len());
    for (file, name) in files.iter().zip({
        let mut names = names;
        names.sort_unstable();
        names
    }) {
        assert_eq!(file["path"], name);
    }
    // Messages are for people, too.
    let _ = space
        .run_with(&["scan", "gone\u{202e}"])
        .status(2)
        .stderr_has(r"simdup: gone\xe2\x80\xae: no such file or directory");
    // The escaped form is read back.
    space.run("fingerprint -q -o .list").status(0);
    let back = space
        .run("scan -q --from-fingerprints .list --format json --groups")
        .json();
    assert_eq!(
        back["groups"][0]["files"].as_array().unwrap().len(),
        names.len()
    );
    assert_eq!(back["groups"][0]["files"][0]["path"], "a\u{202e}b");
}

#[test]
fn fault_f2_folders_are_escaped_like_files() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("x\"y\\z/a", &text)
        .file("x\"y\\z/b", &text);
    let run = space
        .run_with(&[
            "scan",
            "-k0",
            "--no-verify",
            "-q",
            "--format",
            "json",
            "x\"y\\z",
        ])
        .status(0);
    let report = run.json();
    assert_eq!(report["settings"]["roots"][0], "x\"y\\z");
    assert_eq!(report["pairs"][0]["a"], "x\"y\\z/a");
    let run = space
        .run_with(&["scan", "-q", "--format", "json", "gone\n\"\\"])
        .status(2)
        .stderr_is("simdup: gone\\n\"\\\\: no such file or directory\n");
    assert_eq!(run.json()["errors"][0]["path"], "gone\n\"\\");
}
