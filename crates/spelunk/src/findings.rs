//! At the end of a session: candidates out of the loop and the suite, judged, and written down.

use crate::bench::Machines;
use crate::cli::ExploreArgs;
use crate::recorder::Recorder;
use diagnose::{Bench, Candidate, Judged, Known, Limits};
use events::{Diagnosis, EndReason, Event, FindingId, Kind, Rejection, RunId, Sink, SourceFrame, Verdict};
use explore::Outcome;
use explore::suite::Suite;
use program::CheckKind;
use store::{JudgedFinding, StoreError};
use trace::Input;

/// Judges what the session found, records it, and writes the folders of findings.
///
/// # Errors
/// When the store cannot be written.
pub fn judge(
    bench: &mut Machines,
    outcome: &Outcome,
    suite: &Suite,
    args: &ExploreArgs,
    recorder: &Recorder,
) -> Result<(), StoreError> {
    let earlier = recorder.with_session(|session| session.findings())?;
    let (mut candidates, mut known) = (Vec::new(), Vec::new());
    for finding in &outcome.findings {
        match earlier.iter().find(|f| f.id == finding.id).and_then(|f| f.verdict.as_ref()) {
            Some(Verdict::SameAs { .. }) => {}
            // Judged in an earlier session, and no smaller input was found since.
            Some(Verdict::Confirmed(d)) if d.input_len <= finding.input_len => {
                known.push(Known { finding: finding.id, kind: d.kind, stack: d.stack.clone() });
            }
            _ => candidates.extend(candidate(finding, recorder)),
        }
    }
    let by_the_way =
        |run: RunId| Some(Candidate { finding: None, run, input: outcome.input(run)?, names: Vec::new() });
    let crashed = suite
        .rejected
        .iter()
        .filter(|(_, why)| matches!(why, Rejection::Outcome { actual, .. } if actual.is_finding()));
    candidates.extend(crashed.filter_map(|(run, _)| by_the_way(*run)));
    let stopped = outcome.why == EndReason::Stopped;
    if !args.no_check && !stopped {
        candidates.extend(suite.tests.iter().filter_map(|test| by_the_way(test.run)));
    }
    let next = outcome.findings.iter().map(|f| f.id.0 + 1).max().unwrap_or(0);
    let limits = Limits { minimise_runs: if stopped { 0 } else { args.minimise }, next };
    let mut all = diagnose::judge(bench, &candidates, &known, limits);
    settle_checks(&mut all, outcome, bench, recorder);
    all.iter().try_for_each(|judged| write(judged, bench, outcome, recorder))
}

/// Checks that failed in an instrumented run and that no executable shows (there is no flavour `check`, or it went another
/// way) stand on their own word.
fn settle_checks(all: &mut [Judged], outcome: &Outcome, bench: &mut Machines, recorder: &Recorder) {
    let confirmed: Vec<Judged> =
        all.iter().filter(|j| matches!(j.verdict, Verdict::Confirmed(_))).cloned().collect();
    for judged in all.iter_mut().filter(|j| j.verdict == Verdict::Unconfirmed) {
        let finding = outcome.findings.iter().find(|f| f.id == judged.finding);
        let Some((finding, trace::Outcome::Undefined(check))) = finding.map(|f| (f, f.outcome)) else {
            continue;
        };
        let Some(mut own) = undefined(finding, check, bench, recorder) else { continue };
        if let Some(other) = confirmed.iter().find(|other| same(other, &own)) {
            own.verdict = Verdict::SameAs { finding: other.finding };
        }
        *judged = own;
    }
}

