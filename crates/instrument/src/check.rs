//! Flavour `check`: the program with AddressSanitizer (Serebryany et al., USENIX ATC 2012; here LLVM's own pass and
//! clang's runtime library) for confirming and naming findings.
//!
//! What differs from `clang -fsanitize=address`: it is derived from the bitcode that the user's executable carries, so
//! nothing is compiled again; the pass runs *before* optimisation, on what the source wrote (only scalars are taken out
//! of memory first), so that no wrong access is optimised away; and code is generated without optimisation, so that no two
//! source lines share an instruction and reports name the right one. Checks of UndefinedBehaviorSanitizer that the
//! user's build has are in the bitcode already; those that would only trap say what they found, too (`failures`).
//!
//! Flavour `find` is the same without AddressSanitizer: nothing but the checks of `--find`, which report. It tells about what
//! `check` does not get to, because it ends at another mistake before.
//!
//! Flavour `bare` has neither: it is the bitcode, optimised and compiled as flavour `trace` is. A program that does something
//! else there than in the user's executable relies on what no compiler promises.
//!
//! Reports go to a descriptor of their own where there is one ([`trace_abi::CHECK_REPORT`], see `check/report.c`): what the
//! program prints is never taken for one.

use crate::failures::{At, Reporter};
use crate::link;
use crate::llvm::{FUNCTION, Module, TargetMachine, run_passes};
use crate::missing::{Declared, Supply};
use crate::{Error, Flavour, checks, emit, failures, load, mark, number, optimise, prepare, verified};
use program::CheckKind;
use std::path::{Path, PathBuf};
use toolchain::ProgramSource;

/// Before the sanitizer: what must be inlined is (nobody may have it out of line), scalars leave memory, nothing that may
/// be wrong is removed.
const BEFORE: &str = "always-inline,function(mem2reg)";
/// The sanitizer, then what makes its code less slow without merging source lines.
const SANITIZE: &str = "asan,function(early-cse)";

/// Chooses the descriptor for reports and the sanitizers' options.
const REPORT_C: &str = include_str!("../check/report.c");
/// Checked functions of the C library.
const FORTIFIED_C: &str = include_str!("../check/fortified.c");
/// The functions by which programs ask for values, reading them from a file.
const VALUES_C: &str = include_str!("../../../include/replay/values.c");
/// `main` for fuzz harnesses.
const FUZZ_MAIN_C: &str = include_str!("../../../include/replay/fuzz_main.c");

/// Derives `flavour`, one of the three, into `output`.
///
/// # Errors
/// As for other flavours.
pub fn derive(
    source: &ProgramSource,
    find: &[CheckKind],
    flavour: Flavour,
    scratch: &Path,
    output: &Path,
) -> Result<(), Error> {
    let options: &[&str] = if flavour == Flavour::Check { &["-fsanitize=address"] } else { &[] };
    let (objects, _) = objects(source, find, flavour, None, scratch)?;
    let missing = match link::link(&objects, options, &source.link, output) {
        Err(Error::Linker { missing, .. }) if !missing.is_empty() => missing,
        done => return done,
    };
    let supply = Supply::new(source, &missing)?;
    let (objects, declared) = self::objects(source, find, flavour, Some(&supply), scratch)?;
    link::with_stand_ins(&objects, options, &source.link, &supply, &declared, scratch, output)
}

