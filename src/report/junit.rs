//! Pairs → `JUnit` XML, which nearly every CI service shows as test results.
//!
//! Each finding is a failed test case, each error a test case with an error. Where there is neither,
//! one test case passes: some services take a report without any for a fault. The totals stand at
//! the top, so the cases wait in memory for them.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Report;
use super::finding::{Tally, figures, pairs_only, sides, title};
use super::path::escape;
use crate::anchor::Anchor;
use crate::record::{Group, Outcome, Pair, Settings};

/// Writes `JUnit` XML.
#[derive(Debug)]
pub struct Junit<W: Write> {
    out: W,
    anchor: Anchor,
    tally: Tally,
    cases: String,
}

impl<W: Write> Junit<W> {
    /// Writes to `out`, with names relative to the anchor's folder.
    pub fn new(out: W, anchor: Anchor) -> Self {
        Self {
            out,
            anchor,
            tally: Tally::default(),
            cases: String::new(),
        }
    }
}

impl<W: Write + Send> Report for Junit<W> {
    fn settings(&mut self, _settings: &Settings) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if !self.tally.add(pair) {
            return Ok(());
        }
        let (file, other) = sides(pair);
        let [file, other] = [file, other].map(|file| xml(&escape(&self.anchor.name(file.path))));
        let kind = pair.kind.as_str();
        let title = title(pair.kind);
        let figures = figures(pair);
        let _ = write!(
            self.cases,
            "    <testcase classname=\"simdup.{kind}\" name=\"{file} and {other}\" file=\"{file}\">\n      \
             <failure type=\"{kind}\" message=\"{title} of {other}: {figures}\"/>\n    </testcase>\n"
        );
        Ok(())
    }

    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        Err(pairs_only("junit"))
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        for failure in &outcome.failures {
            let name = xml(&escape(&self.anchor.name(&failure.path)));
            let _ = write!(
                self.cases,
                "    <testcase classname=\"simdup.error\" name=\"{name}\">\n      \
                 <error type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                failure.code,
                xml(&escape(failure.message.as_bytes()))
            );
        }
        let errors = outcome.failures.len() as u64;
        let mut tests = self.tally.findings + errors;
        if tests == 0 {
            tests = 1;
            self.cases = format!(
                "    <testcase classname=\"simdup\" name=\"{}\"/>\n",
                self.tally.title()
            );
        }
        let totals = format!(
            "tests=\"{tests}\" failures=\"{}\" errors=\"{errors}\"",
            self.tally.findings
        );
        write!(
            self.out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"simdup\" {totals}>\n  \
             <testsuite name=\"simdup\" {totals}>\n{}  </testsuite>\n</testsuites>\n",
            self.cases
        )?;
        self.out.flush()
    }
}

/// Text as XML, for attributes too. Characters that XML 1.0 has no form for are escaped as in Rust.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(character.escape_unicode()),
            control if control.is_control() => escaped.extend(control.escape_unicode()),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_attribute() {
        assert_eq!(
            xml("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&apos;"
        );
        assert_eq!(xml("a\u{1}\u{ffff}\n"), "a\\u{1}\\u{ffff}\\u{a}");
    }
}
