//! The loop as a whole, on pretend programs: everything is covered, the log is repeatable, nothing is lost.

use crate::common::*;
use events::{Cause, EndReason, Event, LimitKind, RunId};
use explore::{Budget, Config, Earlier, Until};
use std::collections::BTreeSet;
use std::time::Duration;
use strategy::Kind;
use trace::{Input, Outcome, Target};

fn config(kind: Kind) -> Config {
    Config {
        strategy: kind,
        budget: Budget { runs: Some(400), ..Budget::default() },
        initial_len: 8,
        check_trace: true,
        ..Config::default()
    }
}

fn covered(events: &[Event]) -> BTreeSet<u32> {
    let branch = |e: &Event| match e {
        Event::BranchCovered { branch, .. } => Some(branch.0),
        _ => None,
    };
    events.iter().filter_map(branch).collect()
}

#[test]
fn every_branch_of_the_maze_is_covered() {
    for kind in [Kind::Auto, Kind::Generational, Kind::BoundedDfs] {
        let maze = maze();
        let s = session(&config(kind), maze, Earlier::default(), u64::MAX);
        let l = &s.outcome.ledger;
        assert_eq!(covered(&s.events).len(), maze.map.branches.len(), "{kind}: {l:?}");
        assert_eq!(s.outcome.why, EndReason::AllCovered);
        assert_eq!((l.divergences, l.mismatches), (0, 0), "{kind}");
        assert!(l.events_checked > 0 && l.flips_run > 0);
        assert_eq!(s.stored.findings[0].2, ["d", "e", "e", "p"]);
    }
}

#[test]
fn the_same_seed_gives_the_same_events() {
    for kind in
        [Kind::Auto, Kind::Generational, Kind::UniformRandom, Kind::RandomBranch, Kind::Random, Kind::Fuzz]
    {
        let config = Config { seed: 42, until: Until::Budget, ..config(kind) };
        let run = || session(&config, maze(), Earlier::default(), u64::MAX).events;
        let (a, b) = (run(), run());
        assert!(a.len() > 10, "{kind}: {} events", a.len());
        assert_eq!(a, b, "{kind}");
    }
}

#[test]
fn four_workers_cover_the_same() {
    let maze = maze();
    for &kind in Kind::ALL.iter().filter(|k| k.wants_solver() && !k.wants_snapshots()) {
        let budget = Budget { runs: Some(10_000), ..Budget::default() };
        // As long as the maze needs: a path proved infeasible for a shorter input is not tried again.
        let seeds = vec![Input::stdin([0; 8])];
        let config = Config { jobs: 4, budget, seeds, check_trace: false, ..config(kind) };
        let s = session(&config, maze, Earlier::default(), u64::MAX);
        let all: BTreeSet<u32> = (0..maze.map.branches.len() as u32).collect();
        assert_eq!(all.difference(&covered(&s.events)).collect::<Vec<_>>(), Vec::<&u32>::new(), "{kind}");
        let runs: Vec<RunId> = s.events.iter().filter_map(run_of).collect();
        assert_eq!(runs, (0..runs.len() as u64).map(RunId).collect::<Vec<_>>());
    }
}

fn run_of(event: &Event) -> Option<RunId> {
    match event {
        Event::RunDone { run, .. } => Some(*run),
        _ => None,
    }
}

#[test]
fn the_budget_of_runs_is_kept_by_any_number_of_workers() {
    for jobs in [1, 4] {
        let budget = Budget { runs: Some(25), ..Budget::default() };
        let config = Config { jobs, budget, until: Until::Budget, ..config(Kind::Random) };
        let s = session(&config, maze(), Earlier::default(), u64::MAX);
        assert_eq!((s.outcome.ledger.runs, s.outcome.why), (25, EndReason::Runs));
    }
}

/// The events before the closing ones.
fn body(events: &[Event]) -> &[Event] {
    let is_closing =
        |e: &Event| matches!(e, Event::LostInAll { .. } | Event::Progress(_) | Event::CampaignEnded { .. });
    let last = events.iter().rposition(|e| !is_closing(e));
    &events[..=last.expect("an event")]
}

