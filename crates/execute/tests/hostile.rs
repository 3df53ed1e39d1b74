//! Hostile programs: each costs its own run only.

mod common;

use common::{go, instrumented, limits, start};
use execute::{Config, ForkServer, Isolation, Sandbox};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use trace::{Input, Mode, Outcome, Request, Target};

fn hostile(sandbox: Sandbox) -> ForkServer {
    let mut config = Config::new(instrumented("hostile"));
    config.limits = limits();
    config.sandbox = sandbox;
    start(config)
}

/// Held for writing by the test whose program, as `nobody` and without a namespace, kills all it can: that is all
/// other tests' programs, too.
static NOBODY_KILLS: RwLock<()> = RwLock::new(());

fn left_alone() -> RwLockReadGuard<'static, ()> {
    NOBODY_KILLS.read().unwrap_or_else(PoisonError::into_inner)
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
            let run = s.run(&Request { input: &input, mode, value_seed: None, max_inputs: None });
            let run = run.unwrap_or_else(|e| panic!("{word}: {e}"));
            let free = go(&mut s, &Input::stdin("nothing"));
            assert_eq!(free.outcome, Outcome::Exit(17), "after {word}, which ended as {:?}", run.outcome);
            assert!(free.covered.is_empty(), "after {word}: {:?}", free.covered);
        }
    }
    drop(s);
}

const ALL: [&str; 18] = [
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

#[test]
fn zoo_in_the_best_sandbox() {
    let _alone = left_alone();
    each_costs_its_own_run(Sandbox::Best, &ALL);
}

#[test]
fn zoo_with_roots_rights() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let mut config = Config::new(instrumented("hostile"));
    config.sandbox = Sandbox::Exactly(Isolation::Process);
    if ForkServer::start(config, &execute::Capacities::new(8, 2)).is_err() {
        eprintln!("skipped: this machine refuses process namespaces");
        return;
    }
    // Without a limit on processes a bomb takes its time to clear; attaching to the server is root's right.
    let some: Vec<&str> =
        ALL.into_iter().filter(|w| !["bomb", "ptrace", "inputfile", "fill"].contains(w)).collect();
    each_costs_its_own_run(Sandbox::Exactly(Isolation::Process), &some);
}

#[test]
fn zoo_as_nobody_without_namespaces() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let _others_wait = NOBODY_KILLS.write().unwrap_or_else(PoisonError::into_inner);
    // An attacked server costs seconds and is replaced; filling the disk and a fork bomb need a namespace.
    let some: Vec<&str> = ALL.into_iter().filter(|w| !["fill", "bomb"].contains(w)).collect();
    each_costs_its_own_run(Sandbox::Exactly(Isolation::Nobody), &some);
}

#[test]
fn zoo_without_namespaces() {
    let _alone = left_alone();
    // What needs namespaces is left out: killing everything, bombs, attacks on the parent.
    let some =
        ["kill0", "closeall", "closeandread", "scribbleff", "daemon", "manydaemons", "stopped", "stdinflags"];
    each_costs_its_own_run(Sandbox::Exactly(Isolation::Group), &some);
}

#[test]
fn nothing_is_left_behind_by_a_killed_server() {
    let _alone = left_alone();
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

/// What is emptied after each run is the program's own directory, wherever its constructors went.
#[test]
fn constructors_cannot_lead_the_engine_elsewhere() {
    let _alone = left_alone();
    let victim = tempfile::tempdir().expect("a directory");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(victim.path(), open).expect("chmod");
    std::fs::write(victim.path().join("kept"), "precious").expect("a file");
    // As root, programs run as `nobody`: it could be that user's home.
    let _ = std::os::unix::fs::chown(victim.path(), Some(65_534), None);
    let mut config = Config::new(instrumented("wander"));
    config.limits = limits();
    config.env = vec![("VICTIM".into(), victim.path().into())];
    let mut s = start(config);
    for _ in 0..2 {
        assert_eq!(go(&mut s, &Input::default()).outcome, Outcome::Exit(7));
    }
    drop(s);
    assert!(victim.path().join("kept").exists());
}

/// The engine's death, however sudden, takes servers and runs with it.
#[test]
fn nothing_outlives_a_killed_engine() {
    const ROLE: &str = "EXECUTE_TEST_ENGINE";
    let name = "nothing_outlives_a_killed_engine";
    if let Some(program) = std::env::var_os(ROLE) {
        let mut config = Config::new(program);
        config.limits = limits();
        config.limits.wall = std::time::Duration::from_secs(60);
        let mut s = start(config);
        println!("ready");
        go(&mut s, &Input::stdin("stopped"));
        return;
    }
    let _alone = left_alone();
    let program = instrumented("hostile").with_extension("orphan");
    std::fs::copy(instrumented("hostile"), &program).expect("copy");
    let mut engine = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args([name, "--exact", "--nocapture"])
        .env(ROLE, &program)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("an engine");
    wait_until("server and run exist", || alive(&program) == 2);
    engine.kill().expect("kill");
    engine.wait().expect("wait");
    wait_until("they are gone", || alive(&program) == 0);
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..3000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}
