//! Pairs → a verdict: which pairs are new, and may the change pass?
//!
//! [`Gate`] stands between the scan and a report. It gives every pair its
//! [`Status`]: `allowed` if an allowance covers it, else `known` if the
//! baseline holds it, else `new`. With a set of changed files, pairs that touch none of them are
//! not judged and not reported.
//!
//! # Invariant
//!
//! [`Judgement::Pass`] needs proof: the report was opened and finished, no file failed, nothing was cut
//! off, and the gate saw exactly the pairs that the scan counted. Whatever else happens (an error, a
//! worker that dies, a call that never comes) is [`Judgement::Incomplete`].

pub mod allow;
pub mod baseline;
pub mod changed;
mod components;
pub mod filters;
mod verdict;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::anchor::{Anchor, as_path};
use crate::error::Error;
use crate::record::{File, Group, Kind, Outcome, Pair, Settings, Status, Summary};
use crate::report::Report;
use crate::report::path::{Escaped, escape};

use allow::Allowance;
use baseline::{Baseline, Basis, PairName};
use changed::Changed;
use components::Components;
use filters::Filters;

pub use verdict::{Counts, Judgement, Update, Verdict};

/// Names listed in one note before it says "and N more".
const LISTED: usize = 10;

/// New pairs that are remembered in order to tell a rename from a new copy.
const REMEMBERED: usize = 1000;

/// What the gate judges by.
#[derive(Debug)]
pub struct Rules {
    /// The baseline's file; it need not exist.
    pub baseline_path: PathBuf,
    /// Names relative to the baseline's folder.
    pub anchor: Anchor,
    /// The settings of this run that decide which files are compared.
    pub filters: Filters,
    /// The known pairs, if there is a baseline.
    pub baseline: Option<Baseline>,
    /// The allowances, and names relative to the folder of the file that they stand in.
    pub allow: Option<(Anchor, Vec<Allowance>)>,
    /// Judge only pairs that touch these files.
    pub changed: Option<Changed>,
    /// The change may pass with so many new pairs.
    pub max_new: u64,
    /// A new baseline is to be made of this run.
    pub update: bool,
}

/// Judges pairs on their way to a report. See the module's text.
pub struct Gate<'a> {
    rules: Rules,
    inner: Option<&'a mut dyn Report>,
    counts: Counts,
    exact_judged: u64,
    groups_judged: Components,
    /// Pairs of the baseline that have not come by.
    unseen: BTreeSet<PairName>,
    /// New pairs: all of them for an update, else the first ones.
    new: BTreeSet<PairName>,
    /// Known pairs that came by and are not allowed.
    kept: BTreeSet<PairName>,
    allowance_used: Vec<bool>,
    basis: Option<Basis>,
    roots: BTreeSet<Vec<u8>>,
    /// Files that took part in the search.
    compared: u64,
    refusal: Option<Error>,
    finished: bool,
}

impl fmt::Debug for Gate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("rules", &self.rules)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<'a> Gate<'a> {
    /// A gate before `inner`; without one, pairs are only judged.
    pub fn new(rules: Rules, inner: Option<&'a mut dyn Report>) -> Self {
        let unseen = rules
            .baseline
            .as_ref()
            .map(|baseline| baseline.pairs.clone())
            .unwrap_or_default();
        let allowances = rules.allow.as_ref().map_or(0, |(_, list)| list.len());
        Self {
            unseen,
            allowance_used: vec![false; allowances],
            rules,
            inner,
            counts: Counts::default(),
            exact_judged: 0,
            groups_judged: Components::default(),
            new: BTreeSet::new(),
            kept: BTreeSet::new(),
            basis: None,
            roots: BTreeSet::new(),
            compared: 0,
            refusal: None,
            finished: false,
        }
    }

    /// The verdict. `outcome` is what the scan returned; `None` if it returned an error.
    pub fn verdict(&self, outcome: Option<&Outcome>) -> Verdict {
        Verdict {
            judgement: Judgement::of(
                self.is_complete(outcome),
                self.counts.new,
                self.rules.max_new,
            ),
            counts: self.counts,
            max_new: self.rules.max_new,
            narrowed: self.rules.changed.is_some(),
            nothing_compared: outcome
                .filter(|_| self.compared == 0)
                .map(|outcome| why_nothing(&outcome.summary)),
        }
    }

    /// Why the gate stopped the scan, if it did: the scan then returned an error that says less.
    pub fn take_refusal(&mut self) -> Option<Error> {
        self.refusal.take()
    }

