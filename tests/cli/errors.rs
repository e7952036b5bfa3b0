//! Mistakes: each ends with status 2 and a message that names what is wrong.

use crate::util::{Workspace, text};

#[test]
fn fault_g1_missing_path() {
    let space = Workspace::new();
    for command in ["scan", "fingerprint"] {
        space
            .run(&format!("{command} -q no/such/path"))
            .status(2)
            .stdout_is("")
            .stderr_is("simdup: no/such/path: no such file or directory\n");
    }
}

#[test]
fn fault_g1_unknown_format() {
    let run = Workspace::new()
        .run("scan --format xml")
        .status(2)
        .stdout_is("");
    assert!(
        run.stderr()
            .starts_with("simdup: invalid value 'xml' for '--format <F>'")
    );
    assert!(run.stderr().contains("text, json, jsonl"));
}

#[test]
fn fault_g1_output_that_cannot_be_written() {
    let space = Workspace::new().file("docs/a", "a").file("file", "b");
    for (output, cause) in [
        ("no/such/folder/report", "no such file or directory"),
        ("docs", "is a directory"),
        ("new/", "is a directory"),
        ("file/report", "a parent is not a directory"),
    ] {
        space
            .run(&format!("scan -o {output} docs"))
            .status(2)
            .stdout_is("")
            .stderr_is(&format!(
                "simdup: {output}: cannot write the report: {cause}\n"
            ));
    }
    assert_eq!(space.listing(), ["docs", "file"]);
}

#[test]
fn bad_values_are_named_with_their_option() {
    let space = Workspace::new();
    for (arguments, option) in [
        ("-k 65", "--distance"),
        ("-k=-1", "--distance"),
        ("--features wrods", "--features"),
        ("--features char:0", "--features"),
        ("--min-size 1X", "--min-size"),
        ("--encoding klingon", "--encoding"),
        ("--sort size", "--sort"),
        ("--binary maybe", "--binary"),
        ("--color blue", "--color"),
        ("-j many", "--threads"),
        ("--no-such-option", "--no-such-option"),
        ("-0 --format json", "--null"),
        ("-s 0.7 --no-verify", "--no-verify"),
        ("--sort similarity --no-verify", "--no-verify"),
        ("--groups --max-pairs 3", "--max-pairs"),
    ] {
        let run = space
            .run(&format!("scan {arguments}"))
            .status(2)
            .stdout_is("");
        assert!(run.stderr().starts_with("simdup: "), "{}", run.stderr());
        assert!(
            run.stderr().contains(option),
            "{arguments}: {}",
            run.stderr()
        );
    }
}

#[test]
fn a_bad_glob_is_named() {
    Workspace::new()
        .run("scan -g a{b")
        .status(2)
        .stdout_is("")
        .stderr_has("a{b");
}

#[test]
fn a_path_in_place_of_a_command_gets_a_hint() {
    let space = Workspace::new().file("docs/a", "a");
    space
        .run("docs")
        .status(2)
        .stdout_is("")
        .stderr_is("simdup: docs: no such command\ndid you mean `simdup scan docs`?\n");
    space
        .run("docs -k 3")
        .status(2)
        .stderr_has("did you mean `simdup scan docs`?");
    space
        .run("scna docs")
        .status(2)
        .stdout_is("")
        .stderr_has("simdup: unrecognized subcommand 'scna'")
        .stderr_has("scan");
}

#[test]
fn without_a_command_there_is_help() {
    let run = Workspace::new().run("").status(2).stdout_is("");
    assert!(run.stderr().contains("Usage: simdup <COMMAND>"));
    assert!(run.stderr().contains("scan"));
}

#[test]
fn lists_of_fingerprints_are_checked_line_by_line() {
    let space = Workspace::new()
        .file("list", "0000000000000001  a\n\nnonsense\n")
        .file("words", "{\"type\":\"settings\",\"scheme\":\"words/1\"}\n")
        .file("chars", "{\"type\":\"settings\",\"scheme\":\"char:5/1\"}\n");
    let scan = |lists: &str| space.run(&format!("scan {lists}")).status(2).stdout_is("");
    scan("--from-fingerprints list")
        .stderr_is("simdup: list: line 3: expected 16 hexadecimal digits, two blanks and a name\n");
    scan("--from-fingerprints gone")
        .stderr_is("simdup: gone: cannot read fingerprints: no such file or directory\n");
    scan("--from-fingerprints words --from-fingerprints chars").stderr_is(
        "simdup: chars: line 1: fingerprints of scheme char:5/1 cannot be compared with those of \
         scheme words/1 in words\n",
    );
    scan("--from-fingerprints list docs").stderr_has("--from-fingerprints");
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("a", &text)
        .file("b", &text)
        .symlink("loop", "loop");
    let run = space.run("scan -q -k 3 --no-verify a b loop").status(2);
    assert_eq!(run.stdout(), "0\t-\ta\tb\n");
    assert!(
        run.stderr().starts_with("simdup: loop: "),
        "{}",
        run.stderr()
    );
}

#[test]
fn a_report_never_replaces_what_the_run_reads() {
    let space = Workspace::new()
        .file("a", "one text")
        .file("b", "one text")
        .file("list", "a\nb\n")
        .symlink("alias", "a");
    for line in [
        "scan -o a a b",
        "scan -o alias a b",
        "scan -o list --files-from list",
        "fingerprint -o a a",
        "check -o simdup-baseline.json --baseline simdup-baseline.json .",
    ] {
        if line.starts_with("check") {
            space.run("check -q --update-baseline .").status(0);
        }
        space
            .run(line)
            .status(2)
            .stderr_has("is read by the run")
            .stderr_has("try: another file for the report");
    }
    assert_eq!(space.read("a"), "one text");
    assert_eq!(space.read("list"), "a\nb\n");
}

#[test]
fn a_baseline_that_is_no_file_is_an_error_and_is_not_opened() {
    let space = Workspace::new()
        .file("a", "one text")
        .symlink("simdup-baseline.json", "/dev/zero");
    space
        .run("check .")
        .status(2)
        .stderr_has("simdup-baseline.json: baseline: not a regular file");
}

#[test]
fn threads_have_an_upper_bound() {
    let space = Workspace::new().file("a", "one text");
    space.run("scan -j 1024 a").status(0);
    space
        .run("scan -j 1025 a")
        .status(2)
        .stderr_has("--threads")
        .stderr_has("not a number from 0 to 1024");
}
