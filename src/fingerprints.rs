//! Lists of fingerprints, as `simdup fingerprint` prints them → names and fingerprints in memory.
//!
//! Three forms are told apart by their first bytes:
//!
//! * lines of 16 hexadecimal digits, two blanks and an escaped name (see [`path`]);
//! * the same with raw names, each line ended by NUL (`--null`);
//! * one JSON object a line: `settings` lines carry the scheme, `fingerprint` lines a name and its
//!   fingerprint or null; lines of any other type are passed over.
//!
//! Blank lines are passed over. Several lists are joined into one, in bytewise order of the names.
//! A name that comes twice with the same fingerprint counts once; with two different ones the
//! lists are refused, since nobody could tell which of them holds.
//!
//! Cost: one pass over the bytes through a fixed buffer, one sort of the names where they do not
//! come sorted. Memory: the names and 13 bytes a fingerprint; 32 bytes while sorting.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::names::Names;
use crate::record::describe_io;
use crate::report::path::{self, Escaped};
use crate::simhash::Fingerprint;

/// Longest line that is taken; names of files are far shorter.
const MAX_LINE: usize = 1 << 20;

/// What a line of text looks like.
const SHAPE: &str = "expected 16 hexadecimal digits, two blanks and a name";

/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// Fingerprints by name.
#[derive(Debug, Default)]
pub struct FingerprintList {
    /// Scheme and version that the lists name, e.g. `words/1`; `None` where none does.
    pub scheme: Option<String>,
    /// The names of documents with a fingerprint, in bytewise order, each once.
    pub names: Names,
    /// `fingerprints[i]` belongs to name `i`.
    pub fingerprints: Vec<Fingerprint>,
    /// The names of documents without features, in bytewise order, each once.
    pub without: Names,
}

/// Reads and joins lists of fingerprints; `-` is standard input.
///
/// # Errors
/// [`Error::Input`]: a list cannot be read, a line is malformed (named by its number), two lists
/// have different schemes, or one name has two different fingerprints.
pub fn read(lists: &[PathBuf]) -> Result<FingerprintList, Error> {
    let mut reader = Reader::default();
    for list in lists {
        reader.begin(list);
        if list.as_os_str() == "-" {
            reader.read(&mut io::stdin().lock())?;
        } else {
            let mut file = File::open(list).map_err(|error| reader.io_error(error))?;
            reader.read(&mut file)?;
        }
    }
    reader.finish()
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    /// The lists, each with the number of fingerprints read before it.
    lists: Vec<(PathBuf, usize)>,
    line: u64,
    /// The scheme and the list that named it.
    scheme: Option<(String, PathBuf)>,
    names: Names,
    fingerprints: Vec<Fingerprint>,
    without: Names,
}

/// How a list is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Text,
    Null,
    Json,
}

impl Form {
    /// Tells the form from the beginning of a list. A list in text never holds a NUL, and a line
    /// ended by NUL is shorter than the buffer; an object begins with a brace.
    fn of(beginning: &[u8]) -> Self {
        if beginning.trim_ascii_start().starts_with(b"{") {
            Self::Json
        } else if memchr::memchr(0, beginning).is_some() {
            Self::Null
        } else {
            Self::Text
        }
    }
}

/// A line of a list in JSON.
#[derive(Deserialize)]
struct JsonLine<'a> {
    #[serde(borrow, rename = "type")]
    line_type: Cow<'a, str>,
    #[serde(borrow)]
    scheme: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path_bytes: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fingerprint: Option<Cow<'a, str>>,
}

impl Reader {
    fn begin(&mut self, list: &Path) {
        self.lists.push((list.to_path_buf(), self.names.len()));
        self.line = 0;
    }

    fn list(&self) -> PathBuf {
        self.lists
            .last()
            .map(|(list, _)| list.clone())
            .unwrap_or_default()
    }

    fn io_error(&self, error: io::Error) -> Error {
        Error::Input {
            path: self.list(),
            message: format!("cannot read fingerprints: {}", describe_io(&error).1),
            source: Some(error),
        }
    }

    fn line_error(&self, message: &str) -> Error {
        Error::Input {
            path: self.list(),
            message: format!("line {}: {message}", self.line),
            source: None,
        }
    }

