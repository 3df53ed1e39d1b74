//! A campaign is written, read, resumed, and refuses what it should.

use events::{Cause, Event, FindingId, FlipAnswer, Ledger, Measured, Outcome, Place, Reason, RunId, Step};
use program::{BranchId, CallId, CondId, ProgramMap};
use std::path::Path;
use store::{Campaign, Keep, Meta, Session, StoreError};
use tempfile::TempDir;
use trace::{Input, Object, ObjectKind, ValueType};

fn meta() -> Meta {
    Meta {
        target: "./my prog".to_string(),
        args: vec!["-x".to_string(), "@@".to_string()],
        seed: 7,
        strategy: "random-branch".to_string(),
        ..Meta::default()
    }
}

fn map() -> ProgramMap {
    ProgramMap { version: 1, files: vec!["a.c".to_string()], ..ProgramMap::default() }
}

fn create(dir: &Path) -> Session {
    Session::create(dir, &meta(), &map()).unwrap()
}

fn typed() -> Input {
    let mut value = Object::new(ObjectKind::Value, "v", [1, 2, 3, 4]);
    value.value_type = ValueType::Signed;
    Input { objects: vec![Object::new(ObjectKind::Arg, "1", *b"abc"), value] }
}

fn run_done(run: u64, cause: Cause, kept: bool) -> Event {
    let (run, new_branches) = (RunId(run), u32::from(kept));
    Event::RunDone { run, cause, outcome: Outcome::Exit(0), input_len: 3, decisions: 0, new_branches, kept }
}

fn keep(outcome: Outcome) -> Keep<'static> {
    Keep { outcome, cause: Some(Cause::Initial), new_branches: 1, why: "new" }
}

/// Something of everything.
fn fill(s: &mut Session) {
    let measured = Measured { cpu_us: 2, search_cpu_us: 5, runs: 9, solve_us: 11, ..Measured::default() };
    let (cond, branch, parent) = (CondId(2), BranchId(4), RunId(0));
    let flip = |answer| Event::FlipResult { parent, at: 1, cond, branch, answer, queries: 1 };
    let place = Place::Call(CallId(3));
    let lost = Event::Lost { run: parent, reason: Reason::ExternalCall, place, count: 4, pinned: false };
    let seen = |run, best| Event::FindingSeen {
        finding: FindingId(0),
        run: RunId(run),
        outcome: Outcome::Signal(11),
        stack: vec!["parse".to_string()],
        first: run == 0,
        best,
    };
    let expected = Step::Branch(branch);
    let all = [
        run_done(0, Cause::Initial, true),
        Event::BranchCovered { branch, run: RunId(0) },
        Event::Contradiction { branch, with: vec![BranchId(1), BranchId(2)] },
        Event::Contradiction { branch, with: vec![BranchId(2)] },
        Event::Contradiction { branch, with: vec![BranchId(1), BranchId(2)] },
        flip(FlipAnswer::Unsat { pinned: false }),
        flip(FlipAnswer::Unsat { pinned: false }),
        flip(FlipAnswer::Sat { unpinned: true }),
        lost.clone(),
        lost,
        seen(0, true),
        seen(1, false),
        seen(2, true),
        Event::Divergence { run: RunId(3), parent, at: 1, expected, actual: None, early: true },
        run_done(1, Cause::Random, false),
        Event::Progress(Ledger { runs: 2, ..Ledger::default() }),
    ];
    for event in all {
        s.record(event, measured).unwrap();
    }
    s.keep(RunId(0), &Input::stdin("a\0b"), &keep(Outcome::Exit(0))).unwrap();
    s.keep(RunId(2), &typed(), &keep(Outcome::Abort)).unwrap();
}

