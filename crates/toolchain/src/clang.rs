//! Finding the real clang.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Newest LLVM whose bitcode this build of Spelunk reads.
pub const NEWEST_LLVM: u32 = 19;
/// Oldest clang that is accepted.
pub const OLDEST_CLANG: u32 = 14;

/// The language a compiler driver is for: `clang` or `clang++`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// C: `clang`.
    C,
    /// C++: `clang++`.
    Cxx,
}

/// An installed clang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clang {
    c: PathBuf,
    cxx: PathBuf,
}

impl Clang {
    /// The clang to use: `$SPELUNK_CLANG` (a path or name of the C driver), else the newest of `clang-19` …
    /// `clang-14` on the `PATH`, else a `clang` there of such a version.
    ///
    /// # Errors
    /// [`Error::NoClang`], which says how to install one.
    pub fn find() -> Result<Clang, Error> {
        if let Some(named) = std::env::var_os("SPELUNK_CLANG").filter(|v| !v.is_empty()) {
            return Clang::named(Path::new(&named));
        }
        let versioned = (OLDEST_CLANG..=NEWEST_LLVM).rev().find_map(|v| on_path(&format!("clang-{v}")));
        if let Some(clang) = versioned.and_then(|c| Clang::beside(&c)) {
            return Ok(clang);
        }
        if let Some(clang) = on_path("clang").filter(|c| is_accepted(c)).and_then(|c| Clang::beside(&c)) {
            return Ok(clang);
        }
        Err(Error::NoClang(format!(
            "no clang of version {OLDEST_CLANG} to {NEWEST_LLVM} found on PATH; install one with \
             `apt install clang-{NEWEST_LLVM}`, or name it in SPELUNK_CLANG"
        )))
    }

    fn named(name: &Path) -> Result<Clang, Error> {
        let refused = |why: &str| Error::NoClang(format!("SPELUNK_CLANG={}: {why}", name.display()));
        let path = match name.components().count() {
            1 => on_path(&name.to_string_lossy()),
            _ => name.exists().then(|| name.to_path_buf()),
        };
        let path = path.ok_or_else(|| refused("no such compiler; give the path of clang"))?;
        if !is_accepted(&path) {
            return Err(refused(&format!("not a clang of version {OLDEST_CLANG} to {NEWEST_LLVM}")));
        }
        Clang::beside(&path).ok_or_else(|| refused("there is no clang++ beside it"))
    }

    /// The pair of drivers from the C one: `clang++-19` (or `clang++19`, `clang++`) beside `clang-19`.
    fn beside(c: &Path) -> Option<Clang> {
        let name = c.file_name()?.to_string_lossy().into_owned();
        let direct = c.with_file_name(name.replacen("clang", "clang++", 1));
        if direct.exists() {
            return Some(Clang { c: c.to_path_buf(), cxx: direct });
        }
        let real = c.canonicalize().ok()?;
        let cxx = real.with_file_name("clang++");
        cxx.exists().then(|| Clang { c: c.to_path_buf(), cxx })
    }

    /// The driver for `language`.
    pub fn driver(&self, language: Language) -> &Path {
        match language {
            Language::C => &self.c,
            Language::Cxx => &self.cxx,
        }
    }
}

/// First executable file of that name on the `PATH`, leaving out Spelunk's own stand-ins.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let own = std::env::current_exe().ok();
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file() && (own.is_none() || file.canonicalize().ok() != own))
}

fn is_accepted(clang: &Path) -> bool {
    version(clang).is_some_and(|v| (OLDEST_CLANG..=NEWEST_LLVM).contains(&v))
}

/// Major version of a clang, from its `--version` text.
fn version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = text.split("clang version ").nth(1)?;
    after.split('.').next()?.parse().ok()
}
