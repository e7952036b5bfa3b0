//! A folder to work in, and the program run in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program under test.
pub(crate) const SIMDUP: &str = env!("CARGO_BIN_EXE_simdup");

/// A folder of its own for one test; it goes when the test ends.
#[must_use]
pub(crate) struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn join(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path().join(Path::new(name.as_ref()))
    }

    /// Writes a file, making the folders above it.
    pub(crate) fn file(self, name: impl AsRef<OsStr>, contents: impl AsRef<[u8]>) -> Self {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    pub(crate) fn symlink(self, name: &str, target: &str) -> Self {
        std::os::unix::fs::symlink(target, self.join(name)).unwrap();
        self
    }

    pub(crate) fn hard_link(self, name: &str, of: &str) -> Self {
        fs::hard_link(self.join(of), self.join(name)).unwrap();
        self
    }

    /// The program in this folder, away from what the user's environment sets.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(SIMDUP);
        command
            .current_dir(self.path())
            .stdin(Stdio::null())
            .env("XDG_CONFIG_HOME", self.path())
            .env("HOME", self.path());
        for variable in [
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "TERM",
            "COLUMNS",
            "CI",
        ] {
            command.env_remove(variable);
        }
        command
    }

    /// Runs the program with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the program with these arguments.
    pub(crate) fn run_with(&self, arguments: &[impl AsRef<OsStr>]) -> Run {
        Run::of(self.command().args(arguments))
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut child = self
            .command()
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Run {
            output: child.wait_with_output().unwrap(),
            what: arguments.to_string(),
        }
    }

    /// Runs a line of bash in which `simdup` is the program under test.
    pub(crate) fn bash(&self, line: &str) -> Run {
        let bin = Path::new(SIMDUP).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(
            [bin.to_path_buf()]
                .into_iter()
                .chain(std::env::split_paths(&path)),
        )
        .unwrap();
        Run::of(
            Command::new("bash")
                .args(["-o", "pipefail", "-c", line])
                .current_dir(self.path())
                .stdin(Stdio::null())
                .env("PATH", path)
                .env_remove("NO_COLOR")
                .env_remove("TERM"),
        )
    }

    /// The names in the folder, sorted.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.join(name)).unwrap()).unwrap()
    }
}

/// A run that has ended.
pub(crate) struct Run {
    output: Output,
    what: String,
}

impl Run {
    fn of(command: &mut Command) -> Self {
        Self {
            output: command.output().unwrap(),
            what: format!("{command:?}"),
        }
    }

    /// What to show when an expectation is not met.
    fn picture(&self) -> String {
        format!(
            "{}\nstatus: {:?}\nstdout:\n{}\nstderr:\n{}",
            self.what,
            self.output.status,
            String::from_utf8_lossy(&self.output.stdout),
            String::from_utf8_lossy(&self.output.stderr)
        )
    }

    pub(crate) fn status(self, code: i32) -> Self {
        assert_eq!(self.output.status.code(), Some(code), "{}", self.picture());
        self
    }

    /// Expects exactly this on standard output.
    pub(crate) fn stdout_is(self, expected: &str) -> Self {
        assert_eq!(self.stdout(), expected, "{}", self.picture());
        self
    }

    /// Expects exactly this on standard error.
    pub(crate) fn stderr_is(self, expected: &str) -> Self {
        assert_eq!(self.stderr(), expected, "{}", self.picture());
        self
    }

    /// Expects this somewhere on standard error.
    pub(crate) fn stderr_has(self, expected: &str) -> Self {
        assert!(
            self.stderr().contains(expected),
            "no {expected:?}: {}",
            self.picture()
        );
        self
    }

    pub(crate) fn stdout_bytes(&self) -> &[u8] {
        &self.output.stdout
    }

    pub(crate) fn stdout(&self) -> &str {
        std::str::from_utf8(&self.output.stdout).unwrap()
    }

    pub(crate) fn stderr(&self) -> &str {
        std::str::from_utf8(&self.output.stderr).unwrap()
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.picture()))
    }

    /// Standard output as lines of JSON.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The two paths of each pair of the text report.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        self.stdout()
            .lines()
            .map(|line| {
                let fields: Vec<_> = line.split('\t').collect();
                assert_eq!(fields.len(), 4, "{}", self.picture());
                (fields[2].to_string(), fields[3].to_string())
            })
            .collect()
    }

    /// The two paths of each pair, without repeating the type.
    pub(crate) fn has_pairs(self, expected: &[(&str, &str)]) -> Self {
        let pairs = self.pairs();
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(pairs, expected, "{}", self.picture());
        self
    }
}

/// A text of so many different words, the same for the same seed.
pub(crate) fn text(seed: u64, words: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for word in 0..words {
        for _ in 0..5 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push(char::from(b'a' + (state >> 33) as u8 % 26));
        }
        text.push(if word % 12 == 11 { '\n' } else { ' ' });
    }
    text
}

/// The text with one word changed.
pub(crate) fn one_word_changed(text: &str) -> String {
    let mut words: Vec<_> = text.split(' ').collect();
    let middle = words.len() / 2;
    words[middle] = "changed";
    words.join(" ")
}

/// A path of raw bytes.
pub(crate) fn raw(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}
