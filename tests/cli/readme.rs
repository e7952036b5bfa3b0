//! The README shows what the program does.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::util::SIMDUP;

/// Runs every `$ simdup …` line of the console blocks in the repository's folder and compares what
/// it prints with the lines below it.
#[test]
fn console_blocks_are_what_the_program_prints() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(top.join("README.md")).unwrap();
    let mut checked = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = &block[..block.find("```").unwrap()];
        for example in block.split("$ ").skip(1) {
            let (line, expected) = example.split_once('\n').unwrap();
            let bin = Path::new(SIMDUP).parent().unwrap().to_str().unwrap();
            let output = Command::new("bash")
                .args([
                    "-c",
                    &format!("export PATH={bin}:$PATH; {{ {line}; }} 2>&1"),
                ])
                .current_dir(top)
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8(output.stdout).unwrap(),
                expected,
                "$ {line}"
            );
            checked += 1;
        }
    }
    assert!(checked >= 5, "{checked} examples");
}
