//! `simdup compare`.

use crate::util::{Workspace, one_word_changed, text};

#[test]
fn two_files_in_text() {
    let space = Workspace::new()
        .file("a", "The quick brown fox jumps over the lazy dog\n")
        .file("b", "The quick brown fox leaps over the lazy dog\n");
    let run = space.run("compare a b").status(0);
    let lines: Vec<&str> = run.stdout().lines().collect();
    assert_eq!(
        lines[..3],
        [
            "verdict          near-duplicate",
            "similarity       0.7000",
            "containment      0.8235"
        ]
    );
    assert_eq!(lines[5], "shared features  13");
    assert_eq!(lines[6], "a                a");
    assert_eq!(
        lines[8..12],
        [
            "  characters     44",
            "  tokens         9",
            "  features       17",
            "  distinct       16"
        ]
    );
}

#[test]
fn pipes_are_read_to_their_end() {
    let space = Workspace::new().file("t", text(1, 300));
    let line = "simdup compare --format json <(cat t) <(sed s/e/i/ t) | grep -c verdict";
    space.bash(line).status(0).stdout_is("1\n");
    let line = "cat t | simdup compare t /dev/stdin | grep -c identical";
    space.bash(line).status(0).stdout_is("1\n");
    for twice in ["/dev/stdin /dev/stdin", "- /dev/stdin"] {
        space
            .bash(&format!("cat t | simdup compare {twice}"))
            .status(2)
            .stderr_has("simdup: /dev/stdin: the same pipe twice");
    }
    space
        .bash("simdup compare t /dev/zero")
        .status(2)
        .stderr_has("/dev/zero: neither a regular file nor a pipe");
}

#[test]
fn standard_input_is_judged_and_decoded_as_a_file() {
    let t = text(1, 300);
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(t.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let space = Workspace::new().file("t", &t);
    let json = space
        .run_with_input("compare --format json t -", &utf16)
        .status(0)
        .json();
    assert_eq!(
        (&json["kind"], &json["distance"], &json["similarity"]),
        (&"near".into(), &0.into(), &1.0.into())
    );
    assert_eq!(json["b"]["path"], "-");
    let json = space
        .run_with_input("compare --format json - t", t.as_bytes())
        .status(0)
        .json();
    assert_eq!(
        (&json["kind"], &json["verdict"]),
        (&"exact".into(), &"identical".into())
    );
    space
        .run_with_input("compare - t", b"a\0b")
        .status(2)
        .stderr_has("-: binary");
}

#[test]
fn the_numbers_are_those_of_scan() {
    let t = text(2, 300);
    let space = Workspace::new()
        .file("a", &t)
        .file("b", one_word_changed(&t));
    let pair = &space.run("scan --format json -k 64").status(0).json()["pairs"][0];
    let compared = space.run("compare --format json a b").status(0).json();
    for key in ["kind", "distance", "similarity", "containment"] {
        assert_eq!(compared[key], pair[key], "{key}");
    }
}

#[test]
fn a_diff_on_demand() {
    let space = Workspace::new()
        .file("a", "one\ntwo\n")
        .file("b", "one\nthree\n");
    let run = space.run("compare --diff a b").status(0);
    assert!(
        run.stdout()
            .ends_with("\n\n--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"),
        "{}",
        run.stdout()
    );
    let coloured = space.run("compare --diff --color always a b").status(0);
    assert!(coloured.stdout().contains("\x1b[31m-two\x1b[0m\n"));
    space
        .run("compare --diff --format json a b")
        .status(2)
        .stderr_has("--diff");
}

#[test]
fn mistakes_are_told_by_name() {
    let space = Workspace::new()
        .file("a", "one two")
        .file("n", "x\0y")
        .file("l", b"caf\xe9 \xe9\xe9\xe9");
    space
        .run("compare a missing")
        .status(2)
        .stderr_has("missing: no such file or directory");
    space.run("compare a n").status(2).stderr_has("n: binary");
    space.run("compare --text a n").status(0);
    space
        .run("compare a l")
        .status(2)
        .stderr_has("l: not UTF-8");
    space.run("compare --encoding latin1 a l").status(0);
    space.run("compare a .").status(2).stderr_has(".: ");
    space
        .run("compare - -")
        .status(2)
        .stderr_has("-: only one of the two");
    space.run("compare a").status(2);
    space
        .run("compare --features none a a")
        .status(2)
        .stderr_has("none");
}
