//! Pairs → GitLab's code quality report: a JSON array with one issue a finding.

use std::io::{self, Write};

use serde_json::json;

use super::Report;
use super::finding::{figures, identity, pairs_only, sides, title};
use super::path::escape;
use crate::anchor::Anchor;
use crate::record::{Group, Kind, Outcome, Pair, Settings};

/// Writes a code quality report.
#[derive(Debug)]
pub struct Gitlab<W: Write> {
    out: W,
    anchor: Anchor,
    empty: bool,
}

impl<W: Write> Gitlab<W> {
    /// Writes to `out`, with names relative to the anchor's folder.
    pub fn new(out: W, anchor: Anchor) -> Self {
        Self {
            out,
            anchor,
            empty: true,
        }
    }
}

impl<W: Write + Send> Report for Gitlab<W> {
    fn settings(&mut self, _settings: &Settings) -> io::Result<()> {
        write!(self.out, "[")
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if !pair.is_finding() {
            return Ok(());
        }
        let (file, other) = sides(pair);
        let [file, other] = [file, other].map(|file| self.anchor.name(file.path));
        let (check, severity) = match pair.kind {
            Kind::Exact => ("exact-duplicate", "major"),
            Kind::Near => ("near-duplicate", "minor"),
        };
        let issue = json!({
            "description": format!("{} of {}: {}", title(pair.kind), escape(&other), figures(pair)),
            "check_name": check,
            "fingerprint": identity(&file, &other),
            "severity": severity,
            "location": {"path": String::from_utf8_lossy(&file), "lines": {"begin": 1}},
        });
        let separator = if self.empty { "\n" } else { ",\n" };
        self.empty = false;
        write!(self.out, "{separator}{issue}")
    }

    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        Err(pairs_only("gitlab"))
    }

    fn finish(&mut self, _outcome: &Outcome) -> io::Result<()> {
        writeln!(self.out, "{}]", if self.empty { "" } else { "\n" })?;
        self.out.flush()
    }
}