/// Whenever it is stopped, the events are those of the whole session up to there, each run's complete.
#[test]
fn stopping_at_any_moment_loses_nothing() {
    let config = config(Kind::Generational);
    let whole = session(&config, maze(), Earlier::default(), u64::MAX).events;
    let all = body(&whole);
    for stop_after in (1..all.len() as u64).step_by(3) {
        let s = session(&config, maze(), Earlier::default(), stop_after);
        let body = body(&s.events);
        assert_eq!(body, &all[..body.len()], "stopped after {stop_after}");
        assert!(body.len() == all.len() || s.outcome.why == EndReason::Stopped);
        assert_eq!(s.events.last(), Some(&Event::CampaignEnded { why: s.outcome.why.clone() }));
        let kept = body.iter().filter(|e| matches!(e, Event::RunDone { kept: true, .. })).count();
        assert_eq!(s.stored.corpus.len(), kept);
        assert_eq!(s.outcome.ledger.runs as usize, body.iter().filter_map(run_of).count());
    }
}

#[test]
fn a_resumed_session_starts_where_the_first_one_stopped() {
    let first = session(&config(Kind::Generational), maze(), Earlier::default(), 40);
    let earlier =
        Earlier { runs: first.outcome.ledger.runs, corpus: first.stored.corpus, findings: Vec::new() };
    let n = earlier.corpus.len();
    let before = covered(&first.events);
    let s = session(&config(Kind::Generational), maze(), earlier, u64::MAX);
    let resumed = |e: &&Event| matches!(e, Event::RunDone { cause: Cause::Resumed { .. }, .. });
    assert_eq!(s.events.iter().filter(resumed).count(), n);
    assert_eq!(s.events.iter().filter_map(run_of).next(), Some(RunId(first.outcome.ledger.runs)));
    assert!(before.is_subset(&covered(&s.events)));
    assert_eq!(s.outcome.why, EndReason::AllCovered);
}

#[test]
fn seeds_come_first_and_repeats_are_left_out() {
    let seeds = vec![Input::stdin(*b"m12"), Input::stdin(*b"m12"), Input::stdin(*b"xyz")];
    let s = session(&Config { seeds, ..config(Kind::Generational) }, maze(), Earlier::default(), u64::MAX);
    let causes: Vec<Cause> = s
        .events
        .iter()
        .filter_map(|e| match e {
            Event::RunDone { cause, .. } => Some(*cause),
            _ => None,
        })
        .collect();
    assert_eq!(causes[..2], [Cause::Seed { index: 0 }, Cause::Seed { index: 2 }]);
    assert!(!causes.contains(&Cause::Initial));
}

#[test]
fn traces_that_were_dropped_are_made_again() {
    let mut config = config(Kind::Generational);
    config.memory.trace_bytes = 1;
    config.memory.lifted_nodes = 1;
    let maze = maze();
    let s = session(&config, maze, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), maze.map.branches.len());
    assert!(s.outcome.ledger.reruns > 0);
    assert!(s.events.iter().any(|e| matches!(e, Event::LimitReached { .. })));
}

#[test]
fn pinned_values_are_let_go_when_they_are_in_the_way() {
    let goal = S::If(byte(0).eq(num(9)), vec![], vec![]);
    let pinned = program(vec![S::Pin(byte(0)), goal]);
    let s = session(&config(Kind::Generational), pinned, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), 2);
    assert!(s.outcome.ledger.sat_unpinned > 0);
    assert!(s.events.iter().any(|e| matches!(e, Event::Lost { pinned: true, .. })));
}

#[test]
fn assumptions_are_hard() {
    let goal = S::If(byte(0).eq(num(9)), vec![], vec![]);
    let program = program(vec![S::Assume(byte(0).lt(num(5))), goal]);
    let s = session(&config(Kind::Generational), program, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), 1);
    assert!(s.outcome.ledger.unsat > 0 && s.outcome.ledger.sat_unpinned == 0);
}

