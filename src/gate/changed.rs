//! A revision or a list of names → the set of files that a change touches.
//!
//! Git is asked over its command line: what differs between the working tree and the commit at which
//! the revision and `HEAD` parted, what is untracked, and what is ignored: git cannot tell whether that
//! has changed, and it matters only where ignored files are compared. Renames are not looked for, so that a
//! renamed file is a changed file. Names come NUL-terminated and are never interpreted; settings of
//! the repository that would change the answer are overruled.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::anchor::{Anchor, as_path};
use crate::error::Error;
use crate::record::File;
use crate::report::path::{Escaped, escape};

/// The files that a change touches.
#[derive(Debug, Clone, Default)]
pub struct Changed {
    /// Absolute, cleaned paths, as named and without symbolic links; a folder stands for all that it
    /// holds.
    paths: HashSet<PathBuf>,
    /// Those of them that somebody named, with their paths without symbolic links.
    named: BTreeMap<PathBuf, PathBuf>,
    /// Paths of files that take part in the search and of all folders above them, as far as they
    /// are among the named ones.
    seen: HashSet<PathBuf>,
    /// Folders without symbolic links in their paths.
    folders: HashMap<PathBuf, PathBuf>,
    /// The top of the repository that git was asked about.
    top: Option<PathBuf>,
}

impl Changed {
    /// The named files, which may be relative to the working folder. A folder stands for all that it
    /// holds; a name without a file stands for nothing (a change may have deleted it).
    pub fn files<P: AsRef<Path>>(anchor: &Anchor, files: impl IntoIterator<Item = P>) -> Self {
        let mut changed = Self::default();
        changed.add(anchor, files);
        changed
    }

    /// Adds named files.
    pub fn add<P: AsRef<Path>>(&mut self, anchor: &Anchor, files: impl IntoIterator<Item = P>) {
        for file in files {
            let path = anchor.absolute(file.as_ref());
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            self.paths.insert(path.clone());
            self.paths.insert(real.clone());
            self.named.insert(path, real);
        }
    }

    /// Remembers which of the named files take part in the search.
    pub fn see(&mut self, anchor: &Anchor, files: &mut dyn Iterator<Item = File<'_>>) {
        if self.named.is_empty() {
            return;
        }
        for file in files {
            for path in names(file) {
                let path = anchor.absolute(path);
                let real = self.real(&path);
                for above in path.ancestors().chain(real.ancestors()) {
                    if self.paths.contains(above) && !self.seen.contains(above) {
                        self.seen.insert(above.to_path_buf());
                    }
                }
            }
        }
    }

    /// The files that somebody named and that [`Changed::see`] was not told of.
    pub fn uncompared(&self) -> impl Iterator<Item = &PathBuf> {
        let seen = |path| self.seen.contains(path);
        self.named
            .iter()
            .filter(move |(path, real)| !seen(*path) && !seen(*real))
            .map(|(path, _)| path)
    }

    /// Refuses roots in which git can see no change: a check of them would pass whatever is there.
    ///
    /// # Errors
    /// [`Error::Argument`] for a root outside the repository that git was asked about.
    pub fn refuse_outside<'a>(
        &self,
        roots: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Error> {
        let Some(top) = &self.top else { return Ok(()) };
        for root in roots {
            // What does not exist is told by the scan.
            if root.canonicalize().is_ok_and(|root| !root.starts_with(top)) {
                return Err(Error::Argument {
                    argument: Escaped(root).to_string(),
                    message: format!(
                        "outside the repository {}, where --changed-since sees no change; check it without --changed-since, or name it with --reference if its files are known",
                        Escaped(top)
                    ),
                });
            }
        }
        Ok(())
    }

    /// What changed since `revision` in the repository of the working folder: committed, staged,
    /// unstaged, untracked, and everything ignored, since git does not know how it was.
    ///
    /// # Errors
    /// [`Error::Argument`] with advice: no git, no repository, an unknown revision, no common
    /// ancestor.
    pub fn since(revision: &OsStr) -> Result<Self, Error> {
        Self::since_in(Path::new("."), revision)
    }

