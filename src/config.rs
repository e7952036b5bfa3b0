//! `simdup.toml` → settings: which files of a repository are compared, and how.
//!
//! The file is looked for from the working folder upward to the repository's top, never above it;
//! outside a repository only in the working folder. Its keys have the names of the options. A
//! checkout is not trusted: the file can name no path that is written and none outside its own
//! folder, and whatever it does not know is an error, so that a misspelt setting does not pass for
//! one that holds.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::anchor::repository_top;
use crate::error::Error;
use crate::gate::allow::Allowance;
use crate::walk;

/// The name of the file.
pub const NAME: &str = "simdup.toml";

/// A larger file is no configuration; bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What the file may say.
const KEYS: [&str; 15] = [
    "allow",
    "binary",
    "distance",
    "encoding",
    "features",
    "glob",
    "hidden",
    "max-depth",
    "max-new",
    "max-size",
    "min-features",
    "min-size",
    "no-ignore",
    "reference",
    "similarity",
];

/// Options that do not say which files are compared and how, name a path that is written, or lead
/// out of the repository.
const COMMAND_LINE_ONLY: [&str; 28] = [
    "baseline",
    "changed",
    "changed-from",
    "changed-since",
    "color",
    "files-from",
    "files0-from",
    "follow",
    "format",
    "from-fingerprints",
    "groups",
    "index",
    "link",
    "max-pairs",
    "no-config",
    "no-verify",
    "null",
    "one-file-system",
    "output",
    "path",
    "paths",
    "progress",
    "quiet",
    "sort",
    "threads",
    "unrestricted",
    "update-baseline",
    "verbose",
];

/// What a configuration file says. `None` and empty lists are what it does not say.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file.
    pub path: PathBuf,
    /// `distance`, 0..=64.
    pub distance: Option<u32>,
    /// `similarity`, 0 < s <= 1.
    pub similarity: Option<f64>,
    /// `features`, as on the command line.
    pub features: Option<String>,
    /// `min-features`.
    pub min_features: Option<u64>,
    /// `hidden`.
    pub hidden: Option<bool>,
    /// `no-ignore`.
    pub no_ignore: Option<bool>,
    /// `glob`, in order.
    pub globs: Vec<String>,
    /// `min-size`, as on the command line.
    pub min_size: Option<String>,
    /// `max-size`, as on the command line.
    pub max_size: Option<String>,
    /// `max-depth`.
    pub max_depth: Option<usize>,
    /// `binary`, as on the command line.
    pub binary: Option<String>,
    /// `encoding`, as on the command line.
    pub encoding: Option<String>,
    /// `reference`: relative paths without `..`, below the file's folder.
    pub references: Vec<PathBuf>,
    /// `max-new`.
    pub max_new: Option<u64>,
    /// The `[[allow]]` entries, in order.
    pub allow: Vec<Allowance>,
    /// Line and text of each value, by key.
    origins: BTreeMap<&'static str, (usize, String)>,
}

