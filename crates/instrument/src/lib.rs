//! From the bitcode of a whole program to its program map and its instrumented flavours, over LLVM 19.
//!
//! The steps, in order, one file each (function [`derive`] names them all):
//! 1. `load`: bitcode → one module; `library`: the C++ standard library's part of it
//! 2. `prepare`: `main` renamed, `-O0` remains and shadowed input functions removed; `asm`: common inline assembly
//!    lifted
//! 3. `number`: ids and the program map, on what the source wrote
//! 4. `mark`: markers for conditionals, functions, calls; `goals`: those of calling contexts and of calls that report errors;
//!    `checks`: those of undefined operations, on request
//! 5. `optimise`: LLVM's scalar optimisation
//! 6. `define`: one meaning for what may be lowered in several ways (flavours `trace` and `path`)
//! 7. `labels`: symbolic instrumentation (flavours `trace` and `path`)
//! 8. `lower`: markers → coverage stores
//! 9. `emit`, `link`: tables, object code, executable (`missing` supplies what the user's linker did without); `cache` keeps
//!    them by content
//!
//! Flavour `check` takes a way of its own (`check`): no ids, no runtime of ours, AddressSanitizer instead.

mod asm;
mod cache;
mod check;
mod checks;
mod circuits;
mod define;
mod emit;
mod error;
mod failures;
mod goals;
mod labels;
mod library;
mod link;
mod llvm;
mod load;
mod lower;
mod mark;
mod missing;
mod number;
mod optimise;
mod prepare;
mod words;

pub use error::Error;

use fs_err as fs;
use llvm::{Module, TargetMachine};
use program::CheckKind;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolchain::ProgramSource;

/// What is derived from a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum)]
pub enum Flavour {
    /// Symbolic and coverage.
    Trace,
    /// Coverage only, counted.
    Fast,
    /// As `trace`, and a log of every branch, function entry and exit.
    Path,
    /// With AddressSanitizer, for confirming findings; nothing of Spelunk's in it.
    Check,
    /// With checks for undefined operations that report, and nothing else: for findings that `check` does not get to.
    Find,
    /// Compiled as `trace` is, with nothing of Spelunk's in it: does the program do the same however it is compiled?
    Bare,
}

impl Flavour {
    /// Its name, as in options and file names.
    pub const fn name(self) -> &'static str {
        match self {
            Flavour::Trace => "trace",
            Flavour::Fast => "fast",
            Flavour::Path => "path",
            Flavour::Check => "check",
            Flavour::Find => "find",
            Flavour::Bare => "bare",
        }
    }

    /// As the runtime knows it; `None` for the flavour that has no runtime.
    const fn abi(self) -> Option<trace_abi::Flavour> {
        match self {
            Flavour::Trace => Some(trace_abi::Flavour::Trace),
            Flavour::Fast => Some(trace_abi::Flavour::Fast),
            Flavour::Path => Some(trace_abi::Flavour::Path),
            Flavour::Check | Flavour::Find | Flavour::Bare => None,
        }
    }
}

/// Where the derived files go.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Below this cache folder, by content; what is there already is used again.
    Cache(PathBuf),
    /// One flavour into this file, the map beside it as `FILE.map` (flavours `check`, `find` and `bare` have none).
    File(PathBuf),
}

/// What was derived.
#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// File of the program map: `program::ProgramMap` in postcard's format.
    pub map: PathBuf,
    /// Executable of each flavour, by name.
    pub flavours: BTreeMap<String, PathBuf>,
    /// Sizes, for people.
    pub stats: Stats,
}

/// Sizes of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Functions with bitcode.
    pub functions: usize,
    /// Basic blocks.
    pub blocks: usize,
    /// Conditionals.
    pub conds: usize,
    /// Branches: outcomes of conditionals.
    pub branches: usize,
    /// Calls.
    pub calls: usize,
    /// Flavours found in the cache.
    pub cached: usize,
}

/// Derives flavours of a program.
///
/// # Errors
/// When the bitcode cannot be read or joined, the program has no entry point, or linking fails.
pub fn build(
    source: &ProgramSource,
    flavours: &[Flavour],
    find: &[CheckKind],
    to: &Destination,
) -> Result<Built, Error> {
    let find: Vec<CheckKind> = CheckKind::ALL.iter().copied().filter(|k| find.contains(k)).collect();
    let mut flavours = flavours.to_vec();
    flavours.sort_unstable();
    flavours.dedup();
    match to {
        Destination::Cache(root) => build_cached(source, &flavours, &find, root),
        Destination::File(file) => {
            let folder = tempfile::tempdir()
                .map_err(|e| Error::io(&std::env::temp_dir(), "make a scratch folder in", e))?;
            let map_file = PathBuf::from(format!("{}.map", file.display()));
            let mut built =
                Built { map: map_file.clone(), flavours: BTreeMap::new(), stats: Stats::default() };
            if let Some(&flavour) = flavours.first() {
                let library = library::units(source, toolchain::Cache::from_env().root())?;
                let derived = derive(source, &library, flavour, &find, folder.path(), file)?;
                derived.write_map(&map_file)?;
                built.stats = derived.stats;
                built.flavours.insert(flavour.name().into(), file.clone());
            }
            Ok(built)
        }
    }
}

