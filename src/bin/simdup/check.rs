//! `simdup check`: the gate. The same search as `scan`, and a verdict that the exit status tells.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use simdup::anchor::{Anchor, repository_top};
use simdup::error::Error;
use simdup::gate::baseline::{self, Baseline};
use simdup::gate::changed::{Changed, names_in_list, unquoted};
use simdup::gate::filters::Filters;
use simdup::gate::{Gate, Judgement, Rules, Update, Verdict};
use simdup::observe::{Observer, Stage};
use simdup::options::{Options, Source};
use simdup::record::{Outcome, describe_io};
use simdup::report::Content;
use simdup::report::path::Escaped;

use crate::args::{CheckArgs, GateArgs};
use crate::exit::Exit;
use crate::options::argument;
use crate::output::Output;
use crate::term::{self, Term};
use crate::{options, report};

/// Every error gives the same exit status, also a closed pipe, which ends other commands quietly.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    checked(args).unwrap_or_else(|error| fail(&error))
}

fn checked(args: &CheckArgs) -> anyhow::Result<Exit> {
    refuse_mistakes(args)?;
    let mut rules = rules(args)?;
    let output = Output::open(args.scan.report.output.as_deref())?;
    let lists = args.gate.changed_from.iter().map(PathBuf::as_path);
    output.refuse(
        args.scan
            .inputs()
            .chain(lists)
            .chain([rules.baseline_path.as_path()]),
    )?;
    let mut options = options::scan(&args.scan, &output)?;
    if let Source::Files(walk) = &mut options.source {
        walk.exclude.push(rules.baseline_path.clone());
        let roots = walk
            .roots
            .iter()
            .filter(|root| !options.references.contains(root));
        if let Some(changed) = &rules.changed {
            changed.refuse_outside(roots.map(PathBuf::as_path))?;
        }
    }
    rules.filters = Filters::of(&options, &rules.anchor);
    let term = Term::new(&args.scan.run);
    for note in &args.scan.config.found.notes {
        term.note(note);
    }

    let updates = rules.update;
    let mut writer = output.writer(&term);
    let mut report = report::make(&args.scan, &output, &mut writer, Content::Pairs)?;
    let mut gate = Gate::new(rules, Some(report.as_mut()));
    let result = scan(&options, &term, &mut gate);
    term.end_progress();
    let outcome = result.as_ref().ok();
    let mut verdict = gate.verdict(outcome);
    let notes = gate.notes(outcome);
    let mut update = updates.then(|| gate.update(outcome));
    let refusal = gate.take_refusal();
    drop(gate);
    drop(report);
    drop(writer);

    let mut exit = Exit::Done;
    match (refusal, result) {
        // The last line tells it.
        (Some(refusal), _) if update.is_some() => {
            exit = Exit::Error;
            update = Some(Err(refusal));
        }
        (Some(refusal), _) => exit = fail(&refusal.into()),
        (None, Err(error)) => exit = fail(&error.of(&output)),
        (None, Ok(outcome)) => {
            exit = exit.merge(term.finish(&outcome, Some(Content::Pairs)));
            if let Err(error) = output.commit() {
                exit = fail(&error);
            }
        }
    }
    if exit != Exit::Done {
        verdict.judgement = Judgement::Incomplete;
    }
    for note in notes {
        if !args.scan.run.quiet {
            term::error(&note);
        }
    }
    Ok(exit.merge(last_line(&verdict, update)))
}

/// Prints the line that ends every check, and gives the exit status.
fn last_line(verdict: &Verdict, update: Option<Result<Update, Error>>) -> Exit {
    let (exit, line) = match (verdict.judgement, update) {
        (Judgement::Incomplete, Some(Err(error))) => (Exit::Error, error.to_string()),
        (Judgement::Incomplete, _) => (Exit::Error, verdict.to_string()),
        (_, Some(update)) => match update.and_then(|update| {
            update.baseline.save(&update.path)?;
            Ok(update.to_string())
        }) {
            Ok(line) => (Exit::Done, line),
            Err(error) => (Exit::Error, error.to_string()),
        },
        (Judgement::Fail, None) => (Exit::Found, verdict.to_string()),
        (Judgement::Pass, None) => (Exit::Done, verdict.to_string()),
    };
    let _ = writeln!(io::stderr(), "{line}");
    exit
}