    /// The baseline of this run.
    ///
    /// # Errors
    /// [`Error::Argument`] if the scan was incomplete or narrowed.
    pub fn update(&self, outcome: Option<&Outcome>) -> Result<Update, Error> {
        if self.rules.changed.is_some() {
            return Err(narrowed_update("changed files only", "without --changed*"));
        }
        let (true, Some(basis)) = (self.is_complete(outcome), &self.basis) else {
            return Err(update_error(
                "the scan was incomplete, so the baseline was left as it is; put the errors above right and run it again",
            ));
        };
        let pairs: BTreeSet<PairName> = self.new.union(&self.kept).cloned().collect();
        let none = BTreeSet::new();
        let old = self.rules.baseline.as_ref().map_or(&none, |old| &old.pairs);
        Ok(Update {
            added: pairs.difference(old).count(),
            removed: old.difference(&pairs).count(),
            baseline: Baseline {
                basis: basis.clone(),
                filters: self.rules.filters.clone(),
                roots: self.roots.clone(),
                pairs,
            },
            path: self.rules.baseline_path.clone(),
        })
    }

    /// What a user should know beside the verdict: known pairs that are gone, new pairs that look
    /// like renames, allowances that match nothing. Empty unless the scan was complete.
    pub fn notes(&self, outcome: Option<&Outcome>) -> Vec<String> {
        if !self.is_complete(outcome) {
            return Vec::new();
        }
        let mut notes = self.uncompared(outcome);
        if self.compared == 0
            && let Some(outcome) = outcome
        {
            notes.push(format!(
                "nothing was compared, so there was nothing to judge ({}); if that is not meant, look at the paths, \
                 the ignore files, and what --glob and simdup.toml say; `simdup scan --format json` names what was \
                 left out",
                why_nothing(&outcome.summary)
            ));
        }
        if self.compared > 0
            && let Some(outcome) = outcome
            && outcome.summary.fingerprinted == 0
            && outcome.summary.skipped_total() > 0
        {
            notes.push(format!(
                "no text was compared, and files only byte for byte ({}); if they are texts, look at --encoding",
                why_nothing(&outcome.summary)
            ));
        }
        let gone: Vec<&PairName> = self.gone().collect();
        if !self.rules.update && !gone.is_empty() {
            notes.push(format!(
                "{} gone; run `simdup check --update-baseline` to forget {}",
                if gone.len() == 1 {
                    "1 known pair is".to_string()
                } else {
                    format!("{} known pairs are", gone.len())
                },
                if gone.len() == 1 { "it" } else { "them" },
            ));
            list(&mut notes, gone.iter().map(|pair| shown(pair)));
            let renames: Vec<String> = self.renames(&gone);
            if !renames.is_empty() {
                notes.push(
                    "new pairs that a rename explains; if so, run `simdup check --update-baseline`"
                        .to_string(),
                );
                list(&mut notes, renames.into_iter());
            }
        }
        if let Some((_, allowances)) = &self.rules.allow {
            for (allowance, used) in allowances.iter().zip(&self.allowance_used) {
                if !used {
                    notes.push(format!(
                        "the allowance in line {} matches no pair: {} ({})",
                        allowance.line,
                        allowance.describe(),
                        allowance.reason
                    ));
                }
            }
        }
        notes
    }

    fn is_complete(&self, outcome: Option<&Outcome>) -> bool {
        let Some(outcome) = outcome else { return false };
        let summary = &outcome.summary;
        let counts = &self.counts;
        let seen = counts.new + counts.known + counts.allowed + counts.unjudged;
        self.finished
            && self.refusal.is_none()
            && self.basis.is_some()
            && outcome.failures.is_empty()
            && summary.failed == 0
            && summary.errors == 0
            && !summary.truncated
            && summary.pairs == seen
    }

    /// Known pairs that lie within what was scanned and did not come by.
    fn gone(&self) -> impl Iterator<Item = &PairName> {
        self.unseen.iter().filter(|pair| {
            [&pair.a, &pair.b]
                .into_iter()
                .all(|name| self.roots.iter().any(|root| baseline::covers(root, name)))
        })
    }

