//! `simdup scan`: the near-duplicates among files.

use simdup::observe::Observer as _;
use simdup::report::Content;

use crate::args::ScanArgs;
use crate::exit::Exit;
use crate::output::Output;
use crate::term::Term;
use crate::{options, report};

pub(crate) fn run(args: &ScanArgs) -> anyhow::Result<Exit> {
    let output = Output::open(args.report.output.as_deref())?;
    output.refuse(args.inputs())?;
    let options = options::scan(args, &output)?;
    let content = match options.groups {
        Some(_) => Content::Groups,
        None => Content::Pairs,
    };
    let term = Term::new(&args.run);
    for note in &args.config.found.notes {
        term.note(note);
    }
    let mut writer = output.writer(&term);
    let mut report = report::make(args, &output, &mut writer, content)?;
    let result = simdup::scan::scan(&options, &term, report.as_mut());
    drop(report);
    let outcome = output.explain(result)?;
    drop(writer);
    output.commit()?;
    Ok(term.finish(&outcome, Some(content)))
}