/// A check that failed: the program itself computed, with its own values, that the operation is undefined. What the
/// executables do then is no proof for or against it.
fn undefined(
    finding: &explore::Finding,
    check: CheckKind,
    bench: &mut Machines,
    recorder: &Recorder,
) -> Option<Judged> {
    let Candidate { run, input, names, .. } = candidate(finding, recorder)?;
    let stack: Vec<SourceFrame> = names.iter().map(|name| frame(name)).collect();
    let source = stack.first().and_then(|f| bench.source_line(&f.file, f.line)).map(|l| l.trim().to_owned());
    let length = input.len() as u64;
    let diagnosis = Diagnosis {
        kind: kind(check),
        message: format!("{} for this input", check.text()),
        stack,
        source,
        related: Vec::new(),
        own: bench.outcome(&input).ok(),
        on_own: false,
        on_check: false,
        input_len: length,
        first_len: length,
        bytes: Vec::new(),
        minimise_runs: 0,
        minimal: false,
    };
    let verdict = Verdict::Confirmed(Box::new(diagnosis));
    Some(Judged { finding: finding.id, new: false, run, verdict, input, report: String::new() })
}

/// Whether an executable shows at this place what a check found there.
fn same(shown: &Judged, check: &Judged) -> bool {
    let (Verdict::Confirmed(a), Verdict::Confirmed(b)) = (&shown.verdict, &check.verdict) else {
        return false;
    };
    let place = |d: &Diagnosis| d.stack.first().map(|f| (file_name(&f.file).to_owned(), f.line));
    a.kind == b.kind && place(a).is_some() && place(a) == place(b)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The place of a check: `function (file:line:column)`.
fn frame(name: &str) -> SourceFrame {
    let place = name.strip_suffix(')').and_then(|n| n.rsplit_once(" ("));
    let parts = place.and_then(|(function, at)| {
        let (file, line) = at.rsplit_once(':')?.0.rsplit_once(':')?;
        Some(SourceFrame { function: function.into(), file: file.into(), line: line.parse().ok()? })
    });
    parts.unwrap_or_else(|| SourceFrame { function: name.into(), ..SourceFrame::default() })
}

fn kind(check: CheckKind) -> Kind {
    match check {
        CheckKind::Overflow => Kind::SignedOverflow,
        CheckKind::Division => Kind::DivisionByZero,
        CheckKind::Bounds => Kind::OutOfBounds,
        CheckKind::Null => Kind::NullDereference,
        CheckKind::Shift => Kind::Shift,
        CheckKind::Cast => Kind::BadCast,
    }
}

/// The reproducer of a finding, as its folder holds it.
fn candidate(finding: &explore::Finding, recorder: &Recorder) -> Option<Candidate> {
    match recorder.with_session(|session| session.finding_input(finding.id)) {
        Ok(input) => Some(Candidate {
            finding: Some(finding.id),
            run: finding.best,
            input,
            names: finding.stack.clone(),
        }),
        Err(error) => {
            eprintln!("finding #{} cannot be confirmed: {error}", finding.id.0);
            None
        }
    }
}

fn write(
    judged: &Judged,
    bench: &mut Machines,
    outcome: &Outcome,
    recorder: &Recorder,
) -> Result<(), StoreError> {
    let Judged { finding, run, ref verdict, ref input, ref report, .. } = *judged;
    let ended = ended(bench, outcome, finding, verdict, input);
    if judged.new {
        let stack = match verdict {
            Verdict::Confirmed(d) => d.stack.iter().map(|f| f.function.clone()).collect(),
            _ => Vec::new(),
        };
        let seen = Event::FindingSeen { finding, run, outcome: ended, stack, first: true, best: true };
        recorder.clone().emit(seen, Default::default());
    }
    recorder.with_session(|session| {
        session.judge(&JudgedFinding { id: finding, run, outcome: ended, input, verdict, report })
    })?;
    recorder.clone().emit(Event::FindingJudged { finding, verdict: verdict.clone() }, Default::default());
    recorder.with_session(|session| session.commit())
}

/// How runs of a finding end: as the loop saw it, else as the user's own executable does.
fn ended(
    bench: &mut Machines,
    outcome: &Outcome,
    id: FindingId,
    verdict: &Verdict,
    input: &Input,
) -> trace::Outcome {
    let seen = outcome.findings.iter().find(|f| f.id == id).map(|f| f.outcome);
    let told = match verdict {
        Verdict::Confirmed(d) => d.own,
        _ => None,
    };
    seen.or(told).or_else(|| bench.outcome(input).ok()).unwrap_or(trace::Outcome::Abort)
}
