//! Results → lines of text.
//!
//! A pair is `distance TAB similarity TAB path a TAB path b`, with `-` for a similarity that was
//! not computed; after a gate only what is new is listed. A group is a line about the whole and an
//! indented line for each member, the representative marked with `*`. Names are escaped (see
//! [`path`](super::path)).
//!
//! With raw names every field is ended by NUL instead, and nothing else separates them: four fields
//! a pair; for a group the number of members, kind, widest distance, least similarity, the
//! representative, then all members.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::record::{Group, Outcome, Pair, Settings};
use crate::report::Report;
use crate::report::fields::Ratio;
use crate::report::path::write_escaped;

/// How names and fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    /// Escaped names, a line a pair.
    Plain,
    /// The same with colours for a terminal.
    Coloured,
    /// Raw names, NUL after each field.
    Null,
}

const FIGURES: Style = AnsiColor::Cyan.on_default();
const HEADER: Style = Style::new().bold();
const REPRESENTATIVE: Style = AnsiColor::Green.on_default();

/// The report as text.
#[derive(Debug)]
pub struct Text<W> {
    out: W,
    style: TextStyle,
    /// The line in the making: one call of the writer for each.
    line: Vec<u8>,
    /// The first file of the last pair. Pairs come in its order, so it is often that of the next.
    first: Name,
}

/// A name and its escaped form.
#[derive(Debug, Default)]
struct Name {
    raw: Vec<u8>,
    escaped: Vec<u8>,
}

impl Name {
    /// The escaped form of this path.
    fn escape(&mut self, path: &Path) -> io::Result<&[u8]> {
        let raw = path.as_os_str().as_bytes();
        if self.raw != raw {
            self.raw.clear();
            self.raw.extend_from_slice(raw);
            self.escaped.clear();
            write_escaped(&mut self.escaped, path)?;
        }
        Ok(&self.escaped)
    }
}

impl<W: Write> Text<W> {
    /// A report to a writer that should be buffered.
    pub fn new(out: W, style: TextStyle) -> Self {
        Self {
            out,
            style,
            line: Vec::new(),
            first: Name::default(),
        }
    }

    /// Begins or ends a stretch of colour.
    fn paint(&mut self, style: Style, on: bool) -> io::Result<()> {
        paint(&mut self.out, self.style, style, on)
    }

    fn raw(&mut self, path: &Path) -> io::Result<()> {
        self.out.write_all(path.as_os_str().as_bytes())?;
        self.out.write_all(b"\0")
    }

    fn group_with_nul(&mut self, group: &Group<'_>) -> io::Result<()> {
        write!(self.out, "{}\0{}\0", group.files.len(), group.kind.as_str())?;
        optional(&mut self.out, group.max_distance, "\0")?;
        optional(&mut self.out, group.min_similarity.map(Ratio), "\0")?;
        let representative = group.files.iter().filter(|member| member.representative);
        for member in representative.chain(&group.files) {
            self.raw(member.file.path)?;
        }
        Ok(())
    }
}

/// Begins or ends a stretch of colour, where there is colour.
fn paint(out: &mut impl Write, text: TextStyle, style: Style, on: bool) -> io::Result<()> {
    match (text, on) {
        (TextStyle::Coloured, true) => write!(out, "{style}"),
        (TextStyle::Coloured, false) => write!(out, "{style:#}"),
        _ => Ok(()),
    }
}

/// A figure that may be unknown, ended by `end`.
fn optional(
    out: &mut impl Write,
    figure: Option<impl std::fmt::Display>,
    end: &str,
) -> io::Result<()> {
    if let Some(figure) = figure {
        write!(out, "{figure}{end}")
    } else {
        out.write_all(b"-")?;
        out.write_all(end.as_bytes())
    }
}

impl<W: Write + Send> Report for Text<W> {
    fn settings(&mut self, _: &Settings) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if !pair.is_finding() {
            return Ok(());
        }
        if self.style == TextStyle::Null {
            write!(self.out, "{}\0", pair.distance)?;
            optional(&mut self.out, pair.similarity.map(Ratio), "\0")?;
            self.raw(pair.a.path)?;
            return self.raw(pair.b.path);
        }
        let line = &mut self.line;
        line.clear();
        paint(line, self.style, FIGURES, true)?;
        let mut digits = itoa::Buffer::new();
        line.extend_from_slice(digits.format(pair.distance).as_bytes());
        line.push(b'\t');
        optional(line, pair.similarity.map(Ratio), "")?;
        paint(line, self.style, FIGURES, false)?;
        line.push(b'\t');
        line.extend_from_slice(self.first.escape(pair.a.path)?);
        line.push(b'\t');
        write_escaped(line, pair.b.path)?;
        line.push(b'\n');
        self.out.write_all(line)
    }

    fn group(&mut self, group: &Group<'_>) -> io::Result<()> {
        if self.style == TextStyle::Null {
            return self.group_with_nul(group);
        }
        self.paint(HEADER, true)?;
        write!(
            self.out,
            "{} files, {}",
            group.files.len(),
            group.kind.as_str()
        )?;
        if let Some(distance) = group.max_distance {
            write!(self.out, ", distance <= {distance}")?;
        }
        if let Some(similarity) = group.min_similarity {
            write!(self.out, ", similarity >= {}", Ratio(similarity))?;
        }
        if !group.bounds_exact {
            self.out.write_all(b", not all pairs compared")?;
        }
        self.paint(HEADER, false)?;
        self.out.write_all(b"\n")?;
        for member in &group.files {
            if member.representative {
                self.out.write_all(b"  ")?;
                self.paint(REPRESENTATIVE, true)?;
                self.out.write_all(b"* ")?;
                write_escaped(&mut self.out, member.file.path)?;
                self.paint(REPRESENTATIVE, false)?;
            } else {
                self.out.write_all(b"    ")?;
                write_escaped(&mut self.out, member.file.path)?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Outcome) -> io::Result<()> {
        self.out.flush()
    }
}
