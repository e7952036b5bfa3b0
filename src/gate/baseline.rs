//! Known pairs ↔ `simdup-baseline.json`.
//!
//! A pair is known by the names of its two documents, relative to the folder of the file, and by
//! nothing else: edits elsewhere do not disturb it, a third copy is two new pairs, and a swap of one
//! pair for another is one gone and one new. The file holds what makes two runs comparable (scheme,
//! threshold, and the filters that say which files are compared) and the roots that were scanned; the
//! pairs are sorted, one a line, so that a
//! change of one pair is a change of one line. It is written whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::filters::Filters;
use crate::anchor::repository_top;
use crate::error::Error;
use crate::record::Settings;

/// The name of the file where none is given.
pub const DEFAULT_NAME: &str = "simdup-baseline.json";

/// Version of the file's form.
const SCHEMA: u64 = 1;

/// The two names of a pair, relative to the baseline's folder, the lesser first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairName {
    /// The name that comes first, bytewise.
    pub a: Vec<u8>,
    /// The other name.
    pub b: Vec<u8>,
}

impl PairName {
    /// The pair of two names, in any order.
    pub fn new(one: Vec<u8>, other: Vec<u8>) -> Self {
        let (a, b) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        Self { a, b }
    }
}

/// What makes a run comparable with a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// Feature scheme and version.
    pub scheme: String,
    /// Greatest Hamming distance, where it is a threshold.
    pub distance: Option<u32>,
    /// Least similarity, where it is a threshold.
    pub similarity: Option<f64>,
}

impl Basis {
    /// The basis of a run.
    pub fn of(settings: &Settings) -> Self {
        Self {
            scheme: settings.scheme.clone(),
            distance: settings.distance,
            similarity: settings.similarity,
        }
    }

    /// The threshold as options: `-k 3`, `-s 0.7`, or both.
    pub fn threshold(&self) -> String {
        let options: Vec<String> = [
            self.distance.map(|k| format!("-k {k}")),
            self.similarity.map(|s| format!("-s {s}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        options.join(" ")
    }

    /// How `run` differs from this basis, for people; `None` where they agree.
    pub fn difference(&self, run: &Self) -> Option<String> {
        if self.scheme != run.scheme {
            Some(format!(
                "made with the scheme {}, this run uses {}",
                self.scheme, run.scheme
            ))
        } else if (self.distance, self.similarity) != (run.distance, run.similarity) {
            Some(format!(
                "made with {}, this run has {}",
                self.threshold(),
                run.threshold()
            ))
        } else {
            None
        }
    }
}

/// A baseline as it is in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// What the pairs were found with.
    pub basis: Basis,
    /// The settings that decided which files were compared.
    pub filters: Filters,
    /// The roots that were scanned, relative to the baseline's folder, sorted.
    pub roots: BTreeSet<Vec<u8>>,
    /// The known pairs.
    pub pairs: BTreeSet<PairName>,
}

/// The nearest default baseline at or above `folder` (absolute), up to the repository's top; outside
/// a repository only in `folder`. In `folder` itself it has its bare name.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let top = repository_top(folder).unwrap_or(folder);
    folder
        .ancestors()
        .take_while(|above| above.starts_with(top))
        .map(|above| above.join(DEFAULT_NAME))
        .find(|path| path.symlink_metadata().is_ok())
        .map(|path| match path.strip_prefix(folder) {
            Ok(name) => name.to_path_buf(),
            Err(_) => path,
        })
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// [`Error::Input`] if the file cannot be read, is no baseline, or is of a later version.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let input = |message: String, source| Error::Input {
            path: path.to_path_buf(),
            message,
            source,
        };
        // Looked at first: a checkout may hold a link to a device or a pipe, which would never end.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(input("baseline: not a regular file".to_string(), None));
        }
        let text = fs::read(path).map_err(|error| {
            let (_, cause) = crate::record::describe_io(&error);
            input(format!("baseline: {cause}"), Some(error))
        })?;
        let unusable = |cause: String| {
            input(
                format!(
                    "not a usable baseline: {cause}\ntry: put it right, or delete it and run `simdup check --update-baseline`"
                ),
                None,
            )
        };
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        let version: Version =
            serde_json::from_slice(text).map_err(|error| unusable(error.to_string()))?;
        if version.schema != SCHEMA {
            return Err(unusable(format!(
                "schema {} instead of {SCHEMA}, written by another version of simdup",
                version.schema
            )));
        }
        let stored: Stored =
            serde_json::from_slice(text).map_err(|error| unusable(error.to_string()))?;
        stored.unpack().map_err(unusable)
    }

    /// Writes the baseline: whole, or not at all.
    ///
    /// # Errors
    /// [`Error::Input`] with the path; the file is then as it was.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        self.write(path).map_err(|error| Error::Input {
            path: path.to_path_buf(),
            message: format!(
                "baseline not written: {}",
                crate::record::describe_io(&error).1
            ),
            source: Some(error),
        })
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        // A baseline that is a symbolic link is replaced where it points to.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        // A new file gets what the umask leaves of this mode.
        let mut file = tempfile::Builder::new()
            .prefix(".simdup-baseline")
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        if let Ok(metadata) = target.metadata() {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.write_all(self.to_json().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&target)?;
        Ok(())
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let value = |value: serde_json::Value| value.to_string();
        let roots: Vec<String> = self
            .roots
            .iter()
            .map(|root| value(Name::pack(root)))
            .collect();
        let pairs: Vec<String> = self
            .pairs
            .iter()
            .map(|pair| value(StoredPair::pack(pair)))
            .collect();
        let pairs = if pairs.is_empty() {
            "[]".to_string()
        } else {
            format!("[\n    {}\n  ]", pairs.join(",\n    "))
        };
        format!(
            "{{\n  \"schema\": {SCHEMA},\n  \"scheme\": {},\n  \"distance\": {},\n  \"similarity\": {},\n  \"filters\": {},\n  \"roots\": [{}],\n  \"pairs\": {pairs}\n}}\n",
            value(self.basis.scheme.clone().into()),
            value(self.basis.distance.into()),
            value(self.basis.similarity.into()),
            value(self.filters.to_json()),
            roots.join(", "),
        )
    }

    /// The recorded roots that none of `roots` covers.
    pub fn uncovered<'a>(&'a self, roots: &BTreeSet<Vec<u8>>) -> Vec<&'a [u8]> {
        self.roots
            .iter()
            .map(Vec::as_slice)
            .filter(|known| !roots.iter().any(|root| covers(root, known)))
            .collect()
    }
}

