//! At the end of a session: candidates out of the loop and the suite, judged, and written down.

use crate::bench::Machines;
use crate::cli::ExploreArgs;
use crate::looks::{Looks, Which};
use crate::phases::Phases;
use crate::recorder::Recorder;
use diagnose::{Candidate, Judged, Known, Limits};
use events::{EndReason, Event, FindingId, Kind, Rejection, RunId, Sink, SourceFrame, Verdict};
use explore::Outcome;
use explore::suite::Suite;
use program::CheckKind;
use std::collections::BTreeSet;
use store::{JudgedFinding, StoreError};
use trace::Input;

/// Judges what the session found, records it, and writes the folders of findings; how many there was no time for.
///
/// # Errors
/// When the store cannot be written.
pub fn judge(
    bench: &mut Machines,
    (looks, phases): (&Looks, &mut Phases),
    outcome: &Outcome,
    suite: &Suite,
    args: &ExploreArgs,
    recorder: &Recorder,
) -> Result<usize, StoreError> {
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
    let by_the_way = |run: RunId| {
        Some(Candidate {
            finding: None,
            run,
            input: outcome.input(run)?,
            outcome: None,
            ended: Vec::new(),
            undefined: None,
        })
    };
    let crashed = suite
        .rejected
        .iter()
        .filter(|(_, why)| matches!(why, Rejection::Outcome { actual, .. } if actual.is_finding()));
    candidates.extend(crashed.filter_map(|(run, _)| by_the_way(*run)));
    let found: BTreeSet<FindingId> = candidates.iter().filter_map(|c| c.finding).collect();
    let stopped = outcome.why == EndReason::Stopped;
    let mut quiet = 0;
    if !args.no_check && !stopped {
        let beside = looked_at_beside(suite, outcome, looks);
        let strayed = outcome.strayed.iter().filter_map(|&run| by_the_way(run));
        let tests: Vec<Candidate> = suite.tests.iter().filter_map(|test| by_the_way(test.run)).collect();
        // What an earlier session checked is judged; what there is no time for is left to the next one.
        let silent = tests.iter().filter(|c| looks.is_quiet(&c.input)).count();
        quiet = u32::try_from(silent).unwrap_or(u32::MAX);
        let is_fresh = |c: &Candidate| !looks.is_checked(&c.input) && beside.iter().all(|b| b.run != c.run);
        let fresh: Vec<Candidate> = tests.into_iter().filter(is_fresh).chain(strayed).collect();
        let inputs: Vec<Input> = fresh.iter().map(|c| c.input.clone()).collect();
        looks.prepare(&inputs, &mut |done| phases.tell(&format!("tests with AddressSanitizer {done}")));
        candidates.extend(beside);
        candidates.extend(fresh.into_iter().filter(|c| looks.is_looked_at(&c.input)));
    }
    let next = outcome.findings.iter().map(|f| f.id.0 + 1).max().unwrap_or(0);
    let limits = Limits { minimise_runs: if stopped { 0 } else { args.minimise }, next, quiet };
    phases.tell(&count(candidates.len()));
    let all = diagnose::judge(bench, &candidates, &known, limits);
    all.iter().try_for_each(|judged| write(judged, bench, outcome, recorder))?;
    // Where time ended meanwhile, only what has a verdict of its own is not asked about again.
    let is_over = looks.is_over();
    let has_verdict = |c: &Candidate| all.iter().any(|j| j.run == c.run);
    candidates.iter().filter(|c| !is_over || has_verdict(c)).for_each(|c| looks.note_judged(&c.input));
    let judged: BTreeSet<FindingId> = all.iter().map(|j| j.finding).collect();
    Ok(found.difference(&judged).count())
}

fn count(candidates: usize) -> String {
    format!("{candidates} candidates")
}

/// Tests that were run on `check` while the search went on, and ended there in another way than quietly.
fn looked_at_beside(suite: &Suite, outcome: &Outcome, looks: &Looks) -> Vec<Candidate> {
    let loud = |input: &Input| {
        let check = looks.seen(Which::Check, input);
        check.is_some_and(|shown| !shown.report.is_empty() || shown.outcome.is_finding())
    };
    let candidate = |run: RunId| {
        let input = outcome.input(run).filter(|input| loud(input))?;
        Some(Candidate { finding: None, run, input, outcome: None, ended: Vec::new(), undefined: None })
    };
    suite.tests.iter().filter_map(|test| candidate(test.run)).collect()
}

/// A frame as the loop keeps it: `function (file:line)`, or the function alone.
pub fn frame_name(frame: &SourceFrame) -> String {
    match frame.file.is_empty() || frame.line == 0 {
        true => frame.function.clone(),
        false => format!("{} ({}:{})", frame.function, frame.file, frame.line),
    }
}

/// The frame of such a name; that of a check ends in `:column)`.
fn frame(name: &str) -> SourceFrame {
    let number = |text: &str| {
        let (before, digits) = text.rsplit_once(':')?;
        Some((before.to_owned(), digits.parse().ok()?))
    };
    let place = name.strip_suffix(')').and_then(|n| n.rsplit_once(" ("));
    let parts = place.and_then(|(function, at)| {
        let (file, line) = number(at)?;
        let (file, line) = number(&file).unwrap_or((file, line));
        Some(SourceFrame { function: function.into(), file, line })
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
            outcome: Some(finding.outcome),
            undefined: match finding.outcome {
                trace::Outcome::Undefined(check) => Some(kind(check)),
                _ => None,
            },
            ended: finding.stack.iter().map(|name| frame(name)).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_kept_by_name() {
        let frame_of = |function: &str, file: &str, line| SourceFrame {
            function: function.into(),
            file: file.into(),
            line,
        };
        for kept in [frame_of("a (anonymous)::f(int)", "/x y/a.c", 7), frame_of("main", "", 0)] {
            assert_eq!(frame(&frame_name(&kept)), kept);
        }
        assert_eq!(frame("f (/x/a.c:7:12)"), frame_of("f", "/x/a.c", 7));
        assert_eq!(frame("f (check 3)"), frame_of("f (check 3)", "", 0));
    }
}
