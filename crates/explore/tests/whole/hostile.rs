//! Targets that lie, break and scribble: each costs its own run only.

use crate::common::*;
use events::{EndReason, Event};
use explore::{Budget, Config, Earlier};
use program::{BranchId, FunctionId};
use std::sync::atomic::{AtomicU32, Ordering};
use strategy::Kind;
use trace::{Request, Run, Step, Target, TargetError};

fn config() -> Config {
    Config {
        strategy: Kind::Generational,
        budget: Budget { runs: Some(300), ..Budget::default() },
        initial_len: 8,
        ..Config::default()
    }
}

fn tampered(tamper: fn(&mut Run)) -> Session {
    let maze = maze();
    let target = move |_| {
        let mut fake = Fake::new(maze);
        fake.tamper = Box::new(tamper);
        Ok(Box::new(fake) as Box<dyn Target>)
    };
    session_with(&config(), maze, Earlier::default(), u64::MAX, &target)
}

#[test]
fn a_target_that_lies_is_counted_with_its_place() {
    // The first conditional claims the opposite of what it did.
    let s = tampered(|run| {
        if let Some(event) = run.trace.as_mut().and_then(|t| t.events.first_mut()) {
            event.value ^= 1;
        }
    });
    let divergence = s.events.iter().find_map(|e| match e {
        Event::Divergence { at, expected, actual, .. } => Some((*at, *expected, *actual)),
        _ => None,
    });
    let (at, expected, actual) = divergence.expect("a divergence");
    assert_eq!(at, 0);
    assert!(matches!(expected, Step::Branch(BranchId(0 | 1))));
    assert_ne!(Some(expected), actual);
    assert!(s.outcome.ledger.divergences > 0);
    assert!(s.outcome.ledger.divergence_rate() > 0.0);
}

#[test]
fn lies_are_mismatches_when_traces_are_checked() {
    let maze = maze();
    let target = move |_| {
        let mut fake = Fake::new(maze);
        fake.tamper = Box::new(|run| {
            if let Some(event) = run.trace.as_mut().and_then(|t| t.events.first_mut()) {
                event.value ^= 1;
            }
        });
        Ok(Box::new(fake) as Box<dyn Target>)
    };
    let config = Config { check_trace: true, ..config() };
    let s = session_with(&config, maze, Earlier::default(), u64::MAX, &target);
    assert!(s.outcome.ledger.mismatches > 0);
    assert!(s.events.iter().any(|e| matches!(e, Event::TraceMismatch { .. })));
}

#[test]
fn numbers_that_do_not_exist_are_ignored() {
    let s = tampered(|run| {
        run.covered.push(BranchId(9999));
        run.entered.push(FunctionId(9999));
        run.past_end.push((77, u64::MAX));
        run.indirect_calls.push(trace::IndirectCall { call: 5, function: 6 });
        if let Some(trace) = &mut run.trace {
            let mut events = trace.events.clone();
            events.iter_mut().for_each(|e| e.site = 1 << 30);
            trace.events.extend(events);
        }
    });
    let known = |e: &Event| !matches!(e, Event::BranchCovered { branch, .. } if branch.0 == 9999);
    assert!(s.events.iter().all(known));
    assert_eq!(s.outcome.ledger.branches, s.outcome.ledger.branches_total);
}

#[test]
fn a_run_without_a_trace_still_counts() {
    let s = tampered(|run| run.trace = None);
    assert!(s.outcome.ledger.runs > 0 && s.outcome.ledger.symbolic_runs == 0);
}

/// Fails now and then as `how` says.
struct Breaks<'p> {
    fake: Fake<'p>,
    runs: &'static AtomicU32,
    how: fn(u32) -> Result<(), TargetError>,
}

impl Target for Breaks<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        (self.how)(self.runs.fetch_add(1, Ordering::SeqCst))?;
        self.fake.run(request)
    }
}

fn breaking(jobs: u32, how: fn(u32) -> Result<(), TargetError>) -> Session {
    let maze = maze();
    let runs: &'static AtomicU32 = Box::leak(Box::default());
    let target = move |_| Ok(Box::new(Breaks { fake: Fake::new(maze), runs, how }) as Box<dyn Target>);
    let budget = Budget { runs: Some(10_000), ..Budget::default() };
    session_with(&Config { jobs, budget, ..config() }, maze, Earlier::default(), u64::MAX, &target)
}

fn broken() -> TargetError {
    TargetError::Server("the fork server died".into())
}

#[test]
fn a_server_that_dies_is_started_anew() {
    let s = breaking(1, |k| if k % 5 == 4 { Err(broken()) } else { Ok(()) });
    assert_eq!(s.outcome.why, EndReason::AllCovered);
    assert!(!s.events.iter().any(|e| matches!(e, Event::RunFailed { .. })));
}

#[test]
fn a_target_that_never_works_ends_the_session_with_the_reason() {
    for jobs in [1, 3] {
        let s = breaking(jobs, |_| Err(broken()));
        assert_eq!(s.outcome.why, EndReason::Failed("the fork server died".into()));
        let lost = s.events.iter().filter(|e| matches!(e, Event::WorkerLost { .. })).count();
        assert_eq!(lost, jobs as usize);
    }
}

#[test]
fn a_worker_that_panics_gives_its_goal_back() {
    let s = breaking(3, |k| {
        assert!(k != 3, "a bug in a worker");
        Ok(())
    });
    // The others go on, with what the lost one was at.
    assert_eq!(s.outcome.why, EndReason::AllCovered);
    let lost = s.events.iter().filter(|e| matches!(e, Event::WorkerLost { .. })).count();
    assert_eq!(lost, 1);
}

#[test]
fn an_input_too_large_costs_nothing_but_itself() {
    let s =
        breaking(
            1,
            |k| if k % 3 == 2 { Err(TargetError::InputTooLarge { len: 9, limit: 8 }) } else { Ok(()) },
        );
    assert!(s.events.iter().any(|e| matches!(e, Event::RunFailed { .. })));
    assert!(s.outcome.ledger.runs > 3);
    assert!(!s.events.iter().any(|e| matches!(e, Event::WorkerLost { .. })));
}
