//! Holds the tree against ARCHITECTURE.md: which crate may depend on which, which crates are pure, where
//! `unsafe` may stand, and that the code map lists exactly the crates there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Allowed edges, one line a crate: name, purity, and what it may depend on (among our own crates).
const EDGES: &[(&str, Purity, &[&str])] = &[
    // words
    ("trace-abi", Purity::Pure, &[]),
    ("floats", Purity::Unsafe, &["trace-abi"]),
    ("expr", Purity::Pure, &["trace-abi", "floats"]),
    ("program", Purity::Pure, &["trace-abi"]),
    ("trace", Purity::Pure, &["trace-abi", "expr", "program"]),
    ("events", Purity::Pure, &["program", "trace", "trace-abi"]),
    // edges
    ("runtime", Purity::Unsafe, &["trace-abi"]),
    ("toolchain", Purity::Safe, &[]),
    ("instrument", Purity::Unsafe, &["program", "trace-abi", "toolchain"]),
    ("execute", Purity::Unsafe, &["trace", "trace-abi", "program"]),
    ("store", Purity::Safe, &["trace", "program", "events"]),
    ("bitwuzla-build", Purity::Safe, &[]),
    ("solve-smt", Purity::Unsafe, &["solve", "expr", "floats", "trace-abi"]),
    ("solve-jit", Purity::Unsafe, &["solve-search", "solve", "expr", "trace-abi"]),
    // engine
    ("path-tree", Purity::Pure, &["trace", "expr", "program", "trace-abi"]),
    ("strategy", Purity::Pure, &["path-tree", "program", "trace", "trace-abi"]),
    ("solve", Purity::Pure, &["expr"]),
    ("solve-search", Purity::Pure, &["solve", "expr", "floats", "trace-abi"]),
    ("solve-interval", Purity::Pure, &["solve", "expr", "floats", "trace-abi"]),
    ("mutate", Purity::Pure, &["trace"]),
    ("diagnose", Purity::Pure, &["events", "trace"]),
    // loop
    (
        "explore",
        Purity::Pure,
        &["strategy", "path-tree", "solve", "mutate", "expr", "program", "trace", "trace-abi", "events"],
    ),
    ("query-log", Purity::Pure, &["solve", "expr"]),
    // readers
    ("report", Purity::Safe, &["store", "program", "trace", "events"]),
    ("testgen", Purity::Safe, &["trace"]),
    ("experiment", Purity::Pure, &[]),
    // door
    ("solvers", Purity::Safe, &["solve", "solve-smt", "solve-search", "solve-jit", "solve-interval"]),
    (
        "spelunk",
        Purity::Safe,
        &[
            "toolchain",
            "execute",
            "store",
            "diagnose",
            "solve",
            "solvers",
            "query-log",
            "explore",
            "strategy",
            "report",
            "testgen",
            "experiment",
            "program",
            "trace",
            "events",
            "expr",
            "path-tree",
        ],
    ),
    ("xtask", Purity::Safe, &["bitwuzla-build"]),
    // tests
    ("queries", Purity::Safe, &["solvers", "solve", "solve-smt", "query-log", "expr"]),
    ("sweep", Purity::Safe, &["toolchain"]),
    ("programs", Purity::Safe, &[]),
    ("progen", Purity::Safe, &["toolchain", "instrument", "program", "trace", "trace-abi", "expr"]),
];

/// What a crate may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purity {
    /// No input or output, no clock, no `unsafe`.
    Pure,
    /// No `unsafe`.
    Safe,
    /// May contain `unsafe`.
    Unsafe,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

fn folder(name: &str) -> PathBuf {
    let places = [root().join("crates"), root(), root().join("tests"), root().join("bench")];
    let found =
        places.iter().map(|place| place.join(name)).find(|folder| folder.join("Cargo.toml").is_file());
    found.unwrap_or_else(|| panic!("the package {name} lies in none of crates/, tests/ and the root"))
}

#[test]
fn every_dependency_is_an_allowed_edge() {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let allowed: BTreeMap<&str, &[&str]> = EDGES.iter().map(|(n, _, e)| (*n, *e)).collect();
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let Some(edges) = allowed.get(package.name.as_str()) else {
            wrong.push(format!("{} is not in the table of allowed edges", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if dependency.kind == cargo_metadata::DependencyKind::Normal
                && ours.contains(name)
                && !edges.contains(&name)
            {
                wrong.push(format!("{} must not depend on {name}", package.name));
            }
        }
    }
    for (name, _, _) in EDGES {
        if !ours.contains(name) {
            wrong.push(format!("{name} is in the table but not in the workspace"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn pure_crates_are_held_to_it() {
    let mut wrong = Vec::new();
    for (name, purity, _) in EDGES {
        let lints = folder(name).join("clippy.toml");
        if *purity == Purity::Pure && std::fs::read_link(&lints).ok() != Some("../pure.clippy.toml".into()) {
            wrong.push(format!("crates/{name}/clippy.toml must be a link to ../pure.clippy.toml"));
        }
        let main =
            ["src/lib.rs", "src/main.rs"].map(|f| folder(name).join(f)).into_iter().find(|f| f.exists());
        let text = std::fs::read_to_string(main.expect("a crate has a root")).expect("readable");
        if *purity != Purity::Unsafe && !text.contains("#![forbid(unsafe_code)]") {
            wrong.push(format!("{name} must say #![forbid(unsafe_code)]"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn code_map_lists_exactly_the_crates() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let listed: BTreeSet<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("### `crates/"))
        .filter_map(|l| l.strip_suffix('`'))
        .map(str::to_owned)
        .collect();
    let there: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .expect("crates")
        .filter_map(|e| e.ok())
        .filter(|e| e.path().join("Cargo.toml").exists())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(listed, there, "headings `### `crates/…`` of ARCHITECTURE.md against the folder crates/");
}

#[test]
fn nothing_of_this_machine_is_committed() {
    let files = std::process::Command::new("git").args(["ls-files"]).current_dir(root()).output();
    let Ok(files) = files else { return };
    let mut wrong = Vec::new();
    for file in String::from_utf8_lossy(&files.stdout).lines() {
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        for (number, line) in text.lines().enumerate() {
            // spelled in halves so that this file does not find itself
            for bad in [
                concat!("/wo", "rk/"),
                concat!("deb.deb", "ian.org"),
                concat!("static.crat", "es.io"),
                concat!("files.python", "hosted"),
            ] {
                if line.contains(bad) {
                    wrong.push(format!("{file}:{}: {bad}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
