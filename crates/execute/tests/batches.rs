//! Many runs for one order: what is told of each is what a run alone shows, whatever the program does.

mod common;

use common::{ENOUGH, batch_server, buffer, covered, go, go_many, limits, wide_batch_server};
use execute::{ForkServer, Limits, Seen};
use std::time::Duration;
use trace::{Candidate, Glimpses, Input, Object, ObjectKind, Outcome, Target};

fn target() -> ForkServer {
    batch_server("many", &[], limits())
}

/// Enough ordinary runs around something.
fn among(n: usize, word: &str) -> Vec<Input> {
    let mut all = vec![buffer("nothing"); n];
    all.push(buffer(word));
    all.extend(vec![buffer("nothing"); n]);
    all
}

fn outcomes(all: &Glimpses) -> Vec<Outcome> {
    all.each.iter().map(|g| g.outcome).collect()
}

fn shown(all: &Glimpses) -> Vec<usize> {
    (0..all.each.len()).filter(|&k| all.each[k].shown.is_some()).collect()
}

#[test]
fn what_is_new_is_shown_once_and_in_order() {
    let mut s = target();
    let words = [
        "nothing", "place1", "nothing", "place1", "loop1", "loop2", "loop2", "loop5", "loop7", "loop200",
        "place2",
    ];
    let inputs: Vec<_> = words.iter().map(|w| buffer(*w)).collect();
    let all = go_many(&mut s, &inputs);
    assert_eq!(shown(&all), [0, 1, 4, 5, 7, 9, 10], "places and ranges of counts");
    let run = all.each[1].shown.as_ref().expect("shown");
    assert_eq!(covered(run), [0, 3]);
    assert_eq!(run.input, inputs[1]);
    assert_eq!((all.alone, all.unconfirmed), (7, 0));
    assert!(shown(&go_many(&mut s, &inputs)).is_empty(), "nothing is new the second time");
    assert_eq!(s.restarts(), 0);
}

#[test]
fn what_one_server_showed_no_other_shows() {
    let seen = Seen::default();
    let (mut one, mut other) = (target().sharing(&seen), target().sharing(&seen));
    let inputs = |words: &[&str]| words.iter().map(|w| buffer(*w)).collect::<Vec<_>>();
    assert_eq!(shown(&go_many(&mut one, &inputs(&["nothing", "place1", "loop5"]))), [0, 1, 2]);
    let all = go_many(&mut other, &inputs(&["place1", "nothing", "place2", "loop5", "loop200"]));
    assert_eq!(shown(&all), [2, 4]);
    assert_eq!((all.alone, all.unconfirmed), (2, 0));
    assert!(shown(&go_many(&mut one, &inputs(&["place2", "loop200"]))).is_empty());
    // Findings are everybody's.
    for server in [&mut one, &mut other] {
        assert_eq!(shown(&go_many(server, &inputs(&["nothing", "abort"]))), [1]);
    }
}

#[test]
fn every_end_is_told_of_the_input_that_had_it() {
    let ends = [
        ("abort", Outcome::Abort),
        ("segv", Outcome::Signal(libc::SIGSEGV)),
        ("exit", Outcome::Exit(3)),
        ("exit0", Outcome::Exit(0)),
        ("spin", Outcome::Timeout),
        ("sleep", Outcome::Timeout),
        ("eat", Outcome::OutOfMemory),
    ];
    let mut s = target();
    for (word, outcome) in ends {
        let all = go_many(&mut s, &among(30, word));
        let mut expected = vec![Outcome::Exit(0); 61];
        expected[30] = outcome;
        assert_eq!(outcomes(&all), expected, "{word}");
        assert_eq!(all.each[30].shown.is_some(), outcome.is_finding(), "{word}");
    }
    assert_eq!(s.restarts(), 0);
}

#[test]
fn crashes_of_one_place_are_made_again_a_few_times_only() {
    let mut s = target();
    let all = go_many(&mut s, &vec![buffer("segv"); 12]);
    assert_eq!(outcomes(&all), [Outcome::Signal(libc::SIGSEGV); 12]);
    assert_eq!(shown(&all), [0, 1, 2]);
    let other = go_many(&mut s, &[buffer("segv"), buffer("abort")]);
    assert_eq!(shown(&other), [1], "another crash is told");
}

