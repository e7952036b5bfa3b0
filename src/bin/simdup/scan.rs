//! `simdup scan`: the near-duplicates among files.

use anstream::{AutoStream, ColorChoice};
use simdup::report::json::Json;
use simdup::report::jsonl::JsonLines;
use simdup::report::text::{Text, TextStyle};
use simdup::report::{Content, Report};

use crate::args::{Format, ScanArgs, When};
use crate::exit::Exit;
use crate::options;
use crate::output::Output;
use crate::term::Term;

pub(crate) fn run(args: &ScanArgs) -> anyhow::Result<Exit> {
    let output = Output::open(args.report.output.as_deref())?;
    let options = options::scan(args, &output)?;
    let content = match options.groups {
        Some(_) => Content::Groups,
        None => Content::Pairs,
    };
    let term = Term::new(&args.run);
    let mut writer = output.writer(&term);
    let mut report: Box<dyn Report> = match args.format {
        Format::Text => Box::new(Text::new(&mut writer, text_style(args, &output))),
        Format::Json => Box::new(Json::new(&mut writer, content)),
        Format::Jsonl => Box::new(JsonLines::new(&mut writer)),
    };
    let result = simdup::scan::scan(&options, &term, report.as_mut());
    drop(report);
    let outcome = output.explain(result)?;
    drop(writer);
    output.commit()?;
    Ok(term.finish(&outcome, Some(content)))
}

fn text_style(args: &ScanArgs, output: &Output) -> TextStyle {
    let coloured = match args.run.color {
        When::Always => true,
        When::Never => false,
        When::Auto => AutoStream::choice(output.file()) != ColorChoice::Never,
    };
    match (args.report.null, coloured) {
        (true, _) => TextStyle::Null,
        (false, true) => TextStyle::Coloured,
        (false, false) => TextStyle::Plain,
    }
}
