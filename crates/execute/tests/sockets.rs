//! Programs that accept connections: the instrumented one, whose connections the runtime makes, and the user's own, to which
//! the engine is the client, end in the same way.

mod common;

use common::{go, instrumented, limits, plain, start};
use execute::{Config, Isolation, PlainProgram, Sandbox};
use trace::{Input, Object, ObjectKind, Outcome};

fn input(texts: &[&str]) -> Input {
    pieces("", texts)
}

fn pieces(how: &str, texts: &[&str]) -> Input {
    let object =
        |(k, text): (usize, &&str)| Object::new(ObjectKind::Connection, format!("{k}{how}"), text.as_bytes());
    Input { objects: texts.iter().enumerate().map(object).collect() }
}

fn configs(kind: &str) -> [Config; 2] {
    [instrumented("sockets"), plain("sockets")].map(|executable| {
        let mut config = Config::new(executable);
        config.args = vec![kind.into()];
        config.limits = limits();
        config
    })
}

/// How the instrumented and the user's own program end.
fn outcomes(kind: &str, inputs: &[Input]) -> Vec<[Outcome; 2]> {
    let [served, own] = configs(kind);
    let (mut server, mut own) = (start(served), PlainProgram::new(own));
    let both = |input: &Input| {
        [go(&mut server, input).outcome, own.run(input).unwrap_or_else(|e| panic!("{e}")).outcome]
    };
    inputs.iter().map(both).collect()
}

#[test]
fn clients_are_heard_by_both() {
    for kind in ["four", "six", "unix", "abstract", "poll"] {
        let inputs = [input(&["exit"]), input(&["abc", "exit", "not heard"]), input(&["a crash"])];
        let expected = [Outcome::Exit(4), Outcome::Exit(7), Outcome::Abort].map(|o| [o; 2]);
        assert_eq!(outcomes(kind, &inputs), expected, "{kind}");
    }
}

#[test]
fn a_server_that_waits_for_more_has_ended() {
    let idle = [Outcome::Exit(0); 2];
    assert_eq!(outcomes("four", &[input(&[""]), input(&["a", "b"])]), [idle, idle]);
    assert_eq!(outcomes("poll", &[input(&["a"])]), [idle]);
    assert_eq!(outcomes("never", &[input(&["a"])]), [[Outcome::Exit(7); 2]]);
}

#[test]
fn time_limits_of_waits_pass() {
    assert_eq!(outcomes("timer", &[input(&["a"])]), [[Outcome::Exit(33); 2]]);
}

#[test]
fn a_server_that_hangs_hangs() {
    assert_eq!(outcomes("four", &[input(&["spin"])]), [[Outcome::Timeout; 2]]);
}

#[test]
fn pieces_are_sent_when_the_last_was_read() {
    let lines = pieces(":line", &["one\ntwo\ncalls"]);
    let bytes = pieces(":4", &["call", "calls calls"]);
    assert_eq!(outcomes("four", &[lines, bytes]), [[Outcome::Exit(3); 2], [Outcome::Exit(3); 2]]);
}

#[test]
fn without_namespaces_it_works_on_the_machines_own_network() {
    let isolation = if Isolation::candidates(Sandbox::Best).contains(&Isolation::Nobody) {
        Isolation::Nobody
    } else {
        Isolation::Group
    };
    let [_, mut own] = configs("unix");
    own.sandbox = Sandbox::Exactly(isolation);
    let mut own = PlainProgram::new(own);
    assert_eq!(own.run(&input(&["abc", "exit"])).map(|r| r.outcome).ok(), Some(Outcome::Exit(7)));
}
