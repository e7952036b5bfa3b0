//! Colours and progress: for terminals alone, unless asked for.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::FromRawFd as _;
use std::ptr;

use crate::util::{Workspace, text};

fn space() -> Workspace {
    let text = text(1, 300);
    Workspace::new().file("d/a", &text).file("d/b", &text)
}

const SCAN: &str = "simdup scan -k 3 --no-verify d";
const REPORT: &str = "0\t-\td/a\td/b\n";

#[test]
fn fault_f8_files_get_no_escapes_and_the_same_bytes() {
    let space = space();
    for environment in [
        "",
        "TERM=dumb",
        "TERM=xterm-256color",
        "NO_COLOR=1",
        "LC_ALL=C",
    ] {
        let run = space.bash(&format!("{environment} {SCAN}")).status(0);
        let run = run.stdout_is(REPORT);
        assert!(!run.stderr().contains('\x1b'), "{}", run.stderr());
        assert!(
            run.stderr().starts_with("simdup: 2 files, "),
            "{}",
            run.stderr()
        );
        assert_eq!(run.stderr().lines().count(), 1);
    }
    let run = space
        .bash(&format!("{SCAN} > out 2> err; cat out; cat err >&2"))
        .status(0);
    let run = run.stdout_is(REPORT);
    assert!(!run.stderr().contains('\x1b'));
}

#[test]
fn colours_can_be_asked_for() {
    let space = space();
    let run = space.bash(&format!("{SCAN} --color always")).status(0);
    assert!(run.stdout().contains("\x1b["));
    let run = space
        .bash(&format!("{SCAN} --color always --format json"))
        .status(0);
    assert!(!run.stdout().contains('\x1b'));
    space
        .bash(&format!("CLICOLOR_FORCE=1 {SCAN} --color never"))
        .status(0)
        .stdout_is(REPORT);
}

/// Runs the program with a terminal for standard output and standard error; what it shows.
fn on_a_terminal(space: &Workspace, environment: &[(&str, &str)], arguments: &str) -> String {
    let (mut ours, mut theirs) = (0, 0);
    let (name, settings, size) = (ptr::null_mut(), ptr::null(), ptr::null());
    // SAFETY: the first two pointers are to integers, the others may be null.
    let opened = unsafe { libc::openpty(&raw mut ours, &raw mut theirs, name, settings, size) };
    assert_eq!(opened, 0);
    // SAFETY: both were opened just now and belong to nobody else.
    let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
    let mut child = space
        .command()
        .args(arguments.split_whitespace())
        .envs(environment.iter().copied())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs)
        .spawn()
        .unwrap();
    // The command is gone, and with it our copies of the other end: reading ends with an error
    // when the program has ended.
    let mut shown = Vec::new();
    let _ = ours.read_to_end(&mut shown);
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

#[test]
fn a_terminal_shows_colours_and_progress() {
    let space = space();
    let scan = "scan -k 3 --no-verify d";
    let shown = on_a_terminal(&space, &[("TERM", "xterm-256color")], scan);
    let coloured = "\x1b[36m0\t-\x1b[0m\td/a\td/b\n";
    assert!(shown.contains(coloured), "{shown:?}");
    assert!(shown.contains("simdup: 2 files"), "{shown:?}");
    // The progress is off the screen when the report begins.
    assert!(
        !shown[shown.find(coloured).unwrap()..].contains("reading"),
        "{shown:?}"
    );

    let shown = on_a_terminal(
        &space,
        &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
        scan,
    );
    assert!(shown.contains("0\t-\td/a\td/b\n"), "{shown:?}");
    assert!(!shown.contains("\x1b[36m"), "{shown:?}");

    for environment in [&[("TERM", "dumb")][..], &[("TERM", "dumb"), ("CI", "true")]] {
        let shown = on_a_terminal(&space, environment, scan);
        assert!(!shown.contains('\x1b'), "{shown:?}");
        assert!(
            shown.starts_with("0\t-\td/a\td/b\nsimdup: 2 files"),
            "{shown:?}"
        );
    }
}

#[test]
fn progress_that_was_asked_for_comes_in_lines_where_there_is_no_terminal() {
    let run = space().bash(&format!("{SCAN} --progress always")).status(0);
    let run = run.stdout_is(REPORT);
    assert!(
        run.stderr().starts_with("simdup: reading\n"),
        "{}",
        run.stderr()
    );
    assert!(!run.stderr().contains('\x1b'));
    let run = space().bash(&format!("{SCAN} --progress never")).status(0);
    assert!(!run.stderr().contains("reading"));
}

#[test]
fn the_program_lives_without_standard_error() {
    let space = space();
    space
        .bash(&format!("{SCAN} 2>&-"))
        .status(0)
        .stdout_is(REPORT);
    space
        .bash(&format!("{SCAN} 2>/dev/full"))
        .status(0)
        .stdout_is(REPORT);
    space
        .bash("simdup scan missing 2>/dev/full")
        .status(2)
        .stdout_is("");
}

#[test]
fn verbose_tells_which_choices_were_made() {
    let space = space();
    let run = space
        .bash(&format!("{SCAN} -v"))
        .status(0)
        .stdout_is(REPORT);
    assert!(run.stderr().lines().count() > 1, "{}", run.stderr());
}
