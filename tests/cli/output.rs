//! `-o FILE`: whole or not at all.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};

use crate::util::{Workspace, text};

const SCAN: &str = "scan -k 3 --no-verify -q docs";
const REPORT: &str = "0\t-\tdocs/a\tdocs/b\n";

fn space() -> Workspace {
    let text = text(1, 300);
    Workspace::new().file("docs/a", &text).file("docs/b", &text)
}

#[test]
fn a_new_file_holds_the_report() {
    let space = space();
    space
        .run(&format!("{SCAN} -o report"))
        .status(0)
        .stdout_is("");
    assert_eq!(space.read("report"), REPORT);
    assert_eq!(space.listing(), ["docs", "report"]);
    let mode = fs::metadata(space.join("report"))
        .unwrap()
        .permissions()
        .mode();
    // What the umask allows, as for any new file.
    let plain = space.join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode, fs::metadata(plain).unwrap().permissions().mode());
}

#[test]
fn an_old_file_is_replaced_and_keeps_its_permissions() {
    let space = space().file("report", "old ".repeat(1000));
    let path = space.join("report");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    space.run(&format!("{SCAN} -o report")).status(0);
    assert_eq!(space.read("report"), REPORT);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(space.listing(), ["docs", "report"]);
}

#[test]
fn a_run_that_fails_leaves_the_old_file() {
    let space = space().file("report", "old").file("list", "nonsense\n");
    space
        .run("scan -o report --from-fingerprints list")
        .status(2);
    assert_eq!(space.read("report"), "old");
    assert_eq!(space.listing(), ["docs", "list", "report"]);
}

#[test]
fn a_run_with_errors_still_writes_what_it_found() {
    let space = space();
    space.run(&format!("{SCAN} missing -o report")).status(2);
    assert_eq!(space.read("report"), REPORT);
}

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let space = space()
        .file("reports/real", "old")
        .symlink("link", "reports/real")
        .symlink("to-new", "reports/new")
        .symlink("loop", "loop");
    space.run(&format!("{SCAN} -o link")).status(0);
    assert!(space.join("link").is_symlink());
    assert_eq!(space.read("reports/real"), REPORT);
    space.run(&format!("{SCAN} -o to-new")).status(0);
    assert!(space.join("to-new").is_symlink());
    assert_eq!(space.read("reports/new"), REPORT);
    space
        .run(&format!("{SCAN} -o loop"))
        .status(2)
        .stderr_is("simdup: loop: cannot write the report: too many levels of symbolic links\n");
}

#[test]
fn a_device_stays_a_device_and_a_dash_is_standard_output() {
    let space = space();
    space
        .run(&format!("{SCAN} -o /dev/null"))
        .status(0)
        .stdout_is("");
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    space
        .run(&format!("{SCAN} -o -"))
        .status(0)
        .stdout_is(REPORT);
    space
        .run(&format!("{SCAN} -o /dev/stdout"))
        .status(0)
        .stdout_is(REPORT);
    assert_eq!(space.listing(), ["docs"]);
}

#[test]
fn the_report_is_no_document_of_its_own_scan() {
    let space = space().file("docs/old-report", text(1, 300));
    for _ in 0..2 {
        let run = space.run(&format!("{SCAN} -H --format json -o docs/old-report"));
        let run = run.status(0);
        assert_eq!(run.stdout(), "");
        let report: serde_json::Value =
            serde_json::from_str(&space.read("docs/old-report")).unwrap();
        assert_eq!(report["summary"]["files"], 2);
    }
}
