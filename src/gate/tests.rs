use super::*;
use crate::record::{Failure, Summary};
use std::path::Path;

/// Remembers what it was told, or fails as asked.
#[derive(Default)]
struct Told {
    lines: Vec<String>,
    fail: Option<io::ErrorKind>,
}

impl Told {
    fn hear(&mut self, line: String) -> io::Result<()> {
        if let Some(kind) = self.fail {
            return Err(kind.into());
        }
        self.lines.push(line);
        Ok(())
    }
}

impl Report for Told {
    fn settings(&mut self, settings: &Settings) -> io::Result<()> {
        self.hear(format!("settings {}", settings.scheme))
    }
    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        let status = pair.status.map_or("none", Status::as_str);
        let (a, b) = (pair.a.path.display(), pair.b.path.display());
        self.hear(format!("{a} {b} {status}"))
    }
    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        self.hear("group".into())
    }
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let summary = &outcome.summary;
        self.hear(format!(
            "finish {} {} {}",
            summary.pairs, summary.exact_pairs, summary.groups
        ))
    }
}

fn settings(roots: &[&str]) -> Settings {
    Settings {
        distance: Some(3),
        similarity: None,
        candidate_distance: 3,
        scheme: "words/1".into(),
        roots: roots.iter().map(PathBuf::from).collect(),
    }
}

fn names(pairs: &[(&str, &str)]) -> BTreeSet<PairName> {
    pairs
        .iter()
        .map(|(a, b)| PairName::new((*a).into(), (*b).into()))
        .collect()
}

fn baseline(pairs: &[(&str, &str)]) -> Baseline {
    Baseline {
        basis: Basis::of(&settings(&["."])),
        filters: Filters::default(),
        roots: [b".".to_vec()].into(),
        pairs: names(pairs),
    }
}

fn rules(baseline: Option<Baseline>) -> Rules {
    Rules {
        baseline_path: "simdup-baseline.json".into(),
        anchor: Anchor::fixed("/nowhere/at/all", "/nowhere/at/all"),
        filters: Filters::default(),
        baseline,
        allow: None,
        changed: None,
        max_new: 0,
        update: false,
    }
}

fn allow(rules: &mut Rules, globs: &[(&str, &str)]) {
    let list = globs
        .iter()
        .enumerate()
        .map(|(i, (a, b))| Allowance::new(a, b, "why not".into(), i + 1).unwrap())
        .collect();
    rules.allow = Some((rules.anchor.clone(), list));
}

fn file(name: &str) -> File<'_> {
    File {
        path: Path::new(name),
        links: &[],
    }
}

fn outcome(pairs: usize) -> Outcome {
    Outcome {
        summary: Summary {
            pairs: pairs as u64,
            ..Summary::default()
        },
        ..Outcome::default()
    }
}

/// Plays a scan over the gate, as `scan` would.
fn play(gate: &mut Gate<'_>, roots: &[&str], pairs: &[(&str, &str)]) -> io::Result<Outcome> {
    gate.settings(&settings(roots))?;
    gate.files(&mut [file("a"), file("b")].into_iter())?;
    for (a, b) in pairs {
        gate.pair(&Pair {
            a: file(a),
            b: file(b),
            kind: Kind::Exact,
            distance: 0,
            similarity: None,
            containment: None,
            known: None,
            status: None,
        })?;
    }
    let outcome = outcome(pairs.len());
    gate.finish(&outcome)?;
    Ok(outcome)
}

fn verdict(rules: Rules, pairs: &[(&str, &str)]) -> Verdict {
    let mut gate = Gate::new(rules, None);
    let outcome = play(&mut gate, &["."], pairs).unwrap();
    gate.verdict(Some(&outcome))
}