fn fail(error: &anyhow::Error) -> Exit {
    term::error(&error.to_string());
    Exit::Error
}

/// Why a scan has no outcome.
enum ScanError {
    Error(Error),
    Panic,
}

impl ScanError {
    fn of(self, output: &Output) -> anyhow::Error {
        match self {
            Self::Error(error) => match output.explain::<Outcome>(Err(error)) {
                Err(error) => error,
                Ok(_) => anyhow!("the scan failed"),
            },
            Self::Panic => anyhow!("a part of the program failed (see above); this is a bug"),
        }
    }
}

/// The scan; a panic of a worker is an error like others.
fn scan(options: &Options, term: &Term, gate: &mut Gate<'_>) -> Result<Outcome, ScanError> {
    let observer = Injecting(term);
    panic::catch_unwind(AssertUnwindSafe(|| {
        simdup::scan::scan(options, &observer, gate)
    }))
    .map_err(|_| ScanError::Panic)?
    .map_err(ScanError::Error)
}

/// The terminal; in a debug build, a worker panics if `SIMDUP_FAULT` asks for it, so that a test can
/// see what becomes of it.
struct Injecting<'a>(&'a Term);

impl Observer for Injecting<'_> {
    fn stage(&self, stage: Stage, total: Option<u64>) {
        self.0.stage(stage, total);
    }

    fn advance(&self, files: u64, bytes: u64) {
        let asked = cfg!(debug_assertions)
            && std::env::var_os("SIMDUP_FAULT").is_some_and(|fault| fault == "panic");
        assert!(!asked, "injected by SIMDUP_FAULT");
        self.0.advance(files, bytes);
    }

    fn warn(&self, path: &Path, message: &str) {
        self.0.warn(path, message);
    }

    fn note(&self, message: &str) {
        self.0.note(message);
    }
}

fn refuse_mistakes(args: &CheckArgs) -> Result<(), Error> {
    let GateArgs {
        update_baseline,
        changed_since,
        changed,
        changed_from,
        ..
    } = &args.gate;
    let search = &args.scan.search;
    if search.groups {
        return Err(argument(
            "--groups",
            "check judges pairs; for groups run `simdup scan --groups`",
        ));
    }
    if search.max_pairs.is_some() {
        return Err(argument(
            "--max-pairs",
            "check has to see all pairs; to accept some new ones use --max-new",
        ));
    }
    if args.gate.baseline.as_deref() == Some(Path::new("-")) {
        return Err(argument(
            "--baseline -",
            "a baseline is a file, not a stream; a file of this name is ./-",
        ));
    }
    let narrowed = changed_since.is_some() || !changed.is_empty() || changed_from.is_some();
    if *update_baseline && narrowed {
        return Err(argument(
            "--update-baseline",
            "a baseline holds the pairs of all files; run it without --changed*",
        ));
    }
    if *update_baseline && args.gate.max_new.is_some() {
        return Err(argument(
            "--max-new",
            "a baseline takes in all new pairs; run --update-baseline without it",
        ));
    }
    let lists = [
        changed_from,
        &args.scan.files.files_from,
        &args.scan.files.files0_from,
    ];
    let standard_inputs = lists
        .into_iter()
        .flatten()
        .chain(&search.from_fingerprints)
        .filter(|list| list.as_os_str() == "-");
    if standard_inputs.count() > 1 {
        return Err(argument("-", "standard input holds one list only"));
    }
    Ok(())
}

