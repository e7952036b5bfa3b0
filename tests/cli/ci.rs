//! docs/ci.md, the GitHub action and the pre-commit hook: what they say is run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::repository::{Repository, document, verdict, words_changed};
use crate::util::{SIMDUP, Workspace};

const TOP: &str = env!("CARGO_MANIFEST_DIR");

fn page() -> String {
    format!(
        "\n{}",
        fs::read_to_string(Path::new(TOP).join("docs/ci.md")).unwrap()
    )
}

/// The first block of code after a heading of docs/ci.md.
fn block(heading: &str) -> String {
    let page = page();
    let (_, section) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no heading {heading}"));
    let (_, rest) = section.split_once("```").unwrap();
    let (_, code) = rest.split_once('\n').unwrap();
    code.split_once("```").unwrap().0.to_string()
}

/// A repository with a copy that came after `origin/main`.
fn with_a_copy() -> Repository {
    let repository = Repository::new();
    repository.write("docs/a.md", &document(1));
    repository.commit();
    let _ = repository.git("update-ref refs/remotes/origin/main HEAD");
    repository.write("docs/b.md", &document(1));
    repository.commit();
    repository
}

#[test]
fn the_table_of_exit_statuses_holds_for_every_combination() {
    let page = page();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .skip_while(|line| !line.starts_with("| pairs | baseline |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let fits = |cell: &str, value: &str| cell == "any" || cell.split(", ").any(|one| one == value);
    let mut used = BTreeSet::new();
    let mut combinations = 0;
    for pairs in ["none", "1", "2"] {
        let folder = folder_with(pairs);
        for baseline in ["none", "all", "others", "other settings", "missing"] {
            for max_new in ["-", "0", "1"] {
                for errors in ["no", "yes"] {
                    for changed in ["-", "every pair", "no pair"] {
                        let case = [pairs, baseline, max_new, errors, changed];
                        let row = rows
                            .iter()
                            .position(|row| {
                                row.iter().zip(case).all(|(cell, value)| fits(cell, value))
                            })
                            .unwrap_or_else(|| panic!("no row for {case:?}"));
                        used.insert(row);
                        combinations += 1;
                        let status: i32 = rows[row][5].parse().unwrap();
                        let _ = folder.run(&arguments(&case)).status(status);
                    }
                }
            }
        }
    }
    assert_eq!(used.len(), rows.len(), "a row that no combination reaches");
    assert_eq!(combinations, 270);
}

/// So many pairs, and the baselines of the table in a hidden folder.
fn folder_with(pairs: &str) -> Workspace {
    let mut folder = Workspace::new()
        .file("a1", document(1))
        .file("b1", document(2))
        .file("unrelated", document(3))
        .file(".known/x", "");
    if pairs != "none" {
        folder = folder.file("a2", words_changed(&document(1), 2));
    }
    if pairs == "2" {
        folder = folder.file("b2", document(2));
    }
    let _ = folder
        .run("check -s 0.7 --update-baseline --baseline .known/all")
        .status(0);
    let _ = folder
        .run("check -s 0.9 --update-baseline --baseline .known/settings")
        .status(0);
    let others = folder.read(".known/all").replace("../", "../elsewhere/");
    folder.file(".known/others", others)
}

fn arguments([_, baseline, max_new, errors, changed]: &[&str; 5]) -> String {
    let mut arguments = "check -s 0.7 .".to_string();
    if *errors == "yes" {
        arguments += " missing";
    }
    arguments += match *baseline {
        "none" => "",
        "all" => " --baseline .known/all",
        "others" => " --baseline .known/others",
        "other settings" => " --baseline .known/settings",
        _ => " --baseline .known/missing",
    };
    if *max_new != "-" {
        let _ = write!(arguments, " --max-new {max_new}");
    }
    arguments += match *changed {
        "-" => "",
        "every pair" => " --changed a1 b1",
        _ => " --changed unrelated",
    };
    arguments
}

#[test]
fn the_first_commands_do_what_the_page_says() {
    let repository = with_a_copy();
    let commands = block("# Keeping near-duplicates out of a repository");
    let _ = repository
        .workspace
        .bash(&format!("set -e\n{commands}"))
        .status(0);
    assert_eq!(
        repository.git("diff --cached --name-only"),
        "simdup-baseline.json\n"
    );
    repository.write("docs/c.md", &document(1));
    let run = repository.workspace.bash("simdup check").status(1);
    assert_eq!(
        verdict(&run),
        "2 new near-duplicate pairs (1 known, 0 allowed)"
    );
}

#[test]
fn the_examples_of_the_configuration_file_are_read() {
    let folder = Workspace::new()
        .file(
            "simdup.toml",
            block("## `simdup.toml`") + &block("## Allowances"),
        )
        .file("LICENSE-A", document(1))
        .file("LICENSE-B", document(1))
        .file("vendor/x", "");
    let run = folder.run("check --binary skip").status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (0 known, 1 allowed)"
    );
    let folder = folder.file("simdup.toml", block("## Allowances"));
    let run = folder.run("check").status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (0 known, 1 allowed)"
    );
}

