//! Where everything lies: a folder outside the checkout.

use crate::process::User;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's own search path, whatever the sweep was started with.
pub const SEARCH_PATH: &str = "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The folder of a sweep.
pub struct Work {
    root: PathBuf,
    user: User,
    machine: Vec<(String, String)>,
}

impl Work {
    /// Makes the folder.
    pub fn new(root: &Path) -> anyhow::Result<Work> {
        fs_err::create_dir_all(root)?;
        let root = fs_err::canonicalize(root)?;
        let user = User::unprivileged()?;
        for folder in ["home", "tmp", "cache", "packages"] {
            user.folder(&root.join(folder))?;
        }
        fs_err::create_dir_all(root.join("records"))?;
        let output =
            Command::new("dpkg-architecture").arg("-l").output().context("dpkg-architecture (dpkg-dev)")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let machine =
            text.lines().filter_map(|l| l.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
        Ok(Work { root, user, machine })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Who builds and tests.
    pub fn user(&self) -> User {
        self.user
    }

    /// Where a package's source archives lie.
    pub fn downloads(&self, name: &str) -> PathBuf {
        self.root.join("downloads").join(name)
    }

    /// Where a package is built.
    pub fn package(&self, name: &str) -> PathBuf {
        self.root.join("packages").join(name)
    }

    /// Where a package's record lies.
    pub fn record(&self, name: &str) -> PathBuf {
        self.root.join("records").join(format!("{name}.json"))
    }

    /// A folder in which the names of compilers mean clang: for builds without Spelunk.
    pub fn clang_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.root.join("clang");
        fs_err::create_dir_all(&folder)?;
        let names = [
            ("cc", ""),
            ("gcc", ""),
            ("x86_64-linux-gnu-gcc", ""),
            ("clang", ""),
            ("c++", "++"),
            ("g++", "++"),
            ("x86_64-linux-gnu-g++", "++"),
            ("clang++", "++"),
        ];
        for (name, plus) in names.into_iter().filter(|(name, _)| !folder.join(name).is_symlink()) {
            std::os::unix::fs::symlink(format!("/usr/bin/clang{plus}-19"), folder.join(name))?;
        }
        Ok(folder)
    }

    /// The environment of builds and tests, as Debian's build machines have it.
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = |name: &str| self.root.join(name).to_string_lossy().into_owned();
        let mut all = self.machine.clone();
        for (key, value) in [
            ("PATH", SEARCH_PATH.to_string()),
            ("HOME", path("home")),
            ("TMPDIR", path("tmp")),
            ("SPELUNK_CACHE", path("cache")),
            ("USER", "nobody".into()),
            ("LOGNAME", "nobody".into()),
            ("SHELL", "/bin/sh".into()),
            ("LC_ALL", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
            ("DEB_BUILD_OPTIONS", "nocheck nodoc parallel=2".into()),
        ] {
            all.push((key.into(), value));
        }
        all
    }
}
