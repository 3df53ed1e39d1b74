//! Delivery of inputs, outcomes, limits, values: what a well-meaning program sees.

mod common;

use common::{batch_server, buffer, covered, go, go_many, instrumented, limits, server, start};
use execute::{Config, Isolation};
use trace::{Input, Mode, Object, ObjectKind, Outcome, Request, Target};

fn object(kind: ObjectKind, name: &str, data: &[u8]) -> Input {
    Input { objects: vec![Object::new(kind, name, data)] }
}

#[test]
fn every_kind_of_input_is_delivered_and_covered() {
    let mut s = server("inputs", &["stdin"]);
    for data in [&b"ab"[..], b"", b"abcdefgh", b"b"] {
        let run = go(&mut s, &Input::stdin(data));
        let sum: u32 = data.iter().map(|&b| u32::from(b)).sum();
        assert_eq!(run.outcome, Outcome::Exit((sum & 127) as i32), "{data:?}");
        assert_eq!(covered(&run), [0, 7], "branch 7 is a constructor's");
        assert_eq!(run.entered.iter().map(|f| f.0).collect::<Vec<_>>(), [0, 1]);
    }
    let mut s = server("inputs", &["file", "@@"]);
    for data in [&b"xyz"[..], b"", b"x"] {
        let run = go(&mut s, &object(ObjectKind::File, "@@", data));
        let sum: u32 = data.iter().map(|&b| u32::from(b)).sum();
        assert_eq!(run.outcome, Outcome::Exit((sum & 127) as i32), "{data:?}");
        assert_eq!(covered(&run), [1, 7]);
    }
    let mut s = server("inputs", &["arg", "old"]);
    assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(0x33));
    assert_eq!(go(&mut s, &object(ObjectKind::Arg, "2", b"longer")).outcome, Outcome::Exit(0x36));
    assert_eq!(go(&mut s, &object(ObjectKind::Arg, "2", b"ab\0cd")).outcome, Outcome::Exit(0x32));
    assert_eq!(go(&mut s, &object(ObjectKind::Arg, "3", b"more")).outcome, Outcome::Exit(0x44));
    let mut s = server("inputs", &["env"]);
    assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(200));
    assert_eq!(go(&mut s, &object(ObjectKind::Env, "GREETING", b"hello")).outcome, Outcome::Exit(5));
    assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(200));
    let mut s = server("inputs", &["named"]);
    assert_eq!(go(&mut s, &object(ObjectKind::File, "conf/app.ini", b"A")).outcome, Outcome::Exit(65));
    assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(250 & 255), "the file is gone again");
}

#[test]
fn the_program_sees_nothing_of_us_and_a_clean_directory() {
    let mut s = server("inputs", &["clean"]);
    assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(0));
    let mut s = server("inputs", &["litter"]);
    for _ in 0..3 {
        assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(0));
    }
    assert_eq!(s.restarts(), 0);
}

#[test]
fn what_the_environment_holds_does_not_move_the_stack() {
    let frame = |name: &str, extra: Vec<(String, String)>| {
        let mut config = Config::new(instrumented("inputs"));
        config.args = vec!["stack".into()];
        config.name = Some(name.into());
        config.env = extra.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        go(&mut start(config), &Input::default()).outcome
    };
    let usual = frame("program", Vec::new());
    for n in 1..12 {
        let variables = (0..n).map(|k| (format!("V{k}"), "x".repeat(7 * n * k))).collect();
        assert_eq!(frame(&"p".repeat(3 * n), variables), usual);
    }
}

#[test]
fn runs_are_on_the_cpu_of_the_thread_that_waits_for_them() {
    let (mut single, mut batches) = (server("ends", &[]), batch_server("many", &[], limits()));
    for cpu in on_each_cpu() {
        let expected = Outcome::Exit(1 + (cpu % 100) as i32);
        assert_eq!(go(&mut single, &Input::stdin(b"cpu")).outcome, expected);
        // The process that runs others of them was made for the last CPU.
        let all = go_many(&mut batches, &[buffer("nothing"), buffer("cpu"), buffer("nothing")]);
        assert_eq!(all.each[1].outcome, expected);
    }
}

