//! Compiles the C++ shim against LLVM 19 and the runtime as a static library.
//!
//! The runtime is not a normal dependency: it becomes part of *tested programs*, so it is compiled here by
//! `rustc` itself (panic=abort, one static library) and embedded into this crate.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    shim();
    runtime();
}

fn shim() {
    println!("cargo:rerun-if-changed=shim/shim.cc");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let config = std::env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-19".into());
    let run = |flag: &str| -> String {
        let output = Command::new(&config).arg(flag).output().unwrap_or_else(|e| {
            panic!("{config}: {e}. Install LLVM 19 (`apt install llvm-19-dev clang-19`) or name its llvm-config in LLVM_CONFIG")
        });
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let version = run("--version");
    assert!(version.starts_with("19."), "{config} is of LLVM {version}; LLVM 19 is needed (set LLVM_CONFIG)");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .warnings(false)
        .include(run("--includedir"))
        .file("shim/shim.cc")
        .compile("spelunk_shim");
}

fn runtime() {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("..");
    let out = PathBuf::from(env("OUT_DIR"));
    let abi = root.join("trace-abi/src");
    let runtime = root.join("runtime/src");
    println!("cargo:rerun-if-changed={}", abi.display());
    println!("cargo:rerun-if-changed={}", runtime.display());

    let mut rlib = rustc(&abi.join("lib.rs"), &out);
    run(rlib.args(["--crate-name", "trace_abi", "--crate-type", "rlib"]));
    let mut archive = rustc(&runtime.join("lib.rs"), &out);
    archive.args([
        "--crate-name",
        "spelunk_runtime",
        "--crate-type",
        "staticlib",
        "--cfg",
        "spelunk_staticlib",
    ]);
    archive.arg("--extern").arg(format!("trace_abi={}", out.join("libtrace_abi.rlib").display()));
    // One object, so that no part of the runtime is left out at link time; its own code is position-independent.
    archive.args(["-C", "codegen-units=1", "-C", "lto=fat"]);
    run(&mut archive);
}

/// A `rustc` call with what both crates share.
fn rustc(source: &Path, out: &Path) -> Command {
    let mut command = Command::new(env("RUSTC"));
    command.arg(source).args(["--edition", "2024", "-C", "panic=abort", "-C", "opt-level=3"]);
    command.args([
        "-C",
        "relocation-model=pic",
        "-C",
        "debuginfo=line-tables-only",
        "-C",
        "embed-bitcode=yes",
    ]);
    command.arg(format!("--remap-path-prefix={}=", env("CARGO_MANIFEST_DIR")));
    command.arg("--out-dir").arg(out).args(["--cap-lints", "allow"]);
    // Cargo's own flags are for host code of this build, not for code that goes into tested programs.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("RUSTFLAGS");
    command
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(status.success(), "the runtime could not be compiled: {command:?}");
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run this through cargo"))
}
