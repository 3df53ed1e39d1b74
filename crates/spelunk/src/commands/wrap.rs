//! `spelunk build`, `spelunk cc` and `spelunk c++`: the user's own build, with bitcode kept.

use crate::cli::{BuildArgs, CompilerArgs};
use crate::exit;
use crate::failure::{Done, Failure};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toolchain::build::Report;
use toolchain::{Cache, Language, Opaque, OpaqueUnit};

/// Most units without bitcode that are named for one executable.
const MAX_NAMED: usize = 8;

/// When this process was called by a compiler's name (the links `spelunk build` puts in place), does that
/// compiler's work; `main` asks before it parses the command line.
pub fn called_as_compiler() -> Option<Done> {
    let mut words = std::env::args_os();
    let language = toolchain::build::called_as(Path::new(&words.next()?))?;
    Some(compile(language, &words.collect::<Vec<_>>()))
}

/// `spelunk cc` and `spelunk c++`.
pub fn compiler(args: CompilerArgs, cxx: bool) -> Done {
    compile(if cxx { Language::Cxx } else { Language::C }, &args.args)
}

fn compile(language: Language, words: &[OsString]) -> Done {
    toolchain::wrapper::run(language, words).map_err(failure)
}

/// `spelunk build`: runs the command; its exit code is ours.
pub fn build(args: BuildArgs) -> Done {
    let own = std::env::current_exe().map_err(|e| Failure::io("find", Path::new("spelunk"), &e))?;
    let report = toolchain::build::run(&args.command, &own, &Cache::from_env()).map_err(failure)?;
    // To standard error: the command's own output stays as it is.
    eprint!("{}", summary(&report));
    Ok(report.code)
}

/// A failure of the toolchain with the exit code that fits.
pub fn failure(error: toolchain::Error) -> Failure {
    use toolchain::Error as E;
    let code = match &error {
        E::NoClang(_) => exit::TOOLS,
        E::Io { .. } => exit::SYSTEM,
        E::NoTarget => exit::USAGE,
        E::Missing(_)
        | E::NotAProgram { .. }
        | E::OtherMachine { .. }
        | E::NoBitcode { .. }
        | E::DamagedBitcode { .. }
        | E::NewerLlvm { .. }
        | E::Mixed(_)
        | E::Compiler { .. } => exit::TARGET,
    };
    Failure::new(code, error.to_string())
}

/// What a build made, for people.
fn summary(report: &Report) -> String {
    let mut text = String::new();
    let mut list = |what: &str, files: &BTreeMap<PathBuf, Vec<OpaqueUnit>>| {
        for (file, opaque) in files.iter().filter(|(file, _)| !is_probe(file)) {
            text.push_str(&format!("spelunk: {what} {}{}\n", file.display(), remark(opaque)));
            for unit in opaque.iter().take(MAX_NAMED) {
                text.push_str(&format!("spelunk:   no bitcode: {} ({})\n", unit.name, unit.why.text()));
            }
            if opaque.len() > MAX_NAMED {
                text.push_str(&format!("spelunk:   … and {} more\n", opaque.len() - MAX_NAMED));
            }
        }
    };
    list("executable", &report.executables);
    list("shared library", &report.libraries);
    if !report.dropped_flags.is_empty() {
        let flags = report.dropped_flags.join(" ");
        text.push_str(&format!("spelunk: left out {flags}: link-time optimisation would hide the bitcode\n"));
    }
    match (report.code, report.executables.keys().find(|file| !is_probe(file))) {
        (0, Some(first)) => text.push_str(&format!("spelunk: try `spelunk explore {}`\n", first.display())),
        (0, None) => text.push_str(
            "spelunk: no executable was linked; if it was built before, clean first (for example `make clean`)\n",
        ),
        (code, _) => text.push_str(&format!("spelunk: the build command failed with exit code {code}\n")),
    }
    text
}

/// Whether this is something that a build system linked only to try its compiler out.
fn is_probe(file: &Path) -> bool {
    let named = |part: &std::ffi::OsStr| part == "CMakeFiles" || part == "meson-private";
    file.iter().any(named)
        || file.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("conftest"))
}

fn remark(opaque: &[OpaqueUnit]) -> String {
    let foreign = opaque.iter().filter(|u| u.why == Opaque::Prebuilt).count();
    match (opaque.len(), foreign) {
        (0, _) => String::new(),
        (n, 0) => format!(" ({n} units without bitcode)"),
        (n, foreign) => format!(" ({n} units without bitcode, {foreign} of them not compiled here)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_made_nothing_says_what_to_do() {
        assert!(summary(&Report::default()).contains("make clean"));
        assert!(summary(&Report { code: 2, ..Report::default() }).contains("exit code 2"));
    }

    #[test]
    fn units_without_bitcode_are_named_with_the_reason() {
        let unit = |n| OpaqueUnit { name: format!("u{n}.o"), why: Opaque::Prebuilt };
        let mut report = Report::default();
        report.executables.insert(PathBuf::from("/b/prog"), (0..10).map(unit).collect());
        let text = summary(&report);
        assert!(text.contains("executable /b/prog (10 units without bitcode, 10 of them not compiled here)"));
        assert!(
            text.contains("u7.o (not compiled by") && !text.contains("u8.o") && text.contains("and 2 more")
        );
        assert!(text.contains("spelunk explore /b/prog"));
    }
}