    fn since_in(folder: &Path, revision: &OsStr) -> Result<Self, Error> {
        let git = Git { folder, revision };
        if revision.is_empty() {
            return Err(git.error(
                "no revision is named (is a variable empty?); name one, such as origin/main",
            ));
        }
        let top = git
            .run(["rev-parse", "--show-toplevel"].map(OsStr::new))?
            .map_err(|cause| {
                git.error(&format!(
                    "this needs a git repository with a working tree ({cause}); run it in one, or name the files with --changed or --changed-from"
                ))
            })?;
        let top = PathBuf::from(OsString::from_vec(
            top.strip_suffix(b"\n").unwrap_or(&top).to_vec(),
        ));
        let git = Git {
            folder: &top,
            ..git
        };
        let mut commit = revision.to_os_string();
        commit.push("^{commit}");
        let commit = git
            .run([
                OsStr::new("rev-parse"),
                OsStr::new("--verify"),
                OsStr::new("--quiet"),
                OsStr::new("--end-of-options"),
                &commit,
            ])?
            .map_err(|_| {
                git.error(
                    "git does not know this revision; fetch it first (a CI clone often holds one commit only: \
                     fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 for GitLab)",
                )
            })?;
        let commit = OsString::from_vec(commit.trim_ascii().to_vec());
        let base = git
            .run([
                OsStr::new("merge-base"),
                OsStr::new("--end-of-options"),
                &commit,
                OsStr::new("HEAD"),
            ])?
            .map_err(|_| {
                git.error(
                    "this revision and HEAD have no common commit here; fetch more of the history \
                     (fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 for GitLab)",
                )
            })?;
        let base = OsString::from_vec(base.trim_ascii().to_vec());
        let fixed = [
            "diff",
            "--name-only",
            "-z",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--no-relative",
            "--ignore-submodules=none",
            "--end-of-options",
        ];
        let tracked = git
            .run(
                fixed
                    .map(OsStr::new)
                    .into_iter()
                    .chain([base.as_os_str(), OsStr::new("--")]),
            )?
            .map_err(|cause| git.error(&cause))?;
        let untracked = git
            .run(
                [
                    "ls-files",
                    "-z",
                    "--others",
                    "--exclude-standard",
                    "--full-name",
                ]
                .map(OsStr::new),
            )?
            .map_err(|cause| git.error(&cause))?;
        // Whole folders where all that they hold is ignored: that keeps the list short.
        let ignored = git
            .run(
                [
                    "ls-files",
                    "-z",
                    "--others",
                    "--ignored",
                    "--exclude-standard",
                    "--directory",
                    "--full-name",
                ]
                .map(OsStr::new),
            )?
            .map_err(|cause| git.error(&cause))?;
        let names = [&tracked, &untracked, &ignored].map(|list| split(list, 0));
        let names = names.into_iter().flatten();
        Ok(Self {
            paths: names
                .map(|name| top.join(as_path(name)).components().collect())
                .collect(),
            top: Some(top.canonicalize().unwrap_or(top)),
            ..Self::default()
        })
    }

    /// Whether the change touches a file, under any of its names, symbolic links included.
    pub fn touches(&mut self, anchor: &Anchor, file: File<'_>) -> bool {
        names(file).any(|path| {
            let path = anchor.absolute(path);
            let known = |path: &Path| path.ancestors().any(|above| self.paths.contains(above));
            if known(&path) {
                return true;
            }
            let real = self.real(&path);
            real != path && real.ancestors().any(|above| self.paths.contains(above))
        })
    }

    /// An absolute path without symbolic links, as far as it leads somewhere. Every folder is looked
    /// up once.
    fn real(&mut self, path: &Path) -> PathBuf {
        let is_link = |metadata: fs::Metadata| metadata.is_symlink();
        if path.symlink_metadata().is_ok_and(is_link) {
            return path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_path_buf();
        };
        if let Some(real) = self.folders.get(folder) {
            return real.join(name);
        }
        let real = folder
            .canonicalize()
            .unwrap_or_else(|_| folder.to_path_buf());
        let joined = real.join(name);
        self.folders.insert(folder.to_path_buf(), real);
        joined
    }
}

/// All names of a file.
fn names(file: File<'_>) -> impl Iterator<Item = &Path> {
    let links = file.links.iter().map(PathBuf::as_path);
    std::iter::once(file.path).chain(links)
}

/// The names in a list: NUL-terminated if it holds a NUL, else a line each; empty ones and a byte
/// order mark are left out.
pub fn names_in_list(list: &[u8]) -> impl Iterator<Item = &Path> {
    let list = list.strip_prefix("\u{feff}".as_bytes()).unwrap_or(list);
    let nul = list.contains(&0);
    split(list, if nul { 0 } else { b'\n' }).map(move |name| {
        as_path(if nul {
            name
        } else {
            name.strip_suffix(b"\r").unwrap_or(name)
        })
    })
}

