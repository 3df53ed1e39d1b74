//! Where the library is kept: the cache folder and the key in the folder's name.

use crate::compile::Compiler;
use anyhow::{Result, bail};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// Spelunk's cache: `$SPELUNK_CACHE`, else `$XDG_CACHE_HOME/spelunk`, else `~/.cache/spelunk`.
///
/// # Errors
/// When none of the variables is set.
pub fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("SPELUNK_CACHE") {
        return Ok(folder);
    }
    if let Some(folder) = set("XDG_CACHE_HOME") {
        return Ok(folder.join("spelunk"));
    }
    match set("HOME") {
        Some(home) => Ok(home.join(".cache").join("spelunk")),
        None => bail!(
            "no cache folder: set SPELUNK_CACHE (or XDG_CACHE_HOME or HOME) to a folder that can be written"
        ),
    }
}

/// Sixteen hexadecimal digits that change with versions, sums, recipe and compiler.
pub fn key(compiler: &Compiler) -> String {
    let mut hash = Sha256::new();
    for part in crate::sources::PINS.iter().flat_map(|pin| [pin.what, pin.sha256]) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(crate::compile::recipe().as_bytes());
    hash.update(compiler.identity().as_bytes());
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
