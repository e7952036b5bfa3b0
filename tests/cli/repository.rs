//! A Git repository to work in.

use std::fs;
use std::process::Command;

use crate::util::{Run, Workspace, text};

/// A repository of its own for one test.
#[must_use]
pub(crate) struct Repository {
    pub(crate) workspace: Workspace,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self {
            workspace: Workspace::new(),
        };
        let _ = repository.git("init -q -b main");
        repository
    }

    /// Runs git with arguments separated by blanks; gives its standard output.
    pub(crate) fn git(&self, arguments: &str) -> String {
        let output = Command::new("git")
            .current_dir(self.workspace.path())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
            .args(arguments.split_whitespace())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn commit(&self) {
        let _ = self.git("add -A");
        let _ = self.git("commit -q --allow-empty -m change");
    }

    pub(crate) fn write(&self, name: &str, contents: &str) {
        let path = self.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.workspace.join(name)).unwrap();
    }

    /// `simdup check` with a threshold that does not hang on the default.
    pub(crate) fn check(&self, arguments: &str) -> Run {
        self.workspace.run(&format!("check -s 0.7 {arguments}"))
    }
}

/// The last line on standard error.
pub(crate) fn verdict(run: &Run) -> String {
    run.stderr().lines().last().unwrap_or_default().to_string()
}

/// A document of 300 words.
pub(crate) fn document(seed: u64) -> String {
    text(seed, 300)
}

/// The document with so many words changed.
pub(crate) fn words_changed(text: &str, count: usize) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let step = words.len() / (count + 1);
    for change in 1..=count {
        words[change * step] = "changed";
    }
    words.join(" ")
}
