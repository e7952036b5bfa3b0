//! `--changed*`: what is not judged is told, so that no check passes by accident.

use crate::repository::{Repository, document};
use crate::util::Workspace;

/// A repository with a pair, where one file is new since the first commit.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("docs/a.md", &document(1));
    repository.commit();
    repository.write("docs/b.md", &document(1));
    repository.commit();
    repository
}

#[test]
fn paths_outside_the_repository_have_no_changes() {
    let repository = repository();
    let outside = Workspace::new()
        .file("x.md", document(1))
        .file("y.md", document(1));
    let outside = outside.path().canonicalize().unwrap();
    let outside = outside.display();
    for paths in [format!("{outside}"), format!("docs {outside}/x.md")] {
        let _ = repository
            .check(&format!("--changed-since HEAD~1 {paths}"))
            .status(2)
            .stdout_is("")
            .stderr_has(&format!("simdup: {outside}"))
            .stderr_has("outside the repository")
            .stderr_has("--changed-since sees no change");
    }
    repository.write("list", &format!("docs\n{outside}\n"));
    let _ = repository
        .check("--changed-since HEAD~1 --files-from list")
        .status(2)
        .stderr_has("outside the repository");
    // Known files may lie anywhere.
    let _ = repository
        .check(&format!(
            "--changed-since HEAD~1 docs --reference {outside}"
        ))
        .status(1);
    let _ = repository
        .check("--changed-since HEAD~1 docs")
        .status(1)
        .has_pairs(&[("docs/a.md", "docs/b.md")]);
}

#[test]
fn a_named_file_that_was_not_compared_is_told() {
    let repository = repository();
    repository.write(".gitignore", "ignored.md\n");
    repository.write("ignored.md", &document(1));
    repository.write(".hidden/c.md", &document(1));
    repository.write("logo", "a\0b");
    let told = "simdup: 1 file is named as changed but not compared, so not judged either:\n";
    for (options, line) in [
        (
            "--changed ignored.md",
            "ignored.md: left out by an ignore rule, a hidden name, --glob or --max-depth",
        ),
        (
            "--changed .hidden",
            ".hidden: no file below it was compared",
        ),
        ("--changed docs/b.md logo", "logo: binary"),
        (
            "--changed docs/a.md -- other",
            "docs/a.md: outside the paths of this check",
        ),
        ("--changed docs/a.md -g *.txt", "docs/a.md: left out by"),
    ] {
        repository.write("other/x.txt", "text");
        let run = repository.check(options);
        let run = run
            .stderr_has(told)
            .stderr_has(&format!("simdup:   {line}"));
        assert!(run.stderr().ends_with(" without a changed file)\n"));
    }
    // A list is what a change touched: some of it is deleted, some is no document.
    let run = repository.workspace.run_with_input(
        "check -s 0.7 --changed-from -",
        b"docs/b.md\ndeleted.md\nlogo\nignored.md\n",
    );
    let run = run
        .status(1)
        .has_pairs(&[("docs/a.md", "docs/b.md")])
        .stderr_has("simdup: 2 files are named as changed but not compared")
        .stderr_has("simdup:   logo: binary\n");
    assert!(!run.stderr().contains("deleted.md"), "{}", run.stderr());
    let quiet = repository.check("-q --changed logo").status(0);
    assert_eq!(quiet.stderr().lines().count(), 1);
}

#[test]
fn files_that_were_compared_or_are_the_baseline_need_no_word() {
    let repository = repository();
    let _ = repository.check("--update-baseline").status(0);
    for changed in ["docs", ".", "docs/a.md ./docs/b.md", "simdup-baseline.json"] {
        let run = repository.check(&format!("--changed {changed}")).status(0);
        assert!(!run.stderr().contains("not compared"), "{}", run.stderr());
    }
    let below = repository
        .workspace
        .bash("cd docs && simdup check -s 0.7 --changed ../docs/a.md")
        .status(0);
    assert!(!below.stderr().contains("not compared"));
}

