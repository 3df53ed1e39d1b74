//! Derived programs by content: `<cache>/programs/<hash>/` holds the program map and each flavour made so far.
//!
//! Files appear whole or not at all (written beside, then renamed), so any number of processes may share a
//! cache; two that make the same flavour at once both succeed, and one file wins.

use crate::{Error, Flavour};
use fs_err as fs;
use program::CheckKind;
use std::path::{Path, PathBuf};
use toolchain::ProgramSource;

/// Folder of the cache for derived programs.
const PROGRAMS: &str = "programs";

/// Where the derived files of one program lie.
#[derive(Clone, Debug)]
pub struct Entry {
    folder: PathBuf,
}

impl Entry {
    /// The entry of `source` with these checks below the cache folder `root`.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn of(root: &Path, source: &ProgramSource, find: &[CheckKind]) -> Result<Entry, Error> {
        let folder = root.join(PROGRAMS).join(key(source, find));
        let make = || fs::create_dir_all(&folder).and_then(|()| toolchain::bounded::keep(&folder));
        // The entry may be removed, as one long unused, between the two; once it is kept it stays.
        make().or_else(|_| make()).map_err(|e| Error::io(&folder, "make the cache folder", e))?;
        Ok(Entry { folder })
    }

    /// Removes what was used longest ago of the programs below the cache folder `root`, if they have become too large together.
    pub fn sweep(root: &Path) {
        // A cache that stays too large is no reason to fail.
        let _ = toolchain::bounded::sweep(&root.join(PROGRAMS), toolchain::Cache::limit());
    }

    /// File of the program map.
    pub fn map(&self) -> PathBuf {
        self.folder.join("map.bin")
    }

    /// File of a flavour.
    pub fn flavour(&self, flavour: Flavour) -> PathBuf {
        self.folder.join(flavour.name())
    }

    /// A scratch folder on the same file system, removed when dropped.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn scratch(&self) -> Result<tempfile::TempDir, Error> {
        tempfile::Builder::new()
            .prefix("part-")
            .tempdir_in(&self.folder)
            .map_err(|e| Error::io(&self.folder, "make a scratch folder in", e))
    }
}

/// Hash of everything that decides what is derived: the program, the checks, this instrumenter, the runtime.
fn key(source: &ProgramSource, find: &[CheckKind]) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(source.content_hash().as_bytes());
    for kind in find {
        hash.update(kind.name().as_bytes());
    }
    hash.update(&trace_abi::VERSION.to_le_bytes());
    hash.update(&program::MAP_VERSION.to_le_bytes());
    hash.update(blake3::hash(crate::link::RUNTIME).as_bytes());
    if let Ok(own) = std::env::current_exe().and_then(fs::read) {
        hash.update(blake3::hash(&own).as_bytes());
    }
    hash.finalize().to_hex()[..32].to_owned()
}
