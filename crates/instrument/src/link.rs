//! The last step: an executable of the instrumented objects, the runtime and what the user's build linked.

use crate::Error;
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{Clang, Language, LinkPlan};

/// The runtime as a static library, compiled by this crate's build script.
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libspelunk_runtime.a"));

/// Links `objects` into `output`.
///
/// # Errors
/// [`Error::Linker`] with the symbols that have no definition; [`Error::Toolchain`] without a clang.
pub fn executable(objects: &[PathBuf], plan: &LinkPlan, folder: &Path, output: &Path) -> Result<(), Error> {
    let runtime = folder.join("libspelunk_runtime.a");
    fs::write(&runtime, RUNTIME).map_err(|e| Error::io(&runtime, "write the runtime library", e))?;
    let mut first = objects.to_vec();
    // The mathematics library comes before the runtime's archive: Rust's own support library in there has functions
    // of the same names that differ in the last bit.
    first.extend(["-lm".into(), runtime]);
    link(&first, &[], plan, output)
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
        command.arg("-fuse-ld=lld");
    }
    command.arg("-lm").arg("-o").arg(output);
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

/// The symbols that a linker says it did not find, as a phrase; empty if none.
fn missing_symbols(messages: &str) -> String {
    let mut names: Vec<&str> = messages
        .lines()
        .filter_map(|line| {
            let lld = line.split("undefined symbol: ").nth(1);
            let gnu =
                || line.split("undefined reference to `").nth(1).and_then(|rest| rest.split('\'').next());
            lld.or_else(gnu)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    format!(": no definition of {} (is a library missing? name it with --ldflags)", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::missing_symbols;

    #[test]
    fn names_missing_symbols_of_both_linkers() {
        let text = "ld.lld: error: undefined symbol: foo\n>>> referenced\n/usr/bin/ld: a.o: undefined reference to `bar'\n";
        assert!(missing_symbols(text).starts_with(": no definition of bar, foo"));
        assert_eq!(missing_symbols("collect2: error"), "");
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
