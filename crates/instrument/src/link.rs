//! The last step: an executable of the instrumented objects, the runtime and what the user's build linked.

use crate::Error;
use crate::missing::{self, Declared, Supply};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{Clang, Language, LinkPlan, ProgramSource};

/// The runtime as a static library, compiled by this crate's build script.
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libspelunk_runtime.a"));

/// Links `objects`, made of a module that declared `declared`, into `output`. What is missing is supplied (`missing`).
///
/// # Errors
/// [`Error::Linker`] with the symbols that have no definition; [`Error::Toolchain`] without a clang.
pub fn executable(
    objects: &[PathBuf],
    mut declared: Declared,
    source: &ProgramSource,
    folder: &Path,
    output: &Path,
) -> Result<(), Error> {
    let runtime = folder.join("libspelunk_runtime.a");
    fs::write(&runtime, RUNTIME).map_err(|e| Error::io(&runtime, "write the runtime library", e))?;
    let mut first = objects.to_vec();
    // The mathematics library comes before the runtime's archive: Rust's own support library in there has functions
    // of the same names that differ in the last bit.
    first.extend(["-lm".into(), runtime]);
    let missing = match link(&first, &[], &source.link, output) {
        Err(Error::Linker { missing, .. }) if !missing.is_empty() => missing,
        done => return done,
    };
    let supply = Supply::new(source, &missing)?;
    let members = supply.objects(&mut declared, folder)?;
    let mut plan = source.link.clone();
    if !members.is_empty() {
        plan.objects.push(missing::archive(&members, folder)?);
    }
    // A member may define beside what is wanted what the program has itself: the first counts, the program's.
    with_stand_ins(&first, &["-Wl,-z,muldefs"], &plan, &supply, &declared, folder, output)
}

/// Links; where something is missing that the user's executable does without, once more with stand-ins for it.
///
/// # Errors
/// As [`executable`].
pub fn with_stand_ins(
    objects: &[PathBuf],
    options: &[&str],
    plan: &LinkPlan,
    supply: &Supply,
    declared: &Declared,
    folder: &Path,
    output: &Path,
) -> Result<(), Error> {
    let refused = match link(objects, options, plan, output) {
        Err(refused) => refused,
        Ok(()) => return Ok(()),
    };
    let text = match &refused {
        Error::Linker { missing, .. } => supply.stand_ins(missing, declared),
        _ => None,
    };
    let Some(text) = text else { return Err(refused) };
    let mut all = objects.to_vec();
    all.push(compiled("stand_ins", &text, folder)?);
    link(&all, options, plan, output)
}

/// The object of a C source of ours.
///
/// # Errors
/// [`Error::Internal`] with the compiler's messages.
pub fn compiled(name: &str, text: &str, folder: &Path) -> Result<PathBuf, Error> {
    let (file, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.driver.o")));
    fs::write(&file, text).map_err(|e| Error::io(&file, "write", e))?;
    let clang = Clang::find()?;
    let driver = clang.driver(Language::C);
    let done = Command::new(driver)
        .args(["-O1", "-w", "-fPIC", "-fno-builtin", "-U_FORTIFY_SOURCE", "-c"])
        .arg(&file)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|e| Error::io(driver, "start the compiler driver", e))?;
    if done.status.success() {
        return Ok(object);
    }
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(Error::Internal { during: "compiling a source of Spelunk's own", why })
}

/// Links `objects` and `options` with what the user's build linked.
///
/// # Errors
/// As [`executable`].
pub fn link(objects: &[PathBuf], options: &[&str], plan: &LinkPlan, output: &Path) -> Result<(), Error> {
    let clang = Clang::find()?;
    let driver = clang.driver(if plan.cxx { Language::Cxx } else { Language::C });
    let mut command = Command::new(driver);
    command.args(options).args(objects);
    if !plan.objects.is_empty() {
        command.arg("-Wl,--start-group").args(&plan.objects).arg("-Wl,--end-group");
    }
    command.args(plan.args.iter().filter_map(|argument| shared(argument)));
    for folder in &plan.library_dirs {
        command.arg(format!("-Wl,-rpath,{}", folder.display()));
    }
    if has_lld(driver) {
        // Else it tells about twenty missing symbols at most.
        command.args(["-fuse-ld=lld", "-Wl,--error-limit=0"]);
    }
    command.args(["-Wl,--no-demangle", "-lm", "-o"]).arg(output);
    let done = command.output().map_err(|e| Error::io(driver, "start the compiler driver", e))?;
    if done.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(Error::Linker { missing: missing_symbols(&output), output })
}

/// A link argument as flavours need it: they are linked with shared libraries also where the user's executable is
/// static, because the runtime's models refer to the C library weakly, which takes nothing out of an archive.
fn shared(argument: &str) -> Option<&str> {
    match argument {
        "-static" | "--static" | "-static-libgcc" | "-static-libstdc++" | "-Wl,-Bstatic" | "-Wl,-static" => {
            None
        }
        "-static-pie" => Some("-pie"),
        argument => Some(argument),
    }
}

/// Whether the driver will find LLVM's linker beside itself (it is several times faster).
fn has_lld(driver: &Path) -> bool {
    driver.canonicalize().ok().is_some_and(|real| real.with_file_name("ld.lld").exists())
}

/// The symbols that a linker says it did not find, each once.
fn missing_symbols(messages: &str) -> Vec<String> {
    let quoted = |line: &str, before: &str| {
        line.split_once(before).and_then(|(_, rest)| rest.split('\'').next().map(str::to_owned))
    };
    let symbol = |line: &str| {
        let lld = || line.split_once("undefined symbol: ").map(|(_, name)| name.trim().to_owned());
        let hidden = || line.split_once("undefined hidden symbol: ").map(|(_, name)| name.trim().to_owned());
        quoted(line, "undefined reference to `").or_else(lld).or_else(hidden)
    };
    let mut names: Vec<String> = messages.lines().filter_map(symbol).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::missing_symbols;

    #[test]
    fn names_missing_symbols_of_both_linkers() {
        let text = "ld.lld: error: undefined symbol: foo\n>>> referenced\n/usr/bin/ld: a.o: undefined reference to `bar'\n\
                    ld.lld: error: undefined hidden symbol: foo2\nld.lld: error: undefined symbol: foo\n";
        assert_eq!(missing_symbols(text), ["bar", "foo", "foo2"]);
        assert!(missing_symbols("collect2: error").is_empty());
    }
}

#[cfg(test)]
mod model_tests {
    use super::RUNTIME;
    use object::{Object as _, ObjectSymbol as _};
    use std::collections::BTreeSet;

    /// Names of the models that the runtime library defines.
    fn models() -> BTreeSet<String> {
        let archive = object::read::archive::ArchiveFile::parse(RUNTIME).expect("an archive");
        let mut names = BTreeSet::new();
        for member in archive.members() {
            let data = member.expect("a member").data(RUNTIME).expect("its bytes");
            let Ok(file) = object::File::parse(data) else { continue };
            let defined = file.symbols().filter(|s| s.is_global() && s.is_definition());
            let models = defined
                .filter_map(|s| s.name().ok()?.strip_prefix(trace_abi::MODEL_PREFIX).map(str::to_owned));
            names.extend(models);
        }
        names
    }

    #[test]
    fn the_runtime_has_exactly_the_models_that_are_listed() {
        let listed: BTreeSet<String> = trace_abi::MODELED.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(models(), listed);
        assert!(trace_abi::MODELED.is_sorted(), "the list is sorted");
    }
}
