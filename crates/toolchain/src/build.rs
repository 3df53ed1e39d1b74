//! `spelunk build -- COMMAND…`: runs a build with the wrappers in place of its compilers.
//!
//! `CC` and `CXX` name small programs without spaces in their paths (links to Spelunk itself in the cache,
//! which look at the name they are called by). For builds that name their compiler themselves (`CC = gcc` in a
//! Makefile) links called `gcc`, `cc`, `clang`, … come first on the `PATH`.

use crate::log::{self, Entry};
use crate::{Cache, Clang, Error, Language, OpaqueUnit};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const C_NAME: &str = "spelunk-cc";
const CXX_NAME: &str = "spelunk-c++";
/// Names under which builds call C compilers.
const C_COMPILERS: &[&str] = &[
    "cc",
    "gcc",
    "clang",
    "x86_64-linux-gnu-gcc",
    "clang-14",
    "clang-15",
    "clang-16",
    "clang-17",
    "clang-18",
    "clang-19",
];
/// Names under which builds call C++ compilers.
const CXX_COMPILERS: &[&str] = &[
    "c++",
    "g++",
    "clang++",
    "x86_64-linux-gnu-g++",
    "clang++-14",
    "clang++-15",
    "clang++-16",
    "clang++-17",
    "clang++-18",
    "clang++-19",
];

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Exit code of the command.
    pub code: u8,
    /// Executables that were linked and are still there, with their units without bitcode.
    pub executables: BTreeMap<PathBuf, Vec<OpaqueUnit>>,
    /// Shared libraries, likewise.
    pub libraries: BTreeMap<PathBuf, Vec<OpaqueUnit>>,
    /// Flags that were left out because they hide the bitcode.
    pub dropped_flags: Vec<String>,
}

/// The language of the compiler this process was called as, by the name in `argv[0]`; `None` when it was
/// called as Spelunk itself. `main` asks this before anything else.
pub fn called_as(argv0: &Path) -> Option<Language> {
    let name = argv0.file_name()?.to_str()?;
    if name == C_NAME || C_COMPILERS.contains(&name) {
        Some(Language::C)
    } else if name == CXX_NAME || CXX_COMPILERS.contains(&name) {
        Some(Language::Cxx)
    } else {
        None
    }
}

/// Runs `command` with the wrappers in place; `spelunk` is the program they are links to.
///
/// # Errors
/// When there is no clang, the wrappers cannot be put in place, or the command cannot be started.
pub fn run(command: &[OsString], spelunk: &Path, cache: &Cache) -> Result<Report, Error> {
    Clang::find()?;
    let Some((program, arguments)) = command.split_first() else { return Ok(Report::default()) };
    let wrappers = Wrappers::put(spelunk, cache)?;
    let log = cache.folder("tmp")?.join(format!("build-{}.log", std::process::id()));
    let _ = std::fs::remove_file(&log);
    let status = Command::new(program)
        .args(arguments)
        .env("CC", wrappers.folder.join(C_NAME))
        .env("CXX", wrappers.folder.join(CXX_NAME))
        .env("PATH", wrappers.path())
        .env("SPELUNK_CACHE", cache.root())
        .env(log::LOG_VARIABLE, &log)
        .status()
        .map_err(|e| Error::io(Path::new(program), "start", e))?;
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    let report = report(u8::try_from(code).unwrap_or(1), log::read(&log));
    // The log has been read; a leftover in the cache does no harm.
    let _ = std::fs::remove_file(&log);
    Ok(report)
}

fn report(code: u8, entries: Vec<Entry>) -> Report {
    let mut report = Report { code, ..Report::default() };
    for entry in entries {
        match entry {
            Entry::Linked { output, shared: false, opaque } => {
                drop(report.executables.insert(output, opaque))
            }
            Entry::Linked { output, shared: true, opaque } => drop(report.libraries.insert(output, opaque)),
            Entry::Dropped { flags } => report.dropped_flags.extend(flags),
            Entry::Assembled { .. } => {}
        }
    }
    // What configure scripts try out is gone by now.
    report.executables.retain(|path, _| path.is_file());
    report.libraries.retain(|path, _| path.is_file());
    report.dropped_flags.sort();
    report.dropped_flags.dedup();
    report
}

/// The links that stand in for compilers.
struct Wrappers {
    folder: PathBuf,
    stand_ins: PathBuf,
}

impl Wrappers {
    fn put(spelunk: &Path, cache: &Cache) -> Result<Wrappers, Error> {
        let key = &blake3::hash(spelunk.as_os_str().as_encoded_bytes()).to_hex()[..16];
        let folder = match cache.folder(&format!("wrappers/{key}"))? {
            folder if has_no_space(&folder) => folder,
            // Makefiles and configure scripts split `CC` at spaces.
            _ => without_space(key, cache)?,
        };
        let stand_ins = folder.join("bin");
        std::fs::create_dir_all(&stand_ins)
            .map_err(|e| Error::io(&stand_ins, "make the wrapper folder", e))?;
        for name in [C_NAME, CXX_NAME] {
            link(spelunk, &folder.join(name))?;
        }
        for name in C_COMPILERS.iter().chain(CXX_COMPILERS) {
            link(spelunk, &stand_ins.join(name))?;
        }
        Ok(Wrappers { folder, stand_ins })
    }

    /// The `PATH` with the stand-ins first.
    fn path(&self) -> OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::iter::once(self.stand_ins.clone()).chain(std::env::split_paths(&path));
        std::env::join_paths(dirs).unwrap_or(path)
    }
}

fn has_no_space(path: &Path) -> bool {
    !path.to_string_lossy().contains(char::is_whitespace)
}

/// A folder of this user's own below the temporary folder.
fn without_space(key: &str, cache: &Cache) -> Result<PathBuf, Error> {
    let owner = |path: &Path| std::fs::symlink_metadata(path).map(|m| (m.uid(), m.is_dir()));
    let io = |path: &Path, e| Error::io(path, "make the wrapper folder", e);
    let (user, _) = owner(cache.root()).map_err(|e| io(cache.root(), e))?;
    let folder = std::env::temp_dir().join(format!("spelunk-wrappers-{user}-{key}"));
    std::fs::create_dir_all(&folder).map_err(|e| io(&folder, e))?;
    match owner(&folder).map_err(|e| io(&folder, e))? {
        (found, true) if found == user => Ok(folder),
        _ => Err(io(&folder, std::io::Error::other("it belongs to another user"))),
    }
}

/// Makes `link` point to `target`, whatever was there; several builds may do so at once.
fn link(target: &Path, link: &Path) -> Result<(), Error> {
    if std::fs::read_link(link).is_ok_and(|t| t == target) {
        return Ok(());
    }
    let part = link.with_extension(format!("part-{}", std::process::id()));
    // A part left by a process that died under the same id.
    let _ = std::fs::remove_file(&part);
    let made = std::os::unix::fs::symlink(target, &part).and_then(|()| std::fs::rename(&part, link));
    made.map_err(|e| Error::io(link, "make the wrapper", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_the_language() {
        let called = |name: &str| called_as(Path::new(name));
        assert_eq!(called("/x/spelunk-cc"), Some(Language::C));
        assert_eq!(called("spelunk-c++"), Some(Language::Cxx));
        assert_eq!(called("/cache/bin/gcc"), Some(Language::C));
        assert_eq!(called("clang-19"), Some(Language::C));
        assert_eq!(called("clang++-19"), Some(Language::Cxx));
        assert_eq!(called("spelunk"), None);
        assert_eq!(called("target/release/spelunk"), None);
    }
}
