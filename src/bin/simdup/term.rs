//! What a person sees on standard error: progress, warnings, errors, the summary.
//!
//! Nothing here ever fails a run: a standard error that cannot be written is not a fault of the
//! files. Progress is drawn on a terminal only; asked for elsewhere, it comes in plain lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use indicatif::{HumanBytes, ProgressBar, ProgressState, ProgressStyle};
use simdup::observe::{Observer, Stage};
use simdup::record::{Failure, Outcome, Summary};
use simdup::report::Content;
use simdup::report::path::{Escaped, escape};

use crate::args::{RunArgs, When};
use crate::exit::Exit;

/// So many messages of one kind are shown; the others are counted.
const SHOWN: u64 = 10;

/// Files between two lines of progress where there is no terminal.
const LINE_EVERY: u64 = 10_000;

/// Prints an error.
pub(crate) fn error(message: &str) {
    let _ = writeln!(io::stderr(), "simdup: {message}");
}

/// Prints the error that ended the run, and tells the exit status. A closed pipe is no error:
/// whoever read the report has seen enough of it.
pub(crate) fn explain(failure: &anyhow::Error) -> Exit {
    let closed = failure.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    });
    if closed {
        return Exit::Done;
    }
    error(&failure.to_string());
    Exit::Error
}

/// Whether the terminal says that it knows no control sequences. anstream overlooks that where
/// `CI` is set.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether what goes to `file` is to be coloured.
pub(crate) fn colours(when: When, file: &File) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => !is_dumb() && AutoStream::choice(file) != ColorChoice::Never,
    }
}

/// The terminal side of a run.
pub(crate) struct Term {
    quiet: bool,
    verbose: bool,
    progress: Progress,
    /// The stage that the run is in.
    stage: Mutex<Option<Stage>>,
    /// Warnings by their message, with their number.
    warnings: Mutex<BTreeMap<String, u64>>,
}

/// How progress is shown.
enum Progress {
    Hidden,
    Lines(Arc<Counters>),
    Bar(ProgressBar, Arc<Counters>),
}

