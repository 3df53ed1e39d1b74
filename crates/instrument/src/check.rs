//! Flavour `check`: the program with AddressSanitizer (Serebryany et al., USENIX ATC 2012; here LLVM's own pass and
//! clang's runtime library) for confirming and naming findings.
//!
//! What differs from `clang -fsanitize=address`: it is derived from the bitcode that the user's executable carries, so
//! nothing is compiled again; the pass runs *before* optimisation, on what the source wrote (only scalars are taken out
//! of memory first), so that no wrong access is optimised away; and code is generated without optimisation, so that no two
//! source lines share an instruction and reports name the right one. Checks of UndefinedBehaviorSanitizer that the
//! user's build has are in the bitcode already.
//!
//! Reports go to a descriptor of their own where there is one ([`trace_abi::CHECK_REPORT`], see `check/report.c`): what the
//! program prints is never taken for one.

use crate::link;
use crate::llvm::{Builder, FUNCTION, Linkage, Module, TargetMachine, Value, run_passes};
use crate::{Error, checks, emit, load, mark, number, prepare, verified};
use fs_err as fs;
use program::{Check, CheckKind, ProgramMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{Clang, Language, ProgramSource};

/// Before the sanitizer: what must be inlined is (nobody may have it out of line), scalars leave memory, nothing that may
/// be wrong is removed.
const BEFORE: &str = "always-inline,function(mem2reg)";
/// The sanitizer, then what makes its code less slow without merging source lines.
const SANITIZE: &str = "asan,function(early-cse)";

/// Chooses the descriptor for reports and the sanitizers' options.
const REPORT_C: &str = include_str!("../check/report.c");
/// The functions by which programs ask for values, reading them from a file.
const VALUES_C: &str = include_str!("../../../include/replay/values.c");
/// `main` for fuzz harnesses.
const FUZZ_MAIN_C: &str = include_str!("../../../include/replay/fuzz_main.c");

/// Derives it into `output`.
///
/// # Errors
/// As for other flavours.
pub fn derive(
    source: &ProgramSource,
    find: &[CheckKind],
    scratch: &Path,
    output: &Path,
) -> Result<(), Error> {
    let module = load::whole_program(source, &[])?;
    let internal = |during| move |why| Error::Internal { during, why };
    let machine = TargetMachine::plain(&module.triple()).map_err(internal("choosing the target"))?;
    prepare::drop_foreign(&module);
    plant_checks(&module, find);
    mark_functions(&module);
    run_passes(&module, BEFORE, &machine).map_err(internal("preparing"))?;
    run_passes(&module, SANITIZE, &machine).map_err(internal("adding AddressSanitizer"))?;
    verified(&module, "adding AddressSanitizer")?;
    let mut drivers =
        vec![("report", REPORT_C.replace("CHECK_REPORT", &trace_abi::CHECK_REPORT.to_string()))];
    drivers.extend(stand_ins(&module).into_iter().map(|(name, text)| (name, text.to_owned())));
    let mut objects = emit::objects_of(module, &machine, scratch)?;
    for (name, text) in &drivers {
        objects.push(compiled(name, text, scratch)?);
    }
    link::link(&objects, &["-fsanitize=address"], &source.link, output)
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
    let (context, builder) = (module.context(), Builder::new(module.context()));
    let ty = context.void().function(&[context.pointer()], false);
    let failed = module.declare("__spelunk_failed", ty);
    let sites: Vec<Value> =
        map.checks.iter().enumerate().map(|(k, check)| site(module, map, check, k)).collect();
    let Some(marker) = module.function(mark::CHECK) else { return };
    for at in marker.users().into_iter().filter(|user| user.is_call()) {
        let Some(&site) = at.operand(1).as_u64().and_then(|k| sites.get(k as usize)) else { continue };
        builder.before(at);
        let fails = builder.freeze(at.operand(0));
        builder.before(at.guard(fails));
        builder.call(ty, failed, &[site]);
        at.erase();
    }
}

/// What is reported of a check: a byte that says whether it was, then the text.
fn site(module: &Module, map: &ProgramMap, check: &Check, number: usize) -> Value {
    let file = check.span.file.and_then(|f| map.files.get(f.index())).map_or("", String::as_str);
    let text = format!(
        "\0{file}:{}:{}: runtime error: {}\n\0",
        check.span.line,
        check.span.column,
        check.kind.text()
    );
    let bytes = module.context().const_bytes(text.as_bytes());
    let global = module.add_global(&format!("spelunk.site.{number}"), bytes.ty());
    global.set_initializer(bytes);
    global.set_linkage(Linkage::LLVMInternalLinkage);
    global
}

/// Functions of `check/report.c` that a program may have, too: there, ours stand in for them.
const OPTION_FUNCTIONS: &[&str] =
    &["__asan_default_options", "__ubsan_default_options", "__lsan_default_options"];

/// Has every function instrumented, except those that asked not to be.
fn mark_functions(module: &Module) {
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
        if !spared {
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

/// The object of a C source of ours.
fn compiled(name: &str, text: &str, folder: &Path) -> Result<PathBuf, Error> {
    let (file, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.driver.o")));
    fs::write(&file, text).map_err(|e| Error::io(&file, "write", e))?;
    let clang = Clang::find()?;
    let driver = clang.driver(Language::C);
    let done = Command::new(driver)
        .args(["-O1", "-w", "-fPIC", "-c"])
        .arg(&file)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|e| Error::io(driver, "start the compiler driver", e))?;
    if done.status.success() {
        return Ok(object);
    }
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(Error::Internal { during: "compiling a test driver", why })
}
