//! The exit status, closed pipes and signals.

use std::fs;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::Duration;

use crate::util::{Workspace, text};

#[test]
fn a_scan_is_done_whether_it_finds_pairs_or_not() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("one/a", &text)
        .file("two/a", &text)
        .file("two/b", &text);
    assert_eq!(space.run("scan -k 3 one").status(0).stdout(), "");
    assert_ne!(space.run("scan -k 3 two").status(0).stdout(), "");
}

#[test]
fn help_and_version_are_no_errors() {
    let space = Workspace::new();
    for arguments in [
        "--help",
        "-h",
        "help",
        "scan --help",
        "help scan",
        "fingerprint -h",
    ] {
        let run = space.run(arguments).status(0).stderr_is("");
        assert!(run.stdout().contains("Usage: simdup"), "{}", run.stdout());
    }
    space
        .run("--version")
        .status(0)
        .stdout_is(concat!("simdup ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn help_tells_the_exit_status() {
    let run = Workspace::new().run("scan --help").status(0);
    for status in [
        "0  done",
        "1  check only",
        "2  an error",
        "130  interrupted",
    ] {
        assert!(run.stdout().contains(status), "{}", run.stdout());
    }
}

/// 200 copies: 19,900 pairs, far more than a pipe holds.
fn many_pairs() -> Workspace {
    let text = text(1, 100);
    (0..200).fold(Workspace::new(), |space, number| {
        space.file(format!("folder/with-a-long-name/{number:03}"), &text)
    })
}

#[test]
fn fault_f7_a_closed_pipe_ends_the_run_quietly() {
    let space = many_pairs();
    for format in ["text", "json", "jsonl"] {
        let run = space.bash(&format!(
            "simdup scan -k 3 --no-verify --format {format} . | head -1"
        ));
        let run = run.status(0).stderr_is("");
        assert_eq!(run.stdout().lines().count(), 1);
    }
    space
        .bash("for i in $(seq 50); do simdup fingerprint .; done | head -1")
        .status(0);
    space
        .bash("simdup scan -k 3 --no-verify -o /dev/stdout . | head -1")
        .status(0)
        .stderr_is("");
    space
        .bash("simdup completions bash | head -1")
        .status(0)
        .stderr_is("");
    space.bash("simdup man | head -1").status(0).stderr_is("");
    space
        .bash("simdup scan --help | head -1")
        .status(0)
        .stderr_is("");
}

#[test]
fn a_full_device_is_an_error() {
    let space = many_pairs();
    for format in ["text", "json", "jsonl"] {
        space
            .bash(&format!(
                "simdup scan -k 3 --no-verify --format {format} . > /dev/full"
            ))
            .status(2)
            .stderr_is(
                "simdup: standard output: cannot write the report: no space left on device\n",
            );
    }
    space
        .run("scan -k 3 --no-verify . -o /dev/full")
        .status(2)
        .stderr_is("simdup: /dev/full: cannot write the report: no space left on device\n");
    for command in ["fingerprint .", "completions bash", "man", "--help"] {
        let run = space
            .bash(&format!("simdup {command} > /dev/full"))
            .status(2);
        assert!(
            run.stderr().contains("no space left on device"),
            "{}",
            run.stderr()
        );
    }
}

#[test]
fn a_report_without_pairs_to_a_full_device_is_an_error_too() {
    let space = Workspace::new().file("a", "a");
    space
        .bash("simdup scan --format json > /dev/full")
        .status(2);
}

#[test]
fn an_interrupted_run_leaves_the_old_report_and_nothing_else() {
    let space = Workspace::new().file("docs/a", "a").file("report", "old");
    let fifo = std::ffi::CString::new(space.join("list").to_str().unwrap()).unwrap();
    // SAFETY: the pointer is to a C string that lives until the call has ended.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    for (signal, status) in [(libc::SIGINT, 130), (libc::SIGTERM, 143)] {
        let mut command = space.command();
        command
            // Nobody writes to the pipe: the run waits for its list, its report is open.
            .args(["scan", "-o", "report", "--files-from", "list"])
            .stderr(Stdio::piped());
        // SAFETY: signal() may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // A background job of a shell ignores SIGINT; the run shall not.
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            });
        }
        let mut child = command.spawn().unwrap();
        while space.listing().len() < 4 {
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: a signal to a child that has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
        assert_eq!(child.wait().unwrap().code(), Some(status));
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert_eq!(stderr, "");
        assert_eq!(space.listing(), ["docs", "list", "report"]);
        assert_eq!(fs::read(space.join("report")).unwrap(), b"old");
    }
}