#[test]
fn state_that_leaks_shows_nothing_that_a_run_alone_would_not() {
    let mut s = target();
    go_many(&mut s, &[buffer("nothing")]);
    // From its third run on a process covers place 7, and after forty runs "again" aborts; alone neither happens.
    for _ in 0..12 {
        let mut inputs = vec![buffer("state"); 50];
        inputs.extend(vec![buffer("again"); 3]);
        let all = go_many(&mut s, &inputs);
        assert_eq!(outcomes(&all), [Outcome::Exit(0); 53]);
        assert!(shown(&all).is_empty(), "{:?}", shown(&all));
    }
    let all = go_many(&mut s, &vec![buffer("state"); 200]);
    assert_eq!(all.unconfirmed, 0, "by now each process makes few runs");
}

#[test]
fn coverage_that_varies_a_little_does_not_end_a_process() {
    let mut s = wide_batch_server("varies");
    for _ in 0..24 {
        let all = go_many(&mut s, &vec![buffer("varies"); 50]);
        assert_eq!(outcomes(&all), [Outcome::Exit(0); 50]);
    }
    // After so many runs in one process it is said to be new; alone it does not happen.
    let all = go_many(&mut s, &[buffer("late")]);
    assert_eq!((all.unconfirmed, shown(&all)), (1, vec![]));
}

#[test]
fn what_a_process_holds_does_not_pile_up() {
    let mut s = target();
    // 600 MiB in all, more than a run may use.
    for word in ["leak", "files", "thread", "child"] {
        let all = go_many(&mut s, &vec![buffer(word); 600]);
        assert_eq!(outcomes(&all), [Outcome::Exit(0); 600], "{word}");
    }
    assert_eq!(s.restarts(), 0);
}

#[test]
fn hostile_targets_cost_their_own_runs() {
    let quick = Limits { wall: Duration::from_millis(400), cpu: Duration::from_millis(400), ..limits() };
    for word in ["closeall", "kill0", "killparent", "stop", "lie", "scribble0", "scribble1", "scribble255"] {
        let mut s = batch_server("many", &[], quick);
        let mut inputs = among(20, word);
        inputs.push(buffer("place3"));
        let all = go_many(&mut s, &inputs);
        for (k, glimpse) in all.each.iter().enumerate().filter(|(k, _)| *k != 20) {
            assert_eq!(glimpse.outcome, Outcome::Exit(0), "{word}: {k}");
        }
        let later =
            go_many(&mut s, &[buffer("nothing"), buffer("place3"), buffer("abort"), buffer("place2")]);
        assert_eq!(later.each[2].outcome, Outcome::Abort, "{word}");
        // A program that says of itself, alone, that it covers everything is believed.
        assert!(word == "scribble1" || later.each[3].shown.is_some(), "{word}: new places are still seen");
        let alone = go(&mut s, &buffer("place1"));
        assert_eq!((alone.outcome, covered(&alone)), (Outcome::Exit(0), vec![0, 3]), "{word}");
    }
}

#[test]
fn a_batch_of_slow_runs_ends_before_all_are_made() {
    let mut s = target();
    let input = buffer("sleep");
    let slow = [Candidate { input: &input, value_seed: None }; 40];
    let all = s.run_many(&slow, Duration::from_secs(2)).unwrap();
    assert!((1..slow.len()).contains(&all.each.len()), "{} of {}", all.each.len(), slow.len());
    assert!(all.each.iter().all(|glimpse| glimpse.outcome == Outcome::Timeout));
    let all = go_many(&mut s, &[buffer("nothing"), buffer("abort")]);
    assert_eq!(outcomes(&all), [Outcome::Exit(0), Outcome::Abort]);
}

fn object(kind: ObjectKind, name: &str, data: &[u8]) -> Input {
    Input { objects: vec![Object::new(kind, name, data)] }
}

#[test]
fn programs_with_main_get_every_kind_of_input() {
    let datas = [&b"ab"[..], b"", b"abcdefgh", b"b"];
    let sum = |data: &[u8]| Outcome::Exit((data.iter().map(|&b| u32::from(b)).sum::<u32>() & 127) as i32);
    let expected = datas.map(sum);
    let mut s = batch_server("inputs", &["stdin"], limits());
    let all = go_many(&mut s, &datas.map(Input::stdin));
    assert_eq!(outcomes(&all), expected);
    assert_eq!(shown(&all), [0], "all cover the same");
    let mut s = batch_server("inputs", &["file", "@@"], limits());
    let all = go_many(&mut s, &datas.map(|d| object(ObjectKind::File, "@@", d)));
    assert_eq!(outcomes(&all), expected);
    let mut s = batch_server("inputs", &["arg", "old"], limits());
    let words = [&b"longer"[..], b"ab", b"x"];
    let all = go_many(&mut s, &words.map(|w| object(ObjectKind::Arg, "2", w)));
    assert_eq!(outcomes(&all), [0x36, 0x32, 0x31].map(Outcome::Exit));
    let mut s = batch_server("inputs", &["env"], limits());
    let mut inputs = vec![Input::default(), object(ObjectKind::Env, "GREETING", b"hello"), Input::default()];
    assert_eq!(outcomes(&go_many(&mut s, &inputs)), [200, 5, 200].map(Outcome::Exit));
    let mut s = batch_server("inputs", &["named"], limits());
    inputs = vec![object(ObjectKind::File, "conf/app.ini", b"A"), Input::default()];
    assert_eq!(
        outcomes(&go_many(&mut s, &inputs)),
        [65, 250].map(Outcome::Exit),
        "named files are runs alone"
    );
}

