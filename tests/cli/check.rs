//! `simdup check`: verdict, baseline, changed files.

use std::fs;

use crate::repository::{Repository, document, verdict, words_changed};
use crate::util::Workspace;

/// A folder with a pair, `a.md` and `b.md`, and a file that is like no other.
fn pair() -> Workspace {
    Workspace::new()
        .file("a.md", document(1))
        .file("b.md", words_changed(&document(1), 3))
        .file("other.md", document(2))
}

#[test]
fn the_story_of_a_repository() {
    let repository = Repository::new();
    repository.write("a.md", &document(1));
    repository.commit();
    let run = repository.check("--update-baseline").status(0);
    assert_eq!(
        verdict(&run),
        "simdup-baseline.json: 0 known pairs (0 added, 0 removed)"
    );
    repository.commit();

    repository.write("b.md", &words_changed(&document(1), 3));
    let run = repository
        .check("")
        .status(1)
        .has_pairs(&[("a.md", "b.md")]);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (0 known, 0 allowed)"
    );

    let run = repository.check("--update-baseline").status(0);
    assert_eq!(
        verdict(&run),
        "simdup-baseline.json: 1 known pair (1 added, 0 removed)"
    );
    let run = repository.check("").status(0).stdout_is("");
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (1 known, 0 allowed)"
    );
    repository.commit();

    repository.write("c.md", &document(1));
    let run = repository
        .check("")
        .status(1)
        .has_pairs(&[("a.md", "c.md"), ("b.md", "c.md")]);
    assert_eq!(
        verdict(&run),
        "2 new near-duplicate pairs (1 known, 0 allowed)"
    );
    repository.remove("c.md");

    repository.remove("b.md");
    let run = repository
        .check("")
        .status(0)
        .stderr_has(
            "simdup: 1 known pair is gone; run `simdup check --update-baseline` to forget it\n",
        )
        .stderr_has("simdup:   a.md and b.md\n");
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (0 known, 0 allowed)"
    );
    let run = repository.check("--update-baseline").status(0);
    assert_eq!(
        verdict(&run),
        "simdup-baseline.json: 0 known pairs (0 added, 1 removed)"
    );
}

#[test]
fn fault_g6_a_copy_of_an_unchanged_file_is_found_from_the_change_alone() {
    let repository = Repository::new();
    repository.write("docs/a.md", &document(1));
    repository.write("old/x.md", &document(2));
    repository.write("old/y.md", &document(2));
    repository.commit();
    repository.write("copies/b.md", &document(1));
    repository.commit();
    let run = repository
        .check("--changed-since HEAD~1")
        .status(1)
        .has_pairs(&[("copies/b.md", "docs/a.md")]);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (0 known, 0 allowed, 1 without a changed file)"
    );
    let json = repository
        .check("--changed-since HEAD~1 --format json")
        .json();
    assert_eq!(json["pairs"].as_array().unwrap().len(), 1);
    assert_eq!(json["summary"]["pairs"], 1, "totals fit what is listed");
    assert_eq!(json["summary"]["groups"], 1);
    let _ = repository
        .check("--changed-since HEAD")
        .status(0)
        .stdout_is("");
    // Not committed, not even added.
    repository.write("copies/c.md", &document(2));
    let _ = repository
        .check("--changed-since HEAD")
        .status(1)
        .has_pairs(&[("copies/c.md", "old/x.md"), ("copies/c.md", "old/y.md")]);
}

#[test]
fn a_rename_is_told_as_such() {
    let repository = Repository::new();
    repository.write("a.md", &document(1));
    repository.write("b.md", &words_changed(&document(1), 3));
    let _ = repository.check("--update-baseline").status(0);
    repository.commit();
    let _ = repository.git("mv a.md renamed.md");
    let run = repository
        .check("")
        .status(1)
        .stderr_has("new pairs that a rename explains")
        .stderr_has("renamed.md (was a.md in the pair with b.md)");
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (0 known, 0 allowed)"
    );
    let _ = repository.check("--changed-since HEAD").status(1);
    let _ = repository.check("--update-baseline").status(0);
    let _ = repository.check("").status(0);
}

#[test]
fn fault_g2_max_new_zero_is_a_number() {
    let folder = pair();
    let _ = folder.run("check -s 0.7 --max-new 0 other.md").status(0);
    let _ = folder.run("check -s 0.7 --max-new 0").status(1);
    let run = folder.run("check -s 0.7 --max-new 1").status(0);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair, at most 1 accepted (0 known, 0 allowed)"
    );
}