#[test]
fn everything_recorded_is_read_back() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    fill(&mut session);
    drop(session);

    let c = Campaign::open(tmp.path()).unwrap();
    assert_eq!(c.meta().unwrap(), meta());
    assert_eq!(c.map().unwrap(), map());
    let covered = c.coverage().unwrap();
    assert_eq!(
        (covered.len(), covered[0].branch, covered[0].runs, covered[0].cpu_us),
        (1, BranchId(4), 9, 5)
    );
    let flips: Vec<_> = c.flips().unwrap().into_iter().map(|f| (f.answer, f.count, f.solve_us)).collect();
    let expected =
        [(FlipAnswer::Sat { unpinned: true }, 1, 11), (FlipAnswer::Unsat { pinned: false }, 2, 22)];
    assert_eq!(flips, expected);
    assert_eq!(c.contradictions().unwrap(), [(BranchId(4), vec![BranchId(2)])], "the shortest");
    let losses = c.losses().unwrap();
    assert_eq!(
        (losses.len(), losses[0].reason, losses[0].runs, losses[0].count),
        (1, Reason::ExternalCall, 2, 8)
    );
    let findings = c.findings().unwrap();
    assert_eq!((findings[0].first_run, findings[0].best_run, findings[0].count), (RunId(0), RunId(2), 3));
    assert_eq!((&findings[0].stack[..], findings[0].verdict.clone()), (&["parse".to_string()][..], None));
    assert_eq!((c.divergences().unwrap()[0].count, c.samples().unwrap()[0].ledger.runs), (1, 2));
    let corpus = c.corpus().unwrap();
    assert_eq!(corpus.inputs, [(RunId(0), Input::stdin("a\0b")), (RunId(2), typed())]);
    assert!(corpus.unreadable.is_empty());
    assert_eq!(c.kept_runs().unwrap()[1].outcome, Outcome::Abort);
    // The random run that showed nothing is counted but not logged.
    let log = c.events(0, 1000).unwrap();
    assert_eq!((log.len(), log.last().unwrap().seq), (15, 15));
    assert_eq!(c.events(3, 2).unwrap().iter().map(|r| r.seq).collect::<Vec<_>>(), [3, 4]);
    let seen = c.events_called("finding-seen").unwrap();
    assert!(seen.iter().all(|r| matches!(r.event, Event::FindingSeen { .. })) && seen.len() == 3);
    let summary = c.summary().unwrap();
    assert_eq!((summary.runs, summary.branches, summary.corpus, summary.findings), (2, 1, 2, 1));
}

#[test]
fn a_campaign_goes_on_where_it_stopped() {
    let tmp = TempDir::new().unwrap();
    let mut first = create(tmp.path());
    fill(&mut first);
    let elapsed = first.elapsed_ms();
    drop(first);
    let mut second = Campaign::resume(tmp.path()).unwrap();
    assert!(second.elapsed_ms() >= elapsed);
    let record = second.record(run_done(2, Cause::Random, false), Measured::default()).unwrap();
    assert_eq!(record.seq, 16);
    second.commit().unwrap();
    assert_eq!(second.runs().unwrap(), 3);
}

/// A reader sees what was committed; whatever happens to the writer then, that stays.
#[test]
fn what_was_committed_survives_the_writer() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    session.record(Event::BranchCovered { branch: BranchId(1), run: RunId(0) }, Measured::default()).unwrap();
    session.commit().unwrap();
    let reader = Campaign::open(tmp.path()).unwrap();
    assert_eq!(reader.coverage().unwrap().len(), 1);
    // As after kill -9: nothing is committed or closed.
    let copy = TempDir::new().unwrap();
    for file in ["campaign.db", "campaign.db-wal"] {
        std::fs::copy(tmp.path().join(file), copy.path().join(file)).unwrap();
    }
    assert_eq!(Campaign::resume(copy.path()).unwrap().coverage().unwrap().len(), 1);
}

#[test]
fn byte_streams_are_stored_raw_and_named_the_same_each_time() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    let input = Input::stdin("raw\n");
    session.keep(RunId(12), &input, &keep(Outcome::Exit(0))).unwrap();
    let name = store::corpus_name(RunId(12), &input);
    assert!(name.starts_with("000012-") && name.len() == 7 + 16, "{name}");
    assert_eq!(std::fs::read(tmp.path().join("corpus").join(name)).unwrap(), b"raw\n");
    assert!(store::corpus_name(RunId(1), &typed()).ends_with(".json"));
}

