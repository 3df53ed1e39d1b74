//! Bitwuzla as a static library, without meson, cmake, git, or a line of third-party source in this repository.
//!
//! [`ensure`] takes the sources from registries by their ordinary clients ([`sources`]: Bitwuzla from PyPI, the SAT
//! solver CaDiCaL from crates.io, the floating-point headers symfpu from Debian), compares them with pinned SHA-256
//! sums, compiles everything in parallel ([`compile`]) and leaves one archive in a cache folder ([`place`]) whose
//! name tells versions, recipe and compiler apart. It is called by the build script of `solve-smt` and, with progress
//! on the terminal, by `cargo run -p xtask -- bitwuzla`. An interrupted build goes on where it stopped.
#![forbid(unsafe_code)]

pub mod compile;
pub mod place;
pub mod sources;

use anyhow::{Context, Result};
use std::fs::File;
use std::path::PathBuf;

/// Version of Bitwuzla.
pub const BITWUZLA_VERSION: &str = "0.9.1";
/// Version of CaDiCaL.
pub const CADICAL_VERSION: &str = "2.1.3";

/// Name of the archive in the folder that [`ensure`] returns; link it as `static=spelunk_bitwuzla`.
pub const ARCHIVE: &str = "libspelunk_bitwuzla.a";

/// Folder holding the archive, built now if it is not there yet (some minutes of processor time).
///
/// The variable `SPELUNK_BITWUZLA_DIR` names a folder to use as it is. `progress` gets one line per step.
///
/// # Errors
/// When a source cannot be had or differs from its pinned sum, or the compiler fails; the message says what to do.
pub fn ensure(progress: &(dyn Fn(&str) + Sync)) -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("SPELUNK_BITWUZLA_DIR") {
        let folder = PathBuf::from(folder);
        anyhow::ensure!(
            folder.join(ARCHIVE).is_file(),
            "SPELUNK_BITWUZLA_DIR is set to {}, but there is no {ARCHIVE}; unset it to have the library built",
            folder.display()
        );
        return Ok(folder);
    }
    let compiler = compile::Compiler::find()?;
    let cache = place::cache_folder()?;
    std::fs::create_dir_all(&cache)
        .with_context(|| format!("cannot create the cache folder {}", cache.display()))?;
    let folder = cache.join(format!("bitwuzla-{}", place::key(&compiler)));
    if folder.join(ARCHIVE).is_file() {
        return Ok(folder);
    }
    let lock_path = folder.with_extension("lock");
    let lock = File::create(&lock_path).with_context(|| format!("cannot write {}", lock_path.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", lock_path.display()))?;
    // Somebody else may have built it while we waited for the lock.
    if !folder.join(ARCHIVE).is_file() {
        build(&folder, &compiler, progress)?;
    }
    Ok(folder)
}

/// Builds into a folder beside `folder`, which then appears at once and complete.
fn build(
    folder: &std::path::Path,
    compiler: &compile::Compiler,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<()> {
    let work = folder.with_extension("partial");
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let sources = sources::obtain(&work, progress)?;
    let result = compile::compile(&sources, compiler, &work, progress)?;
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    std::fs::rename(&result, folder).with_context(|| format!("cannot create {}", folder.display()))?;
    std::fs::remove_dir_all(&work).with_context(|| format!("cannot clear {}", work.display()))?;
    progress(&format!("Bitwuzla {BITWUZLA_VERSION} is ready in {}", folder.display()));
    Ok(())
}
