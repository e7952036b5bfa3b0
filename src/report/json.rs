//! Results → one JSON object, each pair on a line of its own: easy to read, to diff and to cut.
//! Pairs are written as they come; nothing is kept but what `Outcome` holds.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::record::{Group, Outcome, Pair, Settings};
use crate::report::fields::{Fields, Object, SCHEMA, tool};
use crate::report::{Content, Report};

/// The report as one JSON object.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
    content: Content,
    any: bool,
}

impl<W: Write> Json<W> {
    /// A report of pairs or of groups, to a writer that should be buffered.
    pub fn new(out: W, content: Content) -> Self {
        Self {
            out,
            content,
            any: false,
        }
    }

    fn value(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::with_formatter(&mut self.out, Spaced);
        Ok(value.serialize(&mut serializer)?)
    }

    /// One entry of an array that is open.
    fn entry(&mut self, record: &impl Fields) -> io::Result<()> {
        let before: &[u8] = if self.any { b",\n    " } else { b"\n    " };
        self.out.write_all(before)?;
        self.any = true;
        self.value(&Object(record))
    }

    /// Ends the array that is open.
    fn end_array(&mut self) -> io::Result<()> {
        let end: &[u8] = if self.any { b"\n  ],\n" } else { b"],\n" };
        self.any = false;
        self.out.write_all(end)
    }

    fn array(&mut self, key: &str, records: &[impl Fields]) -> io::Result<()> {
        write!(self.out, "  \"{key}\": [")?;
        for record in records {
            self.entry(record)?;
        }
        self.end_array()
    }
}

impl<W: Write + Send> Report for Json<W> {
    fn settings(&mut self, settings: &Settings) -> io::Result<()> {
        write!(self.out, "{{\n  \"schema\": {SCHEMA},\n  \"tool\": ")?;
        self.value(&tool())?;
        self.out.write_all(b",\n  \"settings\": ")?;
        self.value(&Object(settings))?;
        let key = match self.content {
            Content::Pairs => "pairs",
            Content::Groups => "groups",
        };
        write!(self.out, ",\n  \"{key}\": [")
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        self.entry(pair)
    }

    fn group(&mut self, group: &Group<'_>) -> io::Result<()> {
        self.entry(group)
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.end_array()?;
        self.array("skipped", &outcome.skipped)?;
        self.array("errors", &outcome.failures)?;
        self.out.write_all(b"  \"summary\": ")?;
        self.value(&Object(&outcome.summary))?;
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}

/// One line, with a blank after each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
