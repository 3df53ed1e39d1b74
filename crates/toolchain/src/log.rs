//! The build log: what the wrappers of one `spelunk build` did, one JSON object per line, for its report.

use crate::OpaqueUnit;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Environment variable that names the log.
pub const LOG_VARIABLE: &str = "SPELUNK_BUILD_LOG";

/// One thing a wrapper did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// Assembled an object.
    Assembled {
        /// The object.
        object: PathBuf,
        /// Its source.
        source: PathBuf,
    },
    /// Linked an executable or shared library.
    Linked {
        /// The result.
        output: PathBuf,
        /// It is a shared library.
        shared: bool,
        /// Its units without bitcode.
        opaque: Vec<OpaqueUnit>,
    },
    /// Left out flags.
    Dropped {
        /// The flags.
        flags: Vec<String>,
    },
}

/// Where a wrapper logs to, if anywhere.
#[derive(Clone, Debug)]
pub struct Log {
    path: Option<PathBuf>,
}

impl Log {
    /// The log the environment names.
    pub fn from_env() -> Log {
        Log { path: std::env::var_os(LOG_VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from) }
    }

    /// No log.
    pub fn off() -> Log {
        Log { path: None }
    }

    /// Whether there is a log.
    pub fn is_on(&self) -> bool {
        self.path.is_some()
    }

    /// Adds an entry. A log that cannot be written never fails a build.
    pub fn add(&self, entry: &Entry) {
        let Some(path) = &self.path else { return };
        let Ok(mut line) = serde_json::to_vec(entry) else { return };
        line.push(b'\n');
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        // One write of a whole line: parallel compilers do not mix within lines.
        let _ = file.and_then(|mut f| f.write_all(&line));
    }

    /// Objects made from assembly so far, with their sources.
    pub fn assembled(&self) -> HashMap<PathBuf, PathBuf> {
        let entries = self.path.as_deref().map(read).unwrap_or_default();
        let assembled = entries.into_iter().filter_map(|e| match e {
            Entry::Assembled { object, source } => Some((object, source)),
            _ => None,
        });
        assembled.collect()
    }
}

/// Entries of a log; lines that cannot be read are left out, a missing log is empty.
pub fn read(path: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
