//! The format that was asked for → a report.

use std::io::Write;

use anyhow::Context as _;
use simdup::anchor::Anchor;
use simdup::report::csv::Csv;
use simdup::report::github::Github;
use simdup::report::gitlab::Gitlab;
use simdup::report::json::Json;
use simdup::report::jsonl::JsonLines;
use simdup::report::junit::Junit;
use simdup::report::markdown::Markdown;
use simdup::report::sarif::Sarif;
use simdup::report::text::{Text, TextStyle};
use simdup::report::{Content, Report};

use crate::args::{Format, ScanArgs};
use crate::output::Output;
use crate::term::colours;

/// A report to a writer of `output`.
pub(crate) fn make<'a>(
    args: &ScanArgs,
    output: &Output,
    writer: impl Write + Send + 'a,
    content: Content,
) -> anyhow::Result<Box<dyn Report + 'a>> {
    let anchor = || Anchor::repository().context("the working folder cannot be found");
    Ok(match args.format {
        Format::Text => Box::new(Text::new(writer, text_style(args, output))),
        Format::Json => Box::new(Json::new(writer, content)),
        Format::Jsonl => Box::new(JsonLines::new(writer)),
        Format::Csv => Box::new(Csv::new(writer, content)),
        Format::Markdown => Box::new(Markdown::new(writer, content)),
        Format::Sarif => Box::new(Sarif::new(writer, anchor()?)),
        Format::Github => Box::new(Github::new(writer, anchor()?)),
        Format::Gitlab => Box::new(Gitlab::new(writer, anchor()?)),
        Format::Junit => Box::new(Junit::new(writer, anchor()?)),
    })
}

fn text_style(args: &ScanArgs, output: &Output) -> TextStyle {
    match (args.report.null, colours(args.run.color, output.file())) {
        (true, _) => TextStyle::Null,
        (false, true) => TextStyle::Coloured,
        (false, false) => TextStyle::Plain,
    }
}
