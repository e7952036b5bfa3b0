//! A comparison of two documents → text, JSON, and a diff of their lines.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use serde::ser::SerializeMap;
use similar::{ChangeTag, TextDiff};

use crate::compare::{Comparison, Document};
use crate::report::fields::{Fields, Object, Opening, Ratio, four_decimals, path};
use crate::report::path::{Escaped, escape, is_unsafe};

/// A comparison and the names of its two sides.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonReport<'a> {
    /// What came out.
    pub comparison: &'a Comparison,
    /// The first file, or `-`.
    pub a: (&'a Path, &'a Document),
    /// The second one.
    pub b: (&'a Path, &'a Document),
}

impl ComparisonReport<'_> {
    /// Writes a figure a line, name and value apart by blanks; then each side, indented.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let comparison = self.comparison;
        let ratio =
            |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| Ratio(ratio).to_string());
        let distance = comparison
            .distance
            .map_or("-".to_string(), |distance| distance.to_string());
        let score = comparison.score;
        for (name, value) in [
            ("verdict", comparison.verdict().to_string()),
            ("similarity", ratio(score.map(|score| score.similarity))),
            ("containment", ratio(score.map(|score| score.containment))),
            ("distance", distance),
            ("bit similarity", ratio(comparison.bit_similarity())),
            ("shared features", comparison.shared_features.to_string()),
        ] {
            writeln!(out, "{name:<17}{value}")?;
        }
        for (side, (path, document)) in [("a", self.a), ("b", self.b)] {
            let fingerprint = document
                .fingerprint
                .map_or("-".to_string(), |print| print.to_string());
            writeln!(out, "{side:<17}{}", Escaped(path))?;
            writeln!(out, "  fingerprint    {fingerprint}")?;
            writeln!(out, "  characters     {}", document.characters)?;
            writeln!(out, "  tokens         {}", document.tokens)?;
            writeln!(out, "  features       {}", document.occurrences)?;
            writeln!(out, "  distinct       {}", document.features.len())?;
        }
        Ok(())
    }

    /// Writes one JSON object and a line feed.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &Object(&Opening(self)))?;
        out.write_all(b"\n")
    }
}

impl Fields for ComparisonReport<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let comparison = self.comparison;
        let score = comparison.score;
        map.serialize_entry("scheme", &comparison.scheme.id())?;
        map.serialize_entry("kind", comparison.kind.as_str())?;
        map.serialize_entry("verdict", comparison.verdict())?;
        map.serialize_entry("distance", &comparison.distance)?;
        map.serialize_entry(
            "bit_similarity",
            &comparison.bit_similarity().map(four_decimals),
        )?;
        map.serialize_entry(
            "similarity",
            &score.map(|score| four_decimals(score.similarity)),
        )?;
        map.serialize_entry(
            "containment",
            &score.map(|score| four_decimals(score.containment)),
        )?;
        map.serialize_entry("shared_features", &comparison.shared_features)?;
        map.serialize_entry("a", &Object(&Side(self.a)))?;
        map.serialize_entry("b", &Object(&Side(self.b)))
    }
}

/// One of the two documents.
struct Side<'a>((&'a Path, &'a Document));

impl Fields for Side<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (name, document) = self.0;
        path(map, "path", "path_bytes", name)?;
        map.serialize_entry(
            "fingerprint",
            &document.fingerprint.map(|print| print.to_string()),
        )?;
        map.serialize_entry("characters", &document.characters)?;
        map.serialize_entry("tokens", &document.tokens)?;
        map.serialize_entry("features", &document.occurrences)?;
        map.serialize_entry("distinct_features", &document.features.len())
    }
}

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Writes the lines that differ, as `diff -u` does; nothing where none do. With `coloured`, for a
/// terminal: control characters are escaped, too.
///
/// # Errors
/// What the writer says.
pub fn write_diff(
    out: &mut impl Write,
    (a, text_a): (&Path, &str),
    (b, text_b): (&Path, &str),
    coloured: bool,
) -> io::Result<()> {
    let mut line = |style: Style, start: &str, text: &str| {
        let text = text.strip_suffix('\n').unwrap_or(text);
        if coloured {
            writeln!(out, "{style}{start}{}{style:#}", visible(text))
        } else {
            writeln!(out, "{start}{text}")
        }
    };
    let diff = TextDiff::from_lines(text_a, text_b);
    let mut unified = diff.unified_diff();
    for (index, hunk) in unified.context_radius(3).iter_hunks().enumerate() {
        if index == 0 {
            line(Style::new(), "--- ", &Escaped(a).to_string())?;
            line(Style::new(), "+++ ", &Escaped(b).to_string())?;
        }
        line(PLACE, "", &hunk.header().to_string())?;
        for change in hunk.iter_changes() {
            let (style, start) = match change.tag() {
                ChangeTag::Equal => (Style::new(), " "),
                ChangeTag::Delete => (REMOVED, "-"),
                ChangeTag::Insert => (ADDED, "+"),
            };
            line(style, start, change.value())?;
            if change.missing_newline() {
                line(Style::new(), "", "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// The text as a terminal may show it; unlike a name it keeps its backslashes.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) && c != '\t' {
            visible += &escape(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            visible.push(c);
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Scheme;

    fn diff(a: &str, b: &str, coloured: bool) -> String {
        let mut out = Vec::new();
        write_diff(&mut out, (Path::new("a"), a), (Path::new("b"), b), coloured).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_diff_shows_what_differs() {
        assert_eq!(diff("x\ny\n", "x\ny\n", false), "");
        let expected = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n";
        assert_eq!(diff("x\ny\n", "x\nz", false), expected);
    }

    #[test]
    fn a_terminal_gets_colours_and_no_control_characters() {
        let shown = diff("x\n", "\x1b[2J\tz\n", true);
        assert!(shown.contains("\x1b[32m+\\x1b[2J\tz\x1b[0m\n"), "{shown:?}");
    }

    #[test]
    fn json_and_text_hold_every_figure() {
        let a = Document::new(Scheme::Words, "one two three four");
        let b = Document::new(Scheme::Words, "...");
        let comparison = Comparison::new(Scheme::Words, &a, &b, false);
        let report = ComparisonReport {
            comparison: &comparison,
            a: (Path::new("x"), &a),
            b: (Path::new("-"), &b),
        };
        let mut out = Vec::new();
        report.write_json(&mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["scheme"], "words/1");
        assert_eq!(json["verdict"], "too short to judge");
        assert!(json["similarity"].is_null() && json["distance"].is_null());
        assert_eq!(json["a"]["features"], 7);
        assert_eq!(json["a"]["fingerprint"].as_str().map(str::len), Some(16));
        assert!(json["b"]["fingerprint"].is_null());
        out.clear();
        report.write_text(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("verdict          too short to judge\nsimilarity       -\n"),
            "{text}"
        );
        assert!(
            text.contains("\na                x\n  fingerprint    "),
            "{text}"
        );
    }
}
