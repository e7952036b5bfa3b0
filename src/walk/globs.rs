//! Globs of the command line and of a configuration file → one matcher.
//!
//! Those of the command line are relative to the working folder, those of a file to its own folder.
//! `ignore`'s matcher knows one folder only. Where the two differ it gets the file's, globs of the
//! command line are prefixed with the way from there, and the walk starts from absolute paths, which
//! are the ones that the matcher can see as relative to any folder; [`Start::spelled`] gives back the
//! names as they were asked for.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};

use crate::anchor::Anchor;
use crate::error::Error;
use crate::options::WalkOptions;
use crate::record::describe_io;

use super::without_dot;

/// All globs of a walk.
pub(super) struct Globs {
    matcher: Override,
    /// The folder that the matcher is relative to, where it is not the working folder.
    anchor: Option<Anchor>,
}

impl Globs {
    pub(super) fn new(options: &WalkOptions) -> Result<Self, Error> {
        let bad = |glob: &str, error: ignore::Error| Error::Argument {
            argument: format!("--glob '{glob}'"),
            message: what_is_wrong(error),
        };
        let working = std::env::current_dir().unwrap_or_default();
        let of_file = options.file_globs.as_ref();
        let anchor = match of_file {
            Some(globs) => Some(Anchor::new(&globs.folder).map_err(|error| Error::Input {
                path: globs.folder.clone(),
                message: describe_io(&error).1,
                source: Some(error),
            })?),
            None => None,
        };
        let anchor = anchor.filter(|anchor| anchor.folder() != working);
        let folder = anchor.as_ref().map_or(&*working, Anchor::folder);
        let mut builder = OverrideBuilder::new(folder);
        for glob in of_file.iter().flat_map(|globs| &globs.globs) {
            let tied = without_dot_slash(glob);
            builder.add(&tied).map_err(|error| bad(glob, error))?;
        }
        for glob in &options.globs {
            let tied = without_dot_slash(glob);
            let moved = match &anchor {
                Some(_) => Cow::Owned(moved(&tied, &working, folder)),
                None => tied,
            };
            builder.add(&moved).map_err(|error| bad(glob, error))?;
        }
        let matcher = builder
            .build()
            .map_err(|error| bad(&options.globs.join(" "), error))?;
        Ok(Self { matcher, anchor })
    }

    /// Matches paths as the walk from a [`Start`] meets them.
    pub(super) fn matcher(&self) -> &Override {
        &self.matcher
    }

    /// Where the walk of a root begins.
    pub(super) fn start<'a>(&self, root: &'a Path) -> Start<'a> {
        Start {
            root,
            absolute: self.anchor.as_ref().map(|anchor| anchor.absolute(root)),
        }
    }
}

/// A root, and the path from which it is walked.
pub(super) struct Start<'a> {
    root: &'a Path,
    absolute: Option<PathBuf>,
}

impl Start<'_> {
    pub(super) fn path(&self) -> &Path {
        self.absolute.as_deref().unwrap_or(self.root)
    }

    /// A path below the start as a path below the root.
    pub(super) fn spelled<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        let Some(absolute) = &self.absolute else {
            return Cow::Borrowed(without_dot(path));
        };
        match path.strip_prefix(absolute) {
            Ok(rest) if rest.as_os_str().is_empty() => Cow::Owned(self.root.to_path_buf()),
            Ok(rest) => Cow::Owned(without_dot(&self.root.join(rest)).to_path_buf()),
            Err(_) => Cow::Borrowed(path),
        }
    }
}

/// Checks a glob by itself.
///
/// # Errors
/// What is wrong with it.
pub fn check_glob(glob: &str) -> Result<(), String> {
    match OverrideBuilder::new("").add(glob) {
        Ok(_) => Ok(()),
        Err(error) => Err(what_is_wrong(error)),
    }
}

