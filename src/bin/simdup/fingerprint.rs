//! `simdup fingerprint`: the fingerprints of files.

use simdup::report::fingerprints::{FingerprintFormat, FingerprintReport};

use crate::args::{self, FingerprintArgs};
use crate::exit::Exit;
use crate::options;
use crate::output::Output;
use crate::term::Term;

pub(crate) fn run(args: &FingerprintArgs) -> anyhow::Result<Exit> {
    let output = Output::open(args.report.output.as_deref())?;
    output.refuse(args.files.inputs())?;
    let options = options::fingerprint(args, &output)?;
    let format = match (args.format, args.report.null) {
        (args::FingerprintFormat::Jsonl, _) => FingerprintFormat::JsonLines,
        (args::FingerprintFormat::Text, true) => FingerprintFormat::Null,
        (args::FingerprintFormat::Text, false) => FingerprintFormat::Text,
    };
    let term = Term::new(&args.run);
    let mut writer = output.writer(&term);
    let mut report = FingerprintReport::new(&mut writer, format);
    let result = report
        .settings(&options.scheme.id())
        .map_err(simdup::error::Error::from)
        .and_then(|()| {
            simdup::scan::fingerprint_files(&options, &term, &mut |document| {
                report.document(document)
            })
        })
        .and_then(|outcome| {
            report.finish(&outcome)?;
            Ok(outcome)
        });
    let outcome = output.explain(result)?;
    drop(writer);
    output.commit()?;
    Ok(term.finish(&outcome, None))
}