/// What has been done in the current stage.
#[derive(Default)]
struct Counters {
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Term {
    pub(crate) fn new(args: &RunArgs) -> Self {
        let draws = io::stderr().is_terminal() && !is_dumb();
        let counters = Arc::new(Counters::default());
        let progress = match args.progress {
            When::Never => Progress::Hidden,
            When::Auto if !draws || args.quiet => Progress::Hidden,
            _ if draws => Progress::Bar(ProgressBar::new_spinner(), counters),
            _ => Progress::Lines(counters),
        };
        if let Progress::Bar(bar, _) = &progress {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self {
            quiet: args.quiet,
            verbose: args.verbose,
            progress,
            stage: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Takes the progress off the screen, for good.
    pub(crate) fn end_progress(&self) {
        if let Progress::Bar(bar, _) = &self.progress {
            bar.finish_and_clear();
        }
    }

    /// Notes the stage; false if the run is in it already.
    fn enters(&self, stage: Stage) -> bool {
        let mut current = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        current.replace(stage) != Some(stage)
    }

    /// Prints a line without disturbing the progress.
    fn line(&self, message: &str) {
        match &self.progress {
            Progress::Bar(bar, _) => bar.suspend(|| error(message)),
            _ => error(message),
        }
    }

    /// Tells what failed, then the summary, and gives the exit status.
    pub(crate) fn finish(&self, outcome: &Outcome, content: Option<Content>) -> Exit {
        self.end_progress();
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for (message, count) in warnings.iter() {
            if !self.quiet && !self.verbose && *count > SHOWN {
                error(&format!("{message}: {} more like this", count - SHOWN));
            }
        }
        failures(
            &outcome.failures,
            if self.verbose { u64::MAX } else { SHOWN },
        );
        if !self.quiet {
            summary(&outcome.summary, content);
        }
        if outcome.failures.is_empty() {
            Exit::Done
        } else {
            Exit::Error
        }
    }
}

/// Prints the failures, of each kind the first `shown`.
fn failures(failures: &[Failure], shown: u64) {
    let mut counts = BTreeMap::new();
    for failure in failures {
        let count: &mut u64 = counts.entry(&*failure.message).or_default();
        *count += 1;
        if *count <= shown {
            error(&format!(
                "{}: {}",
                Escaped(&failure.path),
                escape(failure.message.as_bytes())
            ));
        }
    }
    for (message, count) in counts {
        if count > shown {
            error(&format!(
                "{message}: {} more; -v and --format json name all",
                count - shown
            ));
        }
    }
}

/// Prints the summary; `content` is what was searched for, if anything was.
fn summary(summary: &Summary, content: Option<Content>) {
    let mut text = format!(
        "{}, {}",
        count(summary.files, "file"),
        count(summary.bytes, "byte")
    );
    match content {
        Some(Content::Pairs) if summary.pairs > 0 => {
            let _ = write!(text, ", {}", count(summary.pairs, "pair"));
            if summary.exact_pairs > 0 {
                let _ = write!(text, " ({} exact)", summary.exact_pairs);
            }
            let _ = write!(text, ", {}", count(summary.groups, "group"));
        }
        Some(Content::Pairs) => text.push_str(", no pairs"),
        Some(Content::Groups) if summary.groups > 0 => {
            let _ = write!(text, ", {}", count(summary.groups, "group"));
        }
        Some(Content::Groups) => text.push_str(", no groups"),
        None => {
            let _ = write!(text, ", {}", count(summary.fingerprinted, "fingerprint"));
        }
    }
    error(&text);
    let skipped = summary.left_out();
    if !skipped.is_empty() {
        error(&format!("left out: {}", skipped.join(", ")));
    }
    if summary.truncated {
        error("the report is truncated: --max-pairs left out further pairs");
    }
    if summary.errors > 0 {
        error(&count(summary.errors, "error"));
    }
}

/// `1 file`, `2 files`.
fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl Observer for Term {
    fn stage(&self, stage: Stage, total: Option<u64>) {
        // A further batch of the same stage: what is done goes on growing.
        if !self.enters(stage) {
            return;
        }
        let name = match stage {
            Stage::Read => "reading",
            Stage::Search => "searching",
            Stage::Verify => "verifying",
            Stage::Report => "reporting",
        };
        match &self.progress {
            Progress::Hidden => {}
            Progress::Lines(counters) => {
                counters.reset();
                error(name);
            }
            Progress::Bar(bar, counters) => {
                counters.reset();
                // Verification comes in batches, whose number nobody knows beforehand.
                let total = total.filter(|_| stage == Stage::Report);
                bar.set_style(style(total, Arc::clone(counters)));
                bar.set_message(name);
                bar.set_length(total.unwrap_or(0));
                bar.set_position(0);
            }
        }
    }

    fn advance(&self, files: u64, bytes: u64) {
        match &self.progress {
            Progress::Hidden => {}
            Progress::Lines(counters) => {
                let before = counters.add(files, bytes);
                if before / LINE_EVERY != (before + files) / LINE_EVERY {
                    error(&counters.describe());
                }
            }
            Progress::Bar(bar, counters) => {
                counters.add(files, bytes);
                bar.inc(files);
            }
        }
    }

    fn warn(&self, path: &Path, message: &str) {
        if self.quiet {
            return;
        }
        let shown = {
            let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            let count = warnings.entry(message.to_string()).or_default();
            *count += 1;
            *count <= SHOWN || self.verbose
        };
        if shown {
            self.line(&format!("{}: {message}", Escaped(path)));
        }
    }

    fn note(&self, message: &str) {
        if self.verbose {
            self.line(message);
        }
    }
}

impl Counters {
    fn reset(&self) {
        self.files.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Adds, and tells how many files there were before.
    fn add(&self, files: u64, bytes: u64) -> u64 {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.files.fetch_add(files, Ordering::Relaxed)
    }

    fn describe(&self) -> String {
        let files = self.files.load(Ordering::Relaxed);
        match self.bytes.load(Ordering::Relaxed) {
            0 => format!("{files} done"),
            bytes => format!("{}, {}", count(files, "file"), HumanBytes(bytes)),
        }
    }
}

/// The look of a stage: a bar where the end is known, else a spinner with what was done.
fn style(total: Option<u64>, counters: Arc<Counters>) -> ProgressStyle {
    let template = match total {
        None => "{spinner} {msg}: {done}",
        Some(_) => "{spinner} {msg} {bar:30} {percent}%",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key(
            "done",
            move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&counters.describe());
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_in_batches_is_one_stage_and_its_progress_only_grows() {
        let (bar, counters) = (ProgressBar::hidden(), Arc::new(Counters::default()));
        let term = Term {
            quiet: false,
            verbose: false,
            progress: Progress::Bar(bar.clone(), Arc::clone(&counters)),
            stage: Mutex::default(),
            warnings: Mutex::default(),
        };
        term.stage(Stage::Search, None);
        for batch in 1..=3 {
            term.stage(Stage::Verify, Some(10));
            assert_eq!(bar.message(), "verifying");
            term.advance(10, 0);
            assert_eq!(bar.position(), batch * 10);
            assert_eq!(counters.describe(), format!("{} done", batch * 10));
        }
        term.stage(Stage::Report, Some(7));
        assert_eq!((bar.position(), bar.length()), (0, Some(7)));
        assert_eq!(counters.describe(), "0 done");
        assert!(term.enters(Stage::Verify), "another stage");
        assert!(!term.enters(Stage::Verify), "the same");
    }
}