/// One assumption after the other is broken and repaired, whatever the strategy; then there is nothing but a crash.
#[test]
fn assumptions_that_runs_break_are_repaired() {
    let assumed = |k: usize, n: u8| S::Assume(byte(k).mul(num(3)).eq(num(n)));
    let crash = S::If(byte(4).eq(num(77)), vec![S::Crash("deep")], vec![]);
    let program = program(vec![assumed(0, 99), S::Pin(byte(1)), assumed(1, 150), assumed(2, 201), crash]);
    for &kind in Kind::ALL.iter().filter(|k| !k.wants_snapshots()) {
        let config = Config { until: Until::Budget, ..config(kind) };
        let run = || session(&config, program, Earlier::default(), u64::MAX);
        let (s, again) = (run(), run());
        assert_eq!(s.events, again.events, "{kind}");
        let l = &s.outcome.ledger;
        if !kind.wants_solver() {
            assert_eq!((l.repairs, l.queries), (0, 0), "random testing asks no solver");
            continue;
        }
        assert_eq!((covered(&s.events).len(), l.crashes), (2, 1), "{kind}");
        assert!(l.repairs_sat >= 3 && l.repairs < 20, "{kind}: {l:?}");
        let done = |e: &&Event| matches!(e, Event::RunDone { cause: Cause::Repair { .. }, .. });
        assert_eq!(s.events.iter().filter(done).count() as u64, l.repairs_sat, "{kind}");
    }
}

/// Later runs are random; their inputs break it in the same place.
#[test]
fn an_assumption_that_cannot_hold_is_asked_about_a_few_times() {
    let program = program(vec![S::Assume(byte(0).lt(num(0))), S::If(byte(1).eq(num(1)), vec![], vec![])]);
    let config = Config { seeds: vec![Input::stdin(*b"abc")], ..config(Kind::Generational) };
    let s = session(&config, program, Earlier::default(), u64::MAX);
    let l = &s.outcome.ledger;
    assert_eq!((l.repairs_sat, covered(&s.events).len()), (0, 0));
    assert!((1..=4).contains(&l.repairs), "{l:?}");
}

#[test]
fn four_workers_repair_too() {
    let crash = S::If(byte(2).eq(num(77)), vec![S::Crash("deep")], vec![]);
    let program = program(vec![S::Assume(byte(0).eq(num(9))), S::Assume(byte(1).eq(num(200))), crash]);
    let config = Config { jobs: 4, seeds: vec![Input::stdin([0; 4])], ..config(Kind::Auto) };
    let s = session(&config, program, Earlier::default(), u64::MAX);
    assert_eq!((covered(&s.events).len(), s.outcome.ledger.divergences), (2, 0));
    assert!(s.outcome.ledger.repairs_sat >= 2);
}

#[test]
fn crashes_and_hangs_are_kept_apart_with_their_smallest_input() {
    let crash = S::If(byte(0).eq(num(1)), vec![S::Crash("f")], vec![]);
    let hang = S::If(byte(1).eq(num(1)), vec![S::Hang], vec![]);
    let program = program(vec![crash, hang]);
    let s = session(&config(Kind::Generational), program, Earlier::default(), u64::MAX);
    assert_eq!((s.outcome.ledger.crashes, s.outcome.ledger.hangs), (1, 1));
    let kinds: Vec<Outcome> = s.outcome.findings.iter().map(|f| f.outcome).collect();
    assert!(kinds.contains(&Outcome::Signal(11)) && kinds.contains(&Outcome::Timeout));
}