/// The name that git writes as `"d/cop\\303\\251.md"`; `None` for a name that is not quoted so. In
/// lists of lines git quotes names with bytes that are not plain ASCII, as strings of C.
pub fn unquoted(name: &Path) -> Option<PathBuf> {
    let quoted = name.as_os_str().as_bytes();
    let mut rest = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut name = Vec::with_capacity(rest.len());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'"' {
            return None;
        }
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        let (&escape, after) = rest.split_first()?;
        rest = after;
        name.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'"' | b'\\' => escape,
            b'0'..=b'3' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let mut value = escape - b'0';
                for &digit in digits {
                    if !(b'0'..=b'7').contains(&digit) {
                        return None;
                    }
                    value = value * 8 + (digit - b'0');
                }
                value
            }
            _ => return None,
        });
    }
    Some(PathBuf::from(OsString::from_vec(name)))
}

fn split(list: &[u8], end: u8) -> impl Iterator<Item = &[u8]> {
    list.split(move |&byte| byte == end)
        .filter(|name| !name.is_empty())
}

/// Git in one folder, asked on behalf of `--changed-since`.
#[derive(Clone, Copy)]
struct Git<'a> {
    folder: &'a Path,
    revision: &'a OsStr,
}

impl Git<'_> {
    /// Runs git: its standard output, or the first line of what it complained of.
    fn run<'a>(
        self,
        arguments: impl IntoIterator<Item = &'a OsStr>,
    ) -> Result<Result<Vec<u8>, String>, Error> {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.folder)
            .args(arguments)
            // Only look: no refreshed index, no question to a terminal.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| {
                if error.kind() == io::ErrorKind::NotFound {
                    self.error("git is not installed; install it, or name the files with --changed or --changed-from")
                } else {
                    self.error(&format!("git could not be run: {error}"))
                }
            })?;
        if output.status.success() {
            return Ok(Ok(output.stdout));
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        let first = complaint.lines().next().unwrap_or_default();
        let first = first.strip_prefix("fatal: ").unwrap_or(first);
        Ok(Err(if first.is_empty() {
            format!("git failed: {}", output.status)
        } else {
            first.to_string()
        }))
    }

    fn error(self, message: &str) -> Error {
        Error::Argument {
            argument: match escape(self.revision.as_bytes()) {
                empty if empty.is_empty() => "--changed-since ''".to_string(),
                revision => format!("--changed-since {revision}"),
            },
            message: message.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Repository {
        dir: tempfile::TempDir,
    }

    impl Repository {
        fn new() -> Self {
            let repository = Self {
                dir: tempfile::tempdir().unwrap(),
            };
            repository.git(&["init", "-q", "-b", "main"]);
            repository
        }

        fn git(&self, arguments: &[&str]) {
            let done = Command::new("git")
                .current_dir(self.dir.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
                .args(arguments)
                .output()
                .unwrap();
            assert!(
                done.status.success(),
                "{arguments:?}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn commit(&self) {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", "x"]);
        }

        fn since(&self, folder: &str, revision: &str) -> Result<Vec<String>, Error> {
            let changed = Changed::since_in(&self.dir.path().join(folder), OsStr::new(revision))?;
            let top = self.dir.path().canonicalize().unwrap();
            let mut names: Vec<String> = changed
                .paths
                .iter()
                .map(|path| {
                    let name = path.strip_prefix(&top).unwrap();
                    name.to_string_lossy().into_owned()
                })
                .collect();
            names.sort();
            Ok(names)
        }
    }

    #[test]
    fn committed_staged_unstaged_untracked_and_ignored_files_are_changed() {
        let repository = Repository::new();
        for name in ["kept", "committed", "staged", "d/unstaged", "gone", "old"] {
            repository.write(name, &format!("{name}\n{}", "line\n".repeat(50)));
        }
        repository.write(".gitignore", "ignored\n");
        repository.commit();
        repository.write("committed", "2");
        repository.commit();
        repository.write("staged", "2");
        repository.git(&["mv", "old", "new"]);
        repository.git(&["add", "staged"]);
        repository.write("d/unstaged", "2");
        repository.write("d/untracked\n", "1");
        repository.write("ignored", "1");
        fs::remove_file(repository.dir.path().join("gone")).unwrap();
        let expected = [
            "committed",
            "d/unstaged",
            "d/untracked\n",
            "gone",
            "ignored",
            "new",
            "old",
            "staged",
        ];
        assert_eq!(repository.since("", "HEAD~1").unwrap(), expected);
        // The same from a folder below, and whatever the repository's settings say.
        for setting in [
            ["diff.relative", "true"],
            ["diff.renames", "copies"],
            ["diff.external", "false"],
        ] {
            repository.git(&["config", setting[0], setting[1]]);
        }
        assert_eq!(repository.since("d", "HEAD~1").unwrap(), expected);
        assert!(
            !repository
                .since("", "HEAD")
                .unwrap()
                .contains(&"committed".to_string())
        );
    }

    #[test]
    fn what_the_other_branch_changed_is_not_ours() {
        let repository = Repository::new();
        repository.write("a", "1");
        repository.write("b", "1");
        repository.commit();
        repository.git(&["checkout", "-q", "-b", "topic"]);
        repository.write("a", "2");
        repository.commit();
        repository.git(&["checkout", "-q", "main"]);
        repository.write("b", "2");
        repository.commit();
        repository.git(&["checkout", "-q", "topic"]);
        assert_eq!(repository.since("", "main").unwrap(), ["a"]);
    }

    #[test]
    fn what_git_cannot_answer_is_an_error_with_advice() {
        let repository = Repository::new();
        let told = |revision: &str| repository.since("", revision).unwrap_err().to_string();
        assert!(told("HEAD").contains("fetch it first"), "no commit yet");
        repository.write("a", "1");
        repository.commit();
        assert!(told("nowhere").starts_with("--changed-since nowhere: git does not know"));
        assert!(
            told("--all").contains("does not know"),
            "no option injection"
        );
        assert!(told("HEAD:a").contains("does not know"), "not a commit");
        repository.git(&["checkout", "-q", "--orphan", "other"]);
        repository.write("a", "2");
        repository.commit();
        assert!(told("main").contains("no common commit"));
        let outside = tempfile::tempdir().unwrap();
        let error = Changed::since_in(outside.path(), OsStr::new("HEAD")).unwrap_err();
        assert!(
            error.to_string().contains("needs a git repository"),
            "{error}"
        );
    }

    #[test]
    fn a_file_is_touched_under_any_name_and_below_a_folder() {
        let anchor = Anchor::fixed("/repo/docs", "/repo");
        let mut changed = Changed::files(&anchor, ["./a", "../src", "/repo/x"]);
        let mut touches = |path: &str, links: &[&str]| {
            let links: Vec<PathBuf> = links.iter().map(PathBuf::from).collect();
            let path = Path::new(path);
            let file = File {
                path,
                links: &links,
            };
            changed.touches(&anchor, file)
        };
        assert!(touches("a", &[]));
        assert!(touches("/repo/docs/a", &[]));
        assert!(touches("../src/deep/b", &[]));
        assert!(touches("b", &["../x"]));
        assert!(!touches("b", &[]));
        assert!(!touches("../src2/b", &[]));
    }

    #[test]
    fn names_that_git_quotes_are_read_back() {
        let name =
            |quoted: &str| unquoted(Path::new(quoted)).map(|name| name.into_os_string().into_vec());
        assert_eq!(
            name(r#""d/cop\303\251.md""#),
            Some("d/copé.md".as_bytes().to_vec())
        );
        assert_eq!(
            name(r#""a\tb\n\"\\ c\001\377""#),
            Some(b"a\tb\n\"\\ c\x01\xff".to_vec())
        );
        for plain in [
            "a",
            "\"",
            "\"a",
            r#""a"b""#,
            r#""\x""#,
            r#""\4""#,
            r#""\400""#,
            r#""\38""#,
        ] {
            assert_eq!(name(plain), None, "{plain}");
        }
    }

    #[test]
    fn lists_are_split_at_nul_or_at_line_ends() {
        let names = |list: &[u8]| -> Vec<Vec<u8>> {
            names_in_list(list)
                .map(|name| name.as_os_str().as_bytes().to_vec())
                .collect()
        };
        assert_eq!(names(b"a\nb c\r\n\n"), [&b"a"[..], b"b c"]);
        assert_eq!(names(b"a\nb\0c\0"), [&b"a\nb"[..], b"c"]);
        assert_eq!(names(b"\xef\xbb\xbfa\n"), [b"a"]);
        assert!(names(b"").is_empty());
    }
}
