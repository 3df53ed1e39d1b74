//! Programs for tests: C compiled by clang, with the module description written by hand and the real runtime, so
//! that no instrumenter is needed.

#![expect(dead_code, reason = "each test file uses a part")]

pub mod frozen;

use execute::{Capacities, Config, ForkServer, Limits};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use trace::{Candidate, Glimpses, Input, Mode, Object, ObjectKind, Request, Run, Target};

/// Held while something is built: tests run side by side.
static BUILDING: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Where things are built, once per test binary.
fn build_dir() -> &'static Path {
    static DIR: OnceLock<tempfile::TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = tempfile::Builder::new().prefix("execute-tests-").tempdir().expect("a temporary directory");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(dir.path(), open).expect("chmod");
        dir
    })
    .path()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The runtime as `instrument` links it: compiled once for all test processes, again when its sources are others.
fn runtime() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
        let sources = ["trace-abi/src", "runtime/src"].map(|d| crates.join(d));
        let name = format!("runtime-{:016x}", fingerprint(&sources));
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&out).expect("a directory");
        let lock = std::fs::File::create(out.join("lock")).expect("a lock file");
        lock.lock().expect("the lock");
        let archive = out.join("libspelunk_runtime.a");
        if !out.join("complete").exists() {
            compile_runtime(crates, &out);
            std::fs::write(out.join("complete"), "").expect("a mark");
        }
        archive
    })
}

fn compile_runtime(crates: &Path, out: &Path) {
    let rustc = |source: &str, name: &str, kind: &str| {
        let mut c = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
        c.arg(crates.join(source)).args(["--crate-name", name, "--crate-type", kind, "--edition", "2024"]);
        c.args(["-C", "panic=abort", "-C", "opt-level=3", "-C", "relocation-model=pic"]);
        c.args(["-C", "embed-bitcode=yes", "--cap-lints", "allow", "--out-dir"]).arg(out);
        c
    };
    run(&mut rustc("trace-abi/src/lib.rs", "trace_abi", "rlib"));
    let mut lib = rustc("runtime/src/lib.rs", "spelunk_runtime", "staticlib");
    lib.args(["--cfg", "spelunk_staticlib", "-C", "codegen-units=1", "-C", "lto=fat"]);
    lib.arg("--extern").arg(format!("trace_abi={}", out.join("libtrace_abi.rlib").display()));
    run(&mut lib);
}

/// A number that changes with the files below these directories.
fn fingerprint(directories: &[PathBuf]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut waiting = directories.to_vec();
    let mut files = Vec::new();
    while let Some(at) = waiting.pop() {
        if at.is_dir() {
            waiting.extend(std::fs::read_dir(&at).expect("sources").map(|e| e.expect("sources").path()));
        } else {
            files.push(at);
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        (&file, std::fs::read(&file).expect("a source")).hash(&mut hasher);
    }
    hasher.finish()
}

fn clang() -> Command {
    let mut c = Command::new(std::env::var("CLANG").unwrap_or_else(|_| "clang-19".into()));
    c.args(["-O1", "-g", "-fno-omit-frame-pointer", "-w", "-pthread"]);
    c
}

/// `tests/programs/NAME.c` with its `main` renamed, linked with the runtime.
pub fn instrumented(name: &str) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let to = build_dir().join(format!("{name}.served"));
    let _one_at_a_time = BUILDING.lock();
    if to.exists() {
        return to;
    }
    let mut c = clang();
    c.arg(programs.join(format!("{name}.c"))).arg(programs.join("module.c")).arg("-Dmain=__sp_user_main");
    c.arg(format!("-DSP_{}", name.to_uppercase())).arg(runtime()).arg("-o").arg(&to);
    run(&mut c);
    to
}

/// The same program as its user would build it, against our headers and the replay library.
pub fn plain(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let to = build_dir().join(format!("{name}.plain"));
    let _one_at_a_time = BUILDING.lock();
    if to.exists() {
        return to;
    }
    let mut c = clang();
    c.arg(root.join(format!("tests/programs/{name}.c"))).arg("-o").arg(&to);
    let replay = if name == "fuzz" { "fuzz_main.c" } else { "values.c" };
    c.arg(root.join("../../include/replay").join(replay));
    run(&mut c);
    to
}

/// Small limits: tests are to be quick.
pub fn limits() -> Limits {
    Limits {
        wall: Duration::from_millis(1500),
        cpu: Duration::from_millis(1000),
        memory: 256 << 20,
        disk: 16 << 20,
        file_size: 8 << 20,
        ..Limits::default()
    }
}

/// A server of `name` with these arguments.
pub fn server(name: &str, args: &[&str]) -> ForkServer {
    let mut config = Config::new(instrumented(name));
    config.args = args.iter().map(|a| (*a).into()).collect();
    config.limits = limits();
    start(config)
}

/// Starts it.
pub fn start(config: Config) -> ForkServer {
    ForkServer::start(config, &Capacities::new(8, 2)).unwrap_or_else(|e| panic!("{e}"))
}

/// One concrete run.
pub fn go(server: &mut ForkServer, input: &Input) -> Run {
    server
        .run(&Request { input, mode: Mode::Concrete, value_seed: None, max_inputs: None })
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers of the branches covered.
pub fn covered(run: &Run) -> Vec<u32> {
    run.covered.iter().map(|b| b.0).collect()
}

/// A server that makes batches.
pub fn batch_server(name: &str, args: &[&str], limits: Limits) -> ForkServer {
    let mut config = Config::new(instrumented(name));
    config.args = args.iter().map(|a| (*a).into()).collect();
    config.limits = limits;
    ForkServer::start(config, &Capacities::new(8, 2).for_batches()).unwrap_or_else(|e| panic!("{e}"))
}

/// A server that makes batches of a program with more branches.
pub fn wide_batch_server(name: &str) -> ForkServer {
    let config = Config { limits: limits(), ..Config::new(instrumented(name)) };
    ForkServer::start(config, &Capacities::new(64, 2).for_batches()).unwrap_or_else(|e| panic!("{e}"))
}

/// The buffer of a fuzz target.
pub fn buffer(data: impl Into<Vec<u8>>) -> Input {
    Input { objects: vec![Object::new(ObjectKind::Fuzz, "data", data)] }
}

/// Long enough for any batch of the tests.
pub const ENOUGH: Duration = Duration::from_secs(60);

/// Runs them as one batch.
pub fn go_many(server: &mut ForkServer, inputs: &[Input]) -> Glimpses {
    let candidates: Vec<_> = inputs.iter().map(|input| Candidate { input, value_seed: None }).collect();
    let all = server.run_many(&candidates, ENOUGH).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(all.each.len(), inputs.len());
    all
}
