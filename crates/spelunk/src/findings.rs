//! At the end of a session: candidates out of the loop and the suite, judged, and written down.

use crate::bench::Machines;
use crate::cli::ExploreArgs;
use crate::recorder::Recorder;
use diagnose::{Candidate, Judged, Known, Limits};
use events::{EndReason, Event, FindingId, Rejection, RunId, Sink, Verdict};
use explore::Outcome;
use explore::suite::Suite;
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
    let all = diagnose::judge(bench, &candidates, &known, limits);
    all.iter().try_for_each(|judged| write(judged, bench, outcome, recorder))
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
