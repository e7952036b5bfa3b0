//! Pairs or groups → CSV (RFC 4180), always UTF-8.
//!
//! A name that is not UTF-8 has U+FFFD in its field, and its bytes in base64 in the field beside it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::finding::ratio;
use super::{Content, Report};
use crate::record::{Group, Outcome, Pair, Settings, Side};

/// Writes CSV: a line a pair, or a line a member of a group.
#[derive(Debug)]
pub struct Csv<W: Write> {
    out: W,
    content: Content,
    group: u64,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`; `content` says which of the two headers.
    pub fn new(out: W, content: Content) -> Self {
        Self {
            out,
            content,
            group: 0,
        }
    }

    fn line(&mut self, fields: &[Cow<'_, str>]) -> io::Result<()> {
        let fields: Vec<Cow<'_, str>> = fields.iter().map(|field| quoted(field)).collect();
        write!(self.out, "{}\r\n", fields.join(","))
    }
}

impl<W: Write + Send> Report for Csv<W> {
    fn settings(&mut self, _settings: &Settings) -> io::Result<()> {
        let header = if self.content == Content::Groups {
            "group,path,path_bytes,representative,kind,max_distance,min_similarity,bounds_exact"
        } else {
            "a,b,kind,distance,similarity,containment,known,status,a_bytes,b_bytes"
        };
        write!(self.out, "{header}\r\n")
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        let known = match pair.known {
            Some(Side::A) => "a",
            Some(Side::B) => "b",
            None => "",
        };
        self.line(&[
            pair.a.path.to_string_lossy(),
            pair.b.path.to_string_lossy(),
            pair.kind.as_str().into(),
            pair.distance.to_string().into(),
            optional(pair.similarity.map(ratio)),
            optional(pair.containment.map(ratio)),
            known.into(),
            pair.status.map_or("", |status| status.as_str()).into(),
            raw(pair.a.path),
            raw(pair.b.path),
        ])
    }

    fn group(&mut self, group: &Group<'_>) -> io::Result<()> {
        self.group += 1;
        for member in &group.files {
            self.line(&[
                self.group.to_string().into(),
                member.file.path.to_string_lossy(),
                raw(member.file.path),
                member.representative.to_string().into(),
                group.kind.as_str().into(),
                optional(group.max_distance.map(|distance| distance.to_string())),
                optional(group.min_similarity.map(ratio)),
                group.bounds_exact.to_string().into(),
            ])?;
        }
        Ok(())
    }

    fn finish(&mut self, _outcome: &Outcome) -> io::Result<()> {
        self.out.flush()
    }
}

fn optional(value: Option<String>) -> Cow<'static, str> {
    value.unwrap_or_default().into()
}

/// The bytes of a name in base64, if it is not UTF-8.
fn raw(path: &Path) -> Cow<'static, str> {
    optional(
        path.to_str()
            .is_none()
            .then(|| STANDARD.encode(path.as_os_str().as_bytes())),
    )
}

/// A field, quoted where it must be (and where a leading or trailing blank might be trimmed).
fn quoted(field: &str) -> Cow<'_, str> {
    let special = field.contains(['"', ',', '\r', '\n'])
        || field.starts_with([' ', '\t'])
        || field.ends_with([' ', '\t']);
    if special {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a b-'x"), "a b-'x");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b\n"), "\"a\"\"b\n\"");
        assert_eq!(quoted(" a"), "\" a\"");
    }
}
