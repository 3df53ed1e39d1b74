//! The cache folder and its content-addressed store: `$SPELUNK_CACHE`, else `$XDG_CACHE_HOME/spelunk`, else
//! `~/.cache/spelunk`.

use crate::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its path.
    pub path: PathBuf,
    /// BLAKE3 hash of its content, hexadecimal.
    pub hash: String,
}

/// The cache folder of this user.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache folder the environment names. It is made when something is first put there.
    pub fn from_env() -> Cache {
        let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let root = var("SPELUNK_CACHE")
            .or_else(|| var("XDG_CACHE_HOME").map(|d| d.join("spelunk")))
            .or_else(|| var("HOME").map(|d| d.join(".cache/spelunk")))
            .unwrap_or_else(|| std::env::temp_dir().join("spelunk-cache"));
        Cache { root: std::path::absolute(&root).unwrap_or(root) }
    }

    /// A cache at a folder of your choice.
    pub fn at(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Most bytes of derived programs that are kept: `$SPELUNK_CACHE_MIB`, else 4 GiB.
    pub fn limit() -> u64 {
        let mib = std::env::var("SPELUNK_CACHE_MIB").ok().and_then(|text| text.trim().parse::<u64>().ok());
        mib.unwrap_or(4 << 10).saturating_mul(1 << 20)
    }

    /// A folder below the cache, made if absent.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.root.join(name);
        std::fs::create_dir_all(&path).map_err(|e| Error::io(&path, "make the cache folder", e))?;
        Ok(path)
    }

    /// Puts `bytes` into the store as `HASH.extension`; a file that is there already is kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, bytes: &[u8], extension: &str) -> Result<Stored, Error> {
        let hash = blake3::hash(bytes).to_hex().to_string();
        let path = self.folder("store")?.join(format!("{hash}.{extension}"));
        let complete = std::fs::metadata(&path).is_ok_and(|m| m.len() == bytes.len() as u64);
        if !complete {
            write_whole(&path, bytes)?;
        }
        Ok(Stored { path, hash })
    }
}

/// Writes a file so that others see all of it or nothing: into a neighbour, then renamed.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = path.with_extension(format!("part-{}-{n}", std::process::id()));
    let result = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    result.map_err(|e| {
        // The error matters, not what is left of the half-written neighbour.
        let _ = std::fs::remove_file(&part);
        Error::io(path, "write", e)
    })
}
