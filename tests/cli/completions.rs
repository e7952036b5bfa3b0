//! The completion scripts and the manual page are what the program prints.

use std::fs;
use std::path::Path;

use snapbox::{Data, assert_data_eq};

use crate::util::Workspace;

#[test]
fn the_scripts_in_the_repository_are_those_that_the_program_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let scripts = [
        ("bash", "simdup.bash"),
        ("zsh", "_simdup"),
        ("fish", "simdup.fish"),
        ("powershell", "_simdup.ps1"),
        ("elvish", "simdup.elv"),
    ];
    for (shell, name) in scripts {
        let run = Workspace::new()
            .run(&format!("completions {shell}"))
            .status(0)
            .stderr_is("");
        assert_data_eq!(
            run.stdout(),
            Data::read_from(&folder.join(name), None).raw()
        );
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), scripts.len());
}

#[test]
fn an_unknown_shell_is_named() {
    Workspace::new()
        .run("completions tcsh")
        .status(2)
        .stdout_is("")
        .stderr_has("'tcsh'")
        .stderr_has("bash, elvish, fish, powershell, zsh");
}

#[test]
fn the_manual_page_has_every_option_the_status_table_and_examples() {
    let space = Workspace::new();
    let run = space.run("man").status(0).stderr_is("");
    let page = run.stdout().replace("\\-", "-");
    for command in ["scan", "fingerprint"] {
        let help = space.run(&format!("{command} --help")).status(0);
        for option in help
            .stdout()
            .split_whitespace()
            .filter(|word| word.starts_with("--"))
        {
            let option = option.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            assert!(page.contains(&format!("--{option}")), "{option}");
        }
    }
    for section in [
        ".SH NAME",
        ".SH SYNOPSIS",
        ".SH \"EXIT STATUS\"",
        ".SH EXAMPLES",
    ] {
        assert!(page.contains(section), "{section}");
    }
    assert!(page.contains(".B 130"));
}

#[test]
fn the_manual_page_is_well_formed() {
    let space = Workspace::new();
    if !space.bash("command -v man").stdout().contains("man") {
        return;
    }
    space
        .bash("simdup man > simdup.1 && man --warnings -E UTF-8 -l -Tutf8 -Z simdup.1 > /dev/null")
        .status(0)
        .stderr_is("");
}
