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
        ("new/", "a name that ends with a slash is that of a folder"),
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
fn an_instruction_set_that_is_none_is_named() {
    Workspace::new()
        .bash("SIMDUP_KERNEL=mmx simdup scan .")
        .status(2)
        .stdout_is("")
        .stderr_has("simdup: SIMDUP_KERNEL=mmx: no such instruction set; here it may be portable");
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
        ("--encoding hz-gb-2312", "--encoding"),
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
fn a_negative_number_is_an_error_of_its_option() {
    let space = Workspace::new();
    for (option, told) in [
        ("--min-size", "'--min-size <N>': a number of bytes"),
        ("--max-size", "'--max-size <N>': a number of bytes"),
        ("-j", "'--threads <N>': not a number from 0 to 1024"),
        (
            "--max-pairs",
            "'--max-pairs <N>': not a whole number, 0 or more",
        ),
        (
            "--max-depth",
            "'--max-depth <N>': not a whole number, 0 or more",
        ),
        (
            "--min-features",
            "'--min-features <N>': not a whole number, 0 or more",
        ),
        ("-k", "'--distance <N>': -1 is not in 0..=64"),
        (
            "--max-new",
            "'--max-new <N>': not a whole number, 0 or more",
        ),
    ] {
        let command = if option == "--max-new" {
            "check"
        } else {
            "scan"
        };
        let run = space
            .run(&format!("{command} {option} -1"))
            .status(2)
            .stdout_is("")
            .stderr_has(&format!("simdup: invalid value '-1' for {told}"));
        assert!(!run.stderr().contains("-- -1"), "{}", run.stderr());
    }
    let _ = space
        .run("scan --min-size -1K")
        .status(2)
        .stderr_has("'-1K' for '--min-size <N>'");
    let _ = space
        .run("scan --max-pairs 99999999999999999999")
        .status(2)
        .stderr_has("'--max-pairs <N>': too large");
}

#[test]
fn sizes_that_leave_no_file_are_refused() {
    let space = Workspace::new().file("a", "one text");
    space
        .run("scan --min-size 1K --max-size 1000 .")
        .status(2)
        .stdout_is("")
        .stderr_is("simdup: --min-size: 1024 is more than --max-size 1000\n");
    let _ = space.run("scan --min-size 8 --max-size 8 .").status(0);
    let space = space.file("simdup.toml", "min-size = 9\n");
    space
        .run("check --max-size 8")
        .status(2)
        .stderr_has("--min-size: 9 is more than --max-size 8");
}

#[test]
fn a_path_that_is_too_long_is_named_in_short() {
    let space = Workspace::new();
    let name = "n".repeat(5000);
    let short = format!("{}[...]{} (5000 bytes)", "n".repeat(40), "n".repeat(20));
    let cause = "the path, or a part of it, is too long";
    for (arguments, told) in [
        (vec!["scan", "-q", &name], format!("{short}: {cause}")),
        (
            vec!["scan", "-o", &name],
            format!("{short}: cannot write the report: {cause}"),
        ),
        (
            vec!["scan", "--files-from", &name],
            format!("{short}: cannot read the list of paths: {cause}"),
        ),
        (
            vec!["check", "--baseline", &name],
            format!("{short}: baseline: {cause}"),
        ),
        (
            vec!["check", "--changed", &name],
            format!("{short}: --changed: {cause}"),
        ),
        (vec!["compare", &name, "-"], format!("{short}: {cause}")),
    ] {
        let run = space
            .run_with(&arguments)
            .status(2)
            .stdout_is("")
            .stderr_has(&told);
        assert!(run.stderr().len() < 400, "{}", run.stderr());
    }
    let run = space
        .run_with(&["scan", "-q", "--format", "json", &name])
        .status(2);
    let json = run.json();
    assert_eq!(json["errors"][0]["code"], "invalid_name");
    assert_eq!(json["errors"][0]["path"], name);
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
        "compare a b -o a",
        "compare alias b -o ./a",
        "check -o simdup-baseline.json --baseline simdup-baseline.json .",
    ] {
        if line.starts_with("check") {
            space.run("check -q --update-baseline .").status(0);
        }
        space
            .run(line)
            .status(2)
            .stderr_has("is used by the run")
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