#[test]
fn every_combination_has_its_verdict() {
    let found = [("a", "b"), ("c", "d"), ("e", "f")];
    for findings in 0..=3usize {
        for known in [None, Some(0), Some(1), Some(3)] {
            for max_new in [0u64, 1, 3] {
                for errors in [false, true] {
                    for changed in [None, Some("a"), Some("z")] {
                        let mut rules = rules(known.map(|known| baseline(&found[..known])));
                        rules.max_new = max_new;
                        rules.changed = changed.map(|name| Changed::files(&rules.anchor, [name]));
                        let mut gate = Gate::new(rules, None);
                        let mut outcome = play(&mut gate, &["."], &found[..findings]).unwrap();
                        if errors {
                            outcome.summary.errors = 1;
                        }
                        let verdict = gate.verdict(Some(&outcome));

                        let judged = match changed {
                            None => findings,
                            Some("a") => findings.min(1),
                            Some(_) => 0,
                        };
                        let new = judged.saturating_sub(known.unwrap_or(0)) as u64;
                        let expected = if errors {
                            Judgement::Incomplete
                        } else if new > max_new {
                            Judgement::Fail
                        } else {
                            Judgement::Pass
                        };
                        let case = (findings, known, max_new, errors, changed);
                        assert_eq!(verdict.judgement, expected, "{case:?}");
                        assert_eq!(verdict.counts.new, new, "{case:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn nothing_but_a_whole_run_passes() {
    let judged = |change: fn(&mut Outcome)| {
        let mut gate = Gate::new(rules(None), None);
        let mut outcome = play(&mut gate, &["."], &[]).unwrap();
        change(&mut outcome);
        gate.verdict(Some(&outcome)).judgement
    };
    assert_eq!(judged(|_| ()), Judgement::Pass);
    assert_eq!(judged(|o| o.summary.failed = 1), Judgement::Incomplete);
    assert_eq!(judged(|o| o.summary.errors = 1), Judgement::Incomplete);
    assert_eq!(
        judged(|o| o.summary.truncated = true),
        Judgement::Incomplete
    );
    assert_eq!(judged(|o| o.summary.pairs = 1), Judgement::Incomplete);
    let failure = |o: &mut Outcome| {
        let gone = io::ErrorKind::NotFound.into();
        o.failures
            .push(Failure::from_io(Path::new("x"), &gone, true));
    };
    assert_eq!(judged(failure), Judgement::Incomplete);

    let untouched = Gate::new(rules(None), None);
    let no_call = untouched.verdict(Some(&outcome(0))).judgement;
    assert_eq!(no_call, Judgement::Incomplete);
    let mut unfinished = Gate::new(rules(None), None);
    unfinished.settings(&settings(&["."])).unwrap();
    let no_end = unfinished.verdict(Some(&outcome(0))).judgement;
    assert_eq!(no_end, Judgement::Incomplete);
    let mut failed = Gate::new(rules(None), None);
    play(&mut failed, &["."], &[]).unwrap();
    assert_eq!(failed.verdict(None).judgement, Judgement::Incomplete);
}

#[test]
fn fault_g8_a_panic_in_a_worker_is_no_pass() {
    struct Dies;
    impl Report for Dies {
        fn settings(&mut self, _: &Settings) -> io::Result<()> {
            Ok(())
        }
        fn pair(&mut self, _: &Pair<'_>) -> io::Result<()> {
            panic!("injected")
        }
        fn group(&mut self, _: &Group<'_>) -> io::Result<()> {
            Ok(())
        }
        fn finish(&mut self, _: &Outcome) -> io::Result<()> {
            Ok(())
        }
    }
    let mut dies = Dies;
    let mut rules = rules(None);
    rules.max_new = 100;
    let mut gate = Gate::new(rules, Some(&mut dies));
    let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        play(&mut gate, &["."], &[("a", "b")])
    }));
    assert!(died.is_err());
    assert_eq!(gate.verdict(None).judgement, Judgement::Incomplete);
    // Even an outcome that claims success does not help.
    let claimed = gate.verdict(Some(&outcome(1))).judgement;
    assert_eq!(claimed, Judgement::Incomplete);
}

#[test]
fn fault_g2_zero_is_a_number() {
    assert_eq!(verdict(rules(None), &[]).judgement, Judgement::Pass);
    assert_eq!(
        verdict(rules(None), &[("a", "b")]).judgement,
        Judgement::Fail
    );
}

#[test]
fn fault_g4_a_swap_of_pairs_is_new() {
    let known = || rules(Some(baseline(&[("a", "b"), ("c", "d")])));
    let same = verdict(known(), &[("a", "b"), ("c", "d")]);
    assert_eq!(same.judgement, Judgement::Pass);
    let swapped = verdict(known(), &[("a", "b"), ("c", "e")]);
    assert_eq!(swapped.judgement, Judgement::Fail);
    assert_eq!((swapped.counts.new, swapped.counts.known), (1, 1));
    let third = verdict(known(), &[("a", "b"), ("a", "x"), ("b", "x"), ("c", "d")]);
    assert_eq!(third.counts.new, 2, "a third copy is new");
}

#[test]
fn pairs_reach_the_report_with_their_status() {
    let mut told = Told::default();
    let mut rules = rules(Some(baseline(&[("a", "b"), ("l/x", "l/y")])));
    allow(&mut rules, &[("l/*", "l/*")]);
    let mut gate = Gate::new(rules, Some(&mut told));
    let outcome = play(&mut gate, &["."], &[("a", "b"), ("a", "c"), ("l/x", "l/y")]).unwrap();
    let verdict = gate.verdict(Some(&outcome));
    assert_eq!(
        verdict.to_string(),
        "1 new near-duplicate pair (1 known, 1 allowed)"
    );
    assert_eq!(
        told.lines,
        [
            "settings words/1",
            "a b known",
            "a c new",
            "l/x l/y allowed",
            "finish 3 0 0"
        ]
    );
}

#[test]
fn only_pairs_that_touch_a_change_are_judged_and_the_totals_fit() {
    let mut told = Told::default();
    let mut rules = rules(Some(baseline(&[("x", "y")])));
    rules.changed = Some(Changed::files(&rules.anchor, ["b", "gone"]));
    let mut gate = Gate::new(rules, Some(&mut told));
    let pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("x", "y")];
    let outcome = play(&mut gate, &["."], &pairs).unwrap();
    let verdict = gate.verdict(Some(&outcome));
    assert_eq!(
        verdict.to_string(),
        "2 new near-duplicate pairs (0 known, 0 allowed, 2 without a changed file)"
    );
    assert_eq!(
        gate.notes(Some(&outcome)),
        Vec::<String>::new(),
        "none is gone"
    );
    assert!(gate.update(Some(&outcome)).is_err());
    assert_eq!(
        told.lines,
        ["settings words/1", "a b new", "b c new", "finish 2 2 1"]
    );
}

#[test]
fn a_closed_pipe_changes_no_verdict_and_other_faults_stop() {
    let run = |kind: io::ErrorKind| {
        let mut told = Told {
            fail: Some(kind),
            ..Told::default()
        };
        let mut gate = Gate::new(rules(None), Some(&mut told));
        let outcome = play(&mut gate, &["."], &[("a", "b")]);
        gate.verdict(outcome.as_ref().ok()).judgement
    };
    assert_eq!(run(io::ErrorKind::BrokenPipe), Judgement::Fail);
    assert_eq!(run(io::ErrorKind::StorageFull), Judgement::Incomplete);
}

#[test]
fn groups_cannot_be_judged() {
    let mut gate = Gate::new(rules(None), None);
    let group = Group {
        files: Vec::new(),
        kind: Kind::Near,
        max_distance: None,
        min_similarity: None,
        bounds_exact: true,
    };
    assert!(gate.group(&group).is_err());
}

#[test]
fn a_baseline_of_another_threshold_is_refused() {
    let mut rules = rules(Some(baseline(&[("a", "b")])));
    rules.baseline.as_mut().unwrap().basis.distance = Some(5);
    let mut told = Told::default();
    let mut gate = Gate::new(rules, Some(&mut told));
    assert!(play(&mut gate, &["."], &[]).is_err());
    let refusal = gate.take_refusal().unwrap().to_string();
    assert!(
        refusal
            .contains("simdup-baseline.json: this baseline was made with -k 5, this run has -k 3")
    );
    assert!(refusal.contains("--update-baseline"));
    assert_eq!(gate.verdict(None).judgement, Judgement::Incomplete);
    assert!(told.lines.is_empty(), "nothing is reported");
}

#[test]
fn an_update_takes_what_is_there_and_drops_what_is_gone() {
    let mut rules = rules(Some(baseline(&[("a", "b"), ("c", "d"), ("l/x", "l/y")])));
    rules.baseline.as_mut().unwrap().basis.distance = Some(9);
    rules.update = true;
    allow(&mut rules, &[("l/*", "l/*")]);
    let mut gate = Gate::new(rules, None);
    let pairs = [("a", "b"), ("a", "c"), ("l/x", "l/y")];
    let outcome = play(&mut gate, &["."], &pairs).unwrap();
    let update = gate.update(Some(&outcome)).unwrap();
    assert_eq!(update.baseline.pairs, names(&[("a", "b"), ("a", "c")]));
    assert_eq!(update.baseline.basis.distance, Some(3), "made anew");
    assert_eq!(
        update.to_string(),
        "simdup-baseline.json: 2 known pairs (1 added, 2 removed)"
    );
}

#[test]
fn an_update_from_half_a_scan_is_refused() {
    let mut first = rules(None);
    first.update = true;
    let mut gate = Gate::new(first, None);
    let mut outcome = play(&mut gate, &["."], &[]).unwrap();
    assert!(gate.update(Some(&outcome)).is_ok());
    assert!(gate.update(None).is_err());
    outcome.summary.errors = 1;
    let error = gate.update(Some(&outcome)).unwrap_err().to_string();
    assert!(
        error.contains("--update-baseline: the scan was incomplete"),
        "{error}"
    );

    let mut narrowed = rules(Some(baseline(&[])));
    narrowed.update = true;
    let mut gate = Gate::new(narrowed, None);
    assert!(play(&mut gate, &["docs"], &[]).is_err());
    let refusal = gate.take_refusal().unwrap().to_string();
    assert!(
        refusal.contains("--update-baseline: this run looks at less"),
        "{refusal}"
    );
    assert!(refusal.contains("with all its roots"), "{refusal}");
}

#[test]
fn a_baseline_of_other_filters_is_neither_judged_by_nor_written_over() {
    let refusal = |update: bool| {
        let mut rules = rules(Some(baseline(&[("a", "b")])));
        rules.filters = [("max-depth", 2.into())].into_iter().collect();
        rules.update = update;
        let mut gate = Gate::new(rules, None);
        assert!(play(&mut gate, &["."], &[]).is_err());
        gate.take_refusal().unwrap().to_string()
    };
    assert_eq!(
        refusal(false),
        "simdup-baseline.json: this baseline was made with no --max-depth, this run has --max-depth 2\n\
         try: check with the same settings, or delete the baseline and begin anew with --update-baseline"
    );
    assert_eq!(
        refusal(true),
        "--update-baseline: the baseline simdup-baseline.json was made with no --max-depth, this run has \
         --max-depth 2, so known pairs could be lost; run it with the same settings, or delete the baseline \
         first to begin anew"
    );
}

#[test]
fn a_named_file_that_was_not_compared_is_told_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "compared",
        "binary",
        ".hidden",
        "deep/x",
        "simdup-baseline.json",
    ] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let at = |name: &str| dir.path().join(name);
    let mut rules = rules(None);
    rules.anchor = Anchor::new(dir.path()).unwrap();
    rules.baseline_path = at("simdup-baseline.json");
    let named = [
        "compared",
        "binary",
        ".hidden",
        "deep",
        "gone",
        "simdup-baseline.json",
    ];
    rules.changed = Some(Changed::files(&rules.anchor, named.map(at)));
    let mut gate = Gate::new(rules, None);
    gate.settings(&settings(&[&at("").to_string_lossy()]))
        .unwrap();
    let compared = at("compared");
    let file = File {
        path: &compared,
        links: &[],
    };
    gate.files(&mut [file].into_iter()).unwrap();
    let mut outcome = outcome(0);
    outcome.skipped.push(crate::record::Skipped {
        path: at("binary"),
        reason: crate::record::SkipReason::Binary,
    });
    gate.finish(&outcome).unwrap();
    assert_eq!(
        gate.notes(Some(&outcome)),
        [
            "3 files are named as changed but not compared, so not judged either:",
            "  .hidden: left out by an ignore rule, a hidden name, --glob or --max-depth",
            "  binary: binary",
            "  deep: no file below it was compared",
        ]
    );
}