/// The CPUs that this thread may use; when one is asked for, the thread is on it.
fn on_each_cpu() -> impl Iterator<Item = usize> {
    // SAFETY: a set of CPUs is plain numbers, for which zeros do.
    let none: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let mut mine = none;
    // SAFETY: a set of the size given.
    unsafe { libc::sched_getaffinity(0, size_of_val(&mine), &raw mut mine) };
    // SAFETY: the numbers are below what a set has room for.
    let may = move |&cpu: &usize| unsafe { libc::CPU_ISSET(cpu, &mine) };
    (0..libc::CPU_SETSIZE as usize).filter(may).inspect(move |&cpu| {
        let mut one = none;
        // SAFETY: as above; a set of the size given.
        unsafe {
            libc::CPU_SET(cpu, &mut one);
            libc::sched_setaffinity(0, size_of_val(&one), &raw const one);
        }
    })
}

#[test]
fn every_end_has_its_outcome() {
    let mut s = server("ends", &[]);
    let expected = [
        ("exit", Outcome::Exit(3)),
        ("segv", Outcome::Signal(libc::SIGSEGV)),
        ("abort", Outcome::Abort),
        ("assert", Outcome::Abort),
        ("divide", Outcome::Signal(libc::SIGFPE)),
        ("stack", Outcome::Signal(libc::SIGSEGV)),
        ("own", Outcome::Exit(42)),
        ("sleep", Outcome::Timeout),
        ("spin", Outcome::Timeout),
        ("eat", Outcome::OutOfMemory),
        ("eatforks", Outcome::OutOfMemory),
        ("bigfile", Outcome::OutputLimit),
        ("stderr", Outcome::Exit(4)),
        ("", Outcome::Exit(7)),
    ];
    for (what, outcome) in expected {
        let run = go(&mut s, &Input::stdin(what));
        assert_eq!(run.outcome, outcome, "{what}");
        assert_eq!(go(&mut s, &Input::stdin("exit")).outcome, Outcome::Exit(3), "after {what}");
    }
    assert_eq!(s.restarts(), 0);
}

#[test]
fn crash_stacks_name_the_function() {
    let program = instrumented("ends");
    let mut s = server("ends", &[]);
    let symbols = execute::Symbolizer::open(&program).expect("debug information");
    for (what, function) in
        [("segv", "crash_here"), ("stack", "deeper"), ("abort", "main"), ("divide", "main")]
    {
        let run = go(&mut s, &Input::stdin(what));
        let names: Vec<_> = symbols.stack(&run.crash_stack).into_iter().map(|f| f.function).collect();
        assert!(names.iter().any(|n| n.contains(function)), "{what}: {names:?}");
    }
    let quiet = go(&mut s, &Input::stdin("exit"));
    assert!(quiet.crash_stack.is_empty());
}

#[test]
fn fuzz_targets_get_their_buffer() {
    let mut s = server("fuzz", &[]);
    let run = go(&mut s, &object(ObjectKind::Fuzz, "data", b"12345"));
    assert_eq!((run.outcome, covered(&run)), (Outcome::Exit(0), vec![5]));
    assert_eq!(go(&mut s, &object(ObjectKind::Fuzz, "data", b"boo")).outcome, Outcome::Abort);
    let run = go(&mut s, &object(ObjectKind::Fuzz, "data", b""));
    assert_eq!((run.outcome, covered(&run)), (Outcome::Exit(0), vec![0]));
}

