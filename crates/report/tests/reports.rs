//! What reports look like, on a small program with one of everything.

use events::{EndReason, Event, FindingId, FlipAnswer, Follows, Place, RunId, Unsolved};
use program::{BranchId, CallId, Callee, CondId, Coverage, FileId, FunctionId, ProgramMap, Span};
use report::{Data, Look, Verdict, Why};
use std::time::Duration;
use trace::testing::*;
use trace::{Outcome, Reason, Step};

/// main: 0/1 reached, tried; calls `parse` (2..5) and, never, `dump` (6/7); a switch (8..10).
fn map() -> ProgramMap {
    let program = Program::main([
        if_(byte(0).eq(b'a'), [call("parse")], []),
        if_(byte(1).eq(b'b'), [call("dump")], []),
        switch(byte(2), [(1, vec![]), (7, vec![crash()])], []),
    ])
    .function("parse", [if_(byte(3).lt(9), [if_(byte(4).lt(9), [], [])], [])])
    .function("dump", [if_(byte(5).lt(9), [], [])]);
    let mut map = FakeTarget::new(&program).map().clone();
    map.files = vec!["/src/demo/main.c".into(), "/src/demo/parse.c".into()];
    let span = |function: FunctionId, line: u32| Span {
        file: Some(FileId(u32::from(function.0 == 1))),
        line: function.0 * 20 + line,
        column: 5,
    };
    for f in 0..map.functions.len() as u32 {
        map.functions[f as usize].span = span(FunctionId(f), 1);
    }
    for (i, cond) in (0..).zip(&mut map.conds) {
        cond.span = span(cond.function, 2 + i);
    }
    for i in 0..map.blocks.len() {
        let function = map.blocks[i].function;
        map.blocks[i].file = span(function, 0).file;
        map.blocks[i].lines = vec![function.0 * 20 + 2 + (i as u32 % 10)];
    }
    for call in &mut map.calls {
        call.span = span(map.blocks[call.block.index()].function, 9);
    }
    map
}

fn flip(branch: u32, answer: FlipAnswer) -> Event {
    Event::FlipResult {
        parent: RunId(1),
        at: 0,
        cond: CondId(0),
        branch: BranchId(branch),
        answer,
        queries: 1,
    }
}

fn data(map: &ProgramMap) -> Data<'_> {
    let mut data = Data::new(map, "./demo", "demo.spelunk");
    let mut before = Coverage::new(map);
    before.add_branch(map.branches_of(CondId(0)).next().unwrap());
    data.before = Some(before);
    data.elapsed = Duration::from_secs(301);
    data.ledger.runs = 12_345;
    data.ledger.queries = 2_000;
    data.ledger.flips = 1_900;
    data.ledger.sat = 800;
    data.ledger.unsat = 1_000;
    data.ledger.unknown = 100;
    data.ledger.divergences = 3;
    data.coverage.add_function(FunctionId(0));
    let take = [
        Event::CampaignStarted {
            strategy: "auto".into(),
            seed: 7,
            jobs: 1,
            functions: 3,
            conditionals: 6,
            branches: 13,
            earlier_runs: 0,
        },
        covered(0),
        covered(1),
        covered(2),
        Event::LostInAll {
            reason: Reason::ExternalCall,
            place: Place::Call(CallId(0)),
            count: 90,
            runs: 30,
            pinned: false,
        },
        Event::LostInAll {
            reason: Reason::StoreAddress,
            place: Place::Site(0),
            count: 4,
            runs: 4,
            pinned: true,
        },
        Event::FindingSeen {
            finding: FindingId(0),
            run: RunId(44),
            outcome: Outcome::Signal(11),
            stack: vec!["inner".into(), "parse".into(), "main".into(), "start".into()],
            first: true,
            best: true,
        },
        Event::SuiteBuilt { tests: 3, branches: 3, unconfirmed: 0, only_findings: 0, pending: 0 },
        Event::CampaignEnded { why: EndReason::Time },
    ];
    take.iter().for_each(|e| data.take(e));
    data.findings.get_mut(&FindingId(0)).unwrap().file = Some("findings/0".into());
    data
}