#[test]
fn gone_pairs_are_told_unless_the_scan_did_not_look_there() {
    let told = |roots: &[&str]| {
        let known = baseline(&[("d/a", "d/b"), ("e/a", "e/b"), ("d/x", "d/y")]);
        let mut gate = Gate::new(rules(Some(known)), None);
        let outcome = play(&mut gate, roots, &[("d/x", "d/y")]).unwrap();
        gate.notes(Some(&outcome))
    };
    assert_eq!(
        told(&["."]),
        [
            "2 known pairs are gone; run `simdup check --update-baseline` to forget them",
            "  d/a and d/b",
            "  e/a and e/b"
        ]
    );
    assert_eq!(
        told(&["d"]),
        [
            "1 known pair is gone; run `simdup check --update-baseline` to forget it",
            "  d/a and d/b"
        ]
    );
}

#[test]
fn a_rename_is_told_as_such() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["b", "renamed"] {
        std::fs::write(dir.path().join(name), "x").unwrap();
    }
    let mut rules = rules(Some(baseline(&[("a", "b")])));
    rules.anchor = Anchor::new(dir.path()).unwrap();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let mut gate = Gate::new(rules, None);
    let outcome = play(&mut gate, &[&at("")], &[(&at("b"), &at("renamed"))]).unwrap();
    assert_eq!(gate.verdict(Some(&outcome)).judgement, Judgement::Fail);
    let notes = gate.notes(Some(&outcome));
    assert_eq!(
        notes[3], "  renamed (was a in the pair with b)",
        "{notes:?}"
    );
}