/// The program's objects, with what `supply` has, and what is declared in them.
fn objects(
    source: &ProgramSource,
    find: &[CheckKind],
    flavour: Flavour,
    supply: Option<&Supply>,
    scratch: &Path,
) -> Result<(Vec<PathBuf>, Declared), Error> {
    let module = load::whole_program_with(source, &[], supply)?;
    let declared = Declared::of(&module);
    let internal = |during| move |why| Error::Internal { during, why };
    let (sanitized, bare) = (flavour == Flavour::Check, flavour == Flavour::Bare);
    let choose = if bare { TargetMachine::new } else { TargetMachine::plain };
    let machine = choose(&module.triple()).map_err(internal("choosing the target"))?;
    prepare::drop_foreign(&module);
    if bare {
        mark_functions(&module, sanitized);
        optimise::before(&module, &machine)?;
    } else {
        failures::name_traps(&module);
        plant_checks(&module, find);
        mark_functions(&module, sanitized);
        run_passes(&module, BEFORE, &machine).map_err(internal("preparing"))?;
    }
    if sanitized {
        run_passes(&module, SANITIZE, &machine).map_err(internal("adding AddressSanitizer"))?;
    }
    verified(&module, "adding AddressSanitizer")?;
    let mut drivers =
        vec![("report", REPORT_C.replace("CHECK_REPORT", &trace_abi::CHECK_REPORT.to_string()))];
    if sanitized {
        drivers.push(("fortified", FORTIFIED_C.to_owned()));
    }
    drivers.extend(stand_ins(&module).into_iter().map(|(name, text)| (name, text.to_owned())));
    let mut objects = emit::objects_of(module, &machine, scratch)?;
    for (name, text) in &drivers {
        objects.push(link::compiled(name, text, scratch)?);
    }
    Ok((objects, declared))
}

/// Puts in the checks that `--find` asks for: each that fails is reported, once a run, as UndefinedBehaviorSanitizer does.
fn plant_checks(module: &Module, find: &[CheckKind]) {
    let mut numbering = number::number(module);
    let wanted = checks::wanted(find, &mut numbering);
    if wanted.is_empty() {
        return;
    }
    let map = &numbering.map;
    checks::plant(module, &wanted, map);
    let Some(marker) = module.function(mark::CHECK) else { return };
    let reporter = Reporter::new(module);
    for at in marker.users().into_iter().filter(|user| user.is_call()) {
        let number = at.operand(1).as_u64().map_or(usize::MAX, |k| k as usize);
        let (Some(wanted), Some(check)) = (wanted.get(number), map.checks.get(number)) else { continue };
        let file = check.span.file.and_then(|f| map.files.get(f.index())).map_or("", String::as_str);
        let place = At { file, line: check.span.line, column: check.span.column };
        let words = failures::of_check(module, wanted);
        reporter.plant(at, at.operand(0), "__spelunk_failed", place, &words);
        at.erase();
    }
}

/// Functions of `check/report.c` that a program may have, too: there, ours stand in for them.
const OPTION_FUNCTIONS: &[&str] =
    &["__asan_default_options", "__ubsan_default_options", "__lsan_default_options"];

/// Has every function compiled as the flavour is, whatever it asked for; `sanitized`: and instrumented, except those that asked not to be.
fn mark_functions(module: &Module, sanitized: bool) {
    for name in OPTION_FUNCTIONS {
        if let Some(own) = module.function(name) {
            own.set_name(&format!("{name}.of_the_program"));
        }
    }
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        function.remove_attribute(FUNCTION, "optnone");
        let spared = function.has_string_attribute("disable_sanitizer_instrumentation")
            || function.has_attribute(FUNCTION, "naked");
        if sanitized && !spared {
            function.add_attribute(module.context(), FUNCTION, "sanitize_address", 0);
        }
    }
}

/// Test drivers that the program leaves open.
fn stand_ins(module: &Module) -> Vec<(&'static str, &'static str)> {
    let is_open = |name: &str| module.function(name).is_some_and(|f| f.is_declaration());
    let is_there = |name: &str| module.function(name).is_some_and(|f| !f.is_declaration());
    let mut drivers = Vec::new();
    if trace_abi::PROVIDED.iter().any(|name| is_open(name)) {
        drivers.push(("values", VALUES_C));
    }
    if is_there("LLVMFuzzerTestOneInput") && !is_there("main") {
        drivers.push(("fuzz_main", FUZZ_MAIN_C));
    }
    drivers
}