fn covered(branch: u32) -> Event {
    Event::BranchCovered { branch: BranchId(branch), run: RunId(0) }
}

#[test]
fn summary_for_people() {
    let map = map();
    let mut data = data(&map);
    data.take(&flip(3, FlipAnswer::Unknown(Unsolved::TimeLimit)));
    insta::assert_snapshot!("summary-80", report::summary(&data, &Look::default()));
    insta::assert_snapshot!("summary-120", report::summary(&data, &Look { width: 120, colour: false }));
}

#[test]
fn what_there_was_no_time_to_confirm_is_said_so() {
    let map = map();
    let mut data = data(&map);
    data.take(&Event::SuiteBuilt { tests: 3, branches: 3, unconfirmed: 2, only_findings: 0, pending: 2 });
    data.unchecked = 1;
    let text = report::summary(&data, &Look::default());
    assert!(text.contains("3 tests in the suite"), "{text}");
    assert!(text.contains("2 more tests not yet confirmed: there was no time (--resume or replay"), "{text}");
    assert!(text.contains("1 test was not yet run with AddressSanitizer"), "{text}");
}

#[test]
fn coverage_per_file_and_function() {
    let map = map();
    insta::assert_snapshot!("coverage-80", report::coverage_table(&data(&map), &Look::default()));
}

#[test]
fn lcov_for_viewers() {
    let map = map();
    insta::assert_snapshot!("lcov", report::lcov(&data(&map)));
}

#[test]
fn json_for_programs() {
    let map = map();
    let json = report::json(&data(&map));
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn plain_text_has_no_escapes_and_fits() {
    let map = map();
    let data = data(&map);
    for width in [80, 100, 120] {
        let look = Look { width, colour: false };
        for text in [report::coverage_table(&data, &look), report::summary(&data, &look)] {
            assert!(!text.contains('\x1b'));
            for line in text.lines() {
                assert!(line.chars().count() <= usize::from(width), "{line:?} at {width}");
            }
        }
    }
    assert!(report::summary(&data, &Look { width: 80, colour: true }).contains("\x1b[1m"));
}

#[test]
fn each_open_branch_has_the_reason_that_leaves_most_hope() {
    let mut map = map();
    let why = |data: &Data<'_>, b| match report::verdict(data, BranchId(b)) {
        Verdict::Open(why) => Some(why),
        Verdict::Covered => None,
    };
    {
        let mut d = Data::new(&map, "x", "x");
        assert_eq!(why(&d, 1), Some(Why::NotEntered));
        d.coverage.add_function(FunctionId(0));
        assert_eq!(why(&d, 1), Some(Why::NotReached));
        d.take(&covered(0));
        assert_eq!((why(&d, 0), why(&d, 1)), (None, Some(Why::Concrete)));
        let follows = |follows| Event::ByControlFlow { cond: CondId(0), run: RunId(0), follows };
        d.take(&follows(Follows::Input));
        d.take(&follows(Follows::Bytes));
        assert_eq!(why(&d, 1), Some(Why::Follows(Follows::Bytes)), "the last one counts");
        d.take(&Event::Symbolic { cond: CondId(0), run: RunId(0) });
        assert_eq!(why(&d, 1), Some(Why::NeverTried));
        d.take(&flip(1, FlipAnswer::Unsat { pinned: false }));
        assert_eq!(why(&d, 1), Some(Why::Infeasible));
        d.take(&flip(1, FlipAnswer::Unsat { pinned: true }));
        assert_eq!(why(&d, 1), Some(Why::InfeasiblePinned));
        d.take(&Event::Divergence {
            run: RunId(2),
            parent: RunId(1),
            at: 0,
            expected: Step::Branch(BranchId(1)),
            actual: None,
            early: false,
        });
        assert_eq!(why(&d, 1), Some(Why::Diverged));
        d.take(&flip(1, FlipAnswer::Unknown(Unsolved::WorkLimit)));
        assert_eq!(why(&d, 1), Some(Why::GaveUp(Unsolved::WorkLimit)));
        d.take(&covered(1));
        assert_eq!(why(&d, 1), None);
    }
    map.calls[0].callee = Callee::External("mystery".into());
    let call = CallId(0);
    let function = map.blocks[map.calls[0].block.index()].function;
    let mut d = Data::new(&map, "x", "x");
    let branch =
        map.conds.iter().position(|c| c.function == function).map(|c| map.conds[c].first_branch).unwrap();
    d.take(&covered(branch.0));
    d.take(&Event::Lost {
        run: RunId(0),
        reason: Reason::ExternalCall,
        place: Place::Call(call),
        count: 2,
        pinned: false,
    });
    assert_eq!(why(&d, branch.0 + 1), Some(Why::Lost(Reason::ExternalCall)));
    assert!(report::summary(&d, &Look::default()).contains("mystery"));
}