    /// Takes all lines of a list, through one buffer that grows only for a line longer than it.
    fn read(&mut self, input: &mut impl Read) -> Result<(), Error> {
        let mut buffer = vec![0; BUFFER];
        let mut filled = 0;
        let mut form = None;
        loop {
            // Fill up, so that the form is told from the same bytes whatever the pieces are in
            // which the input arrives.
            let mut ended = false;
            while filled < buffer.len() && !ended {
                match input.read(&mut buffer[filled..]) {
                    Ok(0) => ended = true,
                    Ok(count) => filled += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(self.io_error(error)),
                }
            }
            let form = *form.get_or_insert_with(|| Form::of(&buffer[..filled]));
            let end = if form == Form::Null { 0 } else { b'\n' };
            let mut done = 0;
            for at in memchr::memchr_iter(end, &buffer[..filled]) {
                self.take(form, &buffer[done..at])?;
                done = at + 1;
            }
            if ended {
                return if done < filled {
                    self.take(form, &buffer[done..filled])
                } else {
                    Ok(())
                };
            }
            buffer.copy_within(done..filled, 0);
            filled -= done;
            if filled == buffer.len() {
                if filled >= MAX_LINE {
                    self.line += 1;
                    return Err(self.line_error("longer than 1 MiB"));
                }
                buffer.resize(2 * filled, 0);
            }
        }
    }

    #[inline]
    fn take(&mut self, form: Form, line: &[u8]) -> Result<(), Error> {
        self.line += 1;
        if line.is_empty() {
            return Ok(());
        }
        if form == Form::Json {
            return self.take_json(line);
        }
        let Some((digits, rest)) = line.split_first_chunk::<16>() else {
            return Err(self.line_error(SHAPE));
        };
        let (Some(fingerprint), Some(name)) = (parse_hex(*digits), rest.strip_prefix(b"  ")) else {
            return Err(self.line_error(SHAPE));
        };
        let name = match form {
            Form::Null => Cow::Borrowed(name),
            _ => path::unescape(name)
                .ok_or_else(|| self.line_error("a backslash in the name begins no escape"))?,
        };
        self.push(&name, Some(fingerprint))
    }

    fn take_json(&mut self, line: &[u8]) -> Result<(), Error> {
        let line: JsonLine<'_> = serde_json::from_slice(line).map_err(|error| {
            self.line_error(&format!("no object of a fingerprint list: {error}"))
        })?;
        match &*line.line_type {
            "settings" => match line.scheme {
                Some(scheme) => self.take_scheme(&scheme),
                None => Ok(()),
            },
            "fingerprint" => {
                let name = match (&line.path_bytes, &line.path) {
                    (Some(bytes), _) => path::from_base64(bytes).map(Cow::Owned),
                    (None, Some(path)) => Some(Cow::Borrowed(path.as_bytes())),
                    (None, None) => None,
                };
                let name = name.ok_or_else(|| self.line_error("no path"))?;
                let fingerprint = match &line.fingerprint {
                    None => None,
                    Some(text) => Some(
                        <[u8; 16]>::try_from(text.as_bytes())
                            .ok()
                            .and_then(parse_hex)
                            .ok_or_else(|| {
                                self.line_error("expected 16 hexadecimal digits or null")
                            })?,
                    ),
                };
                self.push(&name, fingerprint)
            }
            _ => Ok(()),
        }
    }

    fn take_scheme(&mut self, scheme: &str) -> Result<(), Error> {
        match &self.scheme {
            Some((known, list)) if known != scheme => Err(self.line_error(&format!(
                "fingerprints of scheme {scheme} cannot be compared with those of scheme {known} in {}",
                Escaped(list)
            ))),
            Some(_) => Ok(()),
            None => {
                self.scheme = Some((scheme.to_string(), self.list()));
                Ok(())
            }
        }
    }

    #[inline]
    fn push(&mut self, name: &[u8], fingerprint: Option<Fingerprint>) -> Result<(), Error> {
        if name.is_empty() {
            return Err(self.line_error("the name is empty"));
        }
        let pushed = match fingerprint {
            Some(fingerprint) => {
                let pushed = self.names.push(name);
                if pushed.is_ok() {
                    self.fingerprints.push(fingerprint);
                }
                pushed
            }
            None => self.without.push(name),
        };
        pushed.map_err(|error| self.line_error(&error.to_string()))
    }

    /// Sorts by name, drops repetitions, refuses contradictions.
    fn finish(mut self) -> Result<FingerprintList, Error> {
        let (mut order, different) = self.names.order();
        if !different {
            self.drop_repetitions(&mut order)?;
        }
        self.fingerprints = order
            .iter()
            .map(|&id| self.fingerprints[id as usize])
            .collect();
        self.names.reorder(&order);

        let (mut order, _) = self.without.order();
        order.dedup_by_key(|id| self.without.bytes(*id as usize));
        self.without.reorder(&order);
        if let Some(a) = first_common(&self.names, &self.without) {
            return Err(self.conflict(self.list(), a, "none"));
        }
        Ok(FingerprintList {
            scheme: self.scheme.map(|(scheme, _)| scheme),
            names: self.names,
            fingerprints: self.fingerprints,
            without: self.without,
        })
    }

    /// Keeps the first of equal names; an error if they have different fingerprints.
    fn drop_repetitions(&self, order: &mut Vec<u32>) -> Result<(), Error> {
        let mut conflict = None;
        order.dedup_by(|later, first| {
            let (a, b) = (*first as usize, *later as usize);
            let same = self.names.bytes(a) == self.names.bytes(b);
            if same && self.fingerprints[a] != self.fingerprints[b] {
                conflict.get_or_insert((a, b));
            }
            same
        });
        match conflict {
            None => Ok(()),
            Some((a, b)) => {
                let other = self.fingerprints[b].to_string();
                Err(self.conflict(self.list_of(b), a, &other))
            }
        }
    }

    /// The list that fingerprint `id` came from.
    fn list_of(&self, id: usize) -> PathBuf {
        let after = self.lists.partition_point(|&(_, before)| before <= id);
        self.lists[after - 1].0.clone()
    }

    /// The error for name `a` that `list` gives another fingerprint.
    fn conflict(&self, list: PathBuf, a: usize, other: &str) -> Error {
        Error::Input {
            path: list,
            message: format!(
                "{}: two different fingerprints, {} and {other}",
                Escaped(self.names.path(a)),
                self.fingerprints[a]
            ),
            source: None,
        }
    }
}

