//! Allowances: pairs that belong together, each with its reason.
//!
//! An allowance has two globs, one for either file, or one glob for both. Globs are matched against
//! names relative to the folder of the configuration file: `*` and `?` stay within one part of a
//! name, `**` crosses folders, `{a,b}` chooses.

use globset::{GlobBuilder, GlobMatcher};

use super::baseline::PairName;
use crate::anchor::as_path;

/// Pairs that belong together.
#[derive(Debug, Clone)]
pub struct Allowance {
    a: GlobMatcher,
    b: GlobMatcher,
    /// Why, as its author wrote it.
    pub reason: String,
    /// The line of the configuration file on which it begins.
    pub line: usize,
}

impl Allowance {
    /// Allows pairs of a file that matches `a` and a file that matches `b`.
    ///
    /// # Errors
    /// What is wrong with a glob.
    pub fn new(a: &str, b: &str, reason: String, line: usize) -> Result<Self, String> {
        Ok(Self {
            a: glob(a)?,
            b: glob(b)?,
            reason,
            line,
        })
    }

    /// Whether it covers a pair, in either order.
    pub fn covers(&self, pair: &PairName) -> bool {
        let (one, other) = (as_path(&pair.a), as_path(&pair.b));
        (self.a.is_match(one) && self.b.is_match(other))
            || (self.a.is_match(other) && self.b.is_match(one))
    }

    /// Its globs, for people.
    pub fn describe(&self) -> String {
        let (a, b) = (self.a.glob().glob(), self.b.glob().glob());
        if a == b {
            format!("group {a:?}")
        } else {
            format!("a {a:?}, b {b:?}")
        }
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err(format!(
            "glob {pattern:?} leaves the folder of the configuration file"
        ));
    }
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(a: &str, b: &str, one: &str, other: &str) -> bool {
        let allowance = Allowance::new(a, b, "they do".into(), 1).unwrap();
        let pair = |x: &str, y: &str| PairName::new(x.into(), y.into());
        allowance.covers(&pair(one, other))
    }

    #[test]
    fn two_globs_hold_in_either_order() {
        assert!(covers("a/*.md", "b/*.md", "a/x.md", "b/y.md"));
        assert!(covers("b/*.md", "a/*.md", "a/x.md", "b/y.md"));
        assert!(!covers("a/*.md", "b/*.md", "a/x.md", "a/y.md"));
        assert!(!covers("a/*.md", "b/*.md", "b/x.md", "b/y.md"));
    }

    #[test]
    fn a_group_needs_both_files() {
        assert!(covers("LICENSE*", "LICENSE*", "LICENSE-MIT", "LICENSE-X"));
        assert!(!covers("LICENSE*", "LICENSE*", "LICENSE-MIT", "README"));
    }

    #[test]
    fn one_star_stays_within_a_folder_and_two_cross_it() {
        assert!(!covers("*", "*", "a/x", "b/y"));
        assert!(!covers("a/*", "a/*", "a/x", "a/b/y"));
        assert!(covers("**", "**", "a/x", "b/y"));
        assert!(covers("a/**", "a/**", "a/x", "a/b/y"));
        assert!(covers("**/*.md", "**/*.md", "x.md", "a/b/y.md"));
        assert!(covers("./a/{x,y}", "./a/{x,y}", "a/x", "a/y"));
    }

    #[test]
    fn a_glob_that_cannot_match_is_an_error() {
        for bad in ["[", "/etc/*", "../x", "a/../../x"] {
            assert!(Allowance::new(bad, "a", String::new(), 1).is_err(), "{bad}");
        }
    }
}