#[test]
fn an_empty_revision_is_an_error_of_its_own() {
    let repository = repository();
    let _ = repository
        .workspace
        .run_with(&["check", "--changed-since", ""])
        .status(2)
        .stdout_is("")
        .stderr_is("simdup: --changed-since '': no revision is named (is a variable empty?); name one, such as origin/main\n");
}

#[test]
fn ignored_files_that_are_compared_count_as_changed() {
    let repository = repository();
    repository.write(".gitignore", "build/\n*.log\n");
    repository.write("build/x.md", &document(2));
    repository.write("build/y.md", &document(2));
    repository.write("docs/z.log", &document(1));
    repository.commit();
    let pair = [("build/x.md", "build/y.md")];
    for path in ["build", "build/x.md build/y.md", "./build/../build"] {
        let _ = repository
            .check(&format!("--changed-since HEAD {path}"))
            .status(1)
            .has_pairs(&pair);
    }
    let _ = repository
        .workspace
        .bash("cd build && simdup check -s 0.7 --changed-since HEAD")
        .status(1)
        .has_pairs(&[("x.md", "y.md")]);
    // An option can bring them in as well. What nobody brings in is of no account.
    let run = repository.check("--changed-since HEAD --no-ignore");
    assert_eq!(run.status(1).pairs().len(), 3);
    let _ = repository.check("--changed-since HEAD").status(0);
}

#[test]
fn a_changed_file_is_known_over_symbolic_links() {
    let repository = repository();
    let Repository { workspace } = repository;
    let repository = Repository {
        workspace: workspace.symlink("link", "docs").symlink("b", "docs/b.md"),
    };
    repository.commit();
    for changed in ["link/b.md", "link", "b", "./link/../link/b.md"] {
        let run = repository
            .check(&format!("docs --changed {changed}"))
            .status(1);
        assert!(!run.stderr().contains("not compared"), "{}", run.stderr());
    }
    // And the other way round: the link is what is scanned.
    for (paths, pair) in [
        ("link", ("link/a.md", "link/b.md")),
        ("b docs/a.md", ("b", "docs/a.md")),
    ] {
        for changed in ["--changed docs/b.md", "--changed-since HEAD~2"] {
            let _ = repository
                .check(&format!("{paths} {changed}"))
                .status(1)
                .has_pairs(&[pair]);
        }
    }
    let _ = repository.check("docs --changed link/c.md").status(2);
}

#[test]
fn names_that_git_quotes_are_understood() {
    let space = Workspace::new()
        .file("copé.md", document(1))
        .file("b.md", document(1));
    for quoted in [r#""cop\303\251.md""#, "copé.md"] {
        let _ = space
            .run_with_input("check -s 0.7 --changed-from -", quoted.as_bytes())
            .status(1)
            .has_pairs(&[("b.md", "copé.md")]);
    }
}

#[test]
fn a_list_that_looks_wrong_is_told() {
    let repository = repository();
    let _ = repository
        .workspace
        .run_with_input("check -s 0.7 --changed-from -", b"")
        .status(0)
        .stderr_has("simdup: --changed-from: the list is empty");
    let _ = repository
        .workspace
        .run_with_input("check -s 0.7 --changed-from -", b"M\tdocs/b.md\n")
        .status(0)
        .stderr_has(
            "simdup: --changed-from: no file of the list exists here (M\\tdocs/b.md is the first)",
        );
    let line = |list: &str| {
        let line = format!("cd docs && {list} | simdup check -s 0.7 --changed-from -");
        repository.workspace.bash(&line)
    };
    let diff = "git diff --name-only -z --no-renames HEAD~1";
    let _ = line(diff).status(0).stderr_has(
        "simdup: --changed-from: docs/b.md does not exist here, but below the repository's top; names are relative",
    );
    let run = line(&format!("{diff} --relative")).status(1);
    assert!(!run.stderr().contains("--changed-from"), "{}", run.stderr());
}

#[test]
fn a_baseline_in_no_folder_is_an_error_with_the_option() {
    let _ = repository()
        .check("--baseline nowhere/known.json --update-baseline")
        .status(2)
        .stderr_has(
            "simdup: --baseline: nowhere: the folder of the file: no such file or directory",
        );
}
