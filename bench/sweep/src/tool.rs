//! The Spelunk that is swept with: a copy of its programs, named by their content, so that a build of the workspace in the
//! meantime changes nothing.

use anyhow::Context;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A copy of `spelunk` and `spelunk-instrument`.
pub struct Tool {
    spelunk: PathBuf,
    hash: String,
}

impl Tool {
    /// Copies the programs in `from` to `folder`.
    pub fn copied(from: &Path, folder: &Path) -> anyhow::Result<Tool> {
        let mut hash = Sha256::new();
        let names = ["spelunk", "spelunk-instrument"];
        for name in names {
            let bytes =
                fs_err::read(from.join(name)).context("build Spelunk first: cargo build --release")?;
            hash.update(bytes);
        }
        let hash: String = hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect();
        let folder = folder.join(&hash);
        fs_err::create_dir_all(&folder)?;
        for name in names {
            if !folder.join(name).exists() {
                let part = folder.join(format!("{name}.part"));
                fs_err::copy(from.join(name), &part)?;
                fs_err::rename(&part, folder.join(name))?;
            }
        }
        Ok(Tool { spelunk: folder.join("spelunk"), hash })
    }

    /// Names the build.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// A command of it.
    pub fn words(&self, rest: &[&str]) -> Vec<String> {
        let spelunk = self.spelunk.to_string_lossy().into_owned();
        std::iter::once(spelunk).chain(rest.iter().map(|w| (*w).to_string())).collect()
    }
}