#[test]
fn values_are_given_recorded_and_drawn() {
    let mut s = server("values", &[]);
    let run = go(&mut s, &Input::default());
    let names: Vec<_> = run.input.objects.iter().map(|o| (o.name.as_str(), o.data.len())).collect();
    assert_eq!(names, [("", 4), ("int", 4), ("text", 5), ("count", 4), ("uchar", 1), ("bool", 1)]);
    assert_eq!(run.outcome, Outcome::Exit(0));
    let mut input = run.input;
    input.objects[0].data = 5i32.to_le_bytes().into();
    input.objects[2].data = vec![0, 0, 0, 0, 7];
    input.objects[3].data = 30i32.to_le_bytes().into();
    let run = go(&mut s, &input);
    assert_eq!((run.outcome, &run.input), (Outcome::Exit(42), &input));
    input.objects[0].data = 1000i32.to_le_bytes().into();
    assert_eq!(go(&mut s, &input).outcome, Outcome::Exit(0), "the assumption fails");
    let drawn = |s: &mut execute::ForkServer, seed| {
        let input = Input::default();
        s.run(&Request { input: &input, mode: Mode::Concrete, value_seed: Some(seed), max_inputs: None })
            .expect("run")
            .input
    };
    assert_eq!(drawn(&mut s, 1), drawn(&mut s, 1));
    assert_ne!(drawn(&mut s, 1), drawn(&mut s, 2));
}

#[test]
fn too_large_inputs_and_bad_programs_are_errors_with_reasons() {
    let mut s = server("inputs", &["stdin"]);
    let huge = Input::stdin(vec![0; 65 << 20]);
    let e = s
        .run(&Request { input: &huge, mode: Mode::Concrete, value_seed: None, max_inputs: None })
        .expect_err("too large");
    assert!(e.to_string().contains("limit"), "{e}");
    assert_eq!(go(&mut s, &Input::stdin("a")).outcome, Outcome::Exit(97));
    for (program, word) in
        [("/bin/true", "fork server"), ("/nonexistent", "No such file"), ("/etc/passwd", "executable")]
    {
        let e = execute::ForkServer::start(Config::new(program), &execute::Capacities::new(1, 1)).err();
        let e = e.expect("not a fork server").to_string();
        assert!(e.contains(word), "{program}: {e}");
    }
}

#[test]
fn thousands_of_runs_leak_nothing() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").expect("list").count();
    let mut config = Config::new(instrumented("inputs"));
    config.args = vec!["stdin".into()];
    config.limits = limits();
    let scratch = tempfile::tempdir().expect("scratch");
    std::fs::set_permissions(scratch.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("chmod");
    config.scratch = Some(scratch.path().to_owned());
    let mut s = start(config);
    go(&mut s, &Input::stdin("a"));
    let before = descriptors();
    let mut cpu = std::time::Duration::ZERO;
    for i in 0..10_000u32 {
        let run = go(&mut s, &Input::stdin(vec![1; (i % 100) as usize]));
        assert_eq!(run.outcome, Outcome::Exit((i % 100) as i32));
        cpu += run.cpu;
    }
    // Other tests of this process open some meanwhile; a leak would be thousands.
    assert!(descriptors() < before + 500);
    assert_eq!(s.restarts(), 0);
    eprintln!("{:?}: {:?} CPU per run in the child", s.isolation(), cpu / 10_000);
    assert!(matches!(s.isolation(), Isolation::User | Isolation::Process | Isolation::Group));
    drop(s);
    assert_eq!(
        std::fs::read_dir(scratch.path()).expect("list").count(),
        0,
        "the scratch directory is removed"
    );
}

#[test]
fn the_runtime_provides_every_function_it_promises() {
    use object::{Object as _, ObjectSymbol as _};
    let program = std::fs::read(instrumented("values")).expect("read");
    let file = object::File::parse(&*program).expect("an executable");
    let weak: std::collections::HashSet<_> =
        file.symbols().filter(|s| s.is_weak() && s.is_definition()).filter_map(|s| s.name().ok()).collect();
    for name in trace_abi::PROVIDED {
        assert!(weak.contains(name), "{name} is not a weak function of the runtime");
    }
}
