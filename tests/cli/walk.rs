//! Which files take part.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::util::{Workspace, one_word_changed, text};

const SCAN: &str = "scan -k 3 --no-verify -q";

fn two_copies() -> Workspace {
    let text = text(1, 300);
    Workspace::new()
        .file("d/a.txt", &text)
        .file("d/sub/b.txt", &text)
}

#[test]
fn fault_c1_each_file_once_whatever_the_roots() {
    let space = two_copies();
    let folder = space.path().to_str().unwrap();
    for (roots, a, b) in [
        ("d", "d/a.txt", "d/sub/b.txt"),
        ("d d", "d/a.txt", "d/sub/b.txt"),
        ("d/sub d", "d/a.txt", "d/sub/b.txt"),
        ("d d/sub d/a.txt", "d/a.txt", "d/sub/b.txt"),
        ("./d d", "d/a.txt", "d/sub/b.txt"),
        ("d//sub/.. d/./sub", "d/a.txt", "d/sub/b.txt"),
        (".", "d/a.txt", "d/sub/b.txt"),
    ] {
        space
            .run(&format!("{SCAN} {roots}"))
            .status(0)
            .has_pairs(&[(a, b)]);
        let report = space.run(&format!("{SCAN} --format json {roots}")).json();
        assert_eq!(report["summary"]["files"], 2);
        assert_eq!(report["summary"]["bytes"], 2 * text(1, 300).len());
    }
    let a = format!("{folder}/d/a.txt");
    let b = format!("{folder}/d/sub/b.txt");
    space
        .run(&format!("{SCAN} d {folder}/d"))
        .status(0)
        .has_pairs(&[(&a, &b)]);
}

#[test]
fn fault_c3_hard_links_are_one_file_with_several_names() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("a", &text)
        .file("c", &text)
        .hard_link("b", "a");
    for roots in ["a b c", "c b a", "b c a", "."] {
        let run = space
            .run(&format!("{SCAN} --format json {roots}"))
            .status(0);
        let report = run.json();
        assert_eq!(
            report["pairs"],
            json!([{
                "a": "a", "a_links": ["b"], "b": "c", "kind": "exact", "distance": 0,
                "similarity": null, "containment": null
            }]),
            "{roots}"
        );
        assert_eq!(report["summary"]["files"], 2, "{roots}");
    }
}

#[test]
fn fault_d7_an_ignore_file_that_is_none_costs_its_folder_and_not_the_run() {
    let space = two_copies()
        .file("d/bad/c.txt", text(1, 300))
        .symlink("d/bad/.gitignore", "/dev/zero")
        .file("d/.ignore", "{unclosed\n");
    let message = "simdup: d/bad/.gitignore: this ignore file is no regular file, so the folders in \
                   which it counts were not walked (--no-ignore walks them without any ignore files)";
    space
        .run("scan -k 3 --no-verify d")
        .status(2)
        .has_pairs(&[("d/a.txt", "d/sub/b.txt")])
        .stderr_has(message)
        .stderr_has("d/.ignore: line 1 of this ignore file does not count: unclosed");
    space.run("check d").status(2).stderr_has(message);
    space.run("fingerprint d").status(2).stderr_has(message);
    let report = space.run(&format!("{SCAN} --format json d")).json();
    assert_eq!(report["errors"][0]["path"], "d/bad/.gitignore");
    assert_eq!(report["errors"][0]["code"], "ignore_file");
    space
        .run(&format!("{SCAN} --no-ignore -g !sub d"))
        .status(0)
        .has_pairs(&[("d/a.txt", "d/bad/c.txt")]);
}

#[test]
fn fault_c5_symbolic_links_are_left_out_or_followed_without_end() {
    let space = two_copies()
        .symlink("d/loop", ".")
        .symlink("d/self", "self")
        .symlink("d/copy.txt", "a.txt");
    let run = space.run(&format!("{SCAN} --format json d")).status(0);
    let report = run.json();
    assert_eq!(report["summary"]["pairs"], 1);
    assert_eq!(report["summary"]["skipped"]["symlink"], 3);

    let run = space.run(&format!("{SCAN} -L --format json d"));
    let report = run.json();
    assert_eq!(report["summary"]["pairs"], 1);
    assert_eq!(
        report["summary"]["files"].as_u64().unwrap()
            - report["summary"]["skipped"]["symlink_cycle"]
                .as_u64()
                .unwrap()
            - report["summary"]["failed"].as_u64().unwrap(),
        2
    );
}

#[test]
fn fault_d6_what_vanished_is_told_and_the_rest_is_reported() {
    let space = two_copies().symlink("d/gone", "no-such-file");
    let run = space
        .run("scan -k 3 --no-verify d no/such/path")
        .status(2)
        .has_pairs(&[("d/a.txt", "d/sub/b.txt")]);
    assert!(
        run.stderr()
            .contains("simdup: no/such/path: no such file or directory\n")
    );
    assert!(run.stderr().contains("simdup: 1 error\n"));
}

