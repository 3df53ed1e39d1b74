//! Hostile programs: each costs its own run only.

mod common;

use common::{go, instrumented, limits, start};
use execute::{Config, ForkServer, Sandbox};
use trace::{Input, Mode, Outcome, Request, Target};

fn hostile(sandbox: Sandbox) -> ForkServer {
    let mut config = Config::new(instrumented("hostile"));
    config.limits = limits();
    config.sandbox = sandbox;
    start(config)
}

/// Processes whose executable is the given one.
fn alive(program: &std::path::Path) -> usize {
    let of = |p: std::fs::DirEntry| std::fs::read_link(p.path().join("exe")).ok();
    std::fs::read_dir("/proc").expect("proc").flatten().filter_map(of).filter(|exe| exe == program).count()
}

fn each_costs_its_own_run(sandbox: Sandbox, what: &[&str]) {
    let mut s = hostile(sandbox);
    assert_eq!(go(&mut s, &Input::stdin("nothing")).outcome, Outcome::Exit(17));
    for word in what {
        let input = Input::stdin(*word);
        for mode in [Mode::Concrete, Mode::Symbolic] {
            let run = s.run(&Request { input: &input, mode, value_seed: None });
            let run = run.unwrap_or_else(|e| panic!("{word}: {e}"));
            let free = go(&mut s, &Input::stdin("nothing"));
            assert_eq!(free.outcome, Outcome::Exit(17), "after {word}, which ended as {:?}", run.outcome);
            assert!(free.covered.is_empty(), "after {word}: {:?}", free.covered);
        }
    }
    drop(s);
}

#[test]
fn zoo_in_the_best_sandbox() {
    let all = [
        "bomb",
        "kill0",
        "killall",
        "killparent",
        "closeall",
        "closeandread",
        "scribble0",
        "scribbleff",
        "scribble01",
        "fill",
        "daemon",
        "manydaemons",
        "stopped",
        "ptrace",
        "stdinflags",
        "inputfile",
        "locked",
        "limits",
    ];
    each_costs_its_own_run(Sandbox::Best, &all);
}

#[test]
fn zoo_without_namespaces() {
    // What needs namespaces is left out: killing everything, bombs, attacks on the parent.
    let some =
        ["kill0", "closeall", "closeandread", "scribbleff", "daemon", "manydaemons", "stopped", "stdinflags"];
    each_costs_its_own_run(Sandbox::Group, &some);
}

#[test]
fn nothing_is_left_behind_by_a_killed_server() {
    let program = {
        // A copy, so that other tests' processes do not count.
        let from = instrumented("hostile");
        let to = from.with_extension("alone");
        std::fs::copy(&from, &to).expect("copy");
        to
    };
    let mut config = Config::new(&program);
    config.limits = limits();
    let mut s = start(config);
    go(&mut s, &Input::stdin("manydaemons"));
    assert_eq!(alive(&program), 1, "the server alone");
    drop(s);
    assert_eq!(alive(&program), 0);
}
