//! Pairs → workflow commands of GitHub Actions, which become annotations.
//!
//! GitHub shows only a few annotations of each step, so the total comes first; the pairs wait in
//! memory for it.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Report;
use super::finding::{Tally, errors, figures, pairs_only, sides, title};
use super::path::escape;
use crate::anchor::Anchor;
use crate::record::{Group, Kind, Outcome, Pair, Settings};

/// Writes workflow commands.
#[derive(Debug)]
pub struct Github<W: Write> {
    out: W,
    anchor: Anchor,
    tally: Tally,
    lines: String,
}

impl<W: Write> Github<W> {
    /// Writes to `out`, with names relative to the anchor's folder.
    pub fn new(out: W, anchor: Anchor) -> Self {
        Self {
            out,
            anchor,
            tally: Tally::default(),
            lines: String::new(),
        }
    }
}

impl<W: Write + Send> Report for Github<W> {
    fn settings(&mut self, _settings: &Settings) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if !self.tally.add(pair) {
            return Ok(());
        }
        let (file, other) = sides(pair);
        let [file, other] = [file, other].map(|file| self.anchor.name(file.path));
        let level = match pair.kind {
            Kind::Exact => "error",
            Kind::Near => "warning",
        };
        let text = format!(
            "{} is a{} {} of {}: {}",
            escape(&file),
            if pair.kind == Kind::Exact { "n" } else { "" },
            title(pair.kind),
            escape(&other),
            figures(pair)
        );
        let _ = writeln!(
            self.lines,
            "::{level} file={},line=1,title={}::{}",
            property(&String::from_utf8_lossy(&file)),
            title(pair.kind),
            data(&text)
        );
        Ok(())
    }

    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        Err(pairs_only("github"))
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let failures = &outcome.failures;
        let level = match (self.tally.findings, failures.is_empty()) {
            (0, true) => "notice",
            (_, true) if !self.tally.is_gated() => "warning",
            _ => "error",
        };
        let mut total = self.tally.title();
        if !failures.is_empty() {
            let _ = write!(total, ", {}", errors(failures.len()));
        }
        writeln!(self.out, "::{level} title=simdup::{}", data(&total))?;
        self.out.write_all(self.lines.as_bytes())?;
        for failure in failures {
            let name = self.anchor.name(&failure.path);
            let text = format!("{}: {}", escape(&name), failure.message);
            writeln!(
                self.out,
                "::error file={},title=simdup could not read this::{}",
                property(&String::from_utf8_lossy(&name)),
                data(&text)
            )?;
        }
        self.out.flush()
    }
}

/// The text of a command: what would end the line is encoded.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a command: what would end the property is encoded, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_a_property_or_a_line() {
        assert_eq!(property("a,b:c%0A\r\n"), "a%2Cb%3Ac%250A%0D%0A");
        assert_eq!(data("a,b:c%\r\n"), "a,b:c%25%0D%0A");
    }
}
