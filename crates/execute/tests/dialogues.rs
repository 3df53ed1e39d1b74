//! Runs that freeze where the program reads a connection, and runs from there, with sockets of their own.

mod common;

use common::frozen::{advance_with, branches, go_with};
use common::{instrumented, limits};
use execute::{Capacities, Config, ForkServer};
use trace::{
    Advance, Advanced, Input, Mode, Object, ObjectKind, Outcome, Progress, Request, Run, SnapshotId,
    Snapshots as _, Target as _,
};

/// The ways in which the program reads.
const ONE_AFTER_THE_OTHER: [&str; 3] = ["bytes", "chunks", "stream"];

fn server(kind: &str) -> ForkServer {
    let mut config = Config { limits: limits(), ..Config::new(instrumented("dialogue")) };
    config.args = vec![kind.into()];
    ForkServer::start(config, &Capacities::new(8, 2).with_snapshots()).unwrap_or_else(|e| panic!("{e}"))
}

/// What the clients of three connections say.
fn clients(texts: [&str; 3]) -> Input {
    let object =
        |(k, text): (usize, &str)| Object::new(ObjectKind::Connection, k.to_string(), text.as_bytes());
    Input { objects: texts.into_iter().enumerate().map(object).collect() }
}

/// Goes on with that, to where nothing is left to be read.
fn freeze(s: &mut ForkServer, from: Option<SnapshotId>, texts: [&str; 3]) -> Advanced {
    advance(s, from, texts, |order| Advance { freeze_at_end: true, ..order })
}

fn advance(
    s: &mut ForkServer,
    from: Option<SnapshotId>,
    texts: [&str; 3],
    change: impl Fn(Advance<'_>) -> Advance<'_>,
) -> Advanced {
    advance_with(s, from, &clients(texts), change)
}

fn go(s: &mut ForkServer, from: SnapshotId, texts: [&str; 3]) -> Run {
    go_with(s, from, &clients(texts))
}

/// Bytes read of each connection, and whether it is closed.
fn heard(run: &Advanced) -> Vec<(u64, bool)> {
    run.connections.iter().map(|&Progress { read, is_closed }| (read, is_closed)).collect()
}

#[test]
fn runs_go_on_with_what_the_client_says_next() {
    for kind in ONE_AFTER_THE_OTHER {
        let mut s = server(kind);
        let first = freeze(&mut s, None, ["abx", "", ""]);
        assert_eq!(heard(&first), [(3, false), (0, false), (0, false)], "{kind}");
        assert_eq!(branches(&first.run), [0, 1], "{kind}");
        let here = first.snapshot.expect("frozen");
        let run = go(&mut s, here, ["cd!", "", ""]);
        assert_eq!((run.outcome, branches(&run)), (Outcome::Exit(5), vec![2, 3]), "{kind}");
        assert_eq!(go(&mut s, here, ["!", "", ""]).outcome, Outcome::Exit(3), "{kind}: as it was");
        assert_eq!(go(&mut s, here, ["?", "", ""]).outcome, Outcome::Exit(100), "{kind}: nobody hung up");
        assert_eq!(go(&mut s, here, ["y", "?", ""]).outcome, Outcome::Exit(101), "{kind}: the first one did");
    }
}

#[test]
fn one_connection_after_the_other() {
    for kind in ONE_AFTER_THE_OTHER {
        let mut s = server(kind);
        let first = freeze(&mut s, None, ["ab.", "", ""]);
        assert_eq!(
            heard(&first),
            [(3, true), (0, false), (0, false)],
            "{kind}: the next client is waited for"
        );
        let second = freeze(&mut s, first.snapshot, ["not heard", "c", ""]);
        assert_eq!(heard(&second), [(3, true), (1, false), (0, false)], "{kind}");
        assert_eq!(branches(&second.run), [2], "{kind}");
        let third = freeze(&mut s, second.snapshot, ["", "d", "e"]);
        assert_eq!(
            heard(&third),
            [(3, true), (2, true), (1, false)],
            "{kind}: who has no more to say hangs up"
        );
        let [first, second, third] = [first, second, third].map(|run| run.snapshot.expect("frozen"));
        assert_eq!(go(&mut s, third, ["", "", "f!"]).outcome, Outcome::Exit(22), "{kind}");
        assert_eq!(go(&mut s, first, ["", "", "!"]).outcome, Outcome::Exit(20), "{kind}");
        s.forget(second);
        assert_eq!(go(&mut s, third, ["", "", "?"]).outcome, Outcome::Exit(101), "{kind}");
        assert_eq!(go(&mut s, third, ["", "", "."]).outcome, Outcome::Exit(0), "{kind}: nobody is left");
        assert_eq!(go(&mut s, first, ["", "x.", "xy!"]).outcome, Outcome::Exit(22), "{kind}");
    }
}

#[test]
fn all_connections_at_once() {
    for kind in ["poll", "epoll"] {
        let mut s = server(kind);
        let first = freeze(&mut s, None, ["ab", "x", ""]);
        let told = heard(&first);
        // The third says nothing, and is over when it is looked at while others have something to say.
        assert_eq!((told[0].0, told[1].0, told[2].0), (2, 1, 0), "{kind}: {told:?}");
        let here = first.snapshot.expect("frozen");
        let second = freeze(&mut s, Some(here), ["c", "", ""]);
        assert_eq!((heard(&second)[0].0, branches(&second.run)), (3, vec![2]), "{kind}");
        let deeper = second.snapshot.expect("frozen");
        for _ in 0..2 {
            let run = go(&mut s, deeper, ["de", "", ""]);
            assert_eq!((branches(&run), run.outcome), (vec![3, 4], Outcome::Exit(0)), "{kind}");
            assert_eq!(branches(&go(&mut s, here, ["x", "c", ""])), [2], "{kind}: another one says it");
        }
    }
}

#[test]
fn reads_are_counted() {
    let mut s = server("bytes");
    let run = advance(&mut s, None, ["abcdefgh", "", ""], |order| Advance { freeze_at: 3, ..order });
    assert_eq!((run.inputs, heard(&run)[0]), (3, (3, false)));
    let run = advance(&mut s, run.snapshot, ["dxxxxxxxx", "", ""], |order| Advance { patience: 4, ..order });
    assert_eq!((run.idle, heard(&run)[0], branches(&run.run)), (4, (8, false), vec![3]));
    let ended = advance(&mut s, None, ["ab", "cd", "e"], |order| order);
    assert_eq!((ended.snapshot, branches(&ended.run)), (None, vec![0, 1, 2, 3, 4]), "ends are ends");
}

#[test]
fn the_input_of_a_run_is_what_comes_behind_the_snapshot() {
    let mut s = server("bytes");
    let here = freeze(&mut s, None, ["abc", "", ""]).snapshot.expect("frozen");
    let input = clients(["dex", "", "y"]);
    let request = Request { input: &input, mode: Mode::Symbolic, value_seed: None, max_inputs: None };
    let run = s.run_from(here, &request).expect("a run");
    assert_eq!(branches(&run), [3, 4]);
    assert_eq!(run.input, input);
}

#[test]
fn ordinary_runs_read_from_the_start() {
    let mut s = server("chunks");
    freeze(&mut s, None, ["abc", "", ""]).snapshot.expect("frozen");
    let input = clients(["ab.", "c", "!"]);
    let request = Request { input: &input, mode: Mode::Concrete, value_seed: None, max_inputs: None };
    let run = s.run(&request).expect("a run");
    assert_eq!((run.outcome, branches(&run)), (Outcome::Exit(20), vec![0, 1, 2]));
}
