//! Runs that freeze where the program asks for input, and runs from there.

mod common;

use common::frozen::{advance_with, branches, go_with};
use common::{instrumented, limits};
use execute::{Capacities, Config, ForkServer, Limits};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use trace::{
    Advance, Advanced, Input, Mode, Object, ObjectKind, Outcome, Request, Run, SnapshotId, Snapshots as _,
    ValueType,
};

fn server() -> ForkServer {
    server_of("reactive")
}

fn server_of(program: &str) -> ForkServer {
    with_limits(program, limits())
}

fn with_limits(program: &str, limits: Limits) -> ForkServer {
    let mut config = Config { limits, ..Config::new(instrumented(program)) };
    // Where a program that means harm finds them.
    for (name, at) in [
        ("INPUTS", std::mem::offset_of!(trace_abi::Header, n_inputs)),
        ("HURRIES", std::mem::offset_of!(trace_abi::Header, hurries)),
    ] {
        config.env.push((name.into(), at.to_string().into()));
    }
    ForkServer::start(config, &Capacities::new(8, 2).with_snapshots()).unwrap_or_else(|e| panic!("{e}"))
}

/// Keys, one after the other.
fn keys(text: &str) -> Input {
    let key =
        |b| Object { value_type: ValueType::Unsigned, ..Object::new(ObjectKind::Value, "key", vec![b]) };
    Input { objects: text.bytes().map(key).collect() }
}

fn text(input: &Input) -> String {
    input.objects.iter().map(|o| char::from(o.data[0])).collect()
}

/// Goes on with these keys and freezes behind them.
fn freeze(s: &mut ForkServer, from: Option<SnapshotId>, input: &str) -> Advanced {
    let freeze_at = input.len() as u32;
    advance(s, from, input, |order| Advance { freeze_at, ..order })
}