/// Outcomes of a batch of these words, again and again, on standard input of the program `again`.
fn again(words: &[&str]) -> Vec<Outcome> {
    let mut s = batch_server("again", &["one", "three"], limits());
    let inputs: Vec<_> = words.iter().cycle().take(words.len() * 8).map(|w| Input::stdin(*w)).collect();
    // What is shown runs alone; the second time nothing is.
    go_many(&mut s, &inputs);
    outcomes(&go_many(&mut s, &inputs))
}

#[test]
fn a_main_that_is_called_again_finds_all_as_it_was() {
    let long = "x".repeat(10_000);
    let partly = format!("a few.{long}");
    let words = ["state", "", &long, "deep", "state", &partly, "arguments", "close", "deep"];
    let ends = [8, 0, (10_000 & 127), 21, 8, 5, 5, 5, 21].map(Outcome::Exit);
    assert_eq!(again(&words), ends.repeat(8));
}

#[test]
fn a_main_is_called_again_in_the_same_process() {
    let all = again(&["process"]);
    assert_eq!(all, vec![all[0]; 8]);
}

#[test]
fn exit_handlers_of_a_call_belong_to_it() {
    let mut s = batch_server("again", &[], limits());
    let inputs: Vec<_> = ["state", "deep", "handler", "state"].map(Input::stdin).to_vec();
    let all = go_many(&mut s, &inputs);
    assert_eq!(outcomes(&all), [8, 21, 2, 8].map(Outcome::Exit));
    assert_eq!(shown(&all), [0, 2]);
    assert_eq!(covered(all.each[2].shown.as_ref().expect("shown")), [0, 3]);
}

#[test]
fn ends_that_are_not_the_call_s_end_the_process() {
    let words = ["thread", "state", "children", "abrupt", "state"];
    assert_eq!(again(&words), [9, 8, 6, 11, 8].map(Outcome::Exit).repeat(8));
}

#[test]
fn files_that_runs_leave_are_gone_before_the_next() {
    let mut s = batch_server("inputs", &["litter"], limits());
    for _ in 0..3 {
        go_many(&mut s, &vec![Input::default(); 5]);
    }
    assert_eq!(outcomes(&go_many(&mut s, &vec![Input::default(); 5])), [Outcome::Exit(0); 5]);
}

#[test]
fn drawn_values_go_by_each_candidate_s_seed() {
    let mut s = batch_server("values", &[], limits());
    let input = Input::default();
    let seeds = [Some(1), None, Some(2), Some(1)];
    let candidates = seeds.map(|value_seed| Candidate { input: &input, value_seed });
    let all = s.run_many(&candidates, ENOUGH).expect("runs");
    for (glimpse, value_seed) in all.each.iter().zip(seeds) {
        let alone = s.run(&trace::Request {
            input: &input,
            mode: trace::Mode::Concrete,
            value_seed,
            max_inputs: None,
        });
        assert_eq!(glimpse.outcome, alone.expect("a run").outcome, "{value_seed:?}");
    }
}

#[test]
fn the_zoo_in_batches() {
    let mut s = batch_server("hostile", &[], limits());
    let words = [
        "killparent",
        "closeall",
        "scribble0",
        "scribbleff",
        "daemon",
        "manydaemons",
        "stdinflags",
        "inputfile",
        "locked",
    ];
    for word in words {
        let inputs: Vec<_> = ["nothing", word, "nothing"].iter().map(|w| Input::stdin(*w)).collect();
        let all = go_many(&mut s, &inputs);
        assert_eq!(all.each[0].outcome, Outcome::Exit(17), "before {word}");
        assert_eq!(all.each[2].outcome, Outcome::Exit(17), "after {word}");
    }
}
