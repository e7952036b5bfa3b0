//! Results → one JSON object a line, each with its `type` first, the summary last.

use std::io::{self, Write};

use crate::record::{Group, Outcome, Pair, Settings};
use crate::report::Report;
use crate::report::fields::{Opening, write_line};

/// The report as lines of JSON.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// A report to a writer that should be buffered.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

/// What ends every report of lines: what was left out, what failed, the summary.
pub(crate) fn write_outcome(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    for skipped in &outcome.skipped {
        write_line(out, "skipped", skipped)?;
    }
    for failure in &outcome.failures {
        write_line(out, "error", failure)?;
    }
    write_line(out, "summary", &outcome.summary)?;
    out.flush()
}

impl<W: Write + Send> Report for JsonLines<W> {
    fn settings(&mut self, settings: &Settings) -> io::Result<()> {
        write_line(&mut self.out, "settings", &Opening(settings))
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        write_line(&mut self.out, "pair", pair)
    }

    fn group(&mut self, group: &Group<'_>) -> io::Result<()> {
        write_line(&mut self.out, "group", group)
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        write_outcome(&mut self.out, outcome)
    }
}