#[test]
fn fault_g4_another_pair_in_place_of_a_known_one_is_new() {
    let repository = Repository::new();
    repository.write("a.md", &document(1));
    repository.write("b.md", &document(1));
    repository.write("c.md", &document(2));
    let _ = repository.check("--update-baseline").status(0);
    repository.write("b.md", &document(2));
    let run = repository
        .check("")
        .status(1)
        .has_pairs(&[("b.md", "c.md")]);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (0 known, 0 allowed)"
    );
    let _ = run.stderr_has("1 known pair is gone");
}

#[test]
fn fault_g8_every_end_has_its_status_and_its_word() {
    let folder = pair();
    let run = folder.run("check -s 0.7").status(1);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (0 known, 0 allowed)"
    );
    let run = folder.run("check -s 0.7 other.md").status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (0 known, 0 allowed)"
    );
    let run = folder
        .run("check -s 0.7 --max-new 100 . missing")
        .status(2)
        .has_pairs(&[("a.md", "b.md")])
        .stderr_has("missing: no such file or directory");
    assert_eq!(
        verdict(&run),
        "check incomplete, no verdict; so far 1 new near-duplicate pair, at most 100 accepted (0 known, 0 allowed)"
    );
    let run = folder.run("check -q -s 0.7").status(1);
    assert_eq!(
        run.stderr(),
        "1 new near-duplicate pair (0 known, 0 allowed)\n"
    );
}

#[cfg(debug_assertions)]
#[test]
fn fault_g8_a_worker_that_dies_is_no_pass() {
    let folder = pair();
    let output = folder
        .command()
        .args(["check", "--max-new", "100"])
        .env("SIMDUP_FAULT", "panic")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("injected by SIMDUP_FAULT"), "{stderr}");
    assert!(
        stderr.ends_with("\ncheck incomplete, no verdict\n"),
        "{stderr}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let folder = pair();
    let _ = folder
        .bash("simdup check -s 0.7 --max-new 9 > /dev/full")
        .status(2)
        .stderr_has("standard output: cannot write the report");
    let _ = folder
        .run("check -s 0.7 --max-new 9 -o no/such/folder")
        .status(2)
        .stderr_has("no/such/folder");
}

#[test]
fn a_closed_pipe_changes_no_verdict() {
    let mut folder = Workspace::new();
    for copy in 0..120 {
        folder = folder.file(format!("a-name-of-some-length-{copy:03}.md"), document(1));
    }
    let _ = folder
        .bash("simdup check -s 0.7 | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}")
        .status(1)
        .stderr_has("7140 new near-duplicate pairs");
    let _ = folder
        .bash("simdup check -s 0.7 --max-new 7140 --format json | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}")
        .status(0);
}

#[test]
fn json_tells_the_status_of_each_pair() {
    let folder = pair();
    let _ = folder.run("check -s 0.7 --update-baseline").status(0);
    let folder = folder
        .file("l/x", document(3))
        .file("l/y", document(3))
        .file(
            "simdup.toml",
            "[[allow]]\ngroup = 'l/*'\nreason = 'they belong together'\n",
        );
    let folder = folder.file("c.md", document(2));
    let run = folder.run("check -s 0.7 --format json").status(1);
    assert_eq!(
        verdict(&run),
        "1 new near-duplicate pair (1 known, 1 allowed)"
    );
    let json = run.json();
    let status: Vec<_> = json["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            (
                pair["a"].as_str().unwrap(),
                pair["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        status,
        [("a.md", "known"), ("c.md", "new"), ("l/x", "allowed")]
    );
    let csv = folder.run("check -s 0.7 --format csv").status(1);
    assert_eq!(csv.stdout().lines().count(), 4);
    let _ = folder
        .run("check -s 0.7")
        .status(1)
        .has_pairs(&[("c.md", "other.md")]);
}

#[test]
fn the_baseline_is_found_from_a_folder_below() {
    let repository = Repository::new();
    repository.write("docs/a.md", &document(1));
    repository.write("docs/b.md", &document(1));
    repository.write("docs/c.md", &document(2));
    let _ = repository.check("--update-baseline").status(0);
    let line = "{\"a\":\"docs/a.md\",\"b\":\"docs/b.md\"}";
    assert!(
        repository
            .workspace
            .read("simdup-baseline.json")
            .contains(line)
    );
    let below = |arguments: &str| {
        repository
            .workspace
            .bash(&format!("cd docs && simdup check -s 0.7 {arguments}"))
    };
    let run = below("").status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (1 known, 0 allowed)"
    );
    // An absolute root and one over the parent folder are the same.
    let _ = below("$PWD").status(0);
    let _ = below("../docs").status(0);
    let _ = below("--update-baseline")
        .status(2)
        .stderr_has("--update-baseline: this run looks at less than the baseline");
}