#[test]
fn why_names_the_cause_and_the_way_there() {
    let map = map();
    let mut d = data(&map);
    d.covered_by.insert(BranchId(0), "tests/000003".into());
    let ask = |d: &Data<'_>, text: &str| {
        report::conditionals(&map, &report::Question::parse(text))
            .map(|conds| report::why(d, &conds, &Look { width: 100, colour: false }))
    };
    let main = ask(&d, "main.c:2").expect("there");
    assert!(main.contains("false: covered, first by tests/000003"), "{main}");
    // `dump` is called behind a branch that no run took.
    let dump = ask(&d, "dump").expect("there");
    assert!(
        dump.contains("in a function that was never entered") && dump.contains("the way there is closed at"),
        "{dump}"
    );
    d.take(&flip(3, FlipAnswer::Unsat { pinned: false }));
    let tried = ask(&d, "demo/main.c:3").expect("there");
    assert!(tried.contains("tried 1 time: 1 infeasible"), "{tried}");
    assert!(!tried.contains("contradicts"), "{tried}");
    d.take(&Event::Contradiction { branch: BranchId(3), with: vec![BranchId(0), BranchId(1), BranchId(99)] });
    assert!(!ask(&d, "demo/main.c:3").expect("there").contains("contradicts"), "99 is of library code");
    d.take(&Event::Contradiction { branch: BranchId(3), with: vec![BranchId(0), BranchId(1)] });
    let tried = ask(&d, "demo/main.c:3").expect("there");
    assert!(tried.contains("contradicts main.c:2 false, main.c:2 true, taken before"), "{tried}");
    d.take(&Event::Contradiction { branch: BranchId(3), with: vec![] });
    assert!(ask(&d, "demo/main.c:3").expect("there").contains("contradicts itself"));
    // A line without branches: the nearest that has some.
    assert_eq!(ask(&d, "main.c:1"), ask(&d, "main.c:2"));
    assert!(ask(&d, "other.c:1").expect_err("no such file").contains("other.c"));
    assert!(ask(&d, "nobody").expect_err("no such function").contains("FILE:LINE"));
}

#[test]
fn an_empty_program_and_wild_events_are_no_trouble() {
    let map = ProgramMap::default();
    let mut d = Data::new(&map, "x", "x");
    d.take(&covered(99));
    d.take(&flip(99, FlipAnswer::Sat { unpinned: false }));
    d.take(&Event::Lost {
        run: RunId(0),
        reason: Reason::Float,
        place: Place::Call(CallId(9)),
        count: 1,
        pinned: false,
    });
    for text in [
        report::summary(&d, &Look::default()),
        report::coverage_table(&d, &Look::default()),
        report::lcov(&d),
    ] {
        assert!(!text.is_empty());
    }
}

#[test]
fn a_campaign_that_covered_nothing_is_told_why() {
    let map = map();
    let mut d = Data::new(&map, "x", "x");
    let hint = |d: &Data<'_>| {
        let text = report::summary(d, &Look::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!hint(&d).contains("No branch was covered"));
    d.ledger.runs = 6;
    assert!(hint(&d).contains("does the program read its input"));
    d.ledger.repairs = 1;
    assert!(hint(&d).contains("keeps the assumptions"));
    d.take(&Event::FindingSeen {
        finding: FindingId(0),
        run: RunId(0),
        outcome: Outcome::Abort,
        stack: vec![],
        first: true,
        best: true,
    });
    assert!(!hint(&d).contains("No branch was covered"), "it does read its input");
}
