//! What the walk yields, on small trees.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::*;

/// A folder of files (each holds its own name); names that end in `/` are folders.
fn tree(names: &[&str]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for name in names {
        let path = temp.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
    }
    temp
}

fn options(roots: &[PathBuf]) -> WalkOptions {
    WalkOptions {
        roots: roots.to_vec(),
        ..WalkOptions::default()
    }
}

fn found(options: &WalkOptions) -> Vec<Found> {
    let mut all = Vec::new();
    walk(options, &mut |found| {
        all.push(found);
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

/// One line for each thing found, sorted: `path`, `path !` (explicit), `path (reason or code)`.
fn listed(base: &Path, options: &WalkOptions) -> Vec<String> {
    let short = |path: &Path| {
        let path = path.strip_prefix(base).unwrap_or(path);
        path.to_str().unwrap().to_string()
    };
    let mut lines: Vec<String> = found(options)
        .iter()
        .map(|found| match found {
            Found::File(entry) if entry.explicit => short(&entry.path) + " !",
            Found::File(entry) => short(&entry.path),
            Found::Skipped(skipped) => {
                format!("{} ({})", short(&skipped.path), skipped.reason.as_str())
            }
            Found::Failed(failure) => {
                let kind = if failure.is_file { "file " } else { "" };
                format!("{} ({kind}{})", short(&failure.path), failure.code)
            }
            Found::Odd { path, message } => format!("{}: {message}", short(path)),
        })
        .collect();
    lines.sort_unstable();
    lines
}

/// Without ignore rules and with them, where both must agree.
fn listed_both_ways(base: &Path, options: &WalkOptions) -> Vec<String> {
    let ruled = listed(base, options);
    let plain = WalkOptions {
        no_ignore: true,
        ..options.clone()
    };
    assert_eq!(listed(base, &plain), ruled, "with no_ignore");
    ruled
}

#[test]
fn hidden_names_need_asking_for() {
    let temp = tree(&["a", ".b", ".c/d", "e/.f"]);
    let base = temp.path();
    let mut options = options(&[base.into()]);
    assert_eq!(listed_both_ways(base, &options), ["a"]);
    options.hidden = true;
    assert_eq!(
        listed_both_ways(base, &options),
        [".b", ".c/d", "a", "e/.f"]
    );
}

#[test]
fn ignore_files_count_unless_told_otherwise_and_git_rules_only_inside_a_repository() {
    let temp = tree(&[
        "in/.git/", "in/a", "in/b", "in/c", "out/a", "out/b", "out/c",
    ]);
    let base = temp.path();
    for folder in ["in", "out"] {
        fs::write(base.join(folder).join(".gitignore"), "a\n").unwrap();
        fs::write(base.join(folder).join(".ignore"), "b\n").unwrap();
    }
    let mut options = options(&[base.into()]);
    assert_eq!(listed(base, &options), ["in/c", "out/a", "out/c"]);
    options.no_ignore = true;
    let all = ["in/a", "in/b", "in/c", "out/a", "out/b", "out/c"];
    assert_eq!(listed(base, &options), all);
}

#[test]
fn the_git_folder_is_entered_only_with_both_switches() {
    let temp = tree(&["a", ".git/config", "sub/.git"]);
    let base = temp.path();
    let mut options = options(&[base.into()]);
    options.hidden = true;
    assert_eq!(listed(base, &options), ["a"]);
    options.no_ignore = true;
    assert_eq!(listed(base, &options), [".git/config", "a", "sub/.git"]);
    options.hidden = false;
    assert_eq!(listed(base, &options), ["a"]);
}

#[test]
fn rules_of_folders_above_the_root_count() {
    let temp = tree(&[".git/", "sub/deep/a", "sub/deep/b", "sub/deep/c"]);
    let base = temp.path();
    fs::write(base.join(".gitignore"), "a\n").unwrap();
    fs::write(base.join("sub/.gitignore"), "/deep/b\n").unwrap();
    let options = options(&[base.join("sub/deep")]);
    assert_eq!(listed(base, &options), ["sub/deep/c"]);
}

#[test]
fn globs_choose_and_the_last_match_decides() {
    let temp = tree(&["a.md", "b.txt", "sub/c.md", "sub/d.md", ".e.md", "x/f.rs"]);
    let base = temp.path();
    let with = |globs: &[&str]| {
        let mut options = options(&[base.into()]);
        options.globs = globs.iter().map(ToString::to_string).collect();
        listed_both_ways(base, &options)
    };
    assert_eq!(with(&["*.md"]), [".e.md", "a.md", "sub/c.md", "sub/d.md"]);
    assert_eq!(with(&["*.md", "!d.*"]), [".e.md", "a.md", "sub/c.md"]);
    assert_eq!(with(&["!*.md"]), ["b.txt", "x/f.rs"]);
    assert_eq!(with(&["!sub"]), ["a.md", "b.txt", "x/f.rs"]);
    assert_eq!(with(&["**/sub/*.md"]), ["sub/c.md", "sub/d.md"]);
    assert_eq!(with(&["*.{txt,rs}"]), ["b.txt", "x/f.rs"]);
    assert_eq!(with(&["!*.md", "c.*"]), ["sub/c.md"]);
}

#[test]
fn a_bad_glob_is_named() {
    let mut options = options(&[".".into()]);
    options.globs = vec!["*.md".into(), "[z-a]".into()];
    let mut none = |_| panic!("nothing may be visited");
    let error = walk(&options, &mut none).unwrap_err();
    assert!(error.to_string().starts_with("--glob '[z-a]': "), "{error}");
}

#[test]
fn a_file_named_as_a_root_is_always_yielded() {
    let temp = tree(&[".git/", ".hidden", "ignored", "a.txt", "sub/b"]);
    let base = temp.path();
    fs::write(base.join(".gitignore"), "ignored\n").unwrap();
    let mut options = options(&[".hidden", "ignored", "a.txt"].map(|name| base.join(name)));
    options.globs = vec!["!a.txt".into()];
    let all = [".hidden !", "a.txt !", "ignored !"];
    assert_eq!(listed_both_ways(base, &options), all);
    // Met again below a folder it keeps its mark, under every name.
    fs::hard_link(base.join("a.txt"), base.join("sub/c")).unwrap();
    options.roots.push(base.into());
    options.globs.clear();
    assert_eq!(
        listed(base, &options),
        [
            ".hidden !",
            "a.txt !",
            "a.txt !",
            "ignored !",
            "sub/b",
            "sub/c !"
        ]
    );
}

#[test]
fn depth_counts_folders_below_the_root() {
    let temp = tree(&["a", "b/c", "b/d/e"]);
    let base = temp.path();
    let mut options = options(&[base.into(), base.join("a")]);
    for (depth, expected) in [
        (0, &["a !"][..]),
        (1, &["a !", "a !"]),
        (2, &["a !", "a !", "b/c"]),
        (3, &["a !", "a !", "b/c", "b/d/e"]),
    ] {
        options.max_depth = Some(depth);
        assert_eq!(listed_both_ways(base, &options), expected, "{depth}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_file_system_stays_on_that_of_the_root() {
    // Every Linux system has the process file system mounted here.
    let mut options = options(&[PathBuf::from("/")]);
    options.max_depth = Some(2);
    let mut meets = |one_file_system, no_ignore| {
        options.one_file_system = one_file_system;
        options.no_ignore = no_ignore;
        found(&options)
            .iter()
            .any(|found| matches!(found, Found::File(file) if file.path.starts_with("/proc/")))
    };
    for no_ignore in [false, true] {
        assert!(meets(false, no_ignore));
        assert!(!meets(true, no_ignore));
    }
}

#[test]
fn fault_c1_equal_roots_are_walked_once() {
    let temp = tree(&["d/sub/x", "d/y"]);
    let base = temp.path();
    symlink("d", base.join("e")).unwrap();
    let roots = ["d", "./d", "d//", "d/sub/..", "e", "d"];
    let mut options = options(&roots.map(|root| base.join(root)));
    assert_eq!(listed_both_ways(base, &options), ["d/sub/x", "d/y"]);
    // An overlap shows as the same path twice.
    options.roots.push(base.join("d/./sub"));
    assert_eq!(
        listed_both_ways(base, &options),
        ["d/sub/x", "d/sub/x", "d/y"]
    );
}

#[test]
fn links_are_skipped_unless_followed() {
    let temp = tree(&["d/x", "y"]);
    let base = temp.path();
    symlink("d", base.join("folder")).unwrap();
    symlink("y", base.join("file")).unwrap();
    symlink("nowhere", base.join("dangling")).unwrap();
    let mut options = options(&[base.into()]);
    assert_eq!(
        listed_both_ways(base, &options),
        [
            "d/x",
            "dangling (symlink)",
            "file (symlink)",
            "folder (symlink)",
            "y"
        ]
    );
    options.follow = true;
    assert_eq!(
        listed_both_ways(base, &options),
        ["d/x", "dangling (file not_found)", "file", "folder/x", "y"]
    );
    // As roots, links are followed in any case.
    let mut options = super::tests::options(&["folder", "file"].map(|name| base.join(name)));
    assert_eq!(listed_both_ways(base, &options), ["file !", "folder/x"]);
    options.roots = vec![base.join("dangling"), base.join("none")];
    assert_eq!(
        listed_both_ways(base, &options),
        ["dangling (not_found)", "none (not_found)"]
    );
}

#[test]
fn fault_c5_cycles_end_and_are_counted() {
    let temp = tree(&["d/x", "a/y", "b/z"]);
    let base = temp.path();
    symlink(".", base.join("d/loop")).unwrap();
    symlink("../b", base.join("a/b")).unwrap();
    symlink("../a", base.join("b/a")).unwrap();
    symlink("self", base.join("self")).unwrap();
    let mut options = options(&[base.into()]);
    assert_eq!(
        listed_both_ways(base, &options),
        [
            "a/b (symlink)",
            "a/y",
            "b/a (symlink)",
            "b/z",
            "d/loop (symlink)",
            "d/x",
            "self (symlink)"
        ]
    );
    options.follow = true;
    assert_eq!(
        listed_both_ways(base, &options),
        [
            "a/b/a (symlink_cycle)",
            "a/b/z",
            "a/y",
            "b/a/b (symlink_cycle)",
            "b/a/y",
            "b/z",
            "d/loop (symlink_cycle)",
            "d/x",
            "self (symlink_cycle)"
        ]
    );
    // As a root the link in a circle has failed: the user named it.
    options.roots = vec![base.join("self")];
    assert_eq!(listed_both_ways(base, &options), ["self (loop)"]);
}

#[test]
fn folders_that_link_to_one_another_cost_their_number_not_their_paths() {
    // Ten folders, each with links to all others: some ten million paths without a circle.
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path();
    for from in 0..10 {
        fs::create_dir(base.join(format!("n{from}"))).unwrap();
        fs::write(base.join(format!("n{from}/file")), "x").unwrap();
        for to in (0..10).filter(|to| *to != from) {
            symlink(format!("../n{to}"), base.join(format!("n{from}/to{to}"))).unwrap();
        }
    }
    let mut options = options(&[base.into()]);
    options.follow = true;
    let lines = listed_both_ways(base, &options);
    assert!(lines.len() < 300, "{}", lines.len());
    // Every file is there under its own path, and n1's also under the least of all spellings.
    for node in 0..10 {
        assert!(lines.contains(&format!("n{node}/file")));
    }
    assert!(lines.contains(&"n0/to1/file".to_string()));
    assert!(lines.contains(&"n0/to1/to2/file".to_string()));
}

#[test]
fn a_folder_cut_off_by_depth_is_entered_again_through_a_shorter_link() {
    let temp = tree(&["a/b/c/", "target/x"]);
    let base = temp.path();
    symlink("../../../target", base.join("a/b/c/link")).unwrap();
    symlink("target", base.join("link")).unwrap();
    let mut options = options(&[base.into()]);
    options.follow = true;
    options.max_depth = Some(4);
    assert_eq!(listed_both_ways(base, &options), ["link/x", "target/x"]);
}

#[test]
fn fault_d7_special_files_are_never_opened() {
    let temp = tree(&["a"]);
    let base = temp.path();
    let _socket = UnixListener::bind(base.join("socket")).unwrap();
    fifo(&base.join("fifo"));
    symlink("/dev/null", base.join("null")).unwrap();
    let mut options = options(&[base.into()]);
    assert_eq!(
        listed_both_ways(base, &options),
        ["a", "fifo (special)", "null (symlink)", "socket (special)"]
    );
    options.follow = true;
    assert_eq!(
        listed_both_ways(base, &options),
        ["a", "fifo (special)", "null (special)", "socket (special)"]
    );
    options.roots = ["fifo", "null", "socket"]
        .map(|name| base.join(name))
        .into();
    options.follow = false;
    assert_eq!(
        listed_both_ways(base, &options),
        ["fifo (special)", "null (special)", "socket (special)"]
    );
}

/// Makes a FIFO, which blocks whoever opens it.
fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn fault_d7_ignore_files_that_are_none_are_never_opened() {
    let temp = tree(&[
        "a",
        "fifo/b",
        "zero/c",
        "git/.git/info/",
        "git/d",
        "huge/e",
        "long/i",
        "null/j",
        "ok/f",
        "ok/.gitignore/g",
        "worktree/h",
        "far/commondir",
    ]);
    let base = temp.path();
    fifo(&base.join("fifo/.ignore"));
    symlink("/dev/zero", base.join("zero/.gitignore")).unwrap();
    symlink("/dev/null", base.join("null/.gitignore")).unwrap();
    fs::write(base.join("long/.ignore"), "*".repeat(5_000)).unwrap();
    fifo(&base.join("git/.git/info/exclude"));
    let huge = fs::File::create(base.join("huge/.ignore")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let far = base.join("far");
    fs::write(
        base.join("worktree/.git"),
        format!("gitdir: {}\n", far.display()),
    )
    .unwrap();
    fs::remove_file(far.join("commondir")).unwrap();
    fifo(&far.join("commondir"));
    let mut options = options(&[base.into()]);
    let failed = [
        "a",
        "far/commondir (ignore_file)",
        "far/commondir (special)",
        "fifo/.ignore (ignore_file)",
        "git/.git/info/exclude (ignore_file)",
        "huge/.ignore (ignore_file)",
        "long/.ignore (ignore_file)",
        "null/j",
        "ok/f",
        "zero/.gitignore (ignore_file)",
    ];
    assert_eq!(listed(base, &options), failed);
    // The file that the worktree's repository names holds for the whole chain.
    fs::remove_file(far.join("commondir")).unwrap();
    fs::write(far.join("commondir"), "../git/.git\n").unwrap();
    options.roots = vec![base.join("worktree")];
    assert_eq!(
        listed(base, &options),
        ["far/../git/.git/info/exclude (ignore_file)"]
    );
    // Rules hold below their folder; a folder that itself is cut off by depth has no say.
    fs::create_dir(base.join("fifo/sub")).unwrap();
    options.roots = vec![base.join("fifo/sub")];
    assert_eq!(listed(base, &options), ["fifo/.ignore (ignore_file)"]);
    options.roots = vec![base.join("fifo")];
    assert_eq!(listed(base, &options), ["fifo/.ignore (ignore_file)"]);
    options.roots = vec![base.into()];
    options.max_depth = Some(1);
    assert_eq!(listed(base, &options), ["a"]);
    // Without ignore rules nobody asks.
    options.max_depth = None;
    options.no_ignore = true;
    assert!(listed(base, &options).contains(&"fifo/b".to_string()));
}

#[test]
fn ignore_files_that_do_not_count_are_told() {
    let temp = tree(&[".git/", "a.md", "b.md", "bad/c", "loop/d", "lost/e"]);
    let base = temp.path();
    fs::write(base.join(".gitignore"), "b.md\n{x\n").unwrap();
    fs::write(base.join("bad/.ignore"), b"\xe9t\xe9\n").unwrap();
    symlink(".ignore", base.join("loop/.ignore")).unwrap();
    symlink("nowhere", base.join("lost/.gitignore")).unwrap();
    let unclosed = "line 2 of this ignore file does not count: unclosed alternate group; \
                    missing '}' (maybe escape '{' with '[{]'?)";
    let latin = "line 1 of this ignore file does not count: it is not UTF-8";
    let all = [
        &format!(".gitignore: {unclosed}"),
        "a.md",
        &format!("bad/.ignore: {latin}"),
        "bad/c",
        "loop/.ignore (loop)",
        "loop/d",
        "lost/.gitignore: this ignore file is a link that leads nowhere",
        "lost/e",
    ];
    assert_eq!(listed(base, &options(&[base.into()])), all);
    // Rules of a folder above, told once.
    let roots = ["bad", "bad/c", "loop"].map(|name| base.join(name));
    assert_eq!(
        listed(base, &options(&roots)),
        [all[0], all[2], "bad/c !", "bad/c !", all[4], all[5]]
    );
    // A worktree that does not say in text where its repository lies.
    fs::write(base.join("bad/.git"), b"\xff\xfe").unwrap();
    let odd = "bad/.git: not UTF-8, so the exclude file of the repository does not count";
    assert_eq!(
        listed(base, &options(&[base.join("bad")])),
        [all[0], odd, all[2], all[3]]
    );
    fs::create_dir(base.join("bad/sub")).unwrap();
    assert_eq!(
        listed(base, &options(&[base.join("bad/sub")])),
        [all[0], odd, all[2]]
    );
}

#[test]
fn fault_d6_a_folder_that_cannot_be_read_does_not_end_the_walk() {
    // Deeper than a path may be long: even root cannot read it by its path.
    let temp = tree(&["a", "chain/", "z"]);
    let base = temp.path();
    let name = "x".repeat(200);
    for _ in 0..25 {
        fs::create_dir(base.join("next")).unwrap();
        fs::rename(base.join("chain"), base.join("next").join(&name)).unwrap();
        fs::rename(base.join("next"), base.join("chain")).unwrap();
    }
    let lines = listed_both_ways(base, &options(&[base.into()]));
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[0].as_str(), lines[2].as_str()), ("a", "z"));
    assert!(lines[1].ends_with("x (invalid_name)"), "{}", lines[1]);
}

#[test]
fn fault_f1_names_are_yielded_as_they_are() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path();
    let names: [&[u8]; 7] = [
        b"\xff\xfe",
        "é".as_bytes(),
        "e\u{301}".as_bytes(),
        b"a\nb",
        b"-",
        b" ",
        "Пример 🦀".as_bytes(),
    ];
    for name in names {
        fs::write(base.join(OsStr::from_bytes(name)), "x").unwrap();
    }
    for no_ignore in [false, true] {
        let mut options = options(&[base.into()]);
        options.no_ignore = no_ignore;
        let mut got: Vec<Vec<u8>> = found(&options)
            .iter()
            .map(|found| match found {
                Found::File(entry) => entry.path.file_name().unwrap().as_bytes().to_vec(),
                other => panic!("{other:?}"),
            })
            .collect();
        got.sort_unstable();
        let mut expected = names.map(<[u8]>::to_vec);
        expected.sort_unstable();
        assert_eq!(got, expected);
    }
}

#[test]
fn what_the_run_writes_is_never_yielded() {
    let temp = tree(&["a", "sub/out", "out.new"]);
    let base = temp.path();
    symlink("sub/out", base.join("link")).unwrap();
    let mut options = options(&[base.into(), base.join("sub/out")]);
    options.follow = true;
    options.exclude = vec![base.join("sub/../sub/out"), base.join("out.new")];
    assert_eq!(listed_both_ways(base, &options), ["a"]);
    // Replaced in one step while the walk goes on: the name counts.
    fs::remove_file(base.join("out.new")).unwrap();
    let filter = super::filter::Exclude::new(&options.exclude);
    fs::write(base.join("out.new"), "x").unwrap();
    assert!(filter.contains(&base.join("sub/../out.new"), None));
    assert!(!filter.contains(&base.join("a"), None));
}

#[test]
fn the_visitor_may_end_the_walk() {
    let temp = tree(&["a", "b", "c"]);
    for no_ignore in [false, true] {
        let mut options = options(&[temp.path().into()]);
        options.no_ignore = no_ignore;
        let mut count = 0;
        walk(&options, &mut |_| {
            count += 1;
            ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(count, 1);
    }
}