#[test]
fn fault_d7_pipes_sockets_and_devices_are_never_opened() {
    let space = two_copies();
    let fifo = CString::new(space.join("d/pipe").as_os_str().as_bytes()).unwrap();
    // SAFETY: the pointer is to a C string that lives until the call has ended.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    let _socket = UnixListener::bind(space.join("d/socket")).unwrap();
    let run = space
        .run(&format!("{SCAN} --format json d d/pipe /dev/null"))
        .status(0);
    let report = run.json();
    assert_eq!(report["summary"]["pairs"], 1);
    assert_eq!(report["summary"]["skipped"]["special"], 3);
}

#[test]
fn fault_d5_every_filter_removes_a_file() {
    let space = Workspace::new();
    let space = [
        "a.rs",
        "b.txt",
        ".hidden",
        "ignored",
        "deep/er/c.rs",
        "large",
    ]
    .into_iter()
    .enumerate()
    .fold(space, |space, (seed, name)| {
        let words = if name == "large" { 3000 } else { 100 };
        space.file(name, text(seed as u64, words))
    })
    .file(".ignore", "ignored\n")
    .symlink("link", "b.txt");
    let files = |options: &str| {
        let run = space.run(&format!("fingerprint -q {options}")).status(0);
        let names: Vec<String> = run
            .stdout()
            .lines()
            .map(|line| line[18..].to_string())
            .collect();
        names
    };
    let plain = ["a.rs", "b.txt", "deep/er/c.rs", "large"];
    assert_eq!(files(""), plain);
    assert_eq!(files("-g *.rs"), ["a.rs", "deep/er/c.rs"]);
    assert_eq!(files("-g !*.rs"), ["b.txt", "large"]);
    assert_eq!(files("--max-depth 1"), ["a.rs", "b.txt", "large"]);
    assert_eq!(files("--max-size 4K"), ["a.rs", "b.txt", "deep/er/c.rs"]);
    assert_eq!(files("--min-size 4K"), ["large"]);
    assert_eq!(files("--min-features 1000"), ["large"]);
    assert_eq!(files("--one-file-system"), plain);
    assert_eq!(
        files("-H"),
        [
            ".hidden",
            ".ignore",
            "a.rs",
            "b.txt",
            "deep/er/c.rs",
            "large"
        ]
    );
    let all = ["a.rs", "b.txt", "deep/er/c.rs", "ignored", "large"];
    assert_eq!(files("--no-ignore"), all);
    assert_eq!(files("-u"), all);
    let hidden_too = [
        ".hidden",
        ".ignore",
        "a.rs",
        "b.txt",
        "deep/er/c.rs",
        "ignored",
        "large",
    ];
    assert_eq!(files("-uu"), hidden_too);
    assert_eq!(files("ignored"), ["ignored"]);
}

#[test]
fn fault_e4_empty_files_and_files_without_a_size_can_be_read() {
    let space = Workspace::new().file("empty", "").file("also-empty", "");
    let run = space
        .run(&format!(
            "{SCAN} --format json --min-size 0 empty also-empty /proc/cpuinfo"
        ))
        .status(0);
    let report = run.json();
    assert_eq!(report["summary"]["files"], 3);
    assert_eq!(report["summary"]["fingerprinted"], 1);
    assert_eq!(report["summary"]["skipped"]["empty"], 2);
    assert_eq!(report["summary"]["errors"], 0);
    assert_eq!(report["pairs"][0]["kind"], "exact");
    let run = space.run(&format!("{SCAN} --format json empty also-empty"));
    assert_eq!(run.json()["pairs"], json!([]));
}

#[test]
fn paths_come_from_lists_too() {
    let original = text(1, 300);
    let space = Workspace::new()
        .file("a\nb", &original)
        .file("c", one_word_changed(&original))
        .file("d", &original)
        .file("lines", "c\n\nd\n")
        .file("nuls", b"a\nb\0\0d\0");
    space
        .run(&format!("{SCAN} --files-from lines"))
        .status(0)
        .has_pairs(&[("c", "d")]);
    space
        .run(&format!("{SCAN} --files0-from nuls c"))
        .status(0)
        .has_pairs(&[("a\\nb", "c"), ("a\\nb", "d"), ("c", "d")]);
    space
        .run_with_input(&format!("{SCAN} --files-from -"), b"d\nc")
        .status(0)
        .has_pairs(&[("c", "d")]);
    space
        .run_with_input(&format!("{SCAN} --files-from -"), b"")
        .status(0)
        .stdout_is("");
    space
        .run(&format!("{SCAN} --files-from no-list"))
        .status(2)
        .stderr_is("simdup: no-list: cannot read the list of paths: no such file or directory\n");
}