#[test]
fn the_suite_covers_what_the_campaign_did() {
    let s = session(&config(Kind::Generational), maze(), Earlier::default(), u64::MAX);
    let mut target = Fake::new(maze());
    let mut confirm = |input: &Input| {
        let request =
            trace::Request { input, mode: trace::Mode::Concrete, value_seed: None, max_inputs: None };
        Ok(target.run(&request)?.outcome)
    };
    let input = |run| s.outcome.input(run);
    let suite = explore::suite::build(
        &s.outcome.witnesses,
        &s.outcome.preferred,
        &input,
        &mut confirm,
        &mut |_, _| (),
    );
    assert!(suite.rejected.is_empty());
    assert!(suite.tests.len() < s.outcome.witnesses.len());
    assert_eq!(suite.covered + suite.only_findings, covered(&s.events).len() as u32);
    // The branch behind which it crashes has a test too, which crashes as expected.
    assert_eq!(suite.only_findings, 0);
}

#[test]
fn inputs_that_are_too_short_grow() {
    let far = S::If(byte(20).eq(num(b'x')), vec![], vec![]);
    let program = program(vec![S::If(byte(1).eq(num(b'y')), vec![far], vec![])]);
    let config = Config { initial_len: 2, ..config(Kind::Auto) };
    let s = session(&config, program, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), 4);
    let grew = |e: &Event| matches!(e, Event::RunDone { cause: Cause::Grow { .. }, .. });
    assert!(s.events.iter().any(grew));
}

#[test]
fn inputs_never_grow_beyond_the_limit() {
    let far = program(vec![S::If(byte(500).eq(num(b'x')), vec![], vec![])]);
    let config = Config { initial_len: 2, max_input: 40, ..config(Kind::Auto) };
    let s = session(&config, far, Earlier::default(), u64::MAX);
    let len = |e: &Event| match e {
        Event::RunDone { input_len, .. } => *input_len,
        _ => 0,
    };
    assert!(s.events.iter().map(len).max() <= Some(40));
}

#[test]
fn programs_that_only_ask_for_typed_values() {
    let inner = S::If(value(1).add(value(0)).eq(num(50)), vec![S::Exit(1)], vec![]);
    let program = program(vec![S::If(value(0).eq(num(17)), vec![inner], vec![])]);
    for kind in [Kind::Auto, Kind::Generational, Kind::BoundedDfs] {
        let config = Config { shape: Input::default(), ..config(kind) };
        let s = session(&config, program, Earlier::default(), u64::MAX);
        assert_eq!(covered(&s.events).len(), 4, "{kind}");
        assert!(s.stored.corpus.iter().any(|(_, input)| input.objects.len() == 2));
        assert_eq!(s.outcome.ledger.divergences, 0);
    }
}

#[test]
fn random_runs_that_find_something_get_a_trace() {
    let program = program(vec![S::If(byte(0).xor(num(0x90)).lt(num(8)), vec![], vec![])]);
    let config = Config { initial_len: 1, ..config(Kind::Random) };
    let s = session(&config, program, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), 2);
    let found = |e: &&Event| matches!(e, Event::RunDone { cause: Cause::Random, new_branches: 1.., .. });
    assert!(matches!(s.events.iter().find(found), Some(Event::RunDone { decisions: 1, .. })));
}

#[test]
fn mutants_and_solved_inputs_build_on_each_other() {
    let magic = |then| S::If(byte(0).xor(num(0x5a)).lt(num(1)), then, vec![]);
    let program = program(vec![magic(vec![S::If(byte(1).xor(num(0x21)).lt(num(1)), vec![], vec![])])]);
    let budget = Budget { runs: Some(200_000), ..Budget::default() };
    let seeds = vec![Input::stdin([0; 4])];
    let s = session(&Config { budget, seeds, ..config(Kind::Auto) }, program, Earlier::default(), u64::MAX);
    assert_eq!(covered(&s.events).len(), 4);
    let config = Config { until: Until::Budget, ..config(Kind::Fuzz) };
    let budget = Budget { runs: Some(100_000), ..Budget::default() };
    let seeds = vec![Input::stdin([0x5a, 0, 0, 0])];
    let s = session(&Config { budget, seeds, ..config }, program, Earlier::default(), u64::MAX);
    let l = &s.outcome.ledger;
    assert_eq!((covered(&s.events).len(), l.runs, l.queries), (4, 100_000, 0), "mutation alone finds a byte");
    assert!(l.batches > 0 && l.cheap_runs < l.runs && l.cheap_kept > 0, "{l:?}");
    let found = |e: &Event| matches!(e, Event::RunDone { cause: Cause::Mutant, new_branches: 1.., .. });
    assert!(s.events.iter().any(found), "what a batch found is a run like any other");
}