fn build_cached(
    source: &ProgramSource,
    flavours: &[Flavour],
    find: &[CheckKind],
    root: &Path,
) -> Result<Built, Error> {
    let entry = cache::Entry::of(root, source, find)?;
    let has_map = |f: &Flavour| f.abi().is_none() || entry.map().exists();
    let is_there = |f: &Flavour| has_map(f) && entry.flavour(*f).exists();
    let missing: Vec<Flavour> = flavours.iter().copied().filter(|f| !is_there(f)).collect();
    let library = if missing.is_empty() { Vec::new() } else { library::units(source, root)? };
    let make = |flavour: Flavour| -> Result<Derived, Error> {
        let scratch = entry.scratch()?;
        let file = scratch.path().join(flavour.name());
        let derived = derive(source, &library, flavour, find, scratch.path(), &file)?;
        let target = entry.flavour(flavour);
        fs::rename(&file, &target).map_err(|e| Error::io(&target, "put the executable at", e))?;
        Ok(derived)
    };
    // One thread each: every flavour has an LLVM context of its own.
    let derived: Vec<Result<Derived, Error>> = std::thread::scope(|scope| {
        let threads: Vec<_> = missing.iter().map(|&f| scope.spawn(move || make(f))).collect();
        threads
            .into_iter()
            .map(|t| {
                let broken =
                    |_| Error::Internal { during: "deriving a flavour", why: "a thread failed".into() };
                t.join().map_err(broken).and_then(|r| r)
            })
            .collect()
    });
    let mut stats = Stats::default();
    for one in derived {
        let one = one?;
        one.write_map(&entry.map())?;
        stats = one.stats;
    }
    if !missing.is_empty() {
        cache::Entry::sweep(root);
    }
    stats.cached = flavours.len() - missing.len();
    let flavours = flavours.iter().map(|&f| (f.name().to_owned(), entry.flavour(f))).collect();
    Ok(Built { map: entry.map(), flavours, stats })
}

struct Derived {
    /// Empty for flavours without a runtime.
    map: Vec<u8>,
    stats: Stats,
}

impl Derived {
    fn write_map(&self, path: &Path) -> Result<(), Error> {
        if self.map.is_empty() { Ok(()) } else { write(path, &self.map) }
    }
}

/// One flavour into `output`: all steps in order.
fn derive(
    source: &ProgramSource,
    library: &[library::Unit],
    flavour: Flavour,
    find: &[CheckKind],
    scratch: &Path,
    output: &Path,
) -> Result<Derived, Error> {
    let Some(abi) = flavour.abi() else {
        check::derive(source, find, flavour, scratch, output)?;
        return Ok(Derived { map: Vec::new(), stats: Stats::default() });
    };
    let module = load::whole_program(source, library)?;
    let declared = missing::Declared::of(&module);
    let machine = TargetMachine::new(&module.triple())
        .map_err(|why| Error::Internal { during: "choosing the target", why })?;
    prepare::prepare(&module);
    circuits::undo_joins(&module);
    asm::lift(&module);
    if [trace_abi::USER_MAIN, "LLVMFuzzerTestOneInput"]
        .iter()
        .all(|n| module.function(n).is_none_or(|f| f.is_declaration()))
    {
        return Err(Error::NoEntry);
    }
    let mut numbering = number::number(&module);
    let goals = goals::wanted(&mut numbering);
    let checks = checks::wanted(find, &mut numbering);
    let map = &numbering.map;
    let bytes = postcard::to_stdvec(map)
        .map_err(|e| Error::Internal { during: "writing the map", why: e.to_string() })?;
    mark::plant(&module, &numbering, flavour);
    goals::plant(&module, &goals);
    checks::plant(&module, &checks, map);
    verified(&module, "planting markers")?;
    optimise::before(&module, &machine)?;
    prepare::redirect_models(&module);
    prepare::strip_promises(&module);
    mark::spread(&module, map.first_goal() as u32);
    let tables = emit::Tables::new(&module, map, flavour);
    if flavour != Flavour::Fast {
        define::define(&module);
        let ids: FxHashMap<String, u32> =
            map.functions.iter().enumerate().map(|(k, f)| (emit::symbol(f).to_owned(), k as u32)).collect();
        labels::instrument(&module, &ids, &tables);
        verified(&module, "symbolic instrumentation")?;
    }
    lower::lower(&module, &tables, map.branches.len() as u32, flavour);
    let hash = *blake3::hash(&bytes).as_bytes();
    let mut short = [0; 16];
    short.copy_from_slice(&hash[..16]);
    emit::describe(&module, &tables, map, short, abi);
    verified(&module, "lowering markers")?;
    optimise::after(&module, &machine, flavour != Flavour::Fast)?;
    let stats = Stats {
        functions: map.functions.len(),
        blocks: map.blocks.len(),
        conds: map.conds.len(),
        branches: map.branches.len(),
        calls: map.calls.len(),
        cached: 0,
    };
    keep_text(&module, flavour);
    let objects = emit::objects_of(module, &machine, scratch)?;
    link::executable(&objects, declared, source, scratch, output)?;
    Ok(Derived { map: bytes, stats })
}

/// LLVM's verifier after each of our steps: a mistake of ours must not become a wrong program.
fn verified(module: &Module, during: &'static str) -> Result<(), Error> {
    module.verify().map_err(|why| {
        keep_text(module, Flavour::Trace);
        Error::Internal { during, why }
    })
}

/// With `SPELUNK_KEEP_IR=FOLDER`, leaves the module there as text: for people who look for a mistake.
fn keep_text(module: &Module, flavour: Flavour) {
    if let Some(folder) = std::env::var_os("SPELUNK_KEEP_IR") {
        let file = Path::new(&folder).join(format!("{}.ll", flavour.name()));
        if let Err(why) = module.print_to(&file) {
            eprintln!("warning: {}: {why}", file.display());
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    toolchain::write_whole(path, bytes).map_err(Error::from)
}