/// Whether the folder or file `root` is `name` or holds it.
pub(super) fn covers(root: &[u8], name: &[u8]) -> bool {
    let (root, name) = (crate::anchor::as_path(root), crate::anchor::as_path(name));
    if root == Path::new(".") {
        return !name.starts_with("..");
    }
    // `..` and `../..` hold everything below the baseline's folder, too.
    let only_up = root.components().all(|part| part.as_os_str() == "..");
    if only_up {
        let depth = |path: &Path| {
            path.components()
                .take_while(|part| part.as_os_str() == "..")
                .count()
        };
        return depth(name) <= depth(root);
    }
    name.starts_with(root)
}

#[derive(Deserialize)]
struct Version {
    schema: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(rename = "schema")]
    _schema: u64,
    scheme: String,
    distance: Option<u32>,
    similarity: Option<f64>,
    #[serde(default)]
    filters: Filters,
    roots: Vec<Name>,
    pairs: Vec<StoredPair>,
}

/// A name: text, or the text with U+FFFD beside the bytes in base64.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    Text(String),
    Bytes {
        #[serde(rename = "path")]
        _path: String,
        path_bytes: String,
    },
}

impl Name {
    pub(super) fn pack(name: &[u8]) -> serde_json::Value {
        match str::from_utf8(name) {
            Ok(text) => text.into(),
            Err(_) => serde_json::json!({
                "path": String::from_utf8_lossy(name),
                "path_bytes": STANDARD.encode(name),
            }),
        }
    }

