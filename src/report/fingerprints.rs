//! Fingerprints → lines that [`fingerprints`](crate::fingerprints) reads back.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use serde::ser::SerializeMap;

use crate::record::{Fingerprinted, Outcome};
use crate::report::fields::{Fields, Opening, write_line};
use crate::report::jsonl::write_outcome;
use crate::report::path::write_escaped;

/// How fingerprints are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FingerprintFormat {
    /// 16 hexadecimal digits, two blanks, the escaped name; no documents without features.
    Text,
    /// The same with raw names, each line ended by NUL.
    Null,
    /// One JSON object a line: the settings, the fingerprints, what was left out, the summary.
    JsonLines,
}

/// A list of fingerprints.
#[derive(Debug)]
pub struct FingerprintReport<W> {
    out: W,
    format: FingerprintFormat,
}

/// What makes fingerprints comparable.
struct Scheme<'a>(&'a str);

impl Fields for Scheme<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("scheme", self.0)
    }
}

impl<W: Write> FingerprintReport<W> {
    /// A list to a writer that should be buffered.
    pub fn new(out: W, format: FingerprintFormat) -> Self {
        Self { out, format }
    }

    /// Opens the list; `scheme` is name and version, e.g. `words/1`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn settings(&mut self, scheme: &str) -> io::Result<()> {
        match self.format {
            FingerprintFormat::JsonLines => {
                write_line(&mut self.out, "settings", &Opening(&Scheme(scheme)))
            }
            _ => Ok(()),
        }
    }

    /// Writes one document.
    ///
    /// # Errors
    /// What the writer says.
    pub fn document(&mut self, document: &Fingerprinted<'_>) -> io::Result<()> {
        if self.format == FingerprintFormat::JsonLines {
            return write_line(&mut self.out, "fingerprint", document);
        }
        let Some(fingerprint) = document.fingerprint else {
            return Ok(());
        };
        let path = document.file.path;
        write!(self.out, "{fingerprint}  ")?;
        if self.format == FingerprintFormat::Null {
            self.out.write_all(path.as_os_str().as_bytes())?;
            self.out.write_all(b"\0")
        } else {
            write_escaped(&mut self.out, path)?;
            self.out.write_all(b"\n")
        }
    }

    /// Writes what comes last and flushes.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        match self.format {
            FingerprintFormat::JsonLines => write_outcome(&mut self.out, outcome),
            _ => self.out.flush(),
        }
    }
}
