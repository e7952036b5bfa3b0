use super::*;
use crate::gate::baseline::PairName;

fn load(text: &str) -> Result<Config, Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(NAME);
    fs::write(&path, text).unwrap();
    Config::load(&path)
}

fn refused(text: &str) -> String {
    let error = load(text).unwrap_err().to_string();
    assert!(error.contains(NAME), "{error}");
    error.split_once(": ").unwrap().1.to_string()
}

#[test]
fn every_key_is_read() {
    let config = load(
        r#"
        distance = 3
        similarity = 0.8
        features = "word:3"
        min-features = 0x10
        hidden = true
        no-ignore = false
        glob = ["*.md", "!old/**"]
        min-size = 10
        max-size = "1M"
        max-depth = 4
        binary = "exact"
        encoding = "latin1"
        reference = ["./docs/api", "vendor"]
        max-new = 0

        [[allow]]
        group = "LICENSE*"
        reason = "the same text under three names"

        [[allow]]
        a = "docs/**"
        b = "man/**"
        reason = "generated from each other"
        "#,
    )
    .unwrap();
    assert_eq!(config.distance, Some(3));
    assert_eq!(config.similarity, Some(0.8));
    assert_eq!(config.features.as_deref(), Some("word:3"));
    assert_eq!(config.min_features, Some(16));
    assert_eq!((config.hidden, config.no_ignore), (Some(true), Some(false)));
    assert_eq!(config.globs, ["*.md", "!old/**"]);
    assert_eq!(config.min_size.as_deref(), Some("10"));
    assert_eq!(config.max_size.as_deref(), Some("1M"));
    assert_eq!(config.max_depth, Some(4));
    assert_eq!(config.binary.as_deref(), Some("exact"));
    assert_eq!(config.encoding.as_deref(), Some("latin1"));
    assert_eq!(
        config.references,
        [Path::new("docs/api"), Path::new("vendor")]
    );
    assert_eq!(config.max_new, Some(0), "0 is a value");
    assert_eq!(config.allow.len(), 2);
    assert_eq!(config.allow[1].line, 21);
    assert!(config.allow[1].covers(&PairName::new(b"man/a/b".into(), b"docs/c".into())));
    let origins: Vec<_> = config.origins().collect();
    assert_eq!(origins.len(), KEYS.len());
    assert_eq!(origins[1], ("binary", 12, "\"exact\""));
}

#[test]
fn an_empty_file_says_nothing() {
    let config = load("# nothing\n").unwrap();
    assert_eq!(config.distance, None);
    assert_eq!(config.origins().count(), 0);
    assert!(config.globs.is_empty() && config.allow.is_empty());
}

#[test]
fn unknown_keys_are_errors_with_the_nearest_name() {
    for (key, nearest) in [
        ("distanse", "distance"),
        ("max_new", "max-new"),
        ("globs", "glob"),
        ("minsize", "min-size"),
    ] {
        let told = refused(&format!("\n{key} = 1"));
        let expected = format!("line 2: unknown key {key:?}, did you mean {nearest:?}?");
        assert_eq!(told, expected);
    }
    assert!(refused("frobnicate = 1").contains("known are allow, binary"));
    let told = refused("[[allow]]\ngrup = \"*\"\nreason = \"x\"");
    assert_eq!(
        told,
        "line 2: allow: unknown key \"grup\", did you mean \"group\"?"
    );
}

#[test]
fn what_a_checkout_may_not_say_is_refused() {
    for key in ["output", "baseline", "follow", "files-from", "files0_from"] {
        let told = refused(&format!("{key} = \"x\""));
        assert_eq!(
            told,
            format!("line 1: {key} can only be given on the command line")
        );
    }
    for outside in ["/etc", "../x", "a/../../x"] {
        let told = refused(&format!("reference = \"{outside}\""));
        assert!(told.contains("leaves the folder"), "{told}");
    }
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc", dir.path().join("link")).unwrap();
    let path = dir.path().join(NAME);
    fs::write(&path, "reference = \"link/ssl\"").unwrap();
    let told = Config::load(&path).unwrap_err().to_string();
    // Where there is no such folder there is nothing to refuse.
    assert!(told.contains("symbolic link"), "{told}");
}

#[test]
fn wrong_values_are_errors_with_line_and_key() {
    for (text, expected) in [
        (
            "distance = 65",
            "line 1: distance: must be a whole number from 0 to 64",
        ),
        (
            "distance = -1",
            "line 1: distance: must be a whole number, 0 or more",
        ),
        (
            "\n\ndistance = \"3\"",
            "line 3: distance: must be a whole number, 0 or more",
        ),
        (
            "similarity = 0",
            "line 1: similarity: must be above 0 and at most 1",
        ),
        (
            "similarity = nan",
            "line 1: similarity: must be above 0 and at most 1",
        ),
        (
            "similarity = 1.1",
            "line 1: similarity: must be above 0 and at most 1",
        ),
        ("hidden = 1", "line 1: hidden: must be true or false"),
        (
            "glob = ['*.md',\n  'a[b']",
            "line 2: glob: \"a[b\": unclosed character class; missing ']'",
        ),
        (
            "reference = [\n'a',\n'../b']",
            "line 3: reference: \"../b\" leaves the folder of this file",
        ),
        (
            "glob = [1]",
            "line 1: glob: must be a string or a list of strings",
        ),
        (
            "max-size = true",
            "line 1: max-size: must be a string such as \"1M\", or a number of bytes",
        ),
        ("allow = 1", "line 1: allow: must be written as [[allow]]"),
        (
            "[[allow]]\na = \"x\"\nreason = \"y\"",
            "line 1: allow: needs either both a and b, or group",
        ),
        ("[[allow]]\ngroup = \"x\"", "line 1: allow: needs a reason"),
        (
            "[[allow]]\ngroup = \"x\"\nreason = \" \"",
            "line 3: allow: reason must be a string that says something",
        ),
    ] {
        assert_eq!(refused(text), expected, "{text}");
    }
    assert!(refused("distance = 1\ndistance = 2").starts_with("line 2: "));
    assert!(refused("[[allow]]\ngroup = \"[\"\nreason = \"y\"").starts_with("line 1: allow: "));
}

#[test]
fn the_file_is_found_up_to_the_top_and_no_further() {
    let dir = tempfile::tempdir().unwrap();
    let outer = dir.path().canonicalize().unwrap();
    let repository = outer.join("repo");
    let deep = repository.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    fs::write(outer.join(NAME), "distance = 1").unwrap();
    let distance = |folder: &Path| Config::find(folder).unwrap().and_then(|c| c.distance);
    assert_eq!(distance(&deep), None, "no repository: not from above");
    assert_eq!(distance(&outer), Some(1));
    fs::create_dir(repository.join(".git")).unwrap();
    assert_eq!(distance(&deep), None, "not from above the top");
    fs::write(repository.join(NAME), "distance = 2").unwrap();
    assert_eq!(distance(&deep), Some(2));
    fs::write(deep.join(NAME), "distance = 3").unwrap();
    assert_eq!(distance(&deep), Some(3));
}

#[test]
fn what_is_no_regular_text_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(NAME);
    fs::create_dir(&path).unwrap();
    assert!(Config::find(dir.path()).is_err());
    fs::remove_dir(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert!(Config::find(dir.path()).is_err());
    fs::remove_file(&path).unwrap();
    fs::write(&path, b"# \xff\n").unwrap();
    assert!(Config::find(dir.path()).is_err());
}
