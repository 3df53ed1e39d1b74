//! The user's own executable on an input: same deliveries, same outcomes as the instrumented one.

mod common;

use common::{go, instrumented, limits, plain, start};
use execute::{Config, Isolation, PlainProgram, PlainRun, Sandbox};
use trace::{Input, Object, ObjectKind, Outcome};

fn program(name: &str, args: &[&str]) -> PlainProgram {
    let mut config = Config::new(plain(name));
    config.args = args.iter().map(|a| (*a).into()).collect();
    config.limits = limits();
    PlainProgram::new(config)
}

fn run(program: &mut PlainProgram, input: &Input) -> PlainRun {
    program.run(input).unwrap_or_else(|e| panic!("{e}"))
}

fn object(kind: ObjectKind, name: &str, data: &[u8]) -> Input {
    Input { objects: vec![Object::new(kind, name, data)] }
}

#[test]
fn inputs_arrive_as_in_the_fork_server() {
    let cases: [(&[&str], Input, i32); 7] = [
        (&["stdin"], Input::stdin("ab"), 67),
        (&["file", "@@"], object(ObjectKind::File, "@@", b"ab"), 67),
        (&["arg", "old"], object(ObjectKind::Arg, "2", b"longer"), 0x36),
        (&["arg", "old"], object(ObjectKind::Arg, "3", b"more"), 0x44),
        (&["env"], object(ObjectKind::Env, "GREETING", b"hello"), 5),
        (&["named"], object(ObjectKind::File, "conf/app.ini", b"A"), 65),
        (&["clean"], Input::default(), 0),
    ];
    for (args, input, code) in cases {
        assert_eq!(run(&mut program("inputs", args), &input).outcome, Outcome::Exit(code), "{args:?}");
        let mut config = Config::new(instrumented("inputs"));
        config.args = args.iter().map(|a| (*a).into()).collect();
        config.limits = limits();
        assert_eq!(go(&mut start(config), &input).outcome, Outcome::Exit(code), "{args:?}");
    }
}

#[test]
fn outcomes_are_those_of_the_fork_server() {
    let mut p = program("ends", &[]);
    let expected = [
        ("exit", Outcome::Exit(3)),
        ("segv", Outcome::Signal(libc::SIGSEGV)),
        ("abort", Outcome::Abort),
        ("assert", Outcome::Abort),
        ("stack", Outcome::Signal(libc::SIGSEGV)),
        ("own", Outcome::Exit(42)),
        ("sleep", Outcome::Timeout),
        ("eat", Outcome::OutOfMemory),
        ("eatforks", Outcome::OutOfMemory),
        ("bigfile", Outcome::OutputLimit),
    ];
    for (what, outcome) in expected {
        assert_eq!(run(&mut p, &Input::stdin(what)).outcome, outcome, "{what}");
    }
    let told = run(&mut p, &Input::stdin("stderr"));
    assert_eq!((told.outcome, told.stderr.as_slice()), (Outcome::Exit(4), &b"the end of the story\n"[..]));
    let assertion = String::from_utf8(run(&mut p, &Input::stdin("assert")).stderr).expect("text");
    assert!(assertion.contains("Assertion `zero' failed"), "{assertion}");
}

#[test]
fn hostile_programs_end_with_their_run() {
    for sandbox in [Sandbox::Best, Sandbox::Exactly(Isolation::Group)] {
        let mut config = Config::new(plain("hostile"));
        config.limits = limits();
        config.sandbox = sandbox;
        let mut p = PlainProgram::new(config);
        let namespaces = ["bomb", "killall", "killparent"];
        let everywhere = ["kill0", "closeall", "daemon", "manydaemons", "stopped", "locked", "nothing"];
        let extra: &[&str] = if sandbox == Sandbox::Best { &namespaces } else { &[] };
        for what in everywhere.iter().chain(extra) {
            run(&mut p, &Input::stdin(*what));
            assert_eq!(run(&mut p, &Input::stdin("nothing")).outcome, Outcome::Exit(17), "after {what}");
        }
    }
}

#[test]
fn the_replay_library_gives_the_same_values() {
    let value = |name: &str, data: &[u8]| Object::new(ObjectKind::Value, name, data);
    let objects = vec![
        value("a", &5i32.to_le_bytes()),
        value("b", &1i32.to_le_bytes()),
        value("text", &[0, 0, 0, 0, 7]),
        value("count", &30i32.to_le_bytes()),
        value("uchar", &[2]),
        value("bool", &[1]),
    ];
    let mut input = Input { objects };
    let mut p = program("values", &[]);
    assert_eq!(run(&mut p, &input).outcome, Outcome::Exit(46));
    input.objects[0].data = 1000i32.to_le_bytes().into();
    assert_eq!(run(&mut p, &input).outcome, Outcome::Exit(0), "the assumption fails");
    let mut p = program("fuzz", &[]);
    assert_eq!(run(&mut p, &object(ObjectKind::Fuzz, "data", b"boo")).outcome, Outcome::Abort);
    assert_eq!(run(&mut p, &object(ObjectKind::Fuzz, "data", b"bo")).outcome, Outcome::Exit(0));
}