/// The first name of `a` that `b` holds too; both in order.
fn first_common(a: &Names, b: &Names) -> Option<usize> {
    let mut at = 0;
    (0..b.len()).find_map(|id| {
        let name = b.bytes(id);
        while at < a.len() && a.bytes(at) < name {
            at += 1;
        }
        (at < a.len() && a.bytes(at) == name).then_some(at)
    })
}

/// The fingerprint that 16 hexadecimal digits of either case stand for.
#[inline]
fn parse_hex(digits: [u8; 16]) -> Option<Fingerprint> {
    /// The value of each digit; a bit above the lower four for what is none.
    const VALUES: [u8; 256] = {
        let mut values = [0x10; 256];
        let mut value = 0;
        while value < 16 {
            values[b"0123456789abcdef"[value] as usize] = value as u8;
            values[b"0123456789ABCDEF"[value] as usize] = value as u8;
            value += 1;
        }
        values
    };
    let mut bits = 0;
    let mut seen = 0;
    for digit in digits {
        let value = VALUES[usize::from(digit)];
        seen |= value;
        bits = bits << 4 | u64::from(value);
    }
    (seen < 0x10).then_some(Fingerprint(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn list(contents: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(contents).unwrap();
        file
    }

    fn read_all(lists: &[&[u8]]) -> Result<FingerprintList, String> {
        let files: Vec<_> = lists.iter().map(|contents| list(contents)).collect();
        let paths: Vec<_> = files.iter().map(|file| file.path().to_path_buf()).collect();
        read(&paths).map_err(|error| {
            let mut text = error.to_string();
            for (number, path) in paths.iter().enumerate() {
                text = text.replace(path.to_str().unwrap(), &format!("list {number}"));
            }
            text
        })
    }

    fn entries(list: &FingerprintList) -> Vec<(&[u8], u64)> {
        assert_eq!(list.names.len(), list.fingerprints.len());
        (0..list.names.len())
            .map(|id| (list.names.bytes(id), list.fingerprints[id].0))
            .collect()
    }

    #[test]
    fn lines_of_text_come_sorted_by_name() {
        let list = read_all(&[
            b"00000000000000ff  b\\n\\\\c\\xff\n\nFEDCBA9876543210  a  a\n0000000000000001   z",
        ])
        .unwrap();
        assert_eq!(
            entries(&list),
            [
                (&b" z"[..], 1),
                (b"a  a", 0xfedc_ba98_7654_3210),
                (b"b\n\\c\xff", 0xff)
            ]
        );
        assert_eq!(list.scheme, None);
        assert!(list.without.is_empty());
    }

    #[test]
    fn raw_names_are_ended_by_nul() {
        let list = read_all(&[b"0000000000000002  a\nb\\n\x000000000000000001  \xff\x00"]).unwrap();
        assert_eq!(entries(&list), [(&b"a\nb\\n"[..], 2), (b"\xff", 1)]);
    }

    #[test]
    fn json_lines_carry_scheme_names_and_documents_without_fingerprint() {
        let list = read_all(&[br#"{"type":"settings","schema":1,"tool":{"name":"simdup"},"scheme":"words/1"}
{"type":"fingerprint","path":"b\n","fingerprint":"00000000000000ff","features":7,"bytes":30}
{"type":"fingerprint","path":"\ufffd","path_bytes":"/w==","fingerprint":"0000000000000001","features":7,"bytes":30}
{"type":"fingerprint","path":"empty","fingerprint":null,"features":0,"bytes":3}
{"type":"skipped","path":"x","reason":"binary"}
{"type":"summary","files":4}
"#])
        .unwrap();
        assert_eq!(entries(&list), [(&b"b\n"[..], 255), (b"\xff", 1)]);
        assert_eq!(list.without.len(), 1);
        assert_eq!(list.without.bytes(0), b"empty");
        assert_eq!(list.scheme.as_deref(), Some("words/1"));
    }

    #[test]
    fn an_empty_list_is_a_list() {
        let list = read_all(&[b"", b"\n\n"]).unwrap();
        assert!(list.names.is_empty() && list.without.is_empty());
    }

    #[test]
    fn malformed_lines_are_named_by_list_and_number() {
        let shape = "expected 16 hexadecimal digits, two blanks and a name";
        let cases: [(&str, u32, &str); 9] = [
            ("0000000000000001  a\n\n000000000000000  b\n", 3, shape),
            ("0000000000000001 a\n", 1, shape),
            ("000000000000000g  a\n", 1, shape),
            ("+000000000000001  a\n", 1, shape),
            ("0000000000000001  \n", 1, "the name is empty"),
            (
                "0000000000000001  a\\q\n",
                1,
                "a backslash in the name begins no escape",
            ),
            (r#"{"type":"fingerprint","fingerprint":null}"#, 1, "no path"),
            (
                r#"{"type":"fingerprint","path":"a","fingerprint":"12"}"#,
                1,
                "expected 16 hexadecimal digits or null",
            ),
            (
                "{\"type\":\"settings\"}\n{\"type\":3}\n",
                2,
                "no object of a fingerprint list: ",
            ),
        ];
        for (contents, line, message) in cases {
            let error = read_all(&[b"", contents.as_bytes()]).unwrap_err();
            assert!(
                error.starts_with(&format!("list 1: line {line}: {message}")),
                "{error}"
            );
        }
    }

    #[test]
    fn lists_of_different_schemes_are_refused() {
        let error = read_all(&[
            br#"{"type":"settings","scheme":"words/1"}"#,
            br#"{"type":"settings","scheme":"char:5/1"}"#,
        ])
        .unwrap_err();
        assert_eq!(
            error,
            "list 1: line 1: fingerprints of scheme char:5/1 cannot be compared with those of \
             scheme words/1 in list 0"
        );
    }

    #[test]
    fn a_repeated_name_counts_once_and_must_not_contradict_itself() {
        let a: &[u8] = b"0000000000000001  a\n0000000000000003  b\n";
        let list = read_all(&[a, a, b"0000000000000002  c\n"]).unwrap();
        assert_eq!(entries(&list), [(&b"a"[..], 1), (b"b", 3), (b"c", 2)]);

        let error = read_all(&[a, b"0000000000000002  a\n"]).unwrap_err();
        assert_eq!(
            error,
            "list 1: a: two different fingerprints, 0000000000000001 and 0000000000000002"
        );
        let error = read_all(&[
            a,
            br#"{"type":"fingerprint","path":"b","fingerprint":null}"#,
        ]);
        assert_eq!(
            error.unwrap_err(),
            "list 1: b: two different fingerprints, 0000000000000003 and none"
        );
    }

    #[test]
    fn lines_may_lie_across_the_ends_of_the_buffer() {
        let mut contents = Vec::new();
        let name = |i: usize| format!("{i:07}-{}", "x".repeat(i % 50));
        for i in 0..20_000_usize {
            writeln!(contents, "{i:016x}  {}", name(i)).unwrap();
        }
        writeln!(contents, "{:016x}  {}", 20_000, "y".repeat(600_000)).unwrap();
        let list = read_all(&[&contents]).unwrap();
        assert_eq!(list.names.len(), 20_001);
        for i in 0..20_000 {
            assert_eq!(list.names.bytes(i), name(i).as_bytes());
            assert_eq!(list.fingerprints[i].0, i as u64);
        }
        assert_eq!(list.names.bytes(20_000).len(), 600_000);
    }

    #[test]
    fn a_missing_list_is_named() {
        let error = read(&["no/such/list".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no/such/list: cannot read fingerprints: no such file or directory"
        );
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let error = read_all(&[&vec![b'0'; 3 << 20]]).unwrap_err();
        assert_eq!(error, "list 0: line 1: longer than 1 MiB");
    }
}