    /// Changed files that somebody named and that took no part in the search: none of their pairs
    /// was judged. Files that do not exist were deleted by the change, and the baseline is no document.
    fn uncompared(&self, outcome: Option<&Outcome>) -> Vec<String> {
        let (Some(changed), Some(outcome)) = (&self.rules.changed, outcome) else {
            return Vec::new();
        };
        let anchor = &self.rules.anchor;
        let baseline = anchor.absolute(&self.rules.baseline_path);
        let reason = |path: &Path| {
            let name = anchor.name(path);
            let mut skipped = outcome.skipped.iter();
            if path.is_dir() {
                "no file below it was compared".to_string()
            } else if let Some(skip) = skipped.find(|skip| anchor.absolute(&skip.path) == path) {
                skip.reason.as_str().replace('_', " ")
            } else if !self.roots.iter().any(|root| baseline::covers(root, &name)) {
                "outside the paths of this check".to_string()
            } else {
                "left out by an ignore rule, a hidden name, --glob or --max-depth".to_string()
            }
        };
        let left_out: Vec<String> = changed
            .uncompared()
            .filter(|path| **path != baseline && path.symlink_metadata().is_ok())
            .map(|path| format!("{}: {}", escape(&anchor.name(path)), reason(path)))
            .collect();
        let mut notes = Vec::new();
        if !left_out.is_empty() {
            notes.push(format!(
                "{} named as changed but not compared, so not judged either:",
                match left_out.len() {
                    1 => "1 file is".to_string(),
                    count => format!("{count} files are"),
                }
            ));
            list(&mut notes, left_out.into_iter());
        }
        notes
    }

    /// New pairs that share a document with a gone pair whose other document no longer exists.
    fn renames(&self, gone: &[&PairName]) -> Vec<String> {
        let exists = |name: &[u8]| {
            let path = self.rules.anchor.folder().join(as_path(name));
            path.symlink_metadata().is_ok()
        };
        let mut found = Vec::new();
        for pair in gone {
            let (lost, stayed) = match (exists(&pair.a), exists(&pair.b)) {
                (false, true) => (&pair.a, &pair.b),
                (true, false) => (&pair.b, &pair.a),
                _ => continue,
            };
            for new in &self.new {
                let other = match (new.a == *stayed, new.b == *stayed) {
                    (true, _) => &new.b,
                    (_, true) => &new.a,
                    _ => continue,
                };
                found.push(format!(
                    "{} (was {} in the pair with {})",
                    escape(other),
                    escape(lost),
                    escape(stayed)
                ));
            }
        }
        found
    }

    fn judge(&mut self, pair: &Pair<'_>) -> Option<Status> {
        if let Some(changed) = &mut self.rules.changed
            && !changed.touches(&self.rules.anchor, pair.a)
            && !changed.touches(&self.rules.anchor, pair.b)
        {
            let name = self.name(pair.a, pair.b);
            self.unseen.remove(&name);
            self.use_allowances(pair);
            self.counts.unjudged += 1;
            return None;
        }
        let name = self.name(pair.a, pair.b);
        let known = self
            .rules
            .baseline
            .as_ref()
            .is_some_and(|baseline| baseline.pairs.contains(&name));
        if known {
            self.unseen.remove(&name);
        }
        Some(if self.use_allowances(pair) {
            self.counts.allowed += 1;
            Status::Allowed
        } else if known {
            self.counts.known += 1;
            if self.rules.update {
                self.kept.insert(name);
            }
            Status::Known
        } else {
            self.counts.new += 1;
            if self.rules.update || self.new.len() < REMEMBERED {
                self.new.insert(name);
            }
            Status::New
        })
    }

    fn name(&self, a: File<'_>, b: File<'_>) -> PairName {
        let anchor = &self.rules.anchor;
        PairName::new(anchor.name(a.path), anchor.name(b.path))
    }

    /// Marks every allowance that covers the pair; says whether there is one.
    fn use_allowances(&mut self, pair: &Pair<'_>) -> bool {
        let Some((anchor, allowances)) = &self.rules.allow else {
            return false;
        };
        let name = PairName::new(anchor.name(pair.a.path), anchor.name(pair.b.path));
        let mut covered = false;
        for (allowance, used) in allowances.iter().zip(&mut self.allowance_used) {
            if allowance.covers(&name) {
                *used = true;
                covered = true;
            }
        }
        covered
    }

