//! `simdup.toml`, for scan and check.

use std::fs;

use crate::repository::{Repository, document, verdict, words_changed};
use crate::util::Workspace;

fn folder(config: &str) -> Workspace {
    Workspace::new()
        .file("a.md", document(1))
        .file("b.md", words_changed(&document(1), 3))
        .file("c.txt", document(1))
        .file("simdup.toml", config)
}

#[test]
fn scan_and_check_read_it_and_the_command_line_wins() {
    let folder = folder("similarity = 1.0\n");
    let _ = folder.run("scan").status(0).has_pairs(&[("a.md", "c.txt")]);
    let _ = folder
        .run("check")
        .status(1)
        .has_pairs(&[("a.md", "c.txt")]);
    let all = [("a.md", "b.md"), ("a.md", "c.txt"), ("b.md", "c.txt")];
    let _ = folder.run("scan -s 0.7").status(0).has_pairs(&all);
    // A threshold of the other kind replaces the file's, too.
    let settings = &folder.run("scan -k 3 --format json").json()["settings"];
    assert_eq!(settings["distance"], 3);
    assert!(settings["similarity"].is_null());
    let settings = &folder.run("scan --no-verify --format json").json()["settings"];
    assert!(settings["similarity"].is_null());
    let settings = &folder.run("scan --no-config --format json").json()["settings"];
    assert_ne!(settings["similarity"], 1.0);
}

#[test]
fn each_setting_of_the_file_has_its_effect() {
    let files = |config: &str, arguments: &str| {
        let folder = folder(config)
            .file(".hidden", "text")
            .file("d/e/deep", "text");
        let folder = folder
            .file("bin", b"a\0b")
            .file("d/koi8", b"\xf0\xd2\xc9\xd7\xc5\xd4");
        let json = folder
            .run(&format!("scan -s 0.7 --format json {arguments}"))
            .status(0)
            .json();
        let summary = &json["summary"];
        let count = |key: &str| summary[key].as_u64().unwrap();
        let skipped = |key: &str| summary["skipped"][key].as_u64().unwrap();
        (
            count("files"),
            skipped("binary"),
            skipped("undecodable"),
            skipped("too_short"),
            skipped("too_small") + skipped("too_large"),
            json["pairs"].as_array().unwrap().len(),
        )
    };
    let plain = files("", "");
    assert_eq!(plain, (7, 1, 1, 0, 0, 3));
    assert_eq!(files("hidden = true", "").0, 8);
    assert_eq!(files("glob = '*.md'", ""), (2, 0, 0, 0, 0, 1));
    assert_eq!(
        files("glob = ['*.md', '*.txt']", "-g !b.md"),
        (2, 0, 0, 0, 0, 1)
    );
    assert_eq!(files("max-depth = 1", "").0, 5);
    assert_eq!(files("max-size = '1K'", "").4, 3);
    assert_eq!(files("min-size = 1024", "").4, 4);
    assert_eq!(files("min-features = 10", "").3, 2);
    assert_eq!(files("binary = 'text'", "").1, 0);
    assert_eq!(files("binary = 'text'", "--binary skip").1, 1);
    assert_eq!(files("encoding = 'koi8-r'", "").2, 0);
    assert_eq!(files("reference = ['a.md', 'c.txt']", "").5, 2);
    assert_eq!(files("hidden = true", "--no-config"), plain);
}

#[test]
fn ignore_rules_can_be_set_aside_in_it() {
    let folder = folder("no-ignore = true").file(".ignore", "*.txt\n");
    let _ = folder.run("scan -s 0.7 -g *.txt --no-config").stdout_is("");
    let json = folder.run("scan -g *.txt --format json").json();
    assert_eq!(json["summary"]["files"], 1);
}

#[test]
fn verbose_says_where_each_setting_came_from() {
    let folder = folder("similarity = 0.9\nhidden = true\nmin-size = 2\nmax-new = 3\n");
    let run = folder.run("scan -v --min-size 5").status(0);
    let file = folder.join("simdup.toml").canonicalize().unwrap();
    let file = file.display();
    let _ = run
        .stderr_has(&format!("similarity = 0.9: {file}, line 1\n"))
        .stderr_has(&format!("hidden = true: {file}, line 2\n"))
        .stderr_has(&format!(
            "min-size: from the command line, not {file}, line 3\n"
        ))
        .stderr_has(&format!("max-new: for check only, not {file}, line 4\n"));
    let _ = folder
        .run("check -v")
        .status(0)
        .stderr_has(&format!("max-new = 3: {file}, line 4\n"));
    let quiet = folder.run("scan").status(0);
    assert!(!quiet.stderr().contains("simdup.toml"));
}