#[test]
fn time_is_a_budget_and_progress_is_told_when_asked() {
    let budget = Budget { time: Some(Duration::from_millis(180)), ..Budget::default() };
    let config = Config { budget, until: Until::Budget, ..config(Kind::Random) };
    let s = session(&config, maze(), Earlier::default(), u64::MAX);
    assert_eq!(s.outcome.why, EndReason::Time);
    assert!(s.events.iter().filter(|e| matches!(e, Event::Progress(_))).count() > 2);
}

#[test]
fn cpu_time_is_a_budget() {
    let budget = Budget { cpu: Some(Duration::from_secs(5)), ..Budget::default() };
    let config = Config { budget, until: Until::Budget, ..config(Kind::Auto) };
    let s = session(&config, maze(), Earlier::default(), u64::MAX);
    assert_eq!(s.outcome.why, EndReason::Time);
    // Each job takes at least a tick of the tests' clock.
    let goals: u64 = s.outcome.arms.iter().map(|arm| arm.goals).sum();
    assert!((10..=5000).contains(&goals), "{:?}", s.outcome.arms);
    assert!(s.outcome.arms.iter().map(|arm| arm.work).sum::<u64>() > 1_000_000, "{:?}", s.outcome.arms);
}

#[test]
fn queries_are_a_budget() {
    let budget = Budget { queries: Some(5), ..Budget::default() };
    let s = session(&Config { budget, ..config(Kind::Generational) }, maze(), Earlier::default(), u64::MAX);
    assert_eq!((s.outcome.why, s.outcome.ledger.queries), (EndReason::Queries, 5));
}

#[test]
fn bounds_on_memory_are_kept_and_told() {
    let mut config = Config { until: Until::Budget, ..config(Kind::Generational) };
    config.memory.trace_bytes = 1000;
    config.memory.seen_inputs = 4;
    config.memory.input_bytes = 1000;
    let s = session(&config, maze(), Earlier::default(), u64::MAX);
    let reached: Vec<LimitKind> = s
        .events
        .iter()
        .filter_map(|e| match e {
            Event::LimitReached { limit, .. } => Some(*limit),
            _ => None,
        })
        .collect();
    for limit in [LimitKind::Traces, LimitKind::SeenInputs, LimitKind::Inputs] {
        assert_eq!(reached.iter().filter(|l| **l == limit).count(), 1, "{limit:?} of {reached:?}");
    }
}

#[test]
fn a_session_goes_on_behind_the_last_branch_until_it_is_done() {
    let ends = [
        (Until::Covered, EndReason::AllCovered),
        (Until::Goals, EndReason::AllReached),
        // Its input may be longer or shorter: there may be paths that no run took.
        (Until::Paths, EndReason::AllReached),
        (Until::Budget, EndReason::Runs),
    ];
    let budget = Budget { runs: Some(3_000), ..Budget::default() };
    let mut runs = Vec::new();
    for (until, why) in ends {
        let config = Config { until, budget, ..config(Kind::Generational) };
        let s = session(&config, maze(), Earlier::default(), u64::MAX);
        assert_eq!(s.outcome.why, why, "{until:?}: {:?}", s.outcome.ledger);
        assert_eq!(covered(&s.events).len(), maze().map.branches.len(), "{until:?}");
        runs.push(s.outcome.ledger.runs);
    }
    assert!(runs.is_sorted() && runs[1] < runs[2] && runs[2] < runs[3], "{runs:?}");
}