#[test]
fn an_update_is_whole_or_refused() {
    let folder = pair();
    let _ = folder.run("check -s 0.7 --update-baseline").status(0);
    let before = folder.read("simdup-baseline.json");
    let folder = folder.file("c.md", document(2));
    for (arguments, told) in [
        (". missing", "--update-baseline: the scan was incomplete"),
        ("other.md c.md", "--update-baseline: this run looks at less"),
        ("--changed a.md", "run it without --changed*"),
        ("--changed-since HEAD", "run it without --changed*"),
        ("--changed-from -", "run it without --changed*"),
    ] {
        let _ = folder
            .run(&format!("check -s 0.7 --update-baseline {arguments}"))
            .status(2)
            .stderr_has(told);
        assert_eq!(folder.read("simdup-baseline.json"), before, "{arguments}");
    }
    let _ = folder
        .run("check -s 0.7 --update-baseline -o /dev/full")
        .status(2);
    assert_eq!(folder.read("simdup-baseline.json"), before);
    let _ = folder.run("check -s 0.7 --update-baseline").status(0);
    assert_ne!(folder.read("simdup-baseline.json"), before);
    let names = folder.listing();
    assert_eq!(
        names,
        ["a.md", "b.md", "c.md", "other.md", "simdup-baseline.json"]
    );
}

#[test]
fn equal_trees_have_equal_baselines_that_are_no_documents() {
    let make = |arguments: &str| {
        let folder = pair()
            .file("d/c.md", document(2))
            .file("copy-of.json", "{}");
        let _ = folder
            .run(&format!("check -s 0.7 --update-baseline {arguments}"))
            .status(0);
        let text = folder.read("simdup-baseline.json");
        // A second time, now that the file is there, changes nothing.
        let _ = folder
            .run(&format!("check -s 0.7 --update-baseline {arguments}"))
            .status(0);
        assert_eq!(folder.read("simdup-baseline.json"), text);
        let json = folder.run("check -s 0.7 --format json").json();
        assert_eq!(json["summary"]["files"], 5);
        text
    };
    assert_eq!(make("-j1"), make("-j4 ."));
}

#[test]
fn a_baseline_that_does_not_fit_is_refused_by_name() {
    let folder = pair();
    let _ = folder
        .run("check --baseline known.json")
        .status(2)
        .stderr_has("known.json: baseline: no such file or directory");
    let _ = folder
        .run("check -s 0.7 --update-baseline --baseline known.json")
        .status(0);
    let _ = folder.run("check -s 0.7 --baseline known.json").status(0);
    let _ = folder
        .run("check -s 0.8 --baseline known.json")
        .status(2)
        .stdout_is("")
        .stderr_has("known.json: this baseline was made with -s 0.7, this run has -s 0.8")
        .stderr_has("--update-baseline");
    let _ = folder
        .run("check -s 0.7 --features word:3 --baseline known.json")
        .status(2)
        .stderr_has("made with the scheme words/1, this run uses word:3/1");
    let _ = folder
        .run("check -s 0.8 --update-baseline --baseline known.json")
        .status(0);
    let _ = folder.run("check -s 0.8 --baseline known.json").status(0);
    fs::write(folder.join("known.json"), "<<<<<<< ours\n").unwrap();
    let _ = folder
        .run("check --baseline known.json")
        .status(2)
        .stderr_has("known.json: not a usable baseline");
}

#[test]
fn changed_files_can_be_named() {
    let folder = pair().file("x.md", document(7)).file("y.md", document(7));
    let _ = folder.run("check -s 0.7 --changed other.md").status(0);
    let _ = folder
        .run("check -s 0.7 --changed other.md ./b.md")
        .status(1)
        .has_pairs(&[("a.md", "b.md")]);
    let absolute = format!("check -s 0.7 --changed {}", folder.join("x.md").display());
    let _ = folder
        .run(&absolute)
        .status(1)
        .has_pairs(&[("x.md", "y.md")]);
    let _ = folder
        .run("check -s 0.7 --changed nosuch.md")
        .status(2)
        .stderr_has("nosuch.md: --changed: no such file");
    let from = |list: &[u8]| folder.run_with_input("check -s 0.7 --changed-from -", list);
    let _ = from(b"").status(0);
    let _ = from(b"deleted.md\nother.md\n").status(0);
    let _ = from(b"deleted.md\ny.md\n")
        .status(1)
        .has_pairs(&[("x.md", "y.md")]);
    let _ = from(b"a.md\0y.md\0")
        .status(1)
        .has_pairs(&[("a.md", "b.md"), ("x.md", "y.md")]);
    let _ = folder
        .run("check -s 0.7 --changed-from nosuch")
        .status(2)
        .stderr_has("nosuch: --changed-from: no such file");
    let _ = folder
        .run("check --changed-from - --files-from -")
        .status(2)
        .stderr_has("standard input holds one list only");
}