#[test]
fn the_suite_replaces_the_one_before_and_spares_foreign_files() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    let (a, b) = (Input::stdin("a"), Input::stdin("b"));
    session.write_tests([(RunId(1), &a), (RunId(2), &b)]).unwrap();
    std::fs::write(tmp.path().join("tests/README"), "mine").unwrap();
    session.write_tests([(RunId(2), &b)]).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(tmp.path().join("tests"))
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [store::corpus_name(RunId(2), &b), "README".to_string()]);
}

#[test]
fn a_finding_says_how_to_replay_it() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    let input = Input { objects: vec![Object::new(ObjectKind::File, "@@", *b"boom")] };
    session
        .finding(FindingId(0), RunId(3), Outcome::Signal(11), &input, &["f".into(), "main".into()])
        .unwrap();
    let at = tmp.path().join("findings").join(store::finding_folder(FindingId(0), Outcome::Signal(11)));
    assert!(at.ends_with("0000-unconfirmed-signal-11"));
    assert_eq!(std::fs::read(at.join("input")).unwrap(), b"boom");
    assert_eq!(std::fs::read_to_string(at.join("stack.txt")).unwrap(), "f\nmain\n");
    let how = std::fs::read_to_string(at.join("how-to-replay.txt")).unwrap();
    let input = at.join("input");
    assert!(how.contains(&format!("'./my prog' -x {}", input.display())), "{how}");
    assert!(how.contains("spelunk replay "), "{how}");
    let facts: serde_json::Value =
        serde_json::from_slice(&std::fs::read(at.join("finding.json")).unwrap()).unwrap();
    assert_eq!(facts["run"], 3);
}

#[test]
fn a_missing_file_is_named_not_fatal() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    fill(&mut session);
    std::fs::remove_file(tmp.path().join("corpus").join(store::corpus_name(RunId(2), &typed()))).unwrap();
    let corpus = session.corpus().unwrap();
    assert_eq!((corpus.inputs.len(), corpus.unreadable.len()), (1, 1));
}

#[test]
fn two_writers_in_one_folder_are_refused() {
    let tmp = TempDir::new().unwrap();
    let first = create(tmp.path());
    let error = Campaign::resume(tmp.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Locked { pid, .. } if *pid == std::process::id().to_string()),
        "{error}"
    );
    assert!(error.to_string().contains("another spelunk (process "));
    drop(first);
    assert!(Campaign::resume(tmp.path()).is_ok());
}

#[test]
fn other_folders_are_refused_with_one_clear_message() {
    let tmp = TempDir::new().unwrap();
    let told = |r: Result<Session, StoreError>| r.unwrap_err().to_string();
    assert!(told(Campaign::resume(tmp.path())).contains("holds no campaign"));
    drop(create(tmp.path()));
    assert!(told(Session::create(tmp.path(), &meta(), &map())).contains("already holds a campaign"));
    let db = rusqlite::Connection::open(tmp.path().join("campaign.db")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let told = told(Campaign::resume(tmp.path()));
    assert!(told.contains("was written in format 99, this spelunk reads format 5"), "{told}");
    std::fs::write(tmp.path().join("campaign.db"), vec![b'x'; 5000]).unwrap();
    let told = Campaign::open(tmp.path()).unwrap_err().to_string();
    assert!(told.contains("is damaged: it is not a database"), "{told}");
}

#[test]
fn answers_come_back_to_the_solvers_that_gave_them() {
    let tmp = TempDir::new().unwrap();
    let mut session = create(tmp.path());
    assert_eq!(session.answers("solvers 1").unwrap(), None);
    session.set_answers("solvers 1", b"first").unwrap();
    session.set_answers("solvers 1", b"second").unwrap();
    drop(session);
    let session = Session::resume(tmp.path()).unwrap();
    assert_eq!(session.answers("solvers 1").unwrap().as_deref(), Some(&b"second"[..]));
    assert_eq!(session.answers("solvers 2").unwrap(), None);
}