#[test]
fn what_is_wrong_in_it_is_an_error_with_its_place() {
    for (config, told) in [
        (
            "distanse = 3",
            "simdup.toml: line 1: unknown key \"distanse\", did you mean \"distance\"?",
        ),
        (
            "\noutput = 'x'",
            "simdup.toml: line 2: output can only be given on the command line",
        ),
        (
            "features = 'wrods'",
            "simdup.toml: line 1: features: invalid value 'wrods' for '--features <SCHEME>'",
        ),
        (
            "binary = 'no'",
            "simdup.toml: line 1: binary: invalid value 'no'",
        ),
        (
            "encoding = 'klingon'",
            "simdup.toml: line 1: encoding: invalid value 'klingon'",
        ),
        (
            "max-size = '1X'",
            "simdup.toml: line 1: max-size: invalid value '1X'",
        ),
        (
            "distance = 65",
            "simdup.toml: line 1: distance: must be a whole number from 0 to 64",
        ),
        (
            "reference = '../x'",
            "simdup.toml: line 1: reference: \"../x\" leaves the folder of this file",
        ),
        ("distance = ", "simdup.toml: line 1: "),
        (
            "glob = [\n  '*.md',\n  'a[b',\n]",
            "simdup.toml: line 3: glob: \"a[b\": unclosed character class; missing ']'",
        ),
    ] {
        let folder = folder(config);
        for command in ["scan", "check"] {
            let _ = folder.run(command).status(2).stdout_is("").stderr_has(told);
            assert_ne!(folder.run(&format!("{command} --no-config")).stderr(), "");
        }
        let _ = folder.run("scan --no-config").status(0);
        let _ = folder.run("fingerprint").status(0);
    }
}

#[test]
fn it_is_found_up_to_the_top_of_the_repository() {
    let repository = Repository::new();
    repository.write(
        "simdup.toml",
        "similarity = 1.0\nreference = ['docs/known']\n",
    );
    repository.write("docs/known/a.md", &document(1));
    repository.write("docs/new/b.md", &document(1));
    repository.write("docs/new/c.md", &document(1));
    let below = |line: &str| repository.workspace.bash(&format!("cd docs/new && {line}"));
    let json = below("simdup scan --format json").status(0).json();
    assert_eq!(json["settings"]["similarity"], 1.0);
    assert_eq!(json["pairs"][0]["a"], "../known/a.md");
    assert_eq!(json["pairs"][0]["known"], "a");
    // The inner repository ends the search.
    let _ = below("git init -q .");
    let json = below("simdup scan --format json").status(0).json();
    assert_ne!(json["settings"]["similarity"], 1.0);
}

#[test]
fn max_new_and_allowances_are_read_by_check() {
    let folder = folder(
        "similarity = 0.7\nmax-new = 1\n\n[[allow]]\ngroup = '*.md'\nreason = 'two editions'\n\n\
         [[allow]]\na = '*.md'\nb = 'x/*'\nreason = 'nothing of the kind'\n",
    );
    let run = folder
        .run("check")
        .status(1)
        .stderr_has("simdup: the allowance in line 8 matches no pair: a \"*.md\", b \"x/*\" (nothing of the kind)\n");
    assert_eq!(
        verdict(&run),
        "2 new near-duplicate pairs, at most 1 accepted (0 known, 1 allowed)"
    );
    let _ = folder.run("check --max-new 2").status(0);
    let _ = folder.run("check --max-new 0").status(1);
    // An allowed pair stays out of the baseline.
    let _ = folder.run("check --update-baseline").status(0);
    let baseline = folder.read("simdup-baseline.json");
    assert!(
        !baseline.contains("{\"a\":\"a.md\",\"b\":\"b.md\"}"),
        "{baseline}"
    );
    let run = folder.run("check").status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs, at most 1 accepted (2 known, 1 allowed)"
    );
}

#[test]
fn lists_of_fingerprints_leave_settings_of_files_aside() {
    let folder = folder("hidden = true\nfeatures = 'words'\nsimilarity = 0.9\n");
    let list = folder.run("fingerprint").status(0);
    fs::write(folder.join("list"), list.stdout_bytes()).unwrap();
    let _ = folder.run("scan --from-fingerprints list").status(0);
}

