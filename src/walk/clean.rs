//! One spelling for one path: cleaning, and the order of paths in reports.

use std::cmp::Ordering;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Removes what a path does not need: `.`, doubled and trailing slashes, and `a/..`.
///
/// `a/..` goes only where `a` is a real folder on disk: where it is a symbolic link, or does not
/// exist, the system would go elsewhere, and the path keeps its `..`. Nothing else looks at the
/// disk. An absolute path stays absolute, a relative one relative; the working folder is `.`.
pub fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match cleaned.components().next_back() {
                Some(Component::RootDir) => {}
                Some(Component::Normal(_)) if is_real_folder(&cleaned) => {
                    cleaned.pop();
                }
                _ => cleaned.push(component),
            },
            _ => cleaned.push(component),
        }
    }
    if cleaned.as_os_str().is_empty() && !path.as_os_str().is_empty() {
        cleaned.push(".");
    }
    cleaned
}

fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The order of paths in reports: bytewise. (`Path`'s own order compares component by component,
/// so that it puts `a/x` before `a-b`.)
pub fn path_order(a: &Path, b: &Path) -> Ordering {
    let (a, b) = (a.as_os_str(), b.as_os_str());
    a.as_encoded_bytes().cmp(b.as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cleaned(path: &str) -> String {
        clean(Path::new(path)).to_str().unwrap().to_string()
    }

    #[test]
    fn needless_parts_go() {
        for (given, expected) in [
            ("d", "d"),
            ("./d", "d"),
            ("d/", "d"),
            ("d//x", "d/x"),
            ("./d/./x/.", "d/x"),
            (".", "."),
            ("./", "."),
            ("././.", "."),
            ("", ""),
            ("/", "/"),
            ("//a//b/", "/a/b"),
            ("/..", "/"),
            ("/../a", "/a"),
            ("..", ".."),
            ("../../a", "../../a"),
            ("./../a", "../a"),
            ("-", "-"),
            ("...", "..."),
            ("no such/../a", "no such/../a"),
        ] {
            assert_eq!(cleaned(given), expected, "{given:?}");
        }
    }

    #[test]
    fn a_folder_and_its_parent_cancel_out_but_a_link_and_its_parent_do_not() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        fs::create_dir_all(base.join("real/sub")).unwrap();
        std::os::unix::fs::symlink("real/sub", base.join("link")).unwrap();
        assert_eq!(clean(&base.join("real/sub/../x")), base.join("real/x"));
        assert_eq!(clean(&base.join("real/sub/../../x")), base.join("x"));
        assert_eq!(clean(&base.join("link/../x")), base.join("link/../x"));
        assert_eq!(
            clean(&base.join("link/../../real")),
            base.join("link/../../real")
        );
        // Without a folder in between nothing is left of it.
        assert_eq!(cleaned("src/.."), ".");
        assert_eq!(cleaned("src/../src/walk/../x"), "src/x");
    }

    #[test]
    fn the_order_is_that_of_the_bytes() {
        let order = |a: &str, b: &str| path_order(Path::new(a), Path::new(b));
        assert_eq!(order("a-b", "a/x"), Ordering::Less);
        assert_eq!(order("a", "a-b"), Ordering::Less);
        assert_eq!(order("/a", "a"), Ordering::Less);
        assert_eq!(order("a", "a"), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing(path in "[./a]{0,12}") {
            let once = clean(Path::new(&path));
            prop_assert_eq!(clean(&once).into_os_string(), once.clone().into_os_string());
            prop_assert_eq!(Path::new(&path).is_absolute(), once.is_absolute());
        }
    }
}