    fn unpack(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Bytes { path_bytes, .. } => decode(&path_bytes),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPair {
    a: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    a_bytes: Option<String>,
    b: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_bytes: Option<String>,
}

impl StoredPair {
    fn pack(pair: &PairName) -> serde_json::Value {
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let bytes = |name: &[u8]| str::from_utf8(name).is_err().then(|| STANDARD.encode(name));
        serde_json::json!(Self {
            a: text(&pair.a),
            a_bytes: bytes(&pair.a),
            b: text(&pair.b),
            b_bytes: bytes(&pair.b),
        })
    }

    fn unpack(self) -> Result<PairName, String> {
        let name = |text: String, bytes: Option<String>| {
            bytes.map_or(Ok(text.into_bytes()), |bytes| decode(&bytes))
        };
        Ok(PairName::new(
            name(self.a, self.a_bytes)?,
            name(self.b, self.b_bytes)?,
        ))
    }
}

impl Stored {
    fn unpack(self) -> Result<Baseline, String> {
        Ok(Baseline {
            basis: Basis {
                scheme: self.scheme,
                distance: self.distance,
                similarity: self.similarity,
            },
            filters: self.filters,
            roots: self
                .roots
                .into_iter()
                .map(Name::unpack)
                .collect::<Result<_, _>>()?,
            pairs: self
                .pairs
                .into_iter()
                .map(StoredPair::unpack)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn decode(text: &str) -> Result<Vec<u8>, String> {
    STANDARD
        .decode(text)
        .map_err(|error| format!("{text:?} is no base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &[u8], b: &[u8]) -> PairName {
        PairName::new(a.to_vec(), b.to_vec())
    }

    fn baseline(pairs: &[(&[u8], &[u8])]) -> Baseline {
        Baseline {
            basis: Basis {
                scheme: "words/1".into(),
                distance: None,
                similarity: Some(0.7),
            },
            filters: Filters::default(),
            roots: [b".".to_vec()].into(),
            pairs: pairs.iter().map(|(a, b)| pair(a, b)).collect(),
        }
    }

    #[test]
    fn the_file_has_one_sorted_pair_a_line() {
        let baseline = baseline(&[(b"z", b"y"), (b"docs/\"a\"\n", b"b")]);
        assert_eq!(
            baseline.to_json(),
            r#"{
  "schema": 1,
  "scheme": "words/1",
  "distance": null,
  "similarity": 0.7,
  "filters": {},
  "roots": ["."],
  "pairs": [
    {"a":"b","b":"docs/\"a\"\n"},
    {"a":"y","b":"z"}
  ]
}
"#
        );
        let empty = self::baseline(&[]);
        assert!(empty.to_json().contains("\"pairs\": []\n"));
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(DEFAULT_NAME);
        let mut baseline = baseline(&[
            (b"a", b"b"),
            (b"\xff\xfe", b"../c"),
            ("é\n".as_bytes(), b"\xff\xff"),
        ]);
        baseline.roots.insert(b"\xfe".to_vec());
        baseline.save(&path).unwrap();
        assert_eq!(Baseline::load(&path).unwrap(), baseline);
        let names: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
        assert_eq!(names.len(), 1, "no temporary file is left");
    }

    #[test]
    fn saving_keeps_mode_and_symbolic_link() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real.json");
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        let link = dir.path().join(DEFAULT_NAME);
        std::os::unix::fs::symlink("real.json", &link).unwrap();
        baseline(&[]).save(&link).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::read_to_string(&real).unwrap().contains("schema"));
    }

    #[test]
    fn a_save_that_fails_leaves_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("no/such/folder.json");
        let error = baseline(&[]).save(&path).unwrap_err().to_string();
        assert!(error.contains("baseline not written"), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn what_is_no_baseline_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.json");
        let whole = baseline(&[(b"a", b"b")]).to_json();
        let cases = [
            (String::new(), "EOF"),
            (whole[..whole.len() - 9].to_string(), "EOF"),
            (format!("<<<<<<< HEAD\n{whole}"), "line 1"),
            (whole.replace("\"schema\": 1", "\"schema\": 2"), "schema 2"),
            (whole.replace("\"roots\"", "\"rots\""), "rots"),
            (
                whole.replace("\"a\":", "\"a_bytes\":\"!\",\"a\":"),
                "base64",
            ),
        ];
        for (text, expected) in cases {
            fs::write(&path, &text).unwrap();
            let error = Baseline::load(&path).unwrap_err().to_string();
            assert!(error.contains("b.json"), "{error}");
            assert!(error.contains(expected), "{expected}: {error}");
            assert!(error.contains("--update-baseline"), "{error}");
        }
        let missing = Baseline::load(&dir.path().join("none")).unwrap_err();
        assert!(missing.to_string().contains("no such file"), "{missing}");
    }

    #[test]
    fn another_scheme_or_threshold_is_told_by_name() {
        let basis = baseline(&[]).basis;
        assert_eq!(basis.difference(&basis), None);
        let scheme = Basis {
            scheme: "word:3/1".into(),
            ..basis.clone()
        };
        assert_eq!(
            basis.difference(&scheme).unwrap(),
            "made with the scheme words/1, this run uses word:3/1"
        );
        let threshold = Basis {
            distance: Some(3),
            ..basis.clone()
        };
        assert_eq!(
            basis.difference(&threshold).unwrap(),
            "made with -s 0.7, this run has -k 3 -s 0.7"
        );
    }

    #[test]
    fn roots_cover_what_lies_below_them() {
        let roots = |names: &[&[u8]]| names.iter().map(|name| name.to_vec()).collect();
        let mut baseline = baseline(&[]);
        baseline.roots = roots(&[b"docs", b"src/a.rs"]);
        let uncovered = |names: &[&[u8]]| baseline.uncovered(&roots(names)).len();
        assert_eq!(uncovered(&[b"."]), 0);
        assert_eq!(uncovered(&[b".."]), 0);
        assert_eq!(uncovered(&[b"docs", b"src"]), 0);
        assert_eq!(uncovered(&[b"docs/deep", b"src"]), 1);
        assert_eq!(uncovered(&[b"doc"]), 2);
        baseline.roots = roots(&[b"../other", b"."]);
        let uncovered = |names: &[&[u8]]| baseline.uncovered(&roots(names)).len();
        assert_eq!(uncovered(&[b"."]), 1);
        assert_eq!(uncovered(&[b".."]), 0);
        assert_eq!(uncovered(&[b"../other"]), 1);
    }
}