#[test]
fn the_gitlab_recipe_finds_the_copy() {
    let recipe = block("### GitLab");
    let command = recipe
        .lines()
        .find_map(|line| line.trim().strip_prefix("- simdup"))
        .unwrap();
    let repository = with_a_copy();
    let _ = repository
        .workspace
        .bash(&format!("simdup{command}"))
        .status(1);
    let artifact = recipe
        .lines()
        .find_map(|line| line.trim().strip_prefix("codequality: "));
    let report: serde_json::Value =
        serde_json::from_str(&repository.workspace.read(artifact.unwrap())).unwrap();
    assert_eq!(report[0]["location"]["path"], "docs/a.md");
    let _ = repository.git("update-ref refs/remotes/origin/main HEAD");
    let _ = repository
        .workspace
        .bash(&format!("simdup{command}"))
        .status(0);
    assert_eq!(repository.workspace.read(artifact.unwrap()), "[]\n");
}

#[test]
fn the_plain_recipe_finds_the_copy() {
    let recipe = block("### Any other service, or a Git hook");
    let repository = with_a_copy();
    let _ = repository.workspace.bash(&recipe).status(0);
    let _ = repository.git("mv docs/b.md docs/renamed.md");
    let _ = repository.workspace.bash(&recipe).status(1);
    assert!(
        repository
            .workspace
            .read("simdup.xml")
            .contains("failures=\"1\"")
    );
}

/// Runs the step of action.yml in a repository, as GitHub would.
fn act(repository: &Repository, arguments: &str, path: &[&Path]) -> (Output, String, String) {
    let action = fs::read_to_string(Path::new(TOP).join("action.yml")).unwrap();
    let line = action
        .lines()
        .find_map(|line| line.trim().strip_prefix("run: "))
        .unwrap();
    let scratch = Workspace::new().file("summary", "").file("output", "");
    let system = ["/usr/bin", "/bin"].map(Path::new);
    let path = std::env::join_paths(path.iter().chain(&system)).unwrap();
    let output = Command::new("bash")
        .args(["-e", "-c", line])
        .current_dir(repository.workspace.path())
        .env("PATH", path)
        .env("GITHUB_ACTION_PATH", TOP)
        .env("GITHUB_STEP_SUMMARY", scratch.join("summary"))
        .env("GITHUB_OUTPUT", scratch.join("output"))
        .env("RUNNER_TEMP", scratch.path())
        .env("SIMDUP_PATHS", ".")
        .env("SIMDUP_ARGS", arguments)
        .env("SIMDUP_FORMAT", "github")
        .output()
        .unwrap();
    (output, scratch.read("summary"), scratch.read("output"))
}

#[test]
fn fault_g7_the_action_passes_status_and_verdict_through() {
    let bin = Path::new(SIMDUP).parent().unwrap();
    let recipe = block("### GitHub Actions");
    let (_, arguments) = recipe.split_once("args: |\n").unwrap();
    let arguments: Vec<&str> = arguments.lines().map(str::trim).collect();
    let arguments = arguments.join("\n");
    let repository = with_a_copy();

    let (output, summary, outputs) = act(&repository, &arguments, &[bin]);
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.starts_with("::error title=simdup::1 new near-duplicate pair\n"),
        "{stdout}"
    );
    let line = "1 new near-duplicate pair (0 known, 0 allowed, 0 without a changed file)";
    assert_eq!(summary, format!("simdup: {line}\n"));
    assert_eq!(outputs, format!("verdict={line}\n"));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .ends_with(&format!("{line}\n"))
    );

    let _ = repository.git("update-ref refs/remotes/origin/main HEAD");
    let (output, summary, _) = act(&repository, &arguments, &[bin]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        summary.starts_with("simdup: no new near-duplicate pairs"),
        "{summary}"
    );

    let (output, summary, _) = act(&repository, "--changed-since\nno such\n", &[bin]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(summary.lines().count(), 1);
    assert!(summary.contains("--changed-since no such"), "{summary}");
}