/// Whether a glob is relative to a folder. As in .gitignore, a slash before the end ties it to one.
pub fn is_tied(glob: &str) -> bool {
    let glob = glob.strip_prefix('!').unwrap_or(glob);
    glob.strip_suffix('/').unwrap_or(glob).contains('/') && !glob.starts_with("**/")
}

/// `./a` as `/a`: no path begins with a dot and a slash, and whoever writes one means this folder.
fn without_dot_slash(glob: &str) -> Cow<'_, str> {
    match (glob.strip_prefix("./"), glob.strip_prefix("!./")) {
        (Some(rest), _) => Cow::Owned(format!("/{rest}")),
        (_, Some(rest)) => Cow::Owned(format!("!/{rest}")),
        _ => Cow::Borrowed(glob),
    }
}

fn what_is_wrong(error: ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err,
        other => other.to_string(),
    }
}

/// A glob relative to `from` as one relative to `to`; both are absolute.
fn moved(glob: &str, from: &Path, to: &Path) -> String {
    if !is_tied(glob) {
        return glob.to_string();
    }
    let (not, glob) = match glob.strip_prefix('!') {
        Some(glob) => ("!", glob),
        None => ("", glob),
    };
    let mut folder = from.to_path_buf();
    let mut glob = glob.strip_prefix('/').unwrap_or(glob);
    while let Some(rest) = glob.strip_prefix("../") {
        folder.pop();
        glob = rest;
    }
    // What lies elsewhere has an absolute path; the first slash alone says that the glob is tied.
    let (slash, way) = match folder.strip_prefix(to) {
        Ok(way) => ("/", way),
        Err(_) => ("//", &*folder),
    };
    let mut moved = format!("{not}{slash}");
    for part in way.components() {
        if let Component::Normal(part) = part {
            moved.push_str(&literal(&part.to_string_lossy()));
            moved.push('/');
        }
    }
    moved + glob
}

/// A glob for one name. Bytes that are no text match anything.
fn literal(name: &str) -> String {
    let mut glob = String::new();
    for letter in name.chars() {
        match letter {
            char::REPLACEMENT_CHARACTER => glob.push('*'),
            '\\' | '*' | '?' | '[' | ']' | '{' | '}' => glob.extend(['\\', letter]),
            _ => glob.push(letter),
        }
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_before_the_end_ties_a_glob_to_a_folder() {
        for (glob, tied) in [
            ("*.md", false),
            ("!build/", false),
            ("**/a/b", false),
            ("!**/*.md", false),
            ("a/*", true),
            ("!/a", true),
            ("a/b/", true),
        ] {
            assert_eq!(is_tied(glob), tied, "{glob}");
        }
    }

    #[test]
    fn a_tied_glob_is_moved_to_another_folder() {
        for (glob, expected) in [
            ("*.md", "*.md"),
            ("!build/", "!build/"),
            ("**/a/b", "**/a/b"),
            ("a/*", "/d\\[1\\]/e/a/*"),
            ("!/a", "!/d\\[1\\]/e/a"),
            ("../x/*.md", "/d\\[1\\]/x/*.md"),
            ("../../x/", "/x/"),
            ("../../../other/**", "//r/other/**"),
        ] {
            let moved = moved(glob, Path::new("/r/repo/d[1]/e"), Path::new("/r/repo"));
            assert_eq!(moved, expected);
        }
    }

    #[test]
    fn names_below_an_absolute_start_are_spelled_as_below_the_root() {
        let spelled = |root: &str, path: &str| {
            let start = Start {
                root: Path::new(root),
                absolute: Some("/r/docs".into()),
            };
            start.spelled(Path::new(path)).into_owned()
        };
        assert_eq!(spelled(".", "/r/docs/a/b"), Path::new("a/b"));
        assert_eq!(spelled("../docs", "/r/docs/a"), Path::new("../docs/a"));
        assert_eq!(spelled("/r/docs", "/r/docs/a"), Path::new("/r/docs/a"));
        assert_eq!(spelled("..", "/r/docs"), Path::new(".."));
        assert_eq!(spelled("./-", "/r/docs/a"), Path::new("-/a"));
    }
}