    /// Why this run cannot be judged by, or written over, the baseline.
    fn refuse(&self, basis: &Basis) -> Option<Error> {
        let baseline = self.rules.baseline.as_ref()?;
        let path = Escaped(&self.rules.baseline_path);
        let filters = baseline.filters.difference(&self.rules.filters);
        if self.rules.update {
            if let Some(difference) = filters {
                return Some(update_error(&format!(
                    "the baseline {path} was {difference}, so known pairs could be lost; run it with the same settings, or delete the baseline first to begin anew"
                )));
            }
            let uncovered = baseline.uncovered(&self.roots);
            if uncovered.is_empty() {
                return None;
            }
            let uncovered: Vec<String> = uncovered
                .into_iter()
                .map(|name| escape(name).into_owned())
                .collect();
            return Some(narrowed_update(
                &format!(
                    "less than the baseline {path} covers ({} from its folder is missing)",
                    uncovered.join(", ")
                ),
                "with all its roots, or delete it first to begin anew,",
            ));
        }
        let (difference, anew) = match (baseline.basis.difference(basis), filters) {
            (Some(difference), None) => (difference, "make the baseline anew"),
            (Some(difference), Some(_)) | (None, Some(difference)) => {
                (difference, "delete the baseline and begin anew")
            }
            (None, None) => return None,
        };
        Some(Error::Input {
            path: self.rules.baseline_path.clone(),
            message: format!(
                "this baseline was {difference}\ntry: check with the same settings, or {anew} with --update-baseline"
            ),
            source: None,
        })
    }

    fn forward(&mut self, call: impl FnOnce(&mut dyn Report) -> io::Result<()>) -> io::Result<()> {
        let Some(inner) = &mut self.inner else {
            return Ok(());
        };
        match call(*inner) {
            // Nobody reads the report any more, but the verdict is still wanted.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.inner = None;
                Ok(())
            }
            other => other,
        }
    }
}

impl Report for Gate<'_> {
    fn settings(&mut self, settings: &Settings) -> io::Result<()> {
        let anchor = &self.rules.anchor;
        self.roots = settings
            .roots
            .iter()
            .map(|root| anchor.name(root))
            .collect();
        let basis = Basis::of(settings);
        if let Some(refusal) = self.refuse(&basis) {
            let message = refusal.to_string();
            self.refusal = Some(refusal);
            return Err(io::Error::other(message));
        }
        self.basis = Some(basis);
        self.forward(|inner| inner.settings(settings))
    }

    fn files(&mut self, files: &mut dyn Iterator<Item = File<'_>>) -> io::Result<()> {
        let compared = &mut self.compared;
        let mut files = files.inspect(|_| *compared += 1);
        if let Some(changed) = &mut self.rules.changed {
            changed.see(&self.rules.anchor, &mut files);
        }
        files.for_each(drop);
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        let Some(status) = self.judge(pair) else {
            return Ok(());
        };
        if self.rules.changed.is_some() {
            self.exact_judged += u64::from(pair.kind == Kind::Exact);
            self.groups_judged.join(pair.a, pair.b);
        }
        let judged = Pair {
            status: Some(status),
            ..*pair
        };
        self.forward(|inner| inner.pair(&judged))
    }

    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        Err(io::Error::other("the gate judges pairs, not groups"))
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.finished = true;
        if self.rules.changed.is_none() {
            return self.forward(|inner| inner.finish(outcome));
        }
        // The totals of a report are those of the pairs that it lists.
        let mut outcome = outcome.clone();
        outcome.summary.pairs -= self.counts.unjudged.min(outcome.summary.pairs);
        outcome.summary.exact_pairs = self.exact_judged;
        outcome.summary.groups = self.groups_judged.count();
        self.forward(|inner| inner.finish(&outcome))
    }
}

fn update_error(message: &str) -> Error {
    Error::Argument {
        argument: "--update-baseline".into(),
        message: message.to_string(),
    }
}

fn narrowed_update(scope: &str, remedy: &str) -> Error {
    update_error(&format!(
        "this run looks at {scope}, so known pairs elsewhere would be lost; run it {remedy} from the same folder"
    ))
}

/// What became of the files where none took part in the search.
fn why_nothing(summary: &Summary) -> String {
    match summary.left_out() {
        none if none.is_empty() => "no file was met".to_string(),
        some => format!("left out: {}", some.join(", ")),
    }
}

fn shown(pair: &PairName) -> String {
    format!("{} and {}", escape(&pair.a), escape(&pair.b))
}

fn list(notes: &mut Vec<String>, mut items: impl ExactSizeIterator<Item = String>) {
    let more = items.len().saturating_sub(LISTED);
    notes.extend(items.by_ref().take(LISTED).map(|item| format!("  {item}")));
    if more > 0 {
        notes.push(format!("  and {more} more"));
    }
}

#[cfg(test)]
mod tests;
