//! The walk against git itself, on generated trees.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Found, walk};
use crate::options::WalkOptions;

type Files = BTreeSet<PathBuf>;

/// A command that sees no configuration but that below `home`.
fn command(program: impl AsRef<OsStr>, folder: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_CONFIG_GLOBAL")
        .env_remove("GIT_DIR");
    command
}

fn init(folder: &Path, home: &Path) {
    fs::create_dir_all(home).unwrap();
    fs::create_dir_all(folder).unwrap();
    let mut git = command("git", folder, home);
    let made = git.args(["init", "-q", "--template="]).status().unwrap();
    assert!(made.success());
    fs::create_dir_all(folder.join(".git/info")).unwrap();
}

/// What git lists below `folder`, relative to it.
fn git_files(folder: &Path, home: &Path) -> Files {
    let mut git = command("git", folder, home);
    let output = git
        .args(["ls-files", "-oz", "--exclude-standard"])
        .output()
        .unwrap();
    assert!(output.status.success());
    output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(OsStr::from_bytes(name)))
        .collect()
}

const ROOT: &str = "SIMDUP_TEST_WALK_ROOT";
const LIST: &str = "SIMDUP_TEST_WALK_LIST";

/// What the walk finds below `root`, in a process of its own that works in `folder`: working
/// folder and environment belong to the whole process.
fn walk_files(folder: &Path, home: &Path, root: &Path) -> Files {
    let list = home.join("list");
    let done = command(env::current_exe().unwrap(), folder, home)
        .args(["walk::git_tests::walks_for_other_tests", "--exact", "-q"])
        .env(ROOT, root)
        .env(LIST, &list)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    fs::read(&list)
        .unwrap()
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(OsStr::from_bytes(name)))
        .collect()
}

#[test]
fn walks_for_other_tests() {
    let (Some(root), Some(list)) = (env::var_os(ROOT), env::var_os(LIST)) else {
        return; // not called by one
    };
    let options = WalkOptions {
        roots: vec![root.into()],
        hidden: true,
        ..WalkOptions::default()
    };
    let mut names = Vec::new();
    walk(&options, &mut |found| {
        let path = match found {
            Found::File(entry) => entry.path,
            Found::Skipped(skipped) => skipped.path,
            found => panic!("{found:?}"),
        };
        names.extend(path.into_os_string().into_vec());
        names.push(0);
        ControlFlow::Continue(())
    })
    .unwrap();
    fs::write(list, names).unwrap();
}

/// The generator `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const NAMES: &[&str] = &[
    "a", "b", "ab", "abc", "a.c", "foo", "foo.o", "x y", "a ", "#a", "!b", ".h", "build", "doc",
    "a]b", "a-b", "A1", "é", "aé", "a\\b", "7",
];

const WILD: &[&str] = &[
    "*",
    "*.o",
    "a*",
    "?b",
    "a?",
    "*b*",
    "**",
    "a**b",
    "[ab]",
    "[!a]",
    "[^a]*",
    "[a-c]*",
    "[a-c]?",
    "[]a]",
    "[a-]*",
    "[-a]*",
    "[[:alpha:]]",
    "[[:digit:][:upper:]]*",
    "[[]",
    "\\a*",
    "*\\*",
    "?",
    "??",
    "*.*",
];

/// A line of a `.gitignore`.
fn pattern(random: &mut Random) -> String {
    let mut line = String::new();
    if random.below(3) == 0 {
        line.push('!');
    }
    if random.below(3) == 0 {
        line.push('/');
    }
    if random.below(10) == 0 {
        line.push_str("**/");
    }
    for part in 0..=random.below(3).min(random.below(3)) {
        if part > 0 {
            line.push('/');
        }
        if random.below(2) == 0 {
            line.push_str(random.pick(WILD));
        } else {
            let name = random.pick(NAMES).replace('\\', "\\\\");
            // At the beginning these two mean something, at the end a blank means nothing.
            let name = name.replace('#', "\\#").replace("a ", "a\\ ");
            line.push_str(&name);
        }
    }
    match random.below(14) {
        0 | 1 => line.push('/'),
        2 => line.push_str("/**"),
        3 => line.push_str("/**/"),
        4 => line.push_str("  "),
        5 => line.push('\t'),
        6 => line.push('\r'),
        7 => line.insert(0, '\\'),
        8 => line.insert(0, '#'),
        9 => line.insert(0, ' '),
        _ => {}
    }
    line
}

fn rules(random: &mut Random) -> String {
    let lines = 1 + random.below(5);
    (0..lines).map(|_| pattern(random) + "\n").collect()
}

fn grow(random: &mut Random, folder: &Path, depth: u32) {
    for _ in 0..2 + random.below(4) {
        let path = folder.join(random.pick(NAMES));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        if depth < 3 && random.below(2) == 0 {
            fs::create_dir(&path).unwrap();
            grow(random, &path, depth + 1);
        } else if random.below(12) == 0 {
            std::os::unix::fs::symlink(random.pick(NAMES), &path).unwrap();
        } else {
            fs::write(&path, "").unwrap();
        }
    }
    if depth == 0 || random.below(3) == 0 {
        fs::write(folder.join(".gitignore"), rules(random)).unwrap();
    }
}

/// The rules that concern `path`, to be shown with a failure.
fn shown_rules(repository: &Path, path: &Path) -> String {
    let mut shown = String::new();
    let mut sources = vec![repository.join(".git/info/exclude")];
    sources.extend(
        path.ancestors()
            .skip(1)
            .map(|folder| repository.join(folder).join(".gitignore")),
    );
    for source in sources {
        if let Ok(rules) = fs::read_to_string(&source) {
            let lines: Vec<_> = rules.lines().collect();
            writeln!(shown, "{}: {lines:?}", source.display()).unwrap();
        }
    }
    shown
}