fn rules(args: &CheckArgs) -> anyhow::Result<Rules> {
    let gate = &args.gate;
    let working = std::env::current_dir().context("the working folder cannot be found")?;
    let baseline_path = match &gate.baseline {
        Some(path) => path.clone(),
        None => baseline::find(&working).unwrap_or_else(|| baseline::DEFAULT_NAME.into()),
    };
    let baseline = if baseline_path.symlink_metadata().is_err()
        && (gate.update_baseline || gate.baseline.is_none())
    {
        None
    } else {
        Some(Baseline::load(&baseline_path)?)
    };
    let folder = baseline_path.parent().unwrap_or(Path::new(""));
    let anchor = |folder: &Path| {
        Anchor::new(folder).map_err(|error| Error::Input {
            path: folder.to_path_buf(),
            message: format!("the folder of the file: {}", describe_io(&error).1),
            source: Some(error),
        })
    };
    let allow = match &args.scan.config.found.config {
        Some(config) => Some((anchor(config.folder())?, config.allow.clone())),
        None => None,
    };
    let anchor = anchor(folder).map_err(|error| argument("--baseline", &error.to_string()))?;
    Ok(Rules {
        changed: changed(args, &anchor)?,
        baseline_path,
        anchor,
        filters: Filters::default(),
        baseline,
        allow,
        max_new: gate.max_new.unwrap_or(0),
        update: gate.update_baseline,
    })
}

/// The files that all `--changed*` options name together; `None` without any.
fn changed(args: &CheckArgs, anchor: &Anchor) -> Result<Option<Changed>, Error> {
    let gate = &args.gate;
    let mut files = gate.changed.clone();
    for file in &files {
        if let Err(error) = file.symlink_metadata() {
            return Err(Error::Input {
                path: file.clone(),
                message: format!("--changed: {}", describe_io(&error).1),
                source: Some(error),
            });
        }
    }
    if let Some(list) = &gate.changed_from {
        let bytes = read(list)?;
        let names: Vec<PathBuf> = names_in_list(&bytes).map(meant).collect();
        if !args.scan.run.quiet {
            doubt(&names);
        }
        files.extend(names);
    }
    let mut changed = match &gate.changed_since {
        Some(revision) => Changed::since(revision)?,
        None if gate.changed.is_empty() && gate.changed_from.is_none() => return Ok(None),
        None => Changed::default(),
    };
    changed.add(anchor, files);
    Ok(Some(changed))
}

/// The name that is meant by one in a list: without git's quotes, unless a file has them in its name.
fn meant(name: &Path) -> PathBuf {
    unquoted(name)
        .filter(|_| name.symlink_metadata().is_err())
        .unwrap_or_else(|| name.to_path_buf())
}

/// Tells what makes a list look as if something had gone wrong before it got here: it is empty, none
/// of its files exists, or its names seem to be relative to the repository's top, and so would stand
/// for deleted files.
fn doubt(names: &[PathBuf]) {
    if names.is_empty() {
        term::error("--changed-from: the list is empty, so no file counts as changed for it");
    }
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    if let Some(first) = names.first()
        && !names.iter().any(|name| exists(name))
    {
        term::error(&format!(
            "--changed-from: no file of the list exists here ({} is the first), so none counts as changed but by \
             being deleted",
            Escaped(first)
        ));
    }
    let working = std::env::current_dir().unwrap_or_default();
    let Some(top) = repository_top(&working).filter(|top| *top != working) else {
        return;
    };
    let misplaced = |name: &&PathBuf| !exists(name) && exists(&top.join(name));
    if let Some(name) = names.iter().find(misplaced) {
        term::error(&format!(
            "--changed-from: {} does not exist here, but below the repository's top; names are relative to the \
             working folder (git diff --relative gives such names), those of other files count as deleted",
            Escaped(name)
        ));
    }
}

fn read(list: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = if list.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        fs::File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Error::Input {
            path: list.to_path_buf(),
            message: format!("--changed-from: {}", describe_io(&error).1),
            source: Some(error),
        }),
    }
}