fn advance(
    s: &mut ForkServer,
    from: Option<SnapshotId>,
    input: &str,
    change: impl Fn(Advance<'_>) -> Advance<'_>,
) -> Advanced {
    advance_with(s, from, &keys(input), change)
}

fn go(s: &mut ForkServer, from: SnapshotId, input: &str) -> Run {
    go_with(s, from, &keys(input))
}

fn values(input: &Input) -> usize {
    input.objects.iter().filter(|o| o.kind == ObjectKind::Value).count()
}

#[test]
fn runs_go_on_where_one_froze() {
    let mut s = server();
    let first = freeze(&mut s, None, "xab");
    assert_eq!((text(&first.run.input).as_str(), branches(&first.run)), ("xab", vec![0, 1]));
    let here = first.snapshot.expect("frozen");
    let run = go(&mut s, here, "cd!");
    assert_eq!((run.outcome, branches(&run), text(&run.input)), (Outcome::Exit(4), vec![2, 3], "cd!".into()));
    let run = go(&mut s, here, "!");
    assert_eq!(
        (run.outcome, branches(&run)),
        (Outcome::Exit(2), vec![]),
        "nothing is left of the run before"
    );
    assert_eq!(go(&mut s, here, "cdefg").outcome, Outcome::Abort);
}

#[test]
fn snapshots_nest_and_outlive_the_one_they_come_from() {
    let mut s = server();
    let first = freeze(&mut s, None, "a").snapshot.expect("frozen");
    let second = freeze(&mut s, Some(first), "bc").snapshot.expect("frozen");
    let third = freeze(&mut s, Some(second), "d").snapshot.expect("frozen");
    assert_eq!(go(&mut s, first, "!").outcome, Outcome::Exit(1));
    s.forget(second);
    assert_eq!(go(&mut s, third, "!").outcome, Outcome::Exit(4));
    assert_eq!(go(&mut s, first, "b!").outcome, Outcome::Exit(2));
    let request = Request { input: &keys("!"), mode: Mode::Concrete, value_seed: None, max_inputs: None };
    assert!(s.run_from(second, &request).is_err(), "forgotten");
    assert_eq!(go(&mut s, third, "ef!").outcome, Outcome::Exit(6));
}

#[test]
fn random_input_freezes_when_nothing_new_comes() {
    let mut s = server();
    let run = advance(&mut s, None, "ab", |order| Advance { patience: 5, ..order });
    let given = run.run.input.objects.len();
    assert_eq!((run.idle, run.inputs), (5, given as u64));
    assert!(given >= 6 && run.snapshot.is_some(), "{given} inputs");
    // What is known already is nothing new.
    let run = advance(&mut s, None, "ab", |order| Advance { patience: 3, known: &|b| b.0 < 2, ..order });
    assert_eq!(run.run.input.objects.len(), 2, "two inputs, three looks");
}

#[test]
fn runs_that_end_do_not_freeze() {
    let mut s = server();
    let ended = advance(&mut s, None, "abc!", |order| order);
    assert_eq!((ended.run.outcome, ended.snapshot), (Outcome::Exit(3), None));
    let crashed = advance(&mut s, None, "abcdefg", |order| order);
    assert_eq!((crashed.run.outcome, crashed.snapshot), (Outcome::Abort, None));
    let hung = advance(&mut s, None, "a#", |order| order);
    assert_eq!((hung.run.outcome, hung.snapshot), (Outcome::Timeout, None));
    assert_eq!(text(&hung.run.input), "a#", "what it consumed is told");
    let here = freeze(&mut s, None, "ab").snapshot.expect("frozen");
    assert_eq!(go(&mut s, here, "#").outcome, Outcome::Timeout);
    assert_eq!(go(&mut s, here, "c!").outcome, Outcome::Exit(3), "the frozen run is as it was");
}

#[test]
fn input_can_be_bounded() {
    let mut s = server();
    let run = advance(&mut s, None, "", |order| Advance { max_inputs: 20, known: &|_| true, ..order });
    if run.run.outcome == Outcome::Exit(0) {
        assert_eq!((values(&run.run.input), run.run.input.ends()), (20, true));
    }
    let here = freeze(&mut s, None, "ab").snapshot.expect("frozen");
    let request = Request { input: &keys("x"), mode: Mode::Concrete, value_seed: None, max_inputs: Some(3) };
    let run = s.run_from(here, &request).expect("a run");
    assert_eq!((run.outcome, values(&run.input)), (Outcome::Exit(0), 3));
    // What is marked so ends by itself.
    let again = trace::Target::run(
        &mut s,
        &Request { input: &keys("ab").ending(), mode: Mode::Concrete, value_seed: None, max_inputs: None },
    );
    let again = again.expect("a run");
    assert_eq!((again.outcome, values(&again.input), branches(&again)), (Outcome::Exit(0), 2, vec![0, 1]));
}

#[test]
fn files_are_as_they_were() {
    let mut s = server();
    let here = freeze(&mut s, None, "LL").snapshot.expect("frozen");
    assert_eq!(go(&mut s, here, "S").outcome, Outcome::Exit(10));
    assert_eq!(go(&mut s, here, "LLS").outcome, Outcome::Exit(20));
    assert_eq!(go(&mut s, here, "S").outcome, Outcome::Exit(10), "the lines of the run before are gone");
    let deeper = freeze(&mut s, Some(here), "L").snapshot.expect("frozen");
    assert_eq!(go(&mut s, here, "S").outcome, Outcome::Exit(10));
    assert_eq!(go(&mut s, deeper, "S").outcome, Outcome::Exit(15));
}

#[test]
fn what_runs_leave_behind_is_ended_and_the_frozen_stay() {
    let mut s = server();
    let here = freeze(&mut s, None, "a").snapshot.expect("frozen");
    let deeper = freeze(&mut s, Some(here), "b").snapshot.expect("frozen");
    for _ in 0..5 {
        assert_eq!(go(&mut s, here, "F!").outcome, Outcome::Exit(1));
    }
    falls_to(&s, 2);
    assert_eq!(go(&mut s, deeper, "!").outcome, Outcome::Exit(2));
    s.forget(here);
    s.forget(deeper);
    falls_to(&s, 0);
}

/// So many processes are left soon.
fn falls_to(s: &ForkServer, n: usize) {
    for _ in 0..500 {
        if s.processes_below() <= n {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(s.processes_below(), n);
}

#[test]
fn threads_and_children_are_not_frozen() {
    let mut s = server();
    for order in ["T", "F"] {
        let run = advance(&mut s, None, &format!("{order}ab!"), |o| Advance { freeze_at: 2, ..o });
        assert_eq!((run.run.outcome, run.snapshot), (Outcome::Exit(2), None), "{order}");
    }
}

#[test]
fn ordinary_runs_go_on_being_made() {
    let mut s = server();
    let here = freeze(&mut s, None, "a").snapshot.expect("frozen");
    let run = trace::Target::run(
        &mut s,
        &Request { input: &keys("ab!"), mode: Mode::Concrete, value_seed: None, max_inputs: None },
    );
    assert_eq!(run.expect("a run").outcome, Outcome::Exit(2));
    let request = Request { input: &keys("!"), mode: Mode::Concrete, value_seed: None, max_inputs: None };
    assert!(s.run_from(here, &request).is_err(), "ended by the ordinary run");
    assert!(freeze(&mut s, None, "ab").snapshot.is_some());
}

#[test]
fn what_is_in_the_working_directory_is_put_back_and_not_followed() {
    let mut s = server_of("litter");
    let here = freeze(&mut s, None, "lp").snapshot.expect("frozen");
    for _ in 0..2 {
        assert_eq!(go(&mut s, here, "?").outcome, Outcome::Exit(1 + 2), "links, and no pipe");
    }
    assert_eq!(go(&mut s, here, "dmu!").outcome, Outcome::Exit(3 + 2), "whatever a run leaves");
    assert_eq!(go(&mut s, here, "?").outcome, Outcome::Exit(1 + 2));
    let here = freeze(&mut s, None, "o").snapshot.expect("frozen");
    assert_eq!(go(&mut s, here, "!").outcome, Outcome::Exit(1), "nobody waits at a pipe");
}

#[test]
fn where_the_working_directory_cannot_be_copied_a_run_is_not_frozen() {
    let mut s = server_of("litter");
    let here = freeze(&mut s, None, "l").snapshot.expect("frozen");
    for (what, why) in [("d", "deep"), ("m", "more than"), ("u", "denied")] {
        let run = freeze(&mut s, None, what);
        assert_eq!((run.snapshot, text(&run.run.input).as_str()), (None, what));
        let refused = run.refused.unwrap_or_default();
        assert!(refused.contains(why), "{what}: {refused}");
        assert_eq!(go(&mut s, here, "?").outcome, Outcome::Exit(3), "after {what}");
        falls_to(&s, 1);
    }
}

#[test]
fn what_goes_on_writing_is_ended_before_anything_is_copied() {
    let mut s = server_of("litter");
    for _ in 0..10 {
        let here = freeze(&mut s, None, "w").snapshot.expect("frozen");
        assert_eq!(s.processes_below(), 1);
        let first = go(&mut s, here, "?").outcome;
        assert_eq!(go(&mut s, here, "?").outcome, first);
        s.forget(here);
        falls_to(&s, 0);
    }
}

#[test]
fn a_run_freezes_behind_all_that_it_was_given() {
    let mut s = server_of("mixed");
    let mut input = keys("xyxyxy");
    input.objects.insert(0, Object::new(ObjectKind::Stdin, "stdin", *b"abc"));
    fn frozen(order: Advance<'_>) -> Advance<'_> {
        Advance { freeze_behind: true, freeze_at_end: true, ..order }
    }
    let run = advance_with(&mut s, None, &input, frozen);
    assert_eq!((run.inputs, run.stream_at, values(&run.run.input)), (9, 3, 6), "{run:?}");
    let here = run.snapshot.expect("frozen");
    let go = |s: &mut ForkServer, line: &str, values: &str| {
        let mut input = keys(values);
        input.objects.insert(0, Object::new(ObjectKind::Stdin, "stdin", line.as_bytes()));
        let request = Request { input: &input, mode: Mode::Concrete, value_seed: None, max_inputs: None };
        s.run_from(here, &request).expect("a run").outcome
    };
    assert_eq!(go(&mut s, "!", "xy"), Outcome::Exit(3));
    assert_eq!(go(&mut s, "a!", "xyxy"), Outcome::Exit(4));
    // What an earlier run was given is no input of one that is given none.
    let none = Request { input: &keys("xy"), mode: Mode::Concrete, value_seed: None, max_inputs: None };
    assert_eq!(s.run_from(here, &none).expect("a run").outcome, Outcome::Exit(103), "at its end");
    // Where the values end first, the run ends with them.
    let fewer = keys("xyx");
    let fewer = Input { objects: input.objects[..1].iter().chain(&fewer.objects).cloned().collect() };
    let run = advance_with(&mut s, None, &fewer, frozen);
    assert_eq!((run.inputs, run.stream_at, values(&run.run.input)), (5, 2, 3), "{run:?}");
}

/// A short while for a run that may freeze.
fn briefly() -> ForkServer {
    with_limits("litter", Limits { leg: Duration::from_millis(700), ..limits() })
}

#[test]
fn a_run_that_goes_on_for_long_freezes_and_goes_on_later() {
    let mut s = briefly();
    let first = freeze(&mut s, None, "");
    let here = advance(&mut s, first.snapshot, "e", |o| Advance { freeze_at: 0, ..o });
    assert!(here.snapshot.is_some(), "{here:?}");
    assert!(here.inputs > 10, "{here:?}");
    let more = advance(&mut s, here.snapshot, "", |o| Advance { freeze_at: 0, ..o });
    assert!(more.snapshot.is_some() && more.inputs > 10, "{more:?}");
}

#[test]
fn a_run_that_cannot_be_frozen_ends_when_its_time_is_over() {
    let mut s = briefly();
    let run = advance(&mut s, None, "te", |o| o);
    assert_eq!((run.run.outcome, run.snapshot), (Outcome::Exit(0), None), "and is no hang");
    assert!(run.inputs > 10);
}

#[test]
fn counting_inputs_that_were_never_asked_for_keeps_nothing_alive() {
    let mut s = briefly();
    for from in [false, true] {
        let from = if from { freeze(&mut s, None, "l").snapshot } else { None };
        let run = advance(&mut s, from, "c", |o| o);
        assert_eq!((run.run.outcome, run.snapshot), (Outcome::Timeout, None));
        assert!(run.inputs > 1_000_000, "it counted: {}", run.inputs);
    }
}

#[test]
fn who_asks_to_stop_does_not_wait_for_a_leg() {
    let mut s = server_of("litter");
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    let soon: &'static (dyn Fn() -> bool + Sync) = &|| LOOKS.fetch_add(1, Relaxed) > 5;
    let run = advance(&mut s, None, "e", |o| Advance { stop: soon, ..o });
    assert!(run.snapshot.is_some() && run.inputs > 1, "{run:?}");
    assert_eq!(advance(&mut s, None, "c", |o| Advance { stop: soon, ..o }).run.outcome, Outcome::Timeout);
}
