//! A baseline and the settings that it was made with.

use std::fs;

use crate::repository::{document, verdict, words_changed};
use crate::util::Workspace;

/// A folder with two pairs of different kinds, and a baseline that knows them.
fn known() -> Workspace {
    let folder = Workspace::new()
        .file("a.md", document(1))
        .file("b.md", words_changed(&document(1), 3))
        .file("deep/er/x.txt", document(2).repeat(4))
        .file("deep/er/y.txt", document(2).repeat(4));
    let _ = folder.run("check -s 0.7 --update-baseline").status(0);
    folder
}

#[test]
fn a_narrowed_run_neither_judges_nor_updates() {
    let folder = known();
    let before = folder.read("simdup-baseline.json");
    assert!(before.contains("\n  \"filters\": {},\n"), "{before}");
    for (option, shown) in [
        ("-g *.md", "--glob '*.md'"),
        ("--min-size 5000", "--min-size 5000"),
        ("--max-size 4K", "--max-size 4096"),
        ("--max-depth 1", "--max-depth 1"),
        ("--min-features 2000", "--min-features 2000"),
        ("--reference deep", "--reference deep"),
        ("--hidden", "--hidden"),
        ("-u", "--no-ignore"),
        ("--follow", "--follow"),
        ("--one-file-system", "--one-file-system"),
        ("--binary exact", "--binary exact"),
        ("--encoding koi8-r", "--encoding KOI8-R"),
    ] {
        let name = shown.split(' ').next().unwrap();
        let difference = format!("made with no {name}, this run has {shown}");
        let run = folder
            .run(&format!("check -s 0.7 {option}"))
            .status(2)
            .stdout_is("")
            .stderr_has(&format!(
                "simdup: simdup-baseline.json: this baseline was {difference}\n\
                 try: check with the same settings, or delete the baseline and begin anew"
            ));
        assert_eq!(verdict(&run), "check incomplete, no verdict");
        let _ = folder
            .run(&format!("check -s 0.7 --update-baseline {option}"))
            .status(2)
            .stdout_is("")
            .stderr_is(&format!(
                "--update-baseline: the baseline simdup-baseline.json was {difference}, so known pairs could be \
                 lost; run it with the same settings, or delete the baseline first to begin anew\n"
            ));
        assert_eq!(folder.read("simdup-baseline.json"), before, "{option}");
    }
    let _ = folder.run("check -s 0.7").status(0);
}

#[test]
fn a_baseline_serves_runs_with_its_own_filters_wherever_they_are_set() {
    let folder = known();
    fs::remove_file(folder.join("simdup-baseline.json")).unwrap();
    let narrowed = "check -s 0.7 -g *.txt --max-size 1M";
    let _ = folder
        .run(&format!("{narrowed} --update-baseline"))
        .status(0);
    let baseline = folder.read("simdup-baseline.json");
    assert!(
        baseline.contains("\n  \"filters\": {\"glob\":[\"*.txt\"],\"max-size\":1048576},\n"),
        "{baseline}"
    );
    let run = folder.run(narrowed).status(0);
    assert_eq!(
        verdict(&run),
        "no new near-duplicate pairs (1 known, 0 allowed)"
    );
    let _ = folder
        .run(&format!("{narrowed} --update-baseline"))
        .status(0);
    assert_eq!(folder.read("simdup-baseline.json"), baseline);
    let _ = folder
        .run("check -s 0.7 -g *.txt")
        .status(2)
        .stderr_has("made with --max-size 1048576, this run has no --max-size");
    // The configuration file says the same, so it is the same.
    let folder = folder.file("simdup.toml", "glob = '*.txt'\nmax-size = '1024K'\n");
    let _ = folder.run("check -s 0.7").status(0);
    let _ = folder
        .run("check -s 0.7 --no-config")
        .status(2)
        .stderr_has("made with --glob '*.txt', this run has no --glob");
}

#[test]
fn globs_with_a_folder_mean_something_else_elsewhere() {
    let folder = known();
    fs::remove_file(folder.join("simdup-baseline.json")).unwrap();
    let check = "simdup check -s 0.7 -g 'deep/**' --baseline";
    let _ = folder
        .bash(&format!("{check} known.json --update-baseline"))
        .status(0);
    let _ = folder.bash(&format!("{check} known.json")).status(0);
    let _ = folder
        .bash(&format!("cd deep && {check} ../known.json"))
        .status(2)
        .stderr_has("made with globs relative to ., this run has globs relative to deep");
}

#[test]
fn a_refused_update_tells_its_reason_and_no_other() {
    let folder = known();
    let _ = folder
        .run("check -s 0.7 --update-baseline deep")
        .status(2)
        .stderr_is(
            "--update-baseline: this run looks at less than the baseline simdup-baseline.json covers (. from its \
             folder is missing), so known pairs elsewhere would be lost; run it with all its roots, or delete it \
             first to begin anew, from the same folder\n",
        );
}

#[test]
fn a_baseline_is_no_stream() {
    let folder = known();
    for more in ["", " --update-baseline"] {
        let _ = folder
            .run(&format!("check -s 0.7 --baseline -{more}"))
            .status(2)
            .stdout_is("")
            .stderr_has("simdup: --baseline -: a baseline is a file, not a stream");
        assert!(!folder.join("-").exists());
    }
    let _ = folder
        .run("check -s 0.7 --baseline ./- --update-baseline")
        .status(0);
    assert!(folder.join("-").exists());
}

#[test]
fn the_report_replaces_no_file_that_the_check_uses() {
    let folder = known().file("simdup.toml", "similarity = 0.7\n");
    let baseline = folder.read("simdup-baseline.json");
    for line in [
        "check -o simdup.toml",
        "scan -o simdup.toml",
        "scan -o ./deep/../simdup.toml",
        "check -o simdup-baseline.json",
        "check -o deep/er/../../simdup-baseline.json --update-baseline",
        "check -o new.json --baseline ./new.json --update-baseline",
        "check -o changed --changed-from changed",
        "scan -o a.md --reference a.md deep",
    ] {
        let folder = if line.contains("changed") {
            &Workspace::new().file("changed", "x\n")
        } else {
            &folder
        };
        let _ = folder
            .run(line)
            .status(2)
            .stdout_is("")
            .stderr_has("this file is used by the run (as ")
            .stderr_has("try: another file for the report");
    }
    assert_eq!(folder.read("simdup.toml"), "similarity = 0.7\n");
    assert_eq!(folder.read("simdup-baseline.json"), baseline);
    assert!(!folder.join("new.json").exists());
    // A file that is not in use may be replaced.
    let _ = folder
        .run("scan --no-config -q -o simdup.toml deep")
        .status(0);
    assert_ne!(folder.read("simdup.toml"), "similarity = 0.7\n");
}