/// A repository whose configuration names files by the folder that it lies in.
fn with_tied_globs() -> Repository {
    let repository = Repository::new();
    repository.write(
        "simdup.toml",
        "glob = ['docs/**', '!docs/old/**']\nsimilarity = 0.7\n\n\
         [[allow]]\ngroup = 'docs/kept/*'\nreason = 'kept twice'\n",
    );
    for name in [
        "docs/a.md",
        "docs/b.md",
        "docs/old/c.md",
        "docs/docs/d.txt",
        "src/e.md",
    ] {
        repository.write(name, &document(1));
    }
    repository.write("docs/kept/f.md", &document(2));
    repository.write("docs/kept/g.md", &document(2));
    repository
}

#[test]
fn globs_are_relative_to_the_file_wherever_the_command_runs() {
    let repository = with_tied_globs();
    let top = repository.workspace.path().canonicalize().unwrap();
    let found = |line: &str| {
        let run = repository.workspace.bash(line);
        let pairs = run.pairs().into_iter();
        let mut pairs: Vec<_> = pairs.map(|(a, b)| format!("{a} {b}")).collect();
        pairs.retain(|pair| !pair.contains("kept"));
        (pairs.join(", "), run)
    };
    let from_top =
        "docs/a.md docs/b.md, docs/a.md docs/docs/d.txt, docs/b.md docs/docs/d.txt".to_string();
    let from_docs = "a.md b.md, a.md docs/d.txt, b.md docs/d.txt".to_string();
    for command in ["scan -q", "check -q"] {
        assert_eq!(found(&format!("simdup {command}")).0, from_top);
        for (folder, path, prefix) in [
            ("docs", "", ""),
            ("docs", ".", ""),
            ("docs", "--no-ignore", ""),
            ("docs", "--follow", ""),
            ("src", "..", "../docs/"),
            ("src", "../docs --no-ignore", "../docs/"),
            ("docs", "../docs", "../docs/"),
            ("docs/old", "..", "../"),
        ] {
            let (pairs, _) = found(&format!("cd {folder} && simdup {command} {path}"));
            let expected = from_docs
                .split(", ")
                .map(|pair| pair.split(' ').map(|name| format!("{prefix}{name}")))
                .map(|names| names.collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
                .join(", ");
            assert_eq!(pairs, expected, "{command} in {folder}: {path}");
        }
        let docs = top.join("docs");
        let (pairs, _) = found(&format!("cd src && simdup {command} {}", docs.display()));
        assert_eq!(pairs.matches(&*docs.to_string_lossy()).count(), 6);
    }
    // Allowances and the baseline mean the same files, too.
    let (_, run) = found("cd docs && simdup check");
    let _ = run.status(1).stderr_has("(0 known, 1 allowed)");
    let _ = repository.check("--update-baseline").status(0);
    let (_, run) = found("cd docs && simdup check");
    let _ = run.status(0).stderr_has("(3 known, 1 allowed)");
}

#[test]
fn globs_of_the_command_line_stay_relative_to_the_working_folder() {
    let repository = with_tied_globs();
    let names = |line: &str| {
        let run = repository
            .workspace
            .bash(&format!("{line} --format json"))
            .status(0);
        let mut names: Vec<String> = Vec::new();
        for pair in run.json()["pairs"].as_array().unwrap() {
            for side in ["a", "b"] {
                names.push(pair[side].as_str().unwrap().to_string());
            }
        }
        names.sort();
        names.dedup();
        names.join(" ")
    };
    assert_eq!(
        names("cd docs && simdup scan -g '!kept/**'"),
        "a.md b.md docs/d.txt"
    );
    assert_eq!(
        names("cd docs && simdup scan -g '!/docs/*' -g '!kept/'"),
        "a.md b.md"
    );
    assert_eq!(
        names("cd docs && simdup scan -g '!*.txt' -g '!kept/' -g old/c.md"),
        "a.md b.md old/c.md"
    );
    assert_eq!(
        names("cd docs && simdup scan .. -g '!docs/**' -g '!../docs/kept/*' -g '../src/*.md'"),
        "../docs/a.md ../docs/b.md ../src/e.md"
    );
    assert_eq!(
        names("cd docs && simdup scan --no-config -g 'kept/*' -g old/*"),
        "kept/f.md kept/g.md"
    );
}