impl Config {
    /// Looks for the file from `folder` (absolute) upward, and reads it. `None` if there is none.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn find(folder: &Path) -> Result<Option<Self>, Error> {
        let top = repository_top(folder).unwrap_or(folder);
        for above in folder.ancestors() {
            let path = above.join(NAME);
            if path.symlink_metadata().is_ok() {
                return Self::load(&path).map(Some);
            }
            if above == top {
                break;
            }
        }
        Ok(None)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Input`] with the path, and with the line where there is one: the file cannot be read,
    /// is no TOML, or says something that it may not say.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read(path)?;
        let reader = Reader { path, text: &text };
        let table = DeTable::parse(&text)
            .map_err(|error| reader.error(error.span().unwrap_or(0..0), error.message()))?;
        let mut config = Self {
            path: path.to_path_buf(),
            ..Self::default()
        };
        for (key, value) in table.get_ref() {
            config.take(&reader, key, value)?;
        }
        Ok(config)
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Every key that the file sets, with the line and the text of its value; `allow` has the line
    /// of its first entry. In order of the keys.
    pub fn origins(&self) -> impl Iterator<Item = (&'static str, usize, &str)> {
        self.origins
            .iter()
            .map(|(key, (line, text))| (*key, *line, text.as_str()))
    }

    /// An error about the value of `key`, with its place.
    pub fn error(&self, key: &str, message: &str) -> Error {
        let line = self.origins.get(key).map_or(1, |(line, _)| *line);
        Error::Input {
            path: self.path.clone(),
            message: format!("line {line}: {key}: {message}"),
            source: None,
        }
    }

    fn take(
        &mut self,
        reader: &Reader<'_>,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Error> {
        let Some(name) = KEYS.into_iter().find(|name| *name == key.get_ref()) else {
            return Err(reader.error(key.span(), &unknown(key.get_ref(), &KEYS)));
        };
        let field = Field {
            reader,
            name,
            value,
        };
        let text = reader.text.get(value.span()).unwrap_or_default();
        self.origins
            .insert(name, (reader.line(key.span()), text.to_string()));
        match name {
            "distance" => {
                let bits = field.whole()?;
                if bits > 64 {
                    return Err(field.error("must be a whole number from 0 to 64"));
                }
                self.distance = Some(bits as u32);
            }
            "similarity" => {
                let similarity = field.number()?;
                if !(similarity > 0.0 && similarity <= 1.0) {
                    return Err(field.error("must be above 0 and at most 1"));
                }
                self.similarity = Some(similarity);
            }
            "features" => self.features = Some(field.string()?),
            "binary" => self.binary = Some(field.string()?),
            "encoding" => self.encoding = Some(field.string()?),
            "min-size" => self.min_size = Some(field.size()?),
            "max-size" => self.max_size = Some(field.size()?),
            "min-features" => self.min_features = Some(field.whole()?),
            "max-new" => self.max_new = Some(field.whole()?),
            "max-depth" => self.max_depth = Some(field.whole()? as usize),
            "hidden" => self.hidden = Some(field.boolean()?),
            "no-ignore" => self.no_ignore = Some(field.boolean()?),
            "glob" => {
                for (glob, span) in field.strings()? {
                    walk::check_glob(glob).map_err(|cause| {
                        reader.error(span, &format!("{name}: {glob:?}: {cause}"))
                    })?;
                    self.globs.push(glob.to_string());
                }
            }
            "reference" => {
                for (reference, span) in field.strings()? {
                    let inside = inside(reader.folder(), reference);
                    self.references.push(inside.map_err(|cause| {
                        reader.error(span, &format!("{name}: {reference:?} {cause}"))
                    })?);
                }
            }
            _ => self.allow = field.allowances()?,
        }
        Ok(())
    }
}

/// Reads the text of a regular file of modest size; anything else could hang or fill the memory.
fn read(path: &Path) -> Result<String, Error> {
    let error = |message: String, source| Error::Input {
        path: path.to_path_buf(),
        message,
        source,
    };
    let failed = |cause: std::io::Error| {
        let (_, message) = crate::record::describe_io(&cause);
        error(message, Some(cause))
    };
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(error("not a regular file".into(), None));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(error("larger than 1 MiB".into(), None));
    }
    String::from_utf8(bytes).map_err(|_| error("not UTF-8".into(), None))
}

/// The text of a file, and where errors in it are.
struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    fn line(&self, span: Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    fn error(&self, span: Range<usize>, message: &str) -> Error {
        Error::Input {
            path: self.path.to_path_buf(),
            message: format!("line {}: {message}", self.line(span)),
            source: None,
        }
    }
}

/// A key and its value.
struct Field<'a> {
    reader: &'a Reader<'a>,
    name: &'a str,
    value: &'a Spanned<DeValue<'a>>,
}

impl Field<'_> {
    fn error(&self, message: &str) -> Error {
        self.reader
            .error(self.value.span(), &format!("{}: {message}", self.name))
    }

    fn boolean(&self) -> Result<bool, Error> {
        let value = self.value.get_ref().as_bool();
        value.ok_or_else(|| self.error("must be true or false"))
    }

    fn whole(&self) -> Result<u64, Error> {
        let value = self.value.get_ref().as_integer();
        value
            .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            .ok_or_else(|| self.error("must be a whole number, 0 or more"))
    }

    fn number(&self) -> Result<f64, Error> {
        let value = self.value.get_ref();
        let text = value
            .as_float()
            .map(toml::de::DeFloat::as_str)
            .or(value.as_integer().map(toml::de::DeInteger::as_str));
        text.and_then(|text| text.parse().ok())
            .ok_or_else(|| self.error("must be a number"))
    }

    fn string(&self) -> Result<String, Error> {
        let value = self.value.get_ref().as_str();
        value
            .map(str::to_string)
            .ok_or_else(|| self.error("must be a string"))
    }

    /// A size: a string as on the command line, or a number of bytes.
    fn size(&self) -> Result<String, Error> {
        if self.value.get_ref().is_integer() {
            Ok(self.whole()?.to_string())
        } else {
            self.string()
                .map_err(|_| self.error("must be a string such as \"1M\", or a number of bytes"))
        }
    }

    /// A string or a list of strings, each with its place.
    fn strings(&self) -> Result<Vec<(&str, Range<usize>)>, Error> {
        if let Some(one) = self.value.get_ref().as_str() {
            return Ok(vec![(one, self.value.span())]);
        }
        let wrong = || self.error("must be a string or a list of strings");
        let list = self.value.get_ref().as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|item| Ok((item.get_ref().as_str().ok_or_else(wrong)?, item.span())))
            .collect()
    }

    fn allowances(&self) -> Result<Vec<Allowance>, Error> {
        let wrong = || self.error("must be written as [[allow]]");
        let list = self.value.get_ref().as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|item| {
                let table = item.get_ref().as_table().ok_or_else(wrong)?;
                self.allowance(table, item.span())
            })
            .collect()
    }

    fn allowance(&self, table: &DeTable<'_>, span: Range<usize>) -> Result<Allowance, Error> {
        const KEYS: [&str; 4] = ["a", "b", "group", "reason"];
        let mut values: [Option<&str>; 4] = [None; 4];
        for (key, value) in table {
            let Some(place) = KEYS.iter().position(|name| name == key.get_ref()) else {
                let message = unknown(key.get_ref(), &KEYS);
                return Err(self.reader.error(key.span(), &format!("allow: {message}")));
            };
            let text = value
                .get_ref()
                .as_str()
                .filter(|text| !text.trim().is_empty());
            values[place] = Some(text.ok_or_else(|| {
                let message = format!(
                    "allow: {} must be a string that says something",
                    KEYS[place]
                );
                self.reader.error(value.span(), &message)
            })?);
        }
        let error = |message: &str| {
            self.reader
                .error(span.clone(), &format!("allow: {message}"))
        };
        let [a, b, group, reason] = values;
        let (a, b) = match (a, b, group) {
            (Some(a), Some(b), None) => (a, b),
            (None, None, Some(group)) => (group, group),
            _ => return Err(error("needs either both a and b, or group")),
        };
        let reason = reason.ok_or_else(|| error("needs a reason"))?;
        let line = self.reader.line(span.clone());
        Allowance::new(a, b, reason.to_string(), line).map_err(|cause| error(&cause))
    }
}

/// A path that does not leave `folder`, not even over a symbolic link; else what it does instead.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, &'static str> {
    let mut cleaned = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => cleaned.push(part),
            Component::CurDir => {}
            _ => return Err("leaves the folder of this file"),
        }
    }
    if let (Ok(folder), Ok(path_on_disk)) =
        (folder.canonicalize(), folder.join(&cleaned).canonicalize())
        && !path_on_disk.starts_with(folder)
    {
        return Err("leads out of the folder of this file over a symbolic link");
    }
    Ok(cleaned)
}

/// What to say of a key that is none of `known`.
fn unknown(key: &str, known: &[&str]) -> String {
    let plain = key.replace('_', "-");
    if known.len() > 4 && COMMAND_LINE_ONLY.contains(&plain.as_str()) {
        return format!("{key} can only be given on the command line");
    }
    let nearest = known
        .iter()
        .map(|name| (edits(&plain, name), name))
        .min()
        .filter(|(edits, name)| *edits <= 1 + name.len() / 3);
    match nearest {
        Some((_, name)) => format!("unknown key {key:?}, did you mean {name:?}?"),
        None => format!("unknown key {key:?}, known are {}", known.join(", ")),
    }
}

/// Letters to insert, delete or replace to make one word of the other (Levenshtein 1966).
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests;