#[test]
fn a_revision_that_git_cannot_find_is_an_error_with_advice() {
    let folder = pair();
    let _ = folder
        .run("check --changed-since HEAD")
        .status(2)
        .stderr_has("--changed-since HEAD: this needs a git repository");
    let repository = Repository::new();
    repository.write("a.md", "text");
    repository.commit();
    let _ = repository
        .check("--changed-since origin/main")
        .status(2)
        .stderr_has("git does not know this revision; fetch it first");
    // A git that is not there.
    let output = repository
        .workspace
        .command()
        .args(["check", "--changed-since", "HEAD"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("git is not installed"), "{stderr}");
}

#[test]
fn what_cannot_be_judged_is_refused_by_name() {
    let folder = pair();
    for (arguments, told) in [
        ("--groups", "--groups: check judges pairs"),
        ("--max-pairs 3", "--max-pairs: check has to see all pairs"),
        ("--max-new -1", "--max-new"),
        ("--max-new many", "--max-new"),
        ("--changed -s 0.5", "--changed"),
    ] {
        let _ = folder
            .run(&format!("check {arguments}"))
            .status(2)
            .stderr_has(told);
    }
    for format in ["sarif", "github", "gitlab", "junit"] {
        let _ = folder
            .run(&format!("scan --groups --format {format}"))
            .status(2)
            .stdout_is("")
            .stderr_has("--groups: this format lists pairs");
    }
    for format in ["csv", "markdown"] {
        let run = folder
            .run(&format!("scan -s 0.7 --groups --format {format}"))
            .status(0);
        assert!(run.stdout().contains("b.md"));
    }
}

#[test]
fn a_check_that_compared_nothing_says_so() {
    let folder = Workspace::new()
        .file("a.md", document(1))
        .file("b.md", document(1))
        .file("bin", b"a\0b")
        .file("none", b"")
        .file("empty/.hidden", document(1));
    for (options, why) in [
        ("empty", "no file was met"),
        ("-g *.txt", "no file was met"),
        ("bin none", "left out: 1 binary, 1 empty"),
        ("-g *.md --min-size 1M", "left out: 2 too small"),
    ] {
        let run = folder
            .run(&format!("check -s 0.7 {options}"))
            .status(0)
            .stdout_is("")
            .stderr_has(&format!(
                "simdup: nothing was compared, so there was nothing to judge ({why}); if that is not meant, "
            ));
        let last = format!(
            "no new near-duplicate pairs (0 known, 0 allowed); nothing was compared ({why})"
        );
        assert_eq!(verdict(&run), last);
        let quiet = folder.run(&format!("check -q -s 0.7 {options}")).status(0);
        let _ = quiet.stderr_is(&format!("{last}\n"));
    }
    let _ = folder
        .run("check -s 0.7 --update-baseline empty --baseline new.json")
        .status(0)
        .stderr_has("nothing was compared");
    for options in ["a.md", "-g a.md", "bin --binary exact"] {
        let run = folder.run(&format!("check -s 0.7 {options}")).status(0);
        assert!(!run.stderr().contains("nothing was compared"));
    }
}

#[test]
fn a_check_that_read_no_text_says_so() {
    let folder = Workspace::new()
        .file("a.txt", b"\xd0\xcf\xc9\xd3\xcb \xd7 \xd7\xcf\xc4\xc5")
        .file("b.txt", b"\xd0\xcf\xc9\xd3\xcb");
    let note =
        "simdup: no text was compared, and files only byte for byte (left out: 2 undecodable)";
    let _ = folder.run("check .").status(0).stderr_has(note);
    let run = folder.run("check --encoding koi8-r .").status(0);
    assert!(!run.stderr().contains("no text"), "{}", run.stderr());
}

#[test]
fn an_update_takes_no_number_of_new_pairs() {
    let folder = Workspace::new()
        .file("a.md", document(1))
        .file("b.md", document(1));
    let _ = folder
        .run("check -s 0.7 --update-baseline --max-new 3")
        .status(2)
        .stdout_is("")
        .stderr_has("simdup: --max-new: ");
    assert!(!folder.join("simdup-baseline.json").exists());
    // In the configuration file it is meant for checks.
    let folder = folder.file("simdup.toml", "max-new = 0\n");
    let _ = folder.run("check -s 0.7 --update-baseline").status(0);
}