fn assert_same(repository: &Path, walked: &Files, listed: &Files) {
    let only_walk: Vec<_> = walked.difference(listed).collect();
    let only_git: Vec<_> = listed.difference(walked).collect();
    if let Some(path) = only_walk.iter().chain(&only_git).next() {
        let rules = shown_rules(repository, path);
        panic!("only the walk: {only_walk:?}\nonly git: {only_git:?}\n{path:?}:\n{rules}");
    }
}

#[test]
fn fault_d1_generated_trees_are_as_git_lists_them() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    fs::create_dir_all(home.join("config/git")).unwrap();
    let mut files = 0;
    for seed in 0..6 {
        let mut random = Random(seed);
        let repository = temp.path().join(format!("repository {seed}"));
        init(&repository, &home);
        // Many small trees in one repository; each has its rules, some are for all of them.
        for tree in 0..24 {
            let folder = repository.join(format!("t{tree}"));
            fs::create_dir(&folder).unwrap();
            grow(&mut random, &folder, 0);
        }
        if seed % 2 == 1 {
            fs::write(repository.join(".gitignore"), "t3/a*\n!*.o\n/t4/**/b\n").unwrap();
            fs::write(repository.join(".git/info/exclude"), "/t5\nfoo.o\n").unwrap();
            fs::write(home.join("config/git/ignore"), "A1\n!a.c\n").unwrap();
        }
        let listed = git_files(&repository, &home);
        files += listed.len();
        let walked = walk_files(&repository, &home, Path::new("."));
        assert_same(&repository, &walked, &listed);
        // From above, by an absolute path, and a part only.
        let walked = walk_files(temp.path(), &home, &repository);
        let walked = walked.iter().map(|path| path.strip_prefix(&repository));
        assert_same(
            &repository,
            &walked.map(|path| path.unwrap().to_path_buf()).collect(),
            &listed,
        );
        let part = repository.join("t7");
        let listed = git_files(&part, &home);
        let walked = walk_files(&part, &home, Path::new("."));
        assert_same(&repository, &walked, &listed);
        let walked = walk_files(&repository, &home, Path::new("t7"));
        let listed = listed.iter().map(|path| Path::new("t7").join(path));
        assert_same(&repository, &walked, &listed.collect());
    }
    assert!(files > 1000, "{files} files are too few to mean anything");
}

#[test]
fn fault_d1_every_source_of_rules_counts_in_its_order() {
    let temp = tempfile::tempdir().unwrap();
    let (home, repository) = (temp.path().join("home"), temp.path().join("r"));
    init(&repository, &home);
    fs::create_dir_all(repository.join("sub/deep")).unwrap();
    for name in ["a", "b", "c", "d", "e", "keep"] {
        for folder in ["", "sub", "sub/deep"] {
            fs::write(repository.join(folder).join(name), "").unwrap();
        }
    }
    fs::write(repository.join(".gitignore"), "a\n!e\n").unwrap();
    fs::write(repository.join("sub/.gitignore"), "!a\nb\n/deep/keep\n").unwrap();
    fs::write(repository.join(".git/info/exclude"), "c\ne\n").unwrap();
    fs::write(home.join("excludes"), "d\n!c\n").unwrap();
    let config = "[core]\n\texcludesFile = ~/excludes\n";
    fs::write(home.join(".gitconfig"), config).unwrap();
    let listed = git_files(&repository, &home);
    let walked = walk_files(&repository, &home, Path::new("."));
    assert_same(&repository, &walked, &listed);
    let expected = [
        ".gitignore",
        "b",
        "e",
        "keep",
        "sub/.gitignore",
        "sub/a",
        "sub/deep/a",
        "sub/deep/e",
        "sub/e",
        "sub/keep",
    ];
    assert_eq!(walked, expected.iter().map(PathBuf::from).collect());
}

#[test]
fn nested_repositories_are_walked_by_their_own_rules() {
    let temp = tempfile::tempdir().unwrap();
    let (home, repository) = (temp.path().join("home"), temp.path().join("r"));
    init(&repository, &home);
    init(&repository.join("sub"), &home);
    fs::write(repository.join(".gitignore"), "a\n").unwrap();
    fs::write(repository.join("sub/.gitignore"), "b\n").unwrap();
    for name in ["a", "b", "sub/a", "sub/b"] {
        fs::write(repository.join(name), "").unwrap();
    }
    let walked = walk_files(&repository, &home, Path::new("."));
    let expected = [".gitignore", "b", "sub/.gitignore", "sub/a"];
    assert_eq!(walked, expected.iter().map(PathBuf::from).collect());
    // From inside, the outer rules do not count either.
    let walked = walk_files(&repository.join("sub"), &home, Path::new("."));
    let expected = [".gitignore", "a"];
    assert_eq!(walked, expected.iter().map(PathBuf::from).collect());
}

#[test]
fn a_folder_named_with_a_dash_is_a_folder() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("-/sub")).unwrap();
    for name in ["-/a", "-/sub/-"] {
        fs::write(temp.path().join(name), "").unwrap();
    }
    let walked = walk_files(temp.path(), temp.path(), Path::new("./-/"));
    let expected = ["-/a", "-/sub/-"];
    assert_eq!(walked, expected.iter().map(PathBuf::from).collect());
}
