//! Programs of which some branches lead to runs that hang, or that seem to: what a search pays for them, in counted runs.

use crate::common::*;
use events::{EndReason, Event};
use explore::{Budget, Config, Earlier, Until};
use std::time::Duration;
use strategy::Kind;
use trace::{Outcome, Request, Run, Target, TargetError};

/// Runs that end in this, the way a slow program seems to hang while its runs are made in haste.
const SLOW: Outcome = Outcome::Exit(9);

/// A target that heeds haste.
struct Slow {
    fake: Fake<'static>,
    haste: bool,
}

impl Target for Slow {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        let run = self.fake.run(request)?;
        let outcome = if self.haste && run.outcome == SLOW { Outcome::Timeout } else { run.outcome };
        Ok(Run { outcome, ..run })
    }

    fn set_haste(&mut self, yes: bool) {
        self.haste = yes;
    }
}

/// Seven comparisons of one byte each; what stands behind the fourth is `end`.
fn seven(end: fn() -> S) -> &'static Program {
    let one = |k: u8| {
        let then = if k == 3 { vec![end()] } else { vec![] };
        S::If(byte(k.into()).eq(num(b'a' + k)), then, vec![])
    };
    program((0..7).map(one).collect())
}

fn explored(config: &Config, end: fn() -> S) -> Session {
    let program = seven(end);
    let target = move |_| Ok(Box::new(Slow { fake: Fake::new(program), haste: false }) as Box<dyn Target>);
    session_with(config, program, Earlier::default(), u64::MAX, &target)
}

fn by_runs(strategy: Kind) -> Config {
    let budget = Budget { runs: Some(400), ..Budget::default() };
    Config { strategy, budget, initial_len: 8, until: Until::Budget, ..Config::default() }
}

/// The clock of these tests ticks whenever it is asked: a session of so much is one of counted work, too.
fn by_clock(strategy: Kind) -> Config {
    let budget = Budget { time: Some(Duration::from_secs(600)), runs: Some(400), ..Budget::default() };
    Config { budget, ..by_runs(strategy) }
}

fn timeouts(s: &Session) -> usize {
    let hung = |e: &&Event| matches!(e, Event::RunDone { outcome: Outcome::Timeout, .. });
    s.events.iter().filter(hung).count()
}

#[test]
fn a_branch_that_only_hangs_is_tried_seldom_and_all_others_are_covered() {
    for config in [by_runs(Kind::Generational), by_clock(Kind::Generational), by_clock(Kind::Auto)] {
        let s = explored(&config, || S::Hang);
        assert_eq!(s.outcome.ledger.branches, s.outcome.ledger.branches_total);
        // Of more than a hundred paths, half lead there.
        let (hung, runs) = (timeouts(&s), s.outcome.ledger.runs);
        assert!((1..20).contains(&hung) && hung as u64 * 4 < runs, "{hung} of {runs}");
        // One by its last decision, and perhaps one of runs without a trace, whose last decision nobody knows.
        assert!((1..=2).contains(&s.outcome.findings.len()), "{:?}", s.outcome.findings);
    }
}

#[test]
fn runs_that_were_only_slow_are_no_findings_and_what_they_cover_has_witnesses() {
    let s = explored(&by_clock(Kind::Generational), || S::Exit(9));
    assert!(timeouts(&s) > 0, "some were stopped in haste");
    assert!(s.outcome.findings.is_empty(), "{:?}", s.outcome.findings);
    assert!(!s.events.iter().any(|e| matches!(e, Event::FindingSeen { .. })));
    let ended = s.outcome.witnesses.iter().find(|w| w.outcome == SLOW).expect("one had all its time");
    assert!(s.outcome.input(ended.run).is_some_and(|i| i.objects[0].data[3] == b'd'));
}

#[test]
fn what_nobody_had_time_to_look_at_again_is_a_candidate_at_the_end() {
    let config = Config {
        budget: Budget { time: Some(Duration::from_secs(600)), runs: Some(12), ..Budget::default() },
        ..by_clock(Kind::Generational)
    };
    let s = explored(&config, || S::Hang);
    assert_eq!(s.outcome.why, EndReason::Runs);
    assert_eq!(timeouts(&s), 1);
    assert_eq!(s.outcome.findings.len(), 1, "{:?}", s.outcome.findings);
}

#[test]
fn without_a_clock_nothing_is_done_in_haste() {
    let s = explored(&by_runs(Kind::Generational), || S::Exit(9));
    assert_eq!(timeouts(&s), 0);
}