#[test]
fn an_allowance_that_matches_nothing_is_told() {
    let mut rules = rules(None);
    allow(
        &mut rules,
        &[("a", "b"), ("x/*", "y/*"), ("{a,b}", "{a,b}")],
    );
    let mut gate = Gate::new(rules, None);
    let outcome = play(&mut gate, &["."], &[("a", "b")]).unwrap();
    assert_eq!(
        gate.notes(Some(&outcome)),
        ["the allowance in line 2 matches no pair: a \"x/*\", b \"y/*\" (why not)"]
    );
}

#[test]
fn the_line_says_what_was_accepted_and_what_is_missing() {
    let line = |judgement, new, max_new| {
        Verdict {
            judgement,
            counts: Counts {
                new,
                ..Counts::default()
            },
            max_new,
            narrowed: false,
            nothing_compared: None,
        }
        .to_string()
    };
    assert_eq!(
        line(Judgement::Pass, 0, 0),
        "no new near-duplicate pairs (0 known, 0 allowed)"
    );
    assert_eq!(
        line(Judgement::Pass, 3, 5),
        "3 new near-duplicate pairs, at most 5 accepted (0 known, 0 allowed)"
    );
    assert_eq!(
        line(Judgement::Incomplete, 1, 0),
        "check incomplete, no verdict; so far 1 new near-duplicate pair (0 known, 0 allowed)"
    );
    assert_eq!(
        line(Judgement::Incomplete, 0, 7),
        "check incomplete, no verdict"
    );
}