#[test]
fn the_action_builds_what_it_does_not_find() {
    let repository = with_a_copy();
    // A cargo that "builds" by linking the program into the folder that it was asked to use.
    let cargo = format!(
        "#!/bin/sh\n[ \"$1 $5 $6\" = 'install {TOP} --root' ] || exit 1\nmkdir -p \"$7/bin\" && ln -s {SIMDUP} \"$7/bin/simdup\"\n"
    );
    let tools = Workspace::new().file("cargo", cargo);
    make_executable(&tools.join("cargo"));
    let (output, summary, _) = act(&repository, "", &[tools.path()]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(summary.starts_with("simdup: 1 new"), "{summary}");
    // A build that fails is an error, not a pass.
    let tools = tools.file("cargo", "#!/bin/sh\nexit 101\n");
    make_executable(&tools.join("cargo"));
    let (output, _, _) = act(&repository, "", &[tools.path()]);
    assert_eq!(output.status.code(), Some(2));
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_input_of_the_action_reaches_the_script() {
    let action = fs::read_to_string(Path::new(TOP).join("action.yml")).unwrap();
    let script = fs::read_to_string(Path::new(TOP).join("ci/action.sh")).unwrap();
    for (input, variable) in [
        ("paths", "SIMDUP_PATHS"),
        ("args", "SIMDUP_ARGS"),
        ("format", "SIMDUP_FORMAT"),
    ] {
        assert!(
            action.contains(&format!("{variable}: ${{{{ inputs.{input} }}}}")),
            "{input}"
        );
        assert!(script.contains(&format!("${{{variable}:-")), "{variable}");
    }
    assert!(action.contains("working-directory: ${{ inputs.working-directory }}"));
}

/// pre-commit (a Python package): `SIMDUP_PRE_COMMIT`, or what is in `PATH`.
fn pre_commit() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SIMDUP_PRE_COMMIT") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("pre-commit"))
        .find(|file| file.is_file())
}

#[test]
fn the_hook_judges_the_files_of_a_commit() {
    let Some(pre_commit) = pre_commit() else {
        // .ci/run installs it; a person without it still has the other tests.
        assert!(
            std::env::var_os("CI").is_none(),
            "pre-commit is not installed"
        );
        return;
    };
    // The hook as it is, but for the build: the program under test is in PATH.
    let manifest = fs::read_to_string(Path::new(TOP).join(".pre-commit-hooks.yaml")).unwrap();
    assert!(manifest.contains("language: rust"));
    let hook = Repository::new();
    hook.write(
        ".pre-commit-hooks.yaml",
        &manifest.replace("language: rust", "language: system"),
    );
    hook.commit();
    let revision = hook.git("rev-parse HEAD").trim().to_string();

    let config = block("### pre-commit")
        .replace(
            "https://github.com/OWNER/simdup",
            &hook.workspace.path().to_string_lossy(),
        )
        .replace("v0.1.0", &revision);
    let repository = Repository::new();
    repository.write(".pre-commit-config.yaml", &config);
    repository.write("a.md", &document(1));
    repository.write("old/x.md", &document(2));
    repository.write("old/y.md", &document(2));
    repository.commit();
    let cache = Workspace::new();
    let run = || {
        let bin = Path::new(SIMDUP).parent().unwrap().to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&path)));
        let output = Command::new(&pre_commit)
            .arg("run")
            .current_dir(repository.workspace.path())
            .env("PATH", path.unwrap())
            .env("PRE_COMMIT_HOME", cache.path())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code(),
            stdout + &String::from_utf8_lossy(&output.stderr),
        )
    };
    repository.write("b c.md", &document(1));
    let _ = repository.git("add -A");
    let (status, told) = run();
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("a.md\tb c.md"), "{told}");
    let line = "1 new near-duplicate pair (0 known, 0 allowed, 1 without a changed file)";
    assert!(told.contains(line), "{told}");

    let _ = repository.git("rm -q -f b*");
    repository.write("d.md", &document(5));
    let _ = repository.git("add -A");
    let (status, told) = run();
    assert_eq!(status, Some(0), "{told}");
}
