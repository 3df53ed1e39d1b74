//! Events survive the trip through JSON: the log and `--json` are read back by other tools.

use events::*;
use program::{BranchId, CallId, CondId};

fn samples() -> Vec<Event> {
    let run = RunId(7);
    let flip = Cause::Flip { parent: RunId(3), at: 4, branch: BranchId(9) };
    vec![
        Event::CampaignStarted {
            strategy: "generational".into(),
            seed: 1,
            jobs: 2,
            functions: 3,
            conditionals: 4,
            branches: 8,
            earlier_runs: 0,
        },
        Event::RunDone {
            run,
            cause: flip,
            outcome: Outcome::Exit(1),
            input_len: 3,
            decisions: 9,
            new_branches: 1,
            kept: true,
        },
        Event::RunDone {
            run,
            cause: Cause::Initial,
            outcome: Outcome::Timeout,
            input_len: 0,
            decisions: 0,
            new_branches: 0,
            kept: false,
        },
        Event::BranchCovered { branch: BranchId(9), run },
        Event::FlipResult {
            parent: run,
            at: 1,
            cond: CondId(2),
            branch: BranchId(5),
            answer: FlipAnswer::Unknown(Unsolved::Failed("x".into())),
            queries: 1,
        },
        Event::Contradiction { branch: BranchId(5), with: vec![BranchId(1), BranchId(2)] },
        Event::Divergence {
            run,
            parent: RunId(1),
            at: 3,
            expected: Step::Branch(BranchId(1)),
            actual: Some(Step::Call { call: CallId(1), target: 2 }),
            early: false,
        },
        Event::Lost {
            run,
            reason: Reason::ExternalCall,
            place: Place::Call(CallId(4)),
            count: 2,
            pinned: false,
        },
        Event::FindingSeen {
            finding: FindingId(0),
            run,
            outcome: Outcome::Signal(11),
            stack: vec!["f".into()],
            first: true,
            best: true,
        },
        Event::TestRejected {
            run,
            why: Rejection::Outcome { expected: Outcome::Exit(0), actual: Outcome::Abort },
        },
        Event::Progress(Ledger { runs: 5, ..Ledger::default() }),
        Event::StrategyFinished,
        Event::CampaignEnded { why: EndReason::Runs },
    ]
}

#[test]
fn every_event_round_trips() {
    for (seq, event) in samples().into_iter().enumerate() {
        let record = Record { seq: seq as u64, at_ms: 12, measured: Measured::default(), event };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record, "{text}");
    }
}

#[test]
fn every_reason_round_trips_by_name() {
    for &reason in Reason::ALL {
        let event = Event::Lost { run: RunId(0), reason, place: Place::Site(0), count: 1, pinned: true };
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.contains(&format!("{reason:?}")));
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}
